"""Binary quadratic optimisation: the set whose pairs and vertices add up to the most.

Also known as QUBO, UBQP and, without the gains of single vertices, as the maximum-weight induced
subgraph; a contrast subgraph is the case of weights ``w - alpha``. Maximum cuts are another
(`problems.QuadraticProblem.of_cut`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from ..core.checks import RandomState, check_option
from ..core.errors import InputError
from ..core.labels import names_of_regions, values_in_order
from .difference import check_linear, check_weights
from .instance import Instance, one_thread
from .objective import surplus_of
from .result import ContrastSubgraphResult
from .solve import Settings, named_nodes
from .solver.limits import Limits
from .solver.search import search_quadratic


def maximize_quadratic(
    weights: ArrayLike,
    linear: ArrayLike | None = None,
    *,
    solver: str = "exact",
    random_state: RandomState = 0,
    alternatives: float | None = None,
    limits: Mapping | Limits | None = None,
    names: Sequence[str] | None = None,
) -> ContrastSubgraphResult:
    """Find the set S with the largest ``sum of w_ij over pairs + sum of c_i``, and prove it.

    Parameters
    ----------
    weights : array_like of shape (n_vertices, n_vertices)
        What each pair of vertices adds if both are in the set; symmetric, each pair counts once.
    linear : array_like of shape (n_vertices,), optional
        What each vertex adds by itself; nothing by default.
    solver : {"exact", "search"}
        Search and proof, or search with the bound of the relaxation.
    random_state, alternatives, limits, names
        As for `sweep`. `alternatives` lists the locally optimal sets within this fraction of the
        best value; 1e-9 lists those that are equally good.

    Returns
    -------
    ContrastSubgraphResult
        Its `alpha` is 0. The empty set has the value 0, so that the objective is never negative.

    Raises
    ------
    InputError
        If the weights are not symmetric or not finite, if their diagonal is not 0, or if the
        numbers of linear terms and vertices differ.

    See Also
    --------
    QuadraticProblem : Files and other forms of such problems.
    contrast_subgraph : The case of weights minus a penalty.

    Notes
    -----
    If all values are whole numbers (or multiples of some number), a bound less than one step above
    the objective leaves no better set, and `optimal` is then true to the last digit.

    Examples
    --------
    >>> weights = [[0, 3, -2], [3, 0, -2], [-2, -2, 0]]
    >>> found = maximize_quadratic(weights, [-1, -1, 0.5], alternatives=0.5)
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([0, 1], 1.0, True)
    >>> [(rival.nodes.tolist(), rival.objective) for rival in found.alternatives.sets]
    [([2], 0.5)]
    """
    check_option("solver", solver, ("exact", "search"))
    settings = Settings(solver, random_state, alternatives=alternatives, limits=limits)
    matrix = check_pairs(weights)
    names = names_of_regions(weights, names, "names")
    own = check_linear(values_in_order(linear, names, "linear"), len(matrix))
    if names is not None and len(names) != len(matrix):
        raise InputError(f"there are {len(names)} names and {len(matrix)} vertices")
    with one_thread():
        placed = Placed.of(matrix, own)
        instance = _solve(placed, settings)
        nodes = placed.whole_set(instance.nodes)
        near = None
        if settings.alternatives:
            # The list is of the whole problem: near-optimal sets need not have the placed vertices.
            whole = Instance(matrix, settings.seed, settings.limits, own)
            whole.keep(nodes)
            near = whole.near_optimal(settings.alternatives)
            if surplus_of(matrix, whole.nodes, own) > surplus_of(matrix, nodes, own):
                nodes = whole.nodes
    found = instance.found()
    objective = surplus_of(matrix, nodes, own)
    bound = objective
    if not found["optimal"]:
        bound = max(objective, sum_rounded_up(found["upper_bound"], placed.value))
    positive = np.maximum(matrix, 0.0)
    inside = positive[np.ix_(nodes, nodes)].sum()
    return ContrastSubgraphResult(
        **found | {"objective": objective, "upper_bound": bound},
        nodes=nodes,
        regions=named_nodes(names, nodes),
        alternatives=near,
        solver=solver,
        alpha=0.0,
        weights=matrix[np.ix_(nodes, nodes)],
        explained=float(inside / positive.sum()) if inside else 0.0,
    )


def sum_rounded_up(one, other):
    """Return a floating-point number that is no less than an exact sum, and as near as can be."""
    # The plain sum may be rounded down, and would then be no bound.
    total = one + other
    if Fraction(total) < Fraction(one) + Fraction(other):
        total = float(np.nextafter(total, np.inf))
    return total


def check_pairs(weights):
    """Return symmetric weights as a matrix without a diagonal, or raise InputError."""
    matrix = check_weights(weights, "weights")
    dense = weights.toarray() if scipy.sparse.issparse(weights) else np.asarray(weights)
    diagonal = np.diagonal(dense) if dense.ndim == 2 else np.zeros(0)
    if (diagonal != 0).any():
        vertex = int(np.flatnonzero(diagonal != 0)[0])
        raise InputError(
            f"weights has {diagonal[vertex]!r} on its diagonal, at vertex {vertex}: give what "
            "vertices add by themselves as `linear` and zeros there, or read the matrix of x'Qx "
            "by `QuadraticProblem.of_qubo`"
        )
    return matrix


@dataclass(frozen=True)
class Placed:
    """The problem that is left once vertices in every best set, or in none, are placed.

    A vertex that adds something whatever the others do is `inside` every best set; one that never
    adds anything is in none. So a huge term that only forces a vertex does not swallow the digits
    of the others. `matrix` and `linear` are those of the `free` vertices that are left, and `value`
    is the value of those inside.
    """

    inside: np.ndarray
    free: np.ndarray
    matrix: np.ndarray
    linear: np.ndarray
    value: float

    @classmethod
    def of(cls, matrix, linear):
        """Place vertices of a problem until no other one follows."""
        n = len(matrix)
        positive = np.maximum(matrix, 0.0)
        negative = np.minimum(matrix, 0.0)
        # The sums below may be off by this much: only a clear sign places a vertex.
        error = 2 * (n + 1) * np.finfo(float).eps * (np.abs(linear) + np.abs(matrix).sum(axis=0))
        inside = np.zeros(n, dtype=bool)
        free = np.ones(n, dtype=bool)
        while True:
            gain = linear + matrix[inside].sum(axis=0)
            least = gain + negative[free].sum(axis=0)
            most = gain + positive[free].sum(axis=0)
            enter = free & (least > error)
            leave = free & (most < -error)
            if not (enter | leave).any():
                break
            inside |= enter
            free &= ~(enter | leave)
        members = np.flatnonzero(inside)
        others = np.flatnonzero(free)
        # Correctly rounded sums, in which a huge term and its opposite leave the digits of the
        # rest.
        own = [math.fsum([linear[v], *matrix[v, members]]) for v in others]
        value = surplus_of(matrix, members, linear)
        left = np.ascontiguousarray(matrix[np.ix_(others, others)])
        return cls(members, others, left, np.array(own, dtype=float), value)

    def whole_set(self, nodes):
        """Return a set of the free vertices with those that are inside anyway."""
        return np.sort(np.concatenate([self.inside, self.free[nodes]]))


def _solve(placed, settings):
    """Solve what is left when vertices are placed."""
    instance = Instance(placed.matrix, settings.seed, settings.limits, placed.linear, placed.value)
    candidates = [search_quadratic(placed.matrix, placed.linear, settings.seed)]
    instance.search(candidates, settings.sdp)
    if settings.solver == "exact":
        instance.prove()
    return instance
