"""The penalty alpha: a percentile of a difference graph's weights, or a number (Section 4)."""

import warnings
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import InputError
from .difference import check_weights

#: The paper's penalties.
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


def alpha_from_percentile(difference: ArrayLike, percentile: float) -> float:
    """Return the penalty alpha that is a percentile of a difference graph's weights.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    percentile : float
        In ``[0, 100]``; the paper's appendix uses 70 to 97.

    Returns
    -------
    float
        The percentile, linearly interpolated, of the weights of all the pairs of
        vertices, zeros included. A graph without pairs has 0.

    Raises
    ------
    InputError
        If the percentile is not in ``[0, 100]`` or the graph cannot be used.

    Examples
    --------
    >>> alpha_from_percentile([[0, 1, 2], [1, 0, 4], [2, 4, 0]], 75)
    3.0
    """
    weights = check_weights(difference, "the difference graph")
    return float(alphas_of_percentiles(weights, [check_percentile(percentile)])[0])


def alphas_of_percentiles(weights, percentiles):
    """Return `alpha_from_percentile` for several percentiles of checked weights."""
    pairs = weights[np.triu_indices(len(weights), 1)]
    if pairs.size == 0:
        return np.zeros(len(percentiles))
    return np.percentile(pairs, percentiles)


def check_percentile(percentile):
    """Return a percentile as a float, or raise InputError."""
    value = _number(percentile)
    if not 0 <= value <= 100:
        raise InputError(f"percentile must be a number from 0 to 100, not {percentile!r}")
    if 0 < value < 1:
        raise InputError(
            f"percentile must be a number from 0 to 100, such as 80, not a fraction: "
            f"did you mean {100 * value:g} instead of {percentile!r}?"
        )
    return value


def check_alpha(weights, alpha):
    """Return a plain penalty as a float, or state the range that is allowed (Problem 1)."""
    value = _number(alpha)
    if not np.isfinite(value):
        raise InputError(f"alpha must be a finite number, not {alpha!r}")
    largest = weights[np.triu_indices(len(weights), 1)].max(initial=0.0)
    if len(weights) > 1 and not 0 < value < largest:
        raise InputError(
            f"alpha must be above 0 and below {largest:.6g}, the largest weight of this "
            f"difference graph, not {alpha!r}"
        )
    return value


def warn_of_alpha(weights, alpha, percentile, stacklevel=3):
    """Warn of a penalty that leaves nothing, or of a percentile that penalises nothing."""
    if len(weights) < 2:
        return
    if not (weights[np.triu_indices(len(weights), 1)] > alpha).any():
        named = "" if percentile is None else f" (percentile {percentile:g})"
        warnings.warn(
            f"no pair of vertices weighs more than alpha = {alpha:.6g}{named}: the contrast "
            "subgraph is empty",
            stacklevel=stacklevel,
        )
    elif alpha <= 0:
        warnings.warn(
            f"percentile {percentile:g} of the weights is alpha = {alpha:.6g}, which penalises "
            "no pair: the contrast subgraph is the whole graph but for pairs of negative weight; "
            "choose a higher percentile",
            stacklevel=stacklevel,
        )


def _number(value):
    """A real number as a float, anything else as NaN."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
