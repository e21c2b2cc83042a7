"""Certificates that a contrast subgraph is optimal, for `checker` to check.

The proof is found by the same tree as in `tree`. What it concludes from floating-point numbers
is written down with the multipliers that show it, and kept only if `checker` accepts it.
"""

import numpy as np
import scipy.linalg

from ...core.errors import InputError
from ..difference import check_weights
from ..objective import check_nodes, conditioned, surplus, surplus_of
from ..solver.limits import Budget, Limits
from . import checker
from .branching import INSIDE, OUTSIDE, UNDECIDED
from .stars import Stars
from .tree import (
    CAP,
    FIRST_NODES,
    FIRST_ROUNDS,
    NEXT_ROUNDS,
    PROBE_GAP,
    ROOT_CAP,
    ROOT_STEP,
    ROUNDS,
    STEP,
    SUB_NODES,
    Tree,
    sides_of,
    stalled,
)
from .triangles import SIGNS, Subproblem

#: No set has more than ``1 + TOLERANCE`` times the objective.
TOLERANCE = 1e-7


def certify(difference, solution, limits=None, seed=0):
    """Return a certificate that a solution is optimal.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    solution : Solution
        Its contrast subgraph, from `contrast_subgraph`.
    limits : dict, optional
        See `limits.Limits`.
    seed : int
        Of the random draws of the relaxation.

    Returns
    -------
    dict
        Plain values, for a JSON file: ``vertices``, ``weights`` (of the pairs, row by row
        of the upper triangle), ``alpha``, ``nodes``, ``tolerance`` and ``proof``. The
        module `checker` says what they mean, and checks them.

    Raises
    ------
    InputError
        If the proof cannot be found within the limits.

    Examples
    --------
    >>> from contrast_subgraphs import contrast_subgraph
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> certificate = certify(difference, contrast_subgraph(difference, alpha=0.5))
    >>> float(checker.check(certificate))
    4.5
    """
    weights = check_weights(difference, "the difference graph")
    n = len(weights)
    certificate = {
        "vertices": n,
        "weights": weights[np.triu_indices(n, 1)].tolist(),
        "alpha": float(solution.alpha),
        "nodes": check_nodes(solution.nodes, n).tolist(),
        "tolerance": TOLERANCE,
    }
    matrix, exponent = conditioned(surplus(weights, solution.alpha))
    tree = _Certifier(matrix, exponent, certificate, Budget(Limits.of(limits)), seed)
    return {**certificate, "proof": tree.certified()}


class _Certifier(Tree):
    """A tree that writes down what it concludes."""

    def __init__(self, matrix, exponent, certificate, budget, seed):
        self.problem = checker.Problem(certificate)
        self.exponent = exponent
        value = surplus_of(matrix, certificate["nodes"])
        super().__init__(matrix, value, budget, seed)
        self.margin = 0.5 * TOLERANCE * value  # half of it is left for the checker

    def stars(self, state):
        """None: what proof A ends here, the checker must end without them."""
        return Stars.none(len(state))

    def certified(self):
        """The whole proof."""
        state = np.zeros(len(self.weights.matrix), dtype=np.int8)
        if self.branch(state, FIRST_NODES) <= self.goal or not self.deduce(state):
            return {"steps": [], "then": "enumerate"}
        root = Subproblem.root(self.weights.matrix, ROOT_STEP * self.scale, self.budget, self.seed)
        return self.part(root.merged(sides_of(root, state), root.step), state, True)

    def part(self, subproblem, state, first):
        """The proof for the sets of one node; see `tree.Tree.process`."""
        steps = []
        if not first and self.branch(state, SUB_NODES) <= self.goal:
            return {"steps": steps, "then": "enumerate"}
        if not self.allows(state):
            raise InputError("no proof was found within the limits: raise `nodes`")
        self.budget.spend(1, 1)
        rounds, cap = (ROUNDS, ROOT_CAP) if first else (FIRST_ROUNDS, CAP)
        done, chunk, bounds = 0, FIRST_ROUNDS, []
        while done < rounds:
            bounds += subproblem.tighten(self.goal, chunk, cap)
            done, chunk = done + chunk, NEXT_ROUNDS
            if min(bounds) <= self.goal:
                last = self.bound(subproblem, state)
                if last is not None:
                    return {"steps": steps, "then": {"bound": last}}
            if min(bounds) <= self.value * (1 + PROBE_GAP):
                before = len(subproblem.vertices)
                step, sides = self.step(subproblem, state)
                if sides.any():
                    steps.append(step)
                    subproblem, state = self.placed(subproblem, state, sides, subproblem.step)
                    if subproblem is None:
                        return {"steps": steps, "then": "enumerate"}
                    few_left = len(subproblem.vertices) <= before - 3
                    if few_left and self.branch(state, SUB_NODES) <= self.goal:
                        return {"steps": steps, "then": "enumerate"}
            if stalled(bounds, self.value):
                break
        vertex = subproblem.branching_vertex()
        then = {"branch": int(subproblem.vertices[vertex])}
        for side, name in ((1, "inside"), (-1, "outside")):
            sides = np.zeros(len(subproblem.vertices), dtype=np.int64)
            sides[vertex] = side
            child, child_state = self.placed(subproblem, state, sides, STEP * self.scale)
            closed = {"steps": [], "then": "enumerate"}
            then[name] = closed if child is None else self.part(child, child_state, False)
        return {"steps": steps, "then": then}

    def step(self, subproblem, state):
        """Vertices that are ruled out on one side, with the multipliers that show it."""
        free, z = subproblem.vertices.tolist(), self.inequalities(subproblem)
        ruled_out = []

        def accept(v, side, lift, vectors):
            y = self.diagonal(lift, vectors)
            fine = self.problem.below(_plain(state), free, z, y, (int(v), int(side)))
            if fine:
                ruled_out.append([int(v), int(side), y])
            return fine

        sides = subproblem.ruled_out(self.goal, accept=accept)
        return {"free": free, "z": z, "ruled_out": ruled_out}, sides

    def bound(self, subproblem, state):
        """The multipliers that end a node, or None if the checker refuses them."""
        free, z = subproblem.vertices.tolist(), self.inequalities(subproblem)
        _, vectors = subproblem.bound_at(subproblem.multipliers)
        y = self.diagonal(subproblem.tightened(subproblem.multipliers), vectors)
        fine = self.problem.below(_plain(state), free, z, y)
        return {"free": free, "z": z, "y": y} if fine else None

    def inequalities(self, subproblem):
        """The triangle inequalities in use, with their multipliers in units of the weights."""
        patterns = {tuple(signs): k for k, signs in enumerate(SIGNS.tolist())}
        rows = zip(subproblem.triples, subproblem.signs, subproblem.multipliers, strict=True)
        return [
            [*map(int, triple), patterns[tuple(signs.tolist())], float(np.ldexp(z, self.exponent))]
            for triple, signs, z in rows
            if z > 0
        ]

    def diagonal(self, lift, vectors):
        """The y of the dual bound, raised until its matrix is positive definite."""
        y = np.linalg.norm(vectors @ lift, axis=0)
        top = scipy.linalg.eigvalsh(lift - np.diag(y))[-1]
        y += max(0.0, top) + 1e-11 * max(1.0, np.abs(y).max())
        return [float(entry) for entry in np.ldexp(y, self.exponent)]


def _plain(state):
    """Sides as the checker has them: 1 inside, -1 outside, 0 open."""
    return [{INSIDE: 1, OUTSIDE: -1, UNDECIDED: 0}[int(entry)] for entry in state]
