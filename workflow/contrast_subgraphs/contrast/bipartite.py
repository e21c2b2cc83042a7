"""Contrasts between two sets of regions: where edges from one set to the other differ.

Given a difference graph, two disjoint sets S and T are wanted that maximise the surplus
between them, ``sum over i in S, j in T of (w_ij - alpha)``. Pairs within S or T do not count.

This is the contrast subgraph of a graph with two copies of each vertex: a pair (i, j') of a
vertex in the first copy and one in the second weighs what (i, j) weighs, pairs within a copy
weigh nothing, and (i, i') is forbidden. So the same search and the same proofs apply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import check_count, check_seed
from ..core.compiled import kernel
from ..core.errors import InputError
from .alpha import alphas_of_percentiles, check_alpha, check_percentile, warn_of_alpha
from .difference import check_weights
from .objective import spent_weight, surplus
from .solve import SDP_OPTIONS, SOLVERS, Instance, one_thread
from .solver.limits import Limits
from .solver.search import search_sweep

#: How many of the sets from alternating maximisation start the tabu search.
STARTS = 20
#: The limit on nodes unless another one is given. On t-graphs of 116 regions and percentile 90
#: all of 12 were proved within 480,000 (0.2 to 3 s).
NODES = 1_000_000


@dataclass(frozen=True)
class BipartiteSolution:
    """Two sets of vertices and the surplus between them.

    Attributes
    ----------
    first, second : numpy.ndarray of int
        The two sets, sorted indices from 0. They can be exchanged: the first has the
        smallest index.
    objective, upper_bound, optimal, alpha, percentile, seconds, explored
        As in `Solution`.
    explained : float
        Share of the surplus of all pairs above alpha that lies between the two sets (and
        between no earlier two).
    """

    first: np.ndarray
    second: np.ndarray
    objective: float
    upper_bound: float
    optimal: bool
    alpha: float
    percentile: float | None = None
    seconds: float = 0.0
    explored: int = 0
    explained: float = 0.0

    @property
    def gap(self):
        """How much of the upper bound the sets may miss: ``(bound - objective) / bound``."""
        if self.upper_bound <= 0:
            return 0.0
        return (self.upper_bound - self.objective) / self.upper_bound


def bipartite_contrast(
    difference: ArrayLike,
    *penalty: object,
    alpha: float | None = None,
    percentile: float | None = None,
    **options: Any,
) -> BipartiteSolution:
    """Find the two disjoint sets of vertices with the largest surplus between them.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph (see `difference_graph`).
    alpha, percentile : float
        Penalty of each pair, or the percentile of the weights that gives it.
    **options
        As for `bipartite_contrasts`.

    Returns
    -------
    BipartiteSolution

    Examples
    --------
    >>> difference = np.zeros((5, 5))
    >>> difference[:2, 2:4] = difference[2:4, :2] = 1.0
    >>> found = bipartite_contrast(difference, alpha=0.25)
    >>> found.first.tolist(), found.second.tolist(), found.objective, found.optimal
    ([0, 1], [2, 3], 3.0, True)
    """
    if penalty:
        raise InputError(
            f"is {penalty[0]!r} a percentile or alpha? Name it: bipartite_contrast(difference, "
            f"percentile={penalty[0]!r}) or bipartite_contrast(difference, alpha={penalty[0]!r})"
        )
    return bipartite_contrasts(difference, 1, alpha=alpha, percentile=percentile, **options)[0]


def bipartite_contrasts(
    difference: ArrayLike,
    k: int = 3,
    *,
    alpha: float | None = None,
    percentile: float | None = None,
    solver: str = "exact",
    seed: int = 0,
    limits: Mapping | Limits | None = None,
) -> list[BipartiteSolution]:
    """Find several pairs of sets, one after the other.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    k : int
        At most this many; fewer if no pair above alpha is left. A pair of vertices counts
        once: between two earlier sets its weight becomes ``min(w, -alpha)``, or less
        (`objective.spent_weight`).
    alpha, percentile : float
        Penalty of each pair, or the percentile of the weights that gives it.
    solver : {"exact", "search"}
        Search and proof, or search alone.
    seed : int
    limits : dict, optional
        See `limits.Limits`; a million nodes unless it says otherwise.

    Returns
    -------
    list of BipartiteSolution

    Raises
    ------
    InputError
        If the graph, the penalty or an option cannot be used.

    Warns
    -----
    UserWarning
        If a percentile leaves no pair of positive weight, or penalises none.

    Examples
    --------
    >>> difference = np.zeros((5, 5))
    >>> difference[:2, 2:4] = difference[2:4, :2] = 1.0
    >>> [(f.first.tolist(), f.second.tolist()) for f in bipartite_contrasts(difference, alpha=0.25)]
    [([0, 1], [2, 3])]
    """
    if (alpha is None) == (percentile is None):
        raise InputError("give either alpha or percentile")
    if solver not in ("exact", "search"):
        known = ", ".join(name for name in SOLVERS if name != "densdp")
        raise InputError(f"unknown solver {solver!r}: choose from {known}")
    check_count(k, "the number of sets")
    check_seed(seed, "seed")
    limits = Limits.of(limits, nodes=NODES)
    weights = check_weights(difference, "the difference graph")
    if percentile is not None:
        percentile = check_percentile(percentile)
        alpha = float(alphas_of_percentiles(weights, [percentile])[0])
        warn_of_alpha(weights, alpha, percentile)
    else:
        alpha = check_alpha(weights, alpha)
    found: list[BipartiteSolution] = []
    left = weights.copy()
    total = np.maximum(surplus(weights, alpha), 0.0).sum() / 2
    with one_thread():
        for _ in range(k):
            matrix = surplus(left, alpha)
            if found and not (matrix > 0).any():
                break
            solution, first, second = _solve(matrix, solver, seed, limits)
            # Pairs that were spent have no positive surplus left.
            gained = np.maximum(matrix, 0.0)[np.ix_(first, second)].sum()
            found.append(
                BipartiteSolution(
                    first=first,
                    second=second,
                    objective=solution.objective,
                    upper_bound=solution.upper_bound,
                    optimal=solution.optimal,
                    alpha=alpha,
                    percentile=percentile,
                    seconds=solution.seconds,
                    explored=solution.explored,
                    explained=float(gained / total) if gained else 0.0,
                )
            )
            for one, other in ((first, second), (second, first)):
                between = np.ix_(one, other)
                left[between] = np.minimum(left[between], spent_weight(weights, alpha))
    return found


def _solve(matrix, solver, seed, limits):
    """Solve one surplus matrix; the solution on two copies, and the two sets."""
    n = len(matrix)
    # 1. Two copies of each vertex.
    double = np.zeros((2 * n, 2 * n))
    double[:n, n:] = double[n:, :n] = matrix
    forbidden = -4 * n * np.abs(matrix).max(initial=0.0)  # more than any set can gain
    double[np.arange(n), n + np.arange(n)] = double[n + np.arange(n), np.arange(n)] = forbidden
    # 2. Candidates by alternating maximisation from each vertex, and a tabu search from them.
    candidates = [np.flatnonzero(mask) for mask in alternated(matrix).reshape(n, 2 * n)]
    best = sorted(candidates, key=lambda nodes: -double[np.ix_(nodes, nodes)].sum())[:STARTS]
    masks = np.zeros((len(best), 2 * n), dtype=bool)
    for mask, nodes in zip(masks, best, strict=True):
        mask[nodes] = True
    candidates += search_sweep(double, [0.0], seed=seed, candidates=masks)
    # 3. Bound, and proof A alone: the relaxation of two copies is loose.
    instance = Instance(double, seed, limits)
    instance.solve(candidates, SDP_OPTIONS, solver == "exact", first=np.inf)
    solution = instance.solution(alpha=0.0, solver=solver)
    first, second = (solution.nodes[solution.nodes < n], solution.nodes[solution.nodes >= n] - n)
    if second.min(initial=n) < first.min(initial=n):
        first, second = second, first
    return solution, first, second


@kernel
def alternated(matrix):
    """From each vertex as S, set T to its best, then S, and so on until nothing changes.

    Parameters
    ----------
    matrix : numpy.ndarray of shape (n, n)
        Surplus matrix.

    Returns
    -------
    numpy.ndarray of bool, shape (n, 2, n)
        S and T for each vertex to start from.
    """
    n = len(matrix)
    sides = np.zeros((n, 2, n), dtype=np.bool_)
    for start in range(n):
        sides[start, 0, start] = True
        turn, unchanged = 1, 0
        for _ in range(4 * n + 4):  # it ends long before, but for rounding errors
            if unchanged == 2:
                break
            # The best set against the other one: every vertex that gains and is free.
            other = sides[start, 1 - turn]
            gain = np.zeros(n)
            for v in range(n):
                if other[v]:
                    gain += matrix[v]
            same = True
            for v in range(n):
                wanted = gain[v] > 0 and not other[v]
                same = same and wanted == sides[start, turn, v]
                sides[start, turn, v] = wanted
            unchanged = unchanged + 1 if same else 0
            turn = 1 - turn
    return sides
