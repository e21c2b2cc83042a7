"""How much numbers of graphs differ by a design, and how precisely that is known.

It is for numbers that were fixed in advance, such as the mean weight inside a set that others
chose.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from ..design import Design
from ..design.covariates import NOTHING
from .p_values import CONFIDENCE


class Slopes(NamedTuple):
    """The slope of m numbers, its standard error, and Cohen's d; `freedom` is that of the error."""

    slope: np.ndarray
    error: np.ndarray
    d: np.ndarray
    freedom: float

    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of the confidence interval; NaN if the error is not known."""
        half = stdtrit(self.freedom, (1 + CONFIDENCE) / 2) * self.error
        return self.slope - half, self.slope + half


def slopes_of(design: Design, numbers: np.ndarray) -> Slopes:
    """Return the slope of numbers on what a design asks for (the difference of two groups).

    The error is a sandwich estimate, which allows for groups that vary unequally, with the leverage
    correction and the degrees of freedom of Bell and McCaffrey (2002): for two groups nearly those
    of Welch's t, for pairs those of the paired t. Graphs of one person (or of one block that is
    exchanged as a whole) are one observation.

    Parameters
    ----------
    design : Design
    numbers : ndarray of shape (n, m)
        Of the graphs of the design (`Design.rows`).

    See Also
    --------
    Design.within_places : Leaves only what a test of the design is about.

    References
    ----------
    Bell, McCaffrey: Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology 28, 2002.

    Pustejovsky, Tipton: Small-sample methods for cluster-robust variance estimation and hypothesis
    testing in fixed effects models. Journal of Business & Economic Statistics 36, 2018.
    https://doi.org/10.1080/07350015.2016.1247004

    Examples
    --------
    >>> from contrast_subgraphs import two_groups
    >>> found = slopes_of(two_groups(["a"] * 5 + ["b"] * 5), np.arange(10.0)[:, None])
    >>> found.slope.tolist(), [end.round(1).tolist() for end in found.interval()]
    ([-5.0], [[-7.3], [-2.7]])
    """
    # 1. Regress the nuisance variables out of the numbers, and then the regressor.
    value = design.residual
    weight = value @ value
    left = numbers - design.nuisance @ (design.nuisance.T @ numbers)
    slope = value @ left / weight
    residual = left - np.outer(value, slope)
    # 2. The error comes from what each person contributes to the slope.
    basis = np.column_stack([design.nuisance, value / np.sqrt(weight)])
    share = _adjusted(value, basis, design.cluster) / weight
    people = design.cluster.max() + 1
    summed = np.zeros((people, numbers.shape[1]))
    np.add.at(summed, design.cluster, share[:, None] * residual)
    trace, freedom = _moments(share, basis, design.cluster)
    # What has all the leverage has no residual: the others stand for it, as if all varied equally.
    scale = 1 / (weight * trace) if trace * weight > NOTHING else np.nan
    error = np.sqrt(scale * (summed**2).sum(axis=0))
    # 3. d is in units of the standard deviation within groups.
    graphs = max(1, len(value) - basis.shape[1])
    sd = np.sqrt((residual**2).sum(axis=0) / graphs)
    d = np.divide(slope, sd, out=np.zeros_like(slope), where=sd > 0)
    return Slopes(slope, error, d, freedom)


def _adjusted(value, basis, cluster):
    """The regressor as it weighs residuals: by the inverse root of what the model leaves of them.

    For single graphs these are leverages (HC2: MacKinnon and White, Journal of Econometrics 1985).
    """
    adjusted = np.zeros_like(value)
    for person in range(cluster.max() + 1):
        rows = np.flatnonzero(cluster == person)
        left, size, _ = np.linalg.svd(basis[rows], full_matrices=False)
        rest = 1 - size**2
        # Directions that the model explains have no residual at all, such as a person's own level.
        factor = np.where(rest > NOTHING, 1 / np.sqrt(np.maximum(rest, NOTHING)), 0.0)
        adjusted[rows] = value[rows] + left @ ((factor - 1) * (left.T @ value[rows]))
    return adjusted


def _moments(share, basis, cluster):
    """Expected squared error, if all varied equally with variance 1, and its degrees of freedom.

    The squared error is a sum over people of squares of correlated normal numbers, whose
    covariances are computed here (Satterthwaite).
    """
    people = cluster.max() + 1
    own = np.bincount(cluster, share**2, minlength=people)
    explained = np.zeros((people, basis.shape[1]))
    np.add.at(explained, cluster, share[:, None] * basis)
    # The covariances of people are diag(own) - explained @ explained.T. Of this only the trace and
    # the sum of squares are needed, without a matrix of people by people.
    lost = (explained**2).sum(axis=1)
    trace = float(own.sum() - lost.sum())
    squares = float((own**2).sum() - 2 * own @ lost + ((explained.T @ explained) ** 2).sum())
    if trace <= NOTHING * own.sum() or squares <= 0:
        return 0.0, np.nan
    return trace, trace**2 / squares
