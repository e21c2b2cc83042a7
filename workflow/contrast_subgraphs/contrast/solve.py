"""From a difference graph to contrast subgraphs: one call for one penalty or for many."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import ThreadpoolController

from ..core import seeds
from ..core.checks import check_count, check_seed
from ..core.errors import InputError
from .alpha import alphas_of_percentiles, check_alpha, check_percentile, warn_of_alpha
from .difference import check_weights
from .near_optimal import near_optimal
from .objective import conditioned, margin_of, spent_weight, surplus, surplus_of
from .proof.tree import prove
from .solution import Solution
from .solver.densdp import STARTS, densdp
from .solver.limits import Budget, Limits
from .solver.relaxation import check_solver, relax
from .solver.rounding import hyperplanes, values
from .solver.search import climb, search_sweep

#: `exact` searches and proves, `search` only searches, `densdp` is the paper's algorithm.
SOLVERS = ("exact", "search", "densdp")
#: What several sets may share: vertices, but each pair counts once; or nothing.
OVERLAPS = ("pairs", "none")
#: Options with their defaults, as in the config's ``contrast`` section.
SDP_OPTIONS = {"solver": "auto", "roundings": 1000}
DENSDP_OPTIONS = {"roundings": 1, "t_max": 1000, "start": "vertex"}
#: Matrices of n x n doubles that the relaxation and the proof hold at a time, at most.
MATRICES = 20
#: A set is called optimal if no other has more than ``1 + TOLERANCE`` times its value.
TOLERANCE = 1e-6


def contrast_subgraph(
    difference: ArrayLike,
    *penalty: object,
    alpha: float | None = None,
    percentile: float | None = None,
    solver: str = "exact",
    **options: Any,
) -> Solution:
    """Find the contrast subgraph of a difference graph (Problems 1 and 2).

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph (see `difference_graph`), with any weights.
    alpha : float, optional
        Penalty of each pair, above 0 and below the largest weight. By name only.
    percentile : float, optional
        Gives the penalty as a percentile of the weights instead, such as 80. By name only.
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

    Examples
    --------
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> found = contrast_subgraph(difference, alpha=0.5)
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([0, 1, 2], 4.5, True)
    >>> contrast_subgraph(difference, alpha=0.5, names=["V1", "V2", "MT", "M1"]).regions
    ('V1', 'V2', 'MT')
    """
    if penalty:
        raise InputError(
            f"is {penalty[0]!r} a percentile or alpha? Name it: contrast_subgraph(difference, "
            f"percentile={penalty[0]!r}) or contrast_subgraph(difference, alpha={penalty[0]!r})"
        )
    if (alpha is None) == (percentile is None):
        raise InputError("give either alpha or percentile")
    alphas = [] if alpha is None else [alpha]
    percentiles = [] if percentile is None else [percentile]
    return sweep(difference, percentiles, alphas, solver=solver, **options)[0]


def sweep(
    difference: ArrayLike,
    percentiles: float | Sequence[float] = (),
    alphas: float | Sequence[float] = (),
    solver: str = "exact",
    seed: int = 0,
    sdp: Mapping | None = None,
    limits: Mapping | Limits | None = None,
    alternatives: float | None = None,
    densdp: Mapping | None = None,
    sets: int = 1,
    overlap: str = "pairs",
    names: Sequence[str] | None = None,
) -> list[Solution]:
    """Find the contrast subgraphs of one difference graph for many penalties.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    percentiles, alphas : float or sequence of float
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
        ``nodes`` (1000000), ``alternatives`` (1000), ``memory_mb`` (2000), ``seconds``
        (None); see `limits.Limits`. Where they end a proof, the best set, the bound and
        the gap are given.
    alternatives : float, optional
        List the locally optimal sets within this fraction of the optimum, such as 0.05;
        None or 0 for no list. There is none for `densdp` either, whose answers are
        themselves beaten by many sets.
    densdp : dict, optional
        ``roundings`` (1), ``t_max`` (1000) and ``start`` (``vertex``); see `densdp`.
    sets : int
        So many sets for each penalty, one after the other; see `contrast_subgraphs`. Those
        after the first are in its attribute `further`. Not for `densdp`.
    overlap : {"pairs", "none"}
        What the sets may share; see `contrast_subgraphs`.
    names : sequence of str, optional
        Names of all vertices, for the attribute `regions` of the solutions.

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
        If a penalty leaves no pair of positive weight, so that the subgraph is empty, or
        if a percentile gives a penalty that is not above 0, so that it penalises nothing.

    Examples
    --------
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> [found.nodes.tolist() for found in sweep(difference, [50, 80])]
    [[0, 1, 2], [0, 1]]
    """
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}: choose from {', '.join(SOLVERS)}")
    sdp = _options("sdp", sdp, SDP_OPTIONS)
    densdp = _options("densdp", densdp, DENSDP_OPTIONS)
    limits = Limits.of(limits)
    alternatives = _check_fraction(alternatives)
    check_seed(seed, "seed")
    check_count(sets, "the number of sets")
    if overlap not in OVERLAPS:
        raise InputError(f"overlap must be one of {', '.join(OVERLAPS)}, not {overlap!r}")
    check_solver(sdp["solver"])
    weights = check_weights(difference, "the difference graph")
    if names is not None and len(names) != len(weights):
        raise InputError(f"there are {len(names)} names and {len(weights)} vertices")
    percentiles = [check_percentile(percentile) for percentile in listed_penalties(percentiles)]
    chosen = [float(alpha) for alpha in alphas_of_percentiles(weights, percentiles)]
    for alpha, percentile in zip(chosen, percentiles, strict=True):
        warn_of_alpha(weights, alpha, percentile)
    alphas = listed_penalties(alphas)
    chosen += [check_alpha(weights, alpha) for alpha in alphas]
    named = percentiles + [None] * len(alphas)

    # One thread: these matrices are small, and more of them would change the last digits.
    with one_thread():
        begin = time.process_time()
        candidates = [] if solver == "densdp" else search_sweep(weights, chosen, seed=seed)
        shared = (time.process_time() - begin) / max(1, len(chosen))
        solutions = []
        for alpha, percentile in zip(chosen, named, strict=True):
            instance = Instance(surplus(weights, alpha), seed, limits)
            if solver == "densdp":
                instance.run_densdp(sdp, densdp)
            else:
                instance.solve(candidates, sdp, solver == "exact")
            near = None
            if alternatives is not None and solver != "densdp":
                near = instance.near_optimal(alternatives)
            solution = instance.solution(
                alpha=alpha, percentile=percentile, solver=solver, alternatives=near
            )
            solution = replace(solution, seconds=solution.seconds + shared)
            if sets > 1 and solver != "densdp":
                options = {"sdp": sdp, "limits": limits, "seed": seed, "solver": solver}
                further = _further(weights, solution, sets - 1, overlap, options)
                solution = replace(solution, further=further)
            solutions.append(solution if names is None else _named(solution, names))
    return solutions


def _named(solution, names):
    """Return a solution with the names of its vertices."""
    further = tuple(_named(one, names) for one in solution.further)
    regions = tuple(str(names[node]) for node in solution.nodes)
    return replace(solution, regions=regions, further=further)


def bounded_by_neighbours(solutions):
    """Lower the bounds of what is not proved by those of other penalties.

    The value of a set is linear in alpha and falls with it (or stays). So the best value
    falls too, and, as the maximum of linear functions, it is convex: between two penalties it
    is not above the line through what bounds it there.

    Parameters
    ----------
    solutions : list of Solution
        Of one difference graph.

    Returns
    -------
    list of Solution

    Examples
    --------
    >>> found = [Solution(np.array([0, 1]), value, bound, value == bound, alpha)
    ...          for alpha, value, bound in [(0.0, 6.0, 6.0), (1.0, 4.0, 9.0), (2.0, 3.0, 3.0)]]
    >>> [one.upper_bound for one in bounded_by_neighbours(found)]
    [6.0, 4.50001, 3.0]
    """
    bounded = []
    for solution in solutions:
        bound, alpha = solution.upper_bound, solution.alpha
        if not solution.optimal:
            below = [one for one in solutions if one.alpha <= alpha]
            bound = min(bound, *(one.upper_bound for one in below))
            for one in below:
                for other in solutions:
                    if other.alpha > alpha:
                        part = (alpha - one.alpha) / (other.alpha - one.alpha)
                        chord = (1 - part) * one.upper_bound + part * other.upper_bound
                        bound = min(bound, chord)
            if bound < solution.upper_bound:  # "equal" bounds were so up to the tolerance
                bound = _rounded_up(max(bound, solution.objective) * (1 + TOLERANCE))
                solution = replace(solution, upper_bound=min(bound, solution.upper_bound))
        bounded.append(solution)
    return bounded


def contrast_subgraphs(
    difference: ArrayLike,
    k: int = 3,
    *,
    alpha: float | None = None,
    percentile: float | None = None,
    overlap: str = "pairs",
    **options: Any,
) -> list[Solution]:
    """Find several contrast subgraphs of a difference graph, one after the other.

    Each is the best one given those before it, proved like the first.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    k : int
        At most this many; fewer if no pair above alpha is left.
    alpha, percentile : float
        As for `contrast_subgraph`; a percentile is one of the given graph's weights.
    overlap : {"pairs", "none"}
        ``pairs``: sets may share vertices, but a pair counts once: inside an earlier set
        its weight becomes ``min(w, -alpha)``, or less (`objective.spent_weight`). ``none``: no
        vertex is in two sets.
    **options
        As for `sweep`.

    Returns
    -------
    list of Solution
        In the order in which they were found. `objective` is a set's value in the graph
        that the sets before it left, `explained` its share of the surplus of the whole.

    Raises
    ------
    InputError
        If the graph, the penalty or an option cannot be used.

    Examples
    --------
    >>> blocks = np.kron(np.diag([3.0, 2.0]), np.ones((3, 3)))
    >>> found = contrast_subgraphs(blocks, k=3, alpha=0.5)
    >>> [(one.nodes.tolist(), one.objective, one.explained) for one in found]
    [([0, 1, 2], 7.5, 0.625), ([3, 4, 5], 4.5, 0.375)]
    """
    first = contrast_subgraph(
        difference, alpha=alpha, percentile=percentile, sets=k, overlap=overlap, **options
    )
    return [first, *first.further]


def _further(weights, first, count, overlap, options):
    """The next best sets, each given those before it."""
    left, found = weights, [first]
    positive = np.maximum(surplus(weights, first.alpha), 0.0)
    for _ in range(count):
        nodes = found[-1].nodes
        spent = np.zeros(left.shape, dtype=bool)
        spent[nodes] = True
        spent = spent | spent.T if overlap == "none" else spent & spent.T
        np.fill_diagonal(spent, False)
        left = np.where(spent, np.minimum(left, spent_weight(weights, first.alpha)), left)
        matrix = surplus(left, first.alpha)
        if not (matrix > 0).any():
            break
        instance = Instance(matrix, options["seed"], options["limits"])
        candidates = search_sweep(left, [first.alpha], seed=options["seed"])
        instance.solve(candidates, options["sdp"], options["solver"] == "exact")
        # A pair that an earlier set explained is not explained again.
        gained = np.where(matrix > 0, positive, 0.0)
        solution = instance.solution(
            alpha=first.alpha, percentile=first.percentile, solver=first.solver
        )
        share = gained[np.ix_(solution.nodes, solution.nodes)].sum() / positive.sum()
        found.append(replace(solution, explained=float(share)))
    return tuple(found[1:])


class Instance:
    """A surplus matrix: the best set known, and a bound.

    Values are in the units of the conditioned matrix.
    """

    def __init__(self, matrix, seed, limits):
        self.begin = time.process_time()
        self.seed, self.limits = seed, limits
        self.matrix = matrix
        self.scaled, self.exponent = conditioned(self.matrix)
        self.margin = margin_of(self.scaled)
        self.nodes, self.value = np.zeros(0, dtype=np.int64), 0.0
        # Half of all positive weights at each vertex: the bound of proof A, undecided.
        self.bound = float(np.maximum(self.scaled, 0.0).sum()) / 2
        self.budget = Budget(limits)
        self.seconds = 0.0

    @property
    def closed(self):
        """Whether the bound proves the set known to be optimal."""
        return self.bound <= self.value + self.margin

    @property
    def fits(self):
        """Whether relaxation and proof fit into the memory."""
        limit = self.limits.memory_mb
        return limit is None or _megabytes(len(self.matrix)) <= limit

    def keep(self, nodes):
        """Keep a set if it is better than the one known."""
        value = surplus_of(self.scaled, nodes)
        if value > self.value + self.margin or (value > 0 and not len(self.nodes)):
            self.nodes, self.value = nodes, value

    def solve(self, candidates, sdp, prove, first=None):
        """Search from some sets, bound, and prove if asked to (`first`: see `tree.prove`)."""
        self.search(candidates, sdp)
        if prove:
            self.prove(first)

    def search(self, candidates, sdp):
        """Keep the best of the sets found for any penalty and of the rounded relaxation."""
        n = len(self.scaled)
        if self.closed:
            return
        # 1. Climb from the best of the sets that the search found, or from the best pair.
        pair = np.sort(np.unravel_index(np.argmax(self.scaled), self.scaled.shape))
        best = max([*candidates, pair], key=lambda nodes: surplus_of(self.scaled, nodes))
        self.keep(climb(self.scaled, best))
        if not self.fits or self.budget.late():
            return
        # 2. The relaxation gives a bound, and sets to climb from by rounding.
        vectors, bound = relax(self.scaled, sdp["solver"], self.seed, self.budget)
        self.bound = min(self.bound, bound)
        if sdp["roundings"]:
            rng = seeds.generator(self.seed, "hyperplanes", n)
            masks = hyperplanes(vectors, sdp["roundings"], rng)
            best = np.argmax(values(self.scaled, masks))
            self.keep(climb(self.scaled, np.flatnonzero(masks[best])))

    def prove(self, first=None):
        """Prove that the set is optimal, or find a better one, or lower the bound."""
        if self.closed or not self.fits:
            return
        proof = prove(self.scaled, self.value, self.budget, self.bound, self.seed, first)
        self.bound = proof.bound
        if proof.inside is not None:
            self.keep(np.flatnonzero(proof.inside))
        if proof.proved:
            self.bound = self.value

    def run_densdp(self, sdp, options):
        """Keep the set that the paper's algorithm finds; the bound is its relaxation's."""
        n = len(self.scaled)
        if not self.fits:
            raise InputError(
                f"densdp needs about {_megabytes(n):.0f} MB for {n} vertices: raise the limit "
                "memory_mb or use the solver search"
            )
        if self.closed:
            return
        vectors, bound = relax(self.scaled, sdp["solver"], self.seed, self.budget)
        self.bound = min(self.bound, bound)
        rng = seeds.generator(self.seed, "densdp", n)
        self.keep(densdp(self.scaled, vectors, rng, **options))

    def near_optimal(self, fraction):
        """List the near-optimal sets; a better set among them becomes the best one."""
        self.stop_clock()
        while True:
            budget = Budget(self.limits, self.budget.deadline)
            near = near_optimal(self.matrix, self.nodes, fraction, self.limits, budget, self.seed)
            value = self.value
            if near.sets:
                self.keep(near.sets[0].nodes)
            if self.value == value:
                return near

    def stop_clock(self):
        """Note the time that answer, bound and proof took."""
        self.seconds = self.seconds or time.process_time() - self.begin

    def solution(self, **fields):
        """Go back to the units of the weights."""
        self.stop_clock()
        objective = surplus_of(self.matrix, self.nodes)
        # The value may be off by a margin, and so may what is left of the bound.
        optimal = bool(self.closed and 4 * self.margin <= TOLERANCE * self.value)
        if optimal or self.bound <= 0:
            bound, optimal = objective, True
        else:
            bound = max(self.bound, self.value) + 4 * self.margin
            bound = _rounded_up(float(np.ldexp(bound, self.exponent)))
        positive = np.maximum(self.matrix, 0.0)
        inside = positive[np.ix_(self.nodes, self.nodes)].sum()
        return Solution(
            nodes=self.nodes,
            objective=objective,
            upper_bound=bound,
            optimal=optimal,
            seconds=self.seconds,
            explored=self.budget.explored,
            explained=float(inside / positive.sum()) if inside else 0.0,
            **fields,
        )


def _megabytes(n):
    """Memory that the relaxation and the proof take, at most."""
    return 8 * MATRICES * n**2 / 1e6


def _rounded_up(bound, digits=6):
    """Round a bound up to some digits: what lies beyond depends on the machine."""
    unit = 10.0 ** (np.floor(np.log10(bound)) + 1 - digits)
    return float(f"{np.ceil(bound / unit) * unit:.{digits}g}")


def listed_penalties(penalties):
    """Return penalties as a list, one or many."""
    if isinstance(penalties, Real):
        return [penalties]
    try:
        return list(penalties)
    except TypeError as error:
        raise InputError(
            f"penalties must be a number or a list of numbers, not {penalties!r}"
        ) from error


def _options(name, given, defaults):
    try:
        given = dict(given or {})
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must be a mapping with {', '.join(defaults)}, not {given!r}"
        ) from error
    unknown = sorted(map(str, set(given) - set(defaults)))
    if unknown:
        raise InputError(
            f"unknown option {unknown[0]!r} of {name}: the options are {', '.join(defaults)}"
        )
    options = defaults | given
    for key, value in options.items():
        if key in ("roundings", "t_max") and (
            not isinstance(value, Integral) or isinstance(value, bool) or value < 0
        ):
            raise InputError(f"{name}: {key} must be a whole number of at least 0, not {value!r}")
    if options.get("start", STARTS[0]) not in STARTS:
        raise InputError(f"{name}: start must be one of {', '.join(STARTS)}")
    return options


def _check_fraction(fraction):
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0 <= fraction < 1:
        raise InputError(
            f"alternatives must be a fraction from 0 to below 1, or None, not {fraction!r}"
        )
    return float(fraction) or None


def one_thread():
    """A context in which linear algebra uses one thread."""
    return _threadpools().limit(limits=1, user_api="blas")


@cache
def _threadpools():
    return ThreadpoolController()
