"""From a difference graph to contrast subgraphs: one call for one penalty or for many."""

import time
import warnings

import numpy as np

from ..errors import InputError
from .graphs import alphas_of_percentiles, check_percentile, check_weights
from .objective import rescaled, surplus, surplus_of
from .relaxation import sdp_bound
from .search import search
from .solution import Solution

#: `exact` searches and proves, `search` only searches, `densdp` is the paper's algorithm.
SOLVERS = ("exact", "search", "densdp")


def contrast_subgraph(difference, alpha=None, percentile=None, solver="exact", **options):
    """Find the contrast subgraph of a difference graph (Problems 1 and 2).

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph (see `difference_graph`), weighted as it likes.
    alpha : float, optional
        Penalty of each pair, between 0 and the largest weight (exclusive).
    percentile : float, optional
        Gives the penalty as a percentile of the weights instead.
    solver : {"exact", "search", "densdp"}
        Search and proof, search alone, or the paper's algorithm.
    **options
        As for `sweep`.

    Returns
    -------
    Solution

    Raises
    ------
    InputError
        If the graph, the penalty or an option cannot be used.
    """
    if (alpha is None) == (percentile is None):
        raise InputError("give either alpha or percentile")
    alphas = [] if alpha is None else [alpha]
    percentiles = [] if percentile is None else [percentile]
    return sweep(difference, percentiles, alphas, solver=solver, **options)[0]


def sweep(
    difference,
    percentiles=(),
    alphas=(),
    solver="exact",
    seed=0,
    sdp=None,
    limits=None,
    alternatives=None,
    densdp=None,
):
    """Find the contrast subgraphs of one difference graph for many penalties.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    percentiles, alphas : sequence of float
        The penalties, as percentiles of the weights and as plain values.
    solver : {"exact", "search", "densdp"}
    seed : int
        Of all random draws.
    sdp, limits, densdp : dict, optional
        As in the config's ``contrast`` section.
    alternatives : float, optional
        List the locally optimal sets within this fraction of the optimum.

    Returns
    -------
    list of Solution
        First those of the percentiles, then those of the plain values.

    Raises
    ------
    InputError
        If the graph, a penalty or an option cannot be used.
    """
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}: choose from {', '.join(SOLVERS)}")
    weights = check_weights(difference, "the difference graph")
    percentiles = [check_percentile(percentile) for percentile in percentiles]
    penalties = list(zip(alphas_of_percentiles(weights, percentiles), percentiles, strict=True))
    penalties += [(check_alpha(weights, alpha), None) for alpha in alphas]
    return [
        _solve(weights, float(alpha), percentile, solver, seed) for alpha, percentile in penalties
    ]


def _solve(weights, alpha, percentile, solver, seed):
    begin = time.process_time()
    matrix = surplus(weights, alpha)
    if not (matrix > 0).any():
        if len(matrix) > 1:
            warnings.warn(
                f"no pair of vertices weighs more than alpha = {alpha:.6g}"
                + (f" (percentile {percentile:g})" if percentile is not None else "")
                + ": the contrast subgraph is empty",
                stacklevel=3,
            )
        return Solution(np.zeros(0, int), 0.0, 0.0, True, alpha, percentile, solver)
    scaled, exponent = rescaled(matrix)
    nodes = search(scaled, seed=seed)
    value = surplus_of(matrix, nodes)
    bound = max(value, float(np.ldexp(sdp_bound(scaled, seed=seed)[0], exponent)))
    return Solution(
        nodes, value, bound, False, alpha, percentile, solver, time.process_time() - begin
    )


def check_alpha(weights, alpha):
    """Return a plain penalty as a float, or state the range that is allowed (Problem 1)."""
    try:
        value = float(alpha)
    except (TypeError, ValueError):
        value = np.nan
    largest = weights[np.triu_indices(len(weights), 1)].max(initial=0.0)
    if len(weights) > 1 and not 0 < value < largest:
        raise InputError(
            f"alpha must be above 0 and below {largest:.6g}, the largest weight of this "
            f"difference graph, not {alpha!r}"
        )
    return value
