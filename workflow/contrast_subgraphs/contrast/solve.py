"""From a difference graph to contrast subgraphs: one call for one penalty or for many."""

import time
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from ..core import seeds
from ..core.errors import InputError
from .densdp import STARTS, densdp
from .difference import alphas_of_percentiles, check_percentile, check_weights
from .objective import rescaled, surplus, surplus_of
from .proof.branching import MARGIN
from .proof.tree import Limits, prove
from .relaxation import check_solver, relax
from .rivals import near_optimal
from .rounding import hyperplanes, values
from .search import climb, search_sweep
from .solution import Solution

#: `exact` searches and proves, `search` only searches, `densdp` is the paper's algorithm.
SOLVERS = ("exact", "search", "densdp")
#: Options with their defaults, as in the config's ``contrast`` section.
SDP_OPTIONS = {"solver": "auto", "roundings": 1000}
DENSDP_OPTIONS = {"roundings": 1, "t_max": 1000, "start": "vertex"}
#: Matrices of n x n doubles that the relaxation and the proof hold at a time, at most.
MATRICES = 20


def contrast_subgraph(difference, alpha=None, percentile=None, solver="exact", **options):
    """Find the contrast subgraph of a difference graph (Problems 1 and 2).

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph (see `difference_graph`), with any weights.
    alpha : float, optional
        Penalty of each pair, above 0 and below the largest weight.
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
        ``exact``: tabu search and rounded relaxation, then a proof. ``search``: the same
        without the proof; the upper bound is that of the relaxation. ``densdp``:
        Algorithms 1 to 4 of the paper, with the relaxation's bound.
    seed : int
        Of all random draws.
    sdp : dict, optional
        ``solver``: ``auto`` (low rank, the default), ``mosek``, ``clarabel`` or ``scs``;
        ``roundings``: random hyperplanes (1000).
    limits : dict, optional
        ``nodes`` (10000), ``alternatives`` (1000), ``memory_mb`` (2000), ``seconds``
        (None); see `exact.Limits`. Where they end a proof, the best set, the bound and
        the gap are given.
    alternatives : float, optional
        List the locally optimal sets within this fraction of the optimum, such as 0.05;
        None or 0 for no list. There is none for `densdp` either, whose answers are
        themselves beaten by many sets.
    densdp : dict, optional
        ``roundings`` (1), ``t_max`` (1000) and ``start`` (``vertex``); see `densdp`.

    Returns
    -------
    list of Solution
        First those of the percentiles, then those of the plain values.

    Raises
    ------
    InputError
        If the graph, a penalty or an option cannot be used.

    Warns
    -----
    UserWarning
        If a penalty leaves no pair of positive weight, so that the subgraph is empty.
    """
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}: choose from {', '.join(SOLVERS)}")
    sdp = _options("sdp", sdp, SDP_OPTIONS)
    densdp = _options("densdp", densdp, DENSDP_OPTIONS)
    limits = Limits.of(limits)
    alternatives = _check_fraction(alternatives)
    check_solver(sdp["solver"])
    weights = check_weights(difference, "the difference graph")
    percentiles = [check_percentile(percentile) for percentile in percentiles]
    chosen = [float(alpha) for alpha in alphas_of_percentiles(weights, percentiles)]
    chosen += [check_alpha(weights, alpha) for alpha in alphas]
    named = percentiles + [None] * len(alphas)

    # One thread: these matrices are small, and more of them would change the last digits.
    with _threadpools().limit(limits=1, user_api="blas"):
        begin = time.process_time()
        candidates = [] if solver == "densdp" else search_sweep(weights, chosen, seed=seed)
        shared = (time.process_time() - begin) / max(1, len(chosen))
        solutions = []
        for alpha, percentile in zip(chosen, named, strict=True):
            begin = time.process_time()
            matrix = surplus(weights, alpha)
            if not (matrix > 0).any():
                _warn_empty(weights, alpha, percentile)
                answer = _Answer(np.zeros(0, dtype=np.int64), 0.0, 0.0)
            elif solver == "densdp":
                answer = _densdp(matrix, seed, sdp, limits, densdp)
            else:
                answer = _search(matrix, candidates, seed, sdp, limits, solver == "exact")
            seconds = time.process_time() - begin + shared
            near = None
            if alternatives is not None and solver != "densdp":
                near = near_optimal(matrix, answer.nodes, alternatives, limits, seed)
            solutions.append(
                Solution(
                    nodes=answer.nodes,
                    objective=answer.objective,
                    upper_bound=answer.bound,
                    optimal=answer.bound <= answer.objective,
                    alpha=alpha,
                    percentile=percentile,
                    solver=solver,
                    seconds=seconds,
                    explored=answer.explored,
                    alternatives=near,
                )
            )
    return solutions


def check_alpha(weights, alpha):
    """Return a plain penalty as a float, or state the range that is allowed (Problem 1)."""
    try:
        value = float(alpha)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"alpha must be a finite number, not {alpha!r}")
    largest = weights[np.triu_indices(len(weights), 1)].max(initial=0.0)
    if len(weights) > 1 and not 0 < value < largest:
        raise InputError(
            f"alpha must be above 0 and below {largest:.6g}, the largest weight of this "
            f"difference graph, not {alpha!r}"
        )
    return value


@dataclass(frozen=True)
class _Answer:
    """A set in the units of the weights; the bound equals the objective if proved."""

    nodes: np.ndarray
    objective: float
    bound: float
    explored: int = 0


def _search(matrix, candidates, seed, sdp, limits, prove_it):
    """Best of the sets that the search found for any penalty and of the roundings."""
    n = len(matrix)
    scaled, exponent = rescaled(matrix)
    bound = _share_bound(scaled)
    best = climb(scaled, max(candidates, key=lambda nodes: surplus_of(scaled, nodes)))
    fits = _fits(n, limits)
    if fits:
        vectors, relaxed = relax(scaled, sdp["solver"], seed)
        bound = min(bound, relaxed)
        if sdp["roundings"]:
            masks = hyperplanes(vectors, sdp["roundings"], seeds.generator(seed, "hyperplanes", n))
            rounded = climb(scaled, np.flatnonzero(masks[np.argmax(values(scaled, masks))]))
            if surplus_of(scaled, rounded) > surplus_of(scaled, best) + MARGIN:
                best = rounded
    value, explored = surplus_of(scaled, best), 0
    if prove_it and fits and bound > value + MARGIN:
        proof = prove(scaled, value, limits, bound, seed)
        bound, explored = proof.bound, proof.nodes
        if proof.inside is not None:
            best = np.flatnonzero(proof.inside)
            value = surplus_of(scaled, best)
        if proof.proved:
            bound = value
    return _answer(matrix, best, value, bound, exponent, explored)


def _densdp(matrix, seed, sdp, limits, options):
    """The paper's algorithm; the bound is that of its relaxation."""
    n = len(matrix)
    if not _fits(n, limits):
        raise InputError(
            f"densdp needs about {_megabytes(n):.0f} MB for {n} vertices: raise the limit "
            "memory_mb or use the solver search"
        )
    scaled, exponent = rescaled(matrix)
    vectors, bound = relax(scaled, sdp["solver"], seed)
    best = densdp(scaled, vectors, seeds.generator(seed, "densdp", n), **options)
    return _answer(matrix, best, surplus_of(scaled, best), bound, exponent, 0)


def _answer(matrix, nodes, value, bound, exponent, explored):
    """Go back to the units of the weights."""
    if value <= 0:
        nodes, value = np.zeros(0, dtype=np.int64), 0.0
    objective = surplus_of(matrix, nodes)
    if bound <= value + MARGIN:
        return _Answer(nodes, objective, objective, explored)
    return _Answer(nodes, objective, _rounded_up(float(np.ldexp(bound, exponent))), explored)


def _megabytes(n):
    """Memory that the relaxation and the proof take, at most."""
    return 8 * MATRICES * n**2 / 1e6


def _fits(n, limits):
    return limits.memory_mb is None or _megabytes(n) <= limits.memory_mb


def _share_bound(matrix):
    """Half of all positive weights at each vertex: the bound of `branching`, undecided."""
    return float(np.maximum(matrix, 0.0).sum()) / 2


def _rounded_up(bound, digits=6):
    """Round a bound up to some digits: what lies beyond depends on the machine."""
    unit = 10.0 ** (np.floor(np.log10(bound)) + 1 - digits)
    return float(f"{np.ceil(bound / unit) * unit:.{digits}g}")


def _warn_empty(weights, alpha, percentile):
    if len(weights) < 2:
        return
    named = "" if percentile is None else f" (percentile {percentile:g})"
    warnings.warn(
        f"no pair of vertices weighs more than alpha = {alpha:.6g}{named}: "
        "the contrast subgraph is empty",
        stacklevel=3,
    )


def _options(name, given, defaults):
    given = dict(given or {})
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise InputError(
            f"unknown option {unknown[0]!r} of {name}: the options are {', '.join(defaults)}"
        )
    options = defaults | given
    for key, value in options.items():
        if key in ("roundings", "t_max") and (
            not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0
        ):
            raise InputError(f"{name}: {key} must be a whole number from 0 on, not {value!r}")
    if options.get("start", STARTS[0]) not in STARTS:
        raise InputError(f"{name}: start must be one of {', '.join(STARTS)}")
    return options


def _check_fraction(fraction):
    if fraction is None or (fraction == 0 and not isinstance(fraction, bool)):
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)):
        raise InputError(f"alternatives must be a fraction or None, not {fraction!r}")
    if not 0 <= fraction < 1:
        raise InputError(f"alternatives must be a fraction from 0 to below 1, not {fraction!r}")
    return float(fraction)


@cache
def _threadpools():
    return ThreadpoolController()
