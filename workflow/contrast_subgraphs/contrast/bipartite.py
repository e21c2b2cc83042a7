"""Contrasts between two disjoint sets of regions: where edges from one to the other differ.

That is the contrast subgraph of a graph with two copies of each vertex. A pair (i, j') of a vertex
in the first copy and one in the second has the weight of (i, j), pairs within a copy have the
weight 0, and (i, i') is forbidden. So the same search and the same proofs apply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import RandomState, check_option
from ..core.labels import names_of_regions
from .instance import Instance, one_thread
from .result import BipartiteContrastResult
from .several_sets import one_after_another, pairs_between
from .solve import Settings, checked_problem, named_nodes, one_penalty
from .solver.limits import Limits
from .solver.search import search_sweep

#: The number of sets from alternating maximisation that the tabu search starts from.
STARTS = 20


def bipartite_contrasts(
    difference: ArrayLike,
    *,
    n_sets: int = 1,
    percentile: float | None = None,
    alpha: float | None = None,
    solver: str = "exact",
    random_state: RandomState = 0,
    limits: Mapping | Limits | None = None,
    names: Sequence[str] | None = None,
) -> list[BipartiteContrastResult]:
    """Find the two disjoint sets of vertices with the largest surplus between them.

    Parameters
    ----------
    difference, percentile, alpha, random_state, limits, names
        As for `contrast_subgraph`.
    n_sets : int
        The number of such pairs of sets, found one after the other. A pair of vertices counts
        only once.
    solver : {"exact", "search"}
        Search and proof, or search alone.

    Returns
    -------
    list of BipartiteContrastResult

    Raises
    ------
    InputError
        If neither or both of percentile and alpha are given, or if the difference graph is not
        symmetric and finite.

    See Also
    --------
    contrast_subgraph : The largest surplus inside one set.
    difference_graph : The graph to search.

    Examples
    --------
    >>> difference = np.zeros((5, 5))
    >>> difference[:2, 2:4] = difference[2:4, :2] = 1.0
    >>> [found] = bipartite_contrasts(difference, alpha=0.25)
    >>> found.first.tolist(), found.second.tolist(), found.objective, found.optimal
    ([0, 1], [2, 3], 3.0, True)
    """
    settings = Settings(solver, random_state, limits=limits, n_sets=n_sets)
    return bipartite_sweep(difference, settings, names=names, **one_penalty(percentile, alpha))[0]


def bipartite_sweep(difference, settings, percentiles=(), alphas=(), names=None, largest=0.0):
    """Return `bipartite_contrasts` for many penalties; `largest` as in `solve.solve`."""
    check_option("solver", settings.solver, ("exact", "search"))
    names = names_of_regions(difference, names, "names")
    weights, penalties = checked_problem(difference, percentiles, alphas, names, largest)
    results = []
    for penalty in penalties:

        def find(left, matrix, penalty=penalty):
            instance, first, second = _solve(matrix, settings)
            named = [] if names is None else [named_nodes(names, s) for s in (first, second)]
            found = BipartiteContrastResult(
                **instance.found(),
                first=first,
                second=second,
                regions=tuple(named),
                solver=settings.solver,
                **penalty._asdict(),
            )
            return found, pairs_between(first, second, len(weights))

        # One thread: the order of sums, and so the last digits, would depend on their number.
        with one_thread():
            found = one_after_another(weights, penalty.alpha, settings.n_sets, find)
            results.append([replace(one, explained=share) for one, share in found])
    return results


def _solve(matrix, settings):
    """Solve one surplus matrix. Return the instance on two copies, and the two sets."""
    n = len(matrix)
    # 1. Two copies of each vertex.
    double = np.zeros((2 * n, 2 * n))
    double[:n, n:] = double[n:, :n] = matrix
    # 2. Forbid a vertex on both sides, by a loss above all that a set can gain.
    forbidden = -4 * n * np.abs(matrix).max(initial=0.0)
    double[np.arange(n), n + np.arange(n)] = double[n + np.arange(n), np.arange(n)] = forbidden
    # 3. Candidates by alternating maximisation from each vertex, and a tabu search from them.
    masks = alternated(matrix).reshape(n, 2 * n)
    candidates = [np.flatnonzero(mask) for mask in masks]
    best = np.argsort([-double[np.ix_(nodes, nodes)].sum() for nodes in candidates], kind="stable")
    candidates += search_sweep(double, [0.0], seed=settings.seed, candidates=masks[best[:STARTS]])
    # 4. A bound, and proof A alone: the relaxation of two copies is loose.
    instance = Instance(double, settings.seed, settings.limits)
    instance.search(candidates, settings.sdp)
    if settings.solver == "exact":
        instance.prove(first=np.inf)
    nodes = instance.nodes
    first = nodes[nodes < n]
    second = nodes[nodes >= n] - n
    # The two copies are interchangeable: the set with the smallest vertex is called the first.
    if second.min(initial=n) < first.min(initial=n):
        first, second = second, first
    return instance, first, second


def alternated(matrix):
    """Start with S as each single vertex, choose the best T, then S, until nothing changes.

    Returns masks, (n, 2, n).
    """
    n = len(matrix)
    sides = np.zeros((2, n, n), dtype=bool)
    sides[0] = np.eye(n, dtype=bool)
    turn = 1
    unchanged = 0
    # Each turn gains, so that this ends; the limit on turns is there for rounding errors.
    while unchanged < 2 and turn < 4 * n + 4:
        # The best set against the other one: every vertex that gains and is free.
        other = sides[1 - turn % 2]
        wanted = (other.astype(float) @ matrix > 0) & ~other
        unchanged = unchanged + 1 if np.array_equal(wanted, sides[turn % 2]) else 0
        sides[turn % 2] = wanted
        turn += 1
    return sides.transpose(1, 0, 2)
