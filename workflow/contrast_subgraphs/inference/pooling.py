"""Pooled effects of several studies or sites: random effects, heterogeneity, prediction.

The variance between sites is that of Paule and Mandel (Journal of Research of the National Bureau
of Standards 1982). The interval of the mean is that of Hartung and Knapp (Statistics in Medicine
2001), which is right for few sites too (IntHout, Ioannidis and Borm, BMC Medical Research
Methodology 2014).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from ..core.results import Result
from .p_values import CONFIDENCE, ROUNDING


@dataclass(frozen=True, repr=False)
class Pooled(Result):
    """The random-effects mean of k effects.

    Attributes
    ----------
    mean, error : float
        The mean and its standard error, by Hartung and Knapp.
    low, high : float
        95 % interval of the mean; NaN for fewer than two effects.
    tau : float
        Standard deviation between sites.
    i2 : float
        Share of the variation that is between sites (Higgins and Thompson 2002).
    predicted_low, predicted_high : float
        95 % interval of the effect at a further site; NaN for fewer than three effects.
    count : int
        The number of effects.

    See Also
    --------
    SiteEffectsResult : Its method `pooled` returns it.

    Examples
    --------
    >>> pooled_effect([0.10, 0.12, 0.08], [0.03, 0.03, 0.03])
    <Pooled: mean of 3 effects 0.1 (0.0503 to 0.15), I2 0%>
    """

    mean: float
    error: float
    low: float
    high: float
    tau: float
    i2: float
    predicted_low: float
    predicted_high: float
    count: int

    def _said(self) -> str:
        return (
            f"mean of {self.count} effects {self.mean:.3g} ({self.low:.3g} to {self.high:.3g}), "
            f"I2 {self.i2:.0%}"
        )


def pooled_effect(effect, error, covariance=None):
    """Return the random-effects mean of some effects, `Pooled`.

    Parameters
    ----------
    effect, error : array_like of shape (k,)
        Effects and their positive standard errors.
    covariance : array_like of shape (k, k), optional
        Estimated covariances of any two effects, by default none. The diagonal does not count.

    Examples
    --------
    >>> found = pooled_effect([0.10, 0.12, 0.08], [0.03, 0.03, 0.03])
    >>> round(found.mean, 3), found.i2, found.count
    (0.1, 0.0, 3)
    """
    effect = np.asarray(effect, dtype=float)
    variance = np.asarray(error, dtype=float) ** 2
    count = len(effect)
    if count == 0:
        return Pooled(*[np.nan] * 8, count=0)
    tau2 = _between(effect, variance)
    weight = 1 / (variance + tau2)
    mean = (weight * effect).sum() / weight.sum()
    error = np.nan
    half = np.nan
    predicted = np.nan
    if count > 1:
        scatter = _scatter(effect, weight, mean)
        # What all effects share does not show in their scatter, and comes in addition.
        error = np.sqrt(scatter / weight.sum() + _shared(weight, covariance))
        half = stdtrit(count - 1, (1 + CONFIDENCE) / 2) * error
    if count > 2:
        predicted = stdtrit(count - 2, (1 + CONFIDENCE) / 2) * np.sqrt(tau2 + error**2)
    return Pooled(
        float(mean),
        float(error),
        float(mean - half),
        float(mean + half),
        float(np.sqrt(tau2)),
        _i2(effect, variance),
        float(mean - predicted),
        float(mean + predicted),
        count,
    )


def _scatter(effect, weight, mean):
    """The scatter of the effects relative to what their weights say (Hartung and Knapp).

    It may be below 1. A mean divided by its own scatter is a t, and to raise the scatter to 1, as
    some do, makes intervals too wide where sites do not differ.
    """
    scatter = (weight * (effect - mean) ** 2).sum() / (len(effect) - 1)
    # Equal effects, such as those of empty sets, say nothing about how they scatter.
    if np.ptp(effect) <= ROUNDING * np.abs(effect).max():
        return 1.0
    return scatter


def _shared(weight, covariance):
    """The mean covariance of two effects, weighted as in the variance of their mean, at least 0."""
    if covariance is None:
        return 0.0
    share = np.outer(weight, weight)
    np.fill_diagonal(share, 0.0)
    return max(0.0, float((share * covariance).sum() / share.sum()))


def _i2(effect, variance):
    """The share of the variation that is between sites, by fixed-effect weights (Cochran's Q)."""
    fixed = 1 / variance
    q = (fixed * (effect - (fixed * effect).sum() / fixed.sum()) ** 2).sum()
    if q <= 0:
        return 0.0
    return float(max(0.0, (q - len(effect) + 1) / q))


def _between(effect, variance):
    """The variance between sites at which the weighted squares equal their expectation."""

    def excess(tau2):
        weight = 1 / (variance + tau2)
        mean = (weight * effect).sum() / weight.sum()
        return (weight * (effect - mean) ** 2).sum() - (len(effect) - 1)

    # The sites vary no more than their errors say: no variance between them.
    if len(effect) < 2 or excess(0.0) <= 0:
        return 0.0
    largest = float(np.ptp(effect) ** 2 + variance.max())
    while excess(largest) > 0:
        largest *= 4
    return float(brentq(excess, 0.0, largest, xtol=1e-12 * largest))
