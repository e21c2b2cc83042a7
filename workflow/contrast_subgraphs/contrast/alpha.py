"""The penalty alpha: a percentile of a difference graph's weights, or a number (Section 4)."""

import warnings
from collections.abc import Iterable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import check_number
from ..core.errors import InputError
from ..core.pairs import upper_triangle
from .difference import check_weights

#: The paper's penalties.
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


class Penalty(NamedTuple):
    """What each pair must weigh to count, and the percentile that gave it, if one did."""

    alpha: float
    percentile: float | None = None


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
        Linearly interpolated, of all pairs of vertices, zeros included; 0 without pairs, or where
        it is below: pairs that weigh less than nothing are no contrast.

    Raises
    ------
    InputError
        If the percentile is no number from 0 to 100, or the difference graph is not symmetric and
        finite.

    See Also
    --------
    contrast_subgraph : Takes a percentile itself.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> alpha_from_percentile([[0, 1, 2], [1, 0, 4], [2, 4, 0]], 75)
    3.0
    """
    weights = check_weights(difference, "the difference graph")
    return float(alphas_of_percentiles(weights, [check_percentile(percentile)])[0])


def alphas_of_percentiles(weights, percentiles):
    """Return `alpha_from_percentile` for several percentiles of checked weights."""
    pairs = weights[upper_triangle(len(weights))]
    if pairs.size == 0:
        return np.zeros(len(percentiles))
    return np.maximum(np.percentile(pairs, percentiles), 0.0)


def penalties_of(
    weights: np.ndarray, percentiles: Any = (), alphas: Any = (), largest: float = 0.0
) -> list[Penalty]:
    """Return checked penalties of checked weights, first those of the percentiles, with warnings.

    In place of a percentile there may be a `Penalty` whose alpha is known (`relabelled_penalties`).
    A plain one must be above 0 and below the largest weight, or `largest` of another direction.
    """
    found = []
    for one in listed_penalties(percentiles):
        if isinstance(one, Penalty):  # of other relabellings: the alpha is known
            found.append(one)
            continue
        percentile = check_percentile(one)
        [alpha] = alphas_of_percentiles(weights, [percentile])
        found.append(Penalty(float(alpha), percentile))
    pairs = weights[upper_triangle(len(weights))]
    largest = max(pairs.max(initial=0.0), largest)
    for alpha in listed_penalties(alphas):
        value = check_number(alpha, "alpha")
        if len(weights) > 1 and not 0 < value < largest:
            raise InputError(
                f"alpha must be above 0 and below {largest:.6g}, the largest weight of this "
                f"difference graph, not {alpha!r}"
            )
        found.append(Penalty(value))
    warn_of_penalties(pairs, found, stacklevel=4)
    return found


def warn_of_penalties(pairs: np.ndarray, penalties: list[Penalty], stacklevel: int = 3) -> None:
    """Say where a penalty leaves no pair, or penalises none."""
    for alpha, percentile in penalties if pairs.size else ():
        named = "" if percentile is None else f" (percentile {percentile:g})"
        if alpha >= pairs.max():
            warnings.warn(
                f"no pair of vertices weighs more than alpha = {alpha:.6g}{named}: the contrast "
                "subgraph is empty",
                stacklevel=stacklevel,
            )
        elif alpha <= 0:
            warnings.warn(
                f"percentile {percentile:g} of the weights is alpha = {alpha:.6g}, which "
                "penalises no pair, so the set is as large as its weights allow; choose a higher "
                "percentile",
                stacklevel=stacklevel,
            )


def check_percentile(percentile):
    """Return a percentile as a float, or raise InputError."""
    value = check_number(percentile, "percentile", 0, 100)
    if 0 < value < 1:
        raise InputError(
            f"percentile must be a number from 0 to 100, such as 80, not a fraction: "
            f"did you mean {100 * value:g} instead of {percentile!r}?"
        )
    return value


def listed_penalties(penalties):
    """Return penalties as a list, one or many."""
    if isinstance(penalties, Real):
        return [penalties]
    if not isinstance(penalties, Iterable) or isinstance(penalties, str):
        raise InputError(f"penalties must be a number or a list of numbers, not {penalties!r}")
    return list(penalties)
