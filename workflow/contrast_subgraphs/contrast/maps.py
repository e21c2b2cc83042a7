"""Contrast subgraphs of maps that people already have: t, F or -log p of pairs of regions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from numpy.typing import ArrayLike

from ..core.checks import RandomState, check_number, check_option
from ..core.errors import InputError
from ..core.labels import matrix_in_order, names_of_regions
from ..core.pairs import n_vertices_of, square_of
from .alpha import Penalty, check_percentile, warn_of_penalties
from .difference import check_weights
from .result import ContrastSubgraphResult
from .solve import Settings, one_penalty, solve_checked
from .solver.limits import Limits

#: Which numbers of a map count: high ones, low ones, or those far from 0.
DIRECTIONS = ("positive", "negative", "absolute")
#: What the numbers of a map are: p values are converted to -log10 p.
VALUES = ("statistic", "p")


@dataclass(frozen=True)
class StatisticMap:
    """A map, checked: a number for each pair of regions, and which pairs were tested.

    `weights` (n, n) are in the direction asked for, 0 where a pair was not tested; `tested` is a
    symmetric mask without a diagonal; `names` is None if the regions have no names.
    """

    weights: np.ndarray
    tested: np.ndarray
    names: list | None

    @classmethod
    def of(cls, statistics, mask, direction, values, names, called="the map"):
        """Return a checked map; the arguments are those of `contrast_of_map`."""
        check_option("direction", direction, DIRECTIONS)
        if values is not None:
            check_option("values", values, VALUES)
        numbers, names = square_map(statistics, called, names)
        # Pairs that a list of edges leaves out were not tested. In a matrix NaN may be a mistake:
        # there a mask must say so.
        tested = ~np.isnan(numbers) if _is_list_of_edges(statistics) else np.ones_like(numbers) > 0
        np.fill_diagonal(tested, False)
        if mask is not None:
            tested &= _tested(mask, len(numbers), names)
        if not tested.any():
            raise InputError(f"{called} has no pair of regions that was tested")
        diagonal = np.diagonal(numbers)
        weights = check_weights(np.where(tested, numbers, 0.0), called)
        if values == "p":
            weights = _minus_log(weights, tested, called)
        elif values is None and _looks_like_p(weights[tested], diagonal):
            raise InputError(
                f"{called} seems to hold p values, numbers from 0 to 1 alone: if so, say "
                "values='p' (-log10 p is taken), otherwise values='statistic'"
            )
        if direction == "negative":
            weights = 0.0 - weights
        elif direction == "absolute":
            weights = np.abs(weights)
        return cls(weights, tested, names)

    def alpha_at(self, percentile):
        """Return a percentile of the pairs that were tested, or 0 where it is negative."""
        return float(max(0.0, np.percentile(self.numbers, percentile)))

    @property
    def numbers(self):
        """The numbers of the pairs that were tested, each once."""
        return self.weights[np.triu(self.tested)]

    def against(self, alpha):
        """Return the weights where pairs that were not tested count neither for nor against."""
        # A pair of weight alpha has the surplus 0.
        weights = np.where(self.tested, self.weights, alpha)
        np.fill_diagonal(weights, 0.0)
        return weights


def contrast_of_map(
    statistics: ArrayLike,
    *,
    percentile: float | None = None,
    alpha: float | None = None,
    direction: str = "positive",
    values: str | None = None,
    mask: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    solver: str = "exact",
    random_state: RandomState = 0,
    alternatives: float | None = None,
    limits: Mapping | Limits | None = None,
    n_sets: int = 1,
    overlap: str = "pairs",
) -> ContrastSubgraphResult:
    """Find the contrast subgraph of a map of statistics, such as t of all pairs of regions.

    Parameters
    ----------
    statistics : array_like
        One number for each pair of regions, in one of three forms: a symmetric matrix (array, data
        frame or sparse); its upper triangle row by row; a list of edges, three columns with two
        regions and a number (pairs that are not listed were not tested).
    percentile, alpha : float, optional
        The penalty, as for `contrast_subgraph`. A percentile is taken over the pairs tested.
    direction : {"positive", "negative", "absolute"}
        Whether high numbers count, low ones, or those far from 0.
    values : {"statistic", "p"}, optional
        What the numbers are; needed if they lie between 0 and 1. p values are converted to
        -log10 p.
    mask : array_like of bool, optional
        Which pairs were tested, in one of the three forms. Other pairs count neither for a set nor
        against it, whatever number they have.
    names : sequence of str, optional
        Names of the regions, if the map has none.
    solver, random_state, alternatives, limits, n_sets, overlap
        As for `sweep`.

    Returns
    -------
    ContrastSubgraphResult

    Raises
    ------
    InputError
        If the map is not square, has NaN at a pair that was tested, or seems to hold p values, or
        if the mask has another size.

    See Also
    --------
    map_permutation_test : Tests whether it exceeds chance.
    contrast_subgraph : The same for graphs of people.

    Examples
    --------
    >>> t = [4.0, 3.5, 0.2, 3.0, -0.5, 0.1]  # of the pairs 01, 02, 03, 12, 13 and 23
    >>> found = contrast_of_map(t, alpha=2.0, names=["V1", "V2", "MT", "M1"])
    >>> found.regions, found.objective, found.optimal
    (('V1', 'V2', 'MT'), 4.5, True)
    >>> contrast_of_map(t, alpha=2.0, mask=[1, 1, 1, 0, 1, 1]).objective
    3.5
    """
    given = StatisticMap.of(statistics, mask, direction, values, names)
    one_penalty(percentile, alpha)
    settings = Settings(
        solver, random_state, None, None, alternatives, limits, n_sets=n_sets, overlap=overlap
    )
    if percentile is not None:
        percentile = check_percentile(percentile)
        alpha = given.alpha_at(percentile)
    alpha = check_number(alpha, "alpha")
    if percentile is None and not 0 < alpha < given.numbers.max():
        raise InputError(
            f"alpha must be above 0 and below {given.numbers.max():.6g}, the largest number of "
            f"this map, not {alpha!r}"
        )
    return solve_map(given, Penalty(alpha, percentile), settings)


def solve_map(given, penalty, settings):
    """Return the contrast subgraph of a checked map at a penalty."""
    warn_of_penalties(given.numbers, [penalty], stacklevel=4)
    [found] = solve_checked(given.against(penalty.alpha), [penalty], settings, given.names)
    return found


def square_map(
    values: Any, called: str, names: Sequence | None = None
) -> tuple[np.ndarray, list | None]:
    """Return a map as a matrix, and the names of its regions if it has them.

    Parameters
    ----------
    values : array_like
        In the forms that `contrast_of_map` takes as `statistics`. The matrix of a list of edges
        has NaN at pairs that are not listed.
    called : str
        The map's name in error messages.
    names : sequence, optional
        Names of the regions instead of its own, or their order for a list of edges.

    Examples
    --------
    >>> square_map([1.0, 2.0, 3.0], "the map")[0].tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    >>> square_map([["V1", "M1", 2.0], ["V1", "MT", 1.0]], "the map")[1]
    ['M1', 'MT', 'V1']
    """
    if scipy.sparse.issparse(values):
        values = values.toarray()
    if _is_list_of_edges(values):
        return _of_edges(values, called, names)
    if isinstance(values, pd.DataFrame):
        names = names_of_regions(values, names, "names")
    numbers = _numbers(matrix_in_order(values, None, called), called)
    if numbers.ndim == 1:
        n = n_vertices_of(len(numbers))
        if n * (n - 1) // 2 != len(numbers):
            raise InputError(
                f"{called} has {len(numbers)} numbers, which is no triangle of a matrix: of {n} "
                f"regions that has {n * (n - 1) // 2}"
            )
        numbers = square_of(numbers)
    if numbers.ndim != 2 or len(numbers) != numbers.shape[1]:
        raise InputError(
            f"{called} is not square: its shape is {numbers.shape}; it must be a matrix of all "
            "pairs of regions, its upper triangle, or a list of edges in three columns"
        )
    if names is not None:
        names = [str(name) for name in names]
    if names is not None and len(names) != len(numbers):
        raise InputError(f"there are {len(names)} names and {len(numbers)} regions in {called}")
    return numbers, names


def _is_list_of_edges(values):
    """Whether these are rows of two regions and a number, not a matrix of three regions."""
    try:
        shape = np.shape(values)
    except ValueError:  # rows of different lengths: reading them as numbers gives the error
        return False
    return len(shape) == 2 and shape[1] == 3 and shape[0] != 3


def _of_edges(values, called, names):
    """The matrix of a list of edges, NaN where there is none, and the names of its regions."""
    rows = pd.DataFrame(values).to_numpy(dtype=object)
    numbers = _numbers(rows[:, 2], called)
    if names is None:
        ends = set(rows[:, :2].ravel().tolist())
        names = sorted(ends, key=lambda end: (isinstance(end, str), end))  # numbers, then texts
    place = {str(_plain(name)): k for k, name in enumerate(names)}
    matrix = np.full((len(place), len(place)), np.nan)
    for row, number in zip(rows, numbers, strict=True):
        first, second = (str(_plain(end)) for end in row[:2])
        if first not in place or second not in place:
            raise InputError(f"{called} has an edge of {first} and {second}: one is not a name")
        u = place[first]
        v = place[second]
        if u == v or not np.isnan(matrix[u, v]):
            raise InputError(f"{called} has the edge of {first} and {second} twice, or with itself")
        matrix[u, v] = number
        matrix[v, u] = number
    return matrix, list(place)


def _plain(name):
    """A whole number as an integer: tables of numbers hold region 3 as 3.0."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def _numbers(values, called):
    """Return an array of numbers, or raise InputError."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"not {given.dtype}")
        return np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{called} must hold numbers ({error})") from error


def _tested(mask, n, names):
    """Return a mask of pairs as a symmetric array of booleans, or raise InputError."""
    matrix, own = square_map(mask, "the mask", names if _is_list_of_edges(mask) else None)
    matrix = np.nan_to_num(matrix)
    # The mask's regions may be in another order than the map's: by position it would mask others.
    if own is not None and names is not None and list(own) != list(names):
        if sorted(own) != sorted(names):
            strange = [name for name in own if name not in names]
            raise InputError(
                f"the mask has other regions than the map, such as {(strange or own)[0]}: give "
                "both the same names, or none to the mask"
            )
        order = [list(own).index(name) for name in names]
        matrix = matrix[np.ix_(order, order)]
    if len(matrix) != n:
        raise InputError(f"the mask has {len(matrix)} regions, the map has {n}")
    np.fill_diagonal(matrix, 0.0)
    if not np.isin(matrix, (0.0, 1.0)).all() or (matrix != matrix.T).any():
        raise InputError("the mask must be symmetric and hold 1 (tested) or 0 (not tested) alone")
    return matrix == 1


def _looks_like_p(numbers, diagonal):
    """Whether numbers may be p values: all within 0 and 1, some between, the diagonal 0 or 1."""
    within = (numbers >= 0) & (numbers <= 1)
    between = (numbers > 0) & (numbers < 1)
    # Correlations lie in the same range, but their diagonal is 1 as well: the caller has to say.
    ends = np.isnan(diagonal) | np.isin(diagonal, (0.0, 1.0))
    return bool(within.all() and between.any() and ends.all())


def _minus_log(weights, tested, called):
    """Return -log10 of p values."""
    p = weights[tested]
    if ((p <= 0) | (p > 1)).any():
        wrong = p[(p <= 0) | (p > 1)][0]
        raise InputError(
            f"{called} holds {wrong:g}, which is no p value above 0 and up to 1: give the "
            "statistic or -log10 p itself"
        )
    found = np.zeros_like(weights)
    found[tested] = 0.0 - np.log10(p)
    return found
