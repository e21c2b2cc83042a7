"""p-values by counting relabellings, and scores that make several statistics comparable."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from ..core.errors import InputError
from .tail import FEWEST, REACHED, fitted_tail, tail_p

#: Differences up to this share of the largest statistic are rounding errors: a permuted statistic
#: that is smaller by no more than this counts as reaching the observed one.
ROUNDING = 1e-9
#: The level of confidence intervals: that of a p counted by Monte Carlo, and those of effects.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class PValue:
    """A Monte-Carlo p-value and the interval of the exact one (Clopper and Pearson).

    `tail` is the same p, where small values come from a fitted tail (`tail.tail_p`).

    See Also
    --------
    p_value : Returns it.

    References
    ----------
    Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26, 1934. https://doi.org/10.1093/biomet/26.4.404

    Examples
    --------
    >>> found = p_value(2.0, [0.0, 1.0, 3.0])
    >>> found.p, round(float(found.low), 3), round(float(found.high), 3)
    (np.float64(0.5), 0.008, 0.906)
    """

    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tail: np.ndarray


def p_value(observed, null, exact=False, tail=False):
    """Return ``(1 + #{null >= observed}) / (1 + B)`` with its Monte-Carlo interval.

    `null` (B, ...) reaches `observed` (...) up to rounding errors. If the B values are all there
    are (`exact`), the interval is p itself.
    """
    observed = np.asarray(observed, dtype=float)
    null = np.asarray(null, dtype=float)
    if np.isnan(observed).any() or np.isnan(null).any():
        raise InputError("a statistic is NaN: there is no p-value of it")
    slack = ROUNDING * np.maximum(np.abs(observed), np.abs(null).max(axis=0, initial=0.0))
    # Only infinite values reach an infinite one: without a slack, which would be infinite too.
    slack = np.where(np.isfinite(slack), slack, 0.0)
    reached = np.asarray((null >= observed - slack).sum(axis=0))
    count = len(null)
    p = (1 + reached) / (1 + count)
    if exact:
        return PValue(p, p, p, p)
    if count == 0:
        return PValue(p, np.zeros_like(p), np.ones_like(p), p)
    side = (1 - CONFIDENCE) / 2
    low = betaincinv(np.maximum(reached, 1), count - reached + 1, side)
    high = betaincinv(reached + 1, np.maximum(count - reached, 1), 1 - side)
    # At the ends the interval is one-sided.
    low = np.where(reached == 0, 0.0, low)
    high = np.where(reached == count, 1.0, high)
    return PValue(p, low, high, tail_p(observed, null, p) if tail else p)


def min_p_scores(every):
    """Return scores that make several statistics comparable (min-p).

    A score is minus the logarithm of the p-value of a relabelling's statistic among those of all
    relabellings (Westfall and Young 1993). The most extreme value of each statistic would have the
    same p: where ranks say little, p comes from the fitted tail of all values (`tail.fitted_tail`).
    If no tail fits, equal p are ordered by the distance from the mean in standard deviations. All
    relabellings are treated alike, so that the p of the largest score is valid.

    Parameters
    ----------
    every : ndarray of shape (n_relabellings, ...)
        The observed statistics among the others.

    Returns
    -------
    ndarray of the same shape
        Larger for more extreme statistics; equal where statistics are equal up to rounding.
    """
    flat = every.reshape(len(every), -1)
    scores = np.zeros(flat.shape)
    z = np.zeros(flat.shape)
    for score, sd, values in zip(scores.T, z.T, flat.T, strict=True):
        score[:] = -np.log(_p_among(values))
        size, spread = np.abs(values).max(), values.std()
        if spread > ROUNDING * size:
            sd[:] = (values - values.mean()) / spread
    # Smaller than the distance of any two different ranks: this only orders ties.
    place = np.searchsorted(np.sort(z, axis=None), z - ROUNDING)
    return (scores + place / (2 * z.size * len(every))).reshape(every.shape)


def critical_statistics(every, scores, level):
    """Return the smallest of each of several statistics with a family-wise p up to `level`.

    `every` (n_relabellings, ...) includes the observed statistics; `scores` are those of
    `min_p_scores`. NaN if no relabelling is beyond.
    """
    most = np.sort(scores.reshape(len(scores), -1).max(axis=1))[::-1]
    reached = int(level * len(most) + ROUNDING)
    if not reached:
        return np.full(every.shape[1:], np.nan)
    beyond = scores >= most[reached - 1]
    least = np.where(beyond, every, np.inf).min(axis=0)
    return np.where(beyond.any(axis=0), least, np.nan)


def critical_between(every, scores, level):
    """Return the value above which a further statistic would have a family-wise p up to `level`.

    As `critical_statistics`, but for a statistic that is not among the relabellings. Its limit lies
    between the last of them that is not beyond and the first that is, interpolated by their scores:
    with few relabellings these two are far apart in the tail.
    """
    most = np.sort(scores.reshape(len(scores), -1).max(axis=1))[::-1]
    reached = int(level * len(most) + ROUNDING)
    found = np.full(every.shape[1:], np.nan)
    if not reached:
        return found
    limit = most[reached - 1]
    for place in np.ndindex(found.shape):
        order = np.argsort(every[(slice(None), *place)], kind="stable")
        values = every[(order, *place)]
        ranks = scores[(order, *place)]
        first = np.searchsorted(ranks, limit)
        if first == len(ranks):
            continue
        found[place] = values[first]
        if first > 0:
            way = (limit - ranks[first - 1]) / (ranks[first] - ranks[first - 1])
            found[place] = values[first - 1] + way * (values[first] - values[first - 1])
    return found


def _p_among(values):
    """The p-value of each statistic among all of them."""
    count = len(values)
    ordered = np.sort(values)
    slack = ROUNDING * np.abs(values).max()
    p = (count - np.searchsorted(ordered, values - slack)) / count
    survival = fitted_tail(ordered) if count > FEWEST else None
    if survival is None:
        return p
    # Ranks where they say enough; the tail continues from there.
    few = p < REACHED / count
    least = p[~few].min()
    at = survival(values[(p == least) & ~few].min())
    p[few] = least * np.minimum(1.0, survival(values[few]) / at)
    return p
