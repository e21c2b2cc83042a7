"""From a difference graph to contrast subgraphs: one call for one penalty or for many."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import RandomState, check_count, check_number, check_option, check_seed
from ..core.errors import InputError
from ..core.labels import names_of_regions
from ..core.processes import progress
from .alpha import alphas_of_percentiles, penalties_of
from .difference import check_weights
from .instance import Instance, one_thread
from .result import ContrastSubgraphResult
from .several_sets import OVERLAPS, one_after_another, pairs_inside
from .solver.densdp import STARTS
from .solver.limits import Limits, check_mapping
from .solver.relaxation import check_solver
from .solver.search import search_quick, search_sweep

#: `exact` searches and proves, `search` only searches, `densdp` is the paper's algorithm.
SOLVERS = ("exact", "search", "densdp")
#: Percentiles to try for a first answer, and the number of regions that a reader can take in.
FIRST = (80, 85, 90, 93, 95, 97, 98, 99, 99.5, 99.9)
READABLE = 30
#: Options with their defaults, as in the config's ``contrast`` section.
SDP_OPTIONS = {"solver": "auto", "roundings": 1000}
DENSDP_OPTIONS = {"roundings": 1, "t_max": 1000, "start": "vertex"}


def contrast_subgraph(
    difference: ArrayLike,
    *,
    percentile: float | None = None,
    alpha: float | None = None,
    solver: str = "exact",
    random_state: RandomState = 0,
    alternatives: float | None = None,
    limits: Mapping | Limits | None = None,
    n_sets: int = 1,
    overlap: str = "pairs",
    names: Sequence[str] | None = None,
) -> ContrastSubgraphResult:
    """Find the contrast subgraph of a difference graph (Problems 1 and 2).

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph (see `difference_graph`), with any weights.
    percentile : float, optional
        Gives the penalty of each pair as a percentile of the weights, such as 80.
    alpha : float, optional
        The penalty itself instead, above 0 and below the largest weight.
    solver, random_state, alternatives, limits, n_sets, overlap
        As for `sweep`.
    names : sequence of str, optional
        Names of all vertices, for the attribute `regions`; by default those of a data frame.

    Returns
    -------
    ContrastSubgraphResult

    Raises
    ------
    InputError
        If neither or both of percentile and alpha are given, or if the difference graph is not
        symmetric and finite.

    See Also
    --------
    difference_graph : The graph to search.
    sweep : Many penalties at once.
    certify : A proof that can be checked without the solver.
    plot_contrast : Draws the result.

    Notes
    -----
    The effect of a set is overestimated in the people it was found in: `held_out_effect` measures
    it in others, and `permutation_test` tests whether it exceeds chance.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> found = contrast_subgraph(difference, alpha=0.5)
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([0, 1, 2], 4.5, True)
    >>> blocks = np.kron(np.diag([3.0, 2.0]), np.ones((3, 3)))
    >>> found = contrast_subgraph(blocks, alpha=0.5, n_sets=3, names="abcdef")
    >>> [(one.regions, one.objective, one.explained) for one in (found, *found.further)]
    [(('a', 'b', 'c'), 7.5, 0.625), (('d', 'e', 'f'), 4.5, 0.375)]
    """
    settings = Settings(
        solver, random_state, None, None, alternatives, limits, n_sets=n_sets, overlap=overlap
    )
    return solve(difference, settings, names=names, **one_penalty(percentile, alpha))[0]


def sweep(
    difference: ArrayLike,
    *,
    percentiles: float | Sequence[float] = (),
    alphas: float | Sequence[float] = (),
    solver: str = "exact",
    random_state: RandomState = 0,
    sdp: Mapping | None = None,
    densdp: Mapping | None = None,
    alternatives: float | None = None,
    limits: Mapping | Limits | None = None,
    n_sets: int = 1,
    overlap: str = "pairs",
    names: Sequence[str] | None = None,
) -> list[ContrastSubgraphResult]:
    """Find the contrast subgraphs of one difference graph for many penalties.

    Parameters
    ----------
    difference, names
        As for `contrast_subgraph`.
    percentiles, alphas : float or sequence of float
        The penalties, as percentiles of the weights and as plain values.
    solver : {"exact", "search", "densdp"}
        ``exact``: tabu search and rounded relaxation, then a proof. ``search``: the same
        without the proof; the upper bound is that of the relaxation. ``densdp``:
        Algorithms 1 to 4 of the paper, with the relaxation's bound.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        For all random draws; None draws a seed.
    sdp : dict, optional
        ``solver``: ``auto`` (low rank, the default), ``mosek``, ``clarabel`` or ``scs``;
        ``roundings``: random hyperplanes (1000).
    densdp : dict, optional
        ``roundings`` (1), ``t_max`` (1000) and ``start`` (``vertex``); see `densdp`.
    alternatives : float, optional
        List the locally optimal sets within this fraction of the optimum, such as 0.05;
        None or 0 for no list. `densdp` never gives a list, since many sets beat its own answers.
    limits : dict, optional
        ``nodes`` (1000000), ``alternatives`` (1000), ``memory_mb`` (2000), ``seconds``
        (None); see `Limits`. If they end a proof, the result has the best set met, the bound and
        the gap.
    n_sets : int
        The number of sets for each penalty, one after the other, each the best given those before
        it. There are fewer if no pair above alpha is left. Those after the first are in its
        attribute `further`. `objective` is a set's value in the graph that earlier sets left,
        `explained` its share of the whole surplus. Not for `densdp`.
    overlap : {"pairs", "none"}
        ``pairs``: sets may share vertices, but a pair counts once: inside an earlier set its
        weight becomes ``min(w, -alpha)``, or less (`several_sets.spent_weight`). ``none``: no
        vertex is in two sets.

    Returns
    -------
    list of ContrastSubgraphResult
        First those of the percentiles, then those of the plain values.

    Raises
    ------
    InputError
        If an option or a penalty cannot be used, or the difference graph is not symmetric and
        finite.

    Warns
    -----
    UserWarning
        If a penalty leaves no pair of positive weight, so that the subgraph is empty, or
        if a percentile gives a penalty that is not above 0, so that it penalises nothing.

    See Also
    --------
    contrast_subgraph : One penalty.
    permutation_test : Tests whether the sets exceed chance.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> [found.nodes.tolist() for found in sweep(difference, percentiles=[50, 80])]
    [[0, 1, 2], [0, 1]]
    """
    settings = Settings(
        solver, random_state, sdp, densdp, alternatives, limits, n_sets=n_sets, overlap=overlap
    )
    return solve(difference, settings, percentiles, alphas, names)


@dataclass
class Settings:
    """The checked settings of `solve`; the fields are those of `sweep`."""

    solver: str = "exact"
    random_state: RandomState = 0
    sdp: Mapping | None = None
    densdp: Mapping | None = None
    alternatives: float | None = None
    limits: Mapping | Limits | None = None
    n_sets: int = 1
    overlap: str = "pairs"

    def __post_init__(self):
        check_option("solver", self.solver, SOLVERS)
        check_option("overlap", self.overlap, OVERLAPS)
        self.seed = check_seed(self.random_state)
        self.sdp = check_mapping("sdp", self.sdp, SDP_OPTIONS)
        self.densdp = check_mapping("densdp", self.densdp, DENSDP_OPTIONS)
        for name, options in (("sdp", self.sdp), ("densdp", self.densdp)):
            for key in {"roundings", "t_max"} & set(options):
                check_count(options[key], f"{name}: {key}", 0)
        check_option("densdp: start", self.densdp["start"], STARTS)
        check_solver(self.sdp["solver"])
        if self.alternatives is not None:
            self.alternatives = check_number(self.alternatives, "alternatives", 0, 1)
            if self.alternatives == 1:
                raise InputError("alternatives must be below 1: every set is within 100 %")
        self.limits = Limits.of(self.limits)
        check_count(self.n_sets, "n_sets")
        # Many sets beat the answers of densdp: a list of near-optimal ones would not be one.
        if self.solver == "densdp":
            self.alternatives = None
            self.n_sets = 1


def one_penalty(percentile, alpha):
    """Return the penalty of a call that takes one, for `solve`."""
    if (alpha is None) == (percentile is None):
        raise InputError("give either percentile or alpha")
    return {"alphas": [alpha]} if percentile is None else {"percentiles": [percentile]}


def readable_percentile(differences, seed=0, alphas=None):
    """Return the lowest percentile in `FIRST` at which every set has few enough regions to read.

    Sets are found by the quick search. If there is no such percentile, the last one is returned at
    which alpha is positive and a set is not empty. `alphas` are those of each difference graph at
    each of `FIRST`, if they are not its own percentiles.
    """
    if alphas is None:
        alphas = [alphas_of_percentiles(weights, FIRST) for weights in differences]
    chosen = FIRST[0]
    with one_thread():
        for percentile, here in zip(FIRST, np.transpose(alphas), strict=True):
            if min(here) <= 0:
                continue
            pairs = zip(differences, here, strict=True)
            sets = [search_quick([weights], [alpha], seed)[0] for weights, alpha in pairs]
            largest = max(map(np.sum, sets))
            if largest == 0:
                break
            chosen = percentile
            if largest <= READABLE:
                break
    return chosen


def solve(difference, settings, percentiles=(), alphas=(), names=None, largest=0.0):
    """Solve as `sweep` says. Alphas up to `largest`, of another direction, are valid: no set."""
    names = names_of_regions(difference, names, "names")
    weights, penalties = checked_problem(difference, percentiles, alphas, names, largest)
    return solve_checked(weights, penalties, settings, names)


def solve_checked(weights, penalties, settings, names=None):
    """Return the contrast subgraphs of checked weights and penalties."""
    # One thread: these matrices are small, and more of them would change the last digits.
    with one_thread():
        begin = time.process_time()
        # One search for all penalties: its sets are candidates for each of them.
        candidates = []
        if settings.solver != "densdp":
            chosen = [penalty.alpha for penalty in penalties]
            candidates = search_sweep(weights, chosen, seed=settings.seed)
        shared = (time.process_time() - begin) / max(1, len(penalties))
        results = []
        solved = {}
        for alpha, percentile in progress(penalties, "penalties"):
            seconds = shared
            # With few people there are few different weights: percentiles may share an alpha.
            if alpha not in solved:
                solved[alpha] = _sets(weights, alpha, settings, candidates, names)
                seconds += solved[alpha][0].seconds
            first, *further = (replace(one, percentile=percentile) for one in solved[alpha])
            results.append(replace(first, seconds=seconds, further=tuple(further)))
    return results


def checked_problem(difference, percentiles, alphas, names, largest):
    """Return checked weights and penalties."""
    weights = check_weights(difference, "the difference graph")
    if names is not None and len(names) != len(weights):
        raise InputError(f"there are {len(names)} names and {len(weights)} vertices")
    return weights, penalties_of(weights, percentiles, alphas, largest)


def named_nodes(names, nodes):
    """Return the names of some vertices, or an empty tuple if vertices have no names."""
    return () if names is None else tuple(str(names[node]) for node in nodes)


def _sets(weights, alpha, settings, candidates, names):
    """The best set of a penalty, and those that follow it."""

    def find(left, matrix):
        instance = Instance(matrix, settings.seed, settings.limits)
        if settings.solver == "densdp":
            instance.run_densdp(settings.sdp, settings.densdp)
        else:
            # The first set starts from the search of all penalties; later ones have other weights.
            first = left is weights
            met = candidates if first else search_sweep(left, [alpha], seed=settings.seed)
            instance.search(met, settings.sdp)
            if settings.solver == "exact":
                instance.prove()
        near = None
        if settings.alternatives and left is weights:
            near = instance.near_optimal(settings.alternatives)
        found = ContrastSubgraphResult(
            **instance.found(),
            nodes=instance.nodes,
            regions=named_nodes(names, instance.nodes),
            alternatives=near,
            solver=settings.solver,
            alpha=alpha,
            weights=weights[np.ix_(instance.nodes, instance.nodes)],
        )
        return found, pairs_inside(found.nodes, len(weights))

    asked = weights, alpha, settings.n_sets, find, settings.overlap
    return [replace(found, explained=share) for found, share in one_after_another(*asked)]
