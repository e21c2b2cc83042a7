"""Proof that a set is the best one, or the best bound that the limits allow.

First proof A (`branching`). Where it does not end, proof B: a branch and bound whose nodes are
bounded by the relaxation with triangle inequalities (`triangles`), as in Biq Mac and BiqCrunch
(Rendl, Rinaldi and Wiegele 2010; Krislock, Malick and Roupin, ACM TOMS 2017).
"""

from typing import NamedTuple

import numpy as np

from ..objective import Margins
from .branching import (
    INSIDE,
    OUTSIDE,
    TYPICAL_SIZE,
    UNDECIDED,
    Stack,
    Weights,
    branch_and_bound,
    deduce,
)
from .stars import Stars
from .triangles import Subproblem

# The numbers below were tuned on the paper's 96 instances (benchmarks/solver.py), those of
# larger graphs on simulated brains of 200 to 400 regions (benchmarks/solver_scale.py).
#: Nodes of proof A before proof B starts (on sparse graphs of TYPICAL_SIZE, more on larger
#: ones), and in each subproblem of proof B. Of the paper's instances proof A ends the sparse ones
#: and no dense one, so that on dense graphs it gets little.
FIRST_NODES = 2000
SPARSE_NODES = 12000
SUB_NODES = 1000
#: What a node of proof B takes from the limit on nodes (see `limits.Limits`).
RELAXATION_COST = 1000
#: ... and the first one, which has more rounds, as many times that.
ROOT_COST = 4
#: Rounds of the relaxation before vertices are probed first, and between probings.
FIRST_ROUNDS = 8
NEXT_ROUNDS = 6
ROUNDS = 40
#: Vertices are probed once the bound is within this fraction of the best value.
PROBE_GAP = 0.1
#: The first node is left when this many rounds closed less than STALL of its gap.
PATIENCE = 10
STALL = 0.05
#: Steps of the multipliers in the first node and below, in mean absolute weights.
ROOT_STEP = 0.5
STEP = 0.4
#: Inequalities added in a round in the first node and below, on a graph of TYPICAL_SIZE
#: vertices: triangles, and pentagons. They grow with the pairs of the graph.
ROOT_CAP = 2000
CAP = 500
ROOT_FIVES = 150
FIVES = 50
#: Rounds of the first node without pentagons: most of the paper's instances end within these, and
#: would only wait for them.
PLAIN_ROUNDS = 14


class Proof(NamedTuple):
    """A better set than the one given, or None; the best value, a bound, and whether they agree."""

    inside: np.ndarray | None
    value: float
    bound: float
    proved: bool


def prove(
    matrix, value, budget, bound=np.inf, seed=0, first=None, linear=None, base=0.0, margins=None
):
    """Prove that no set of a conditioned matrix has more than `value`, or find a better one.

    `first` is what proof A may spend before proof B starts. Vertices may have a gain of their own,
    `linear`; a gap then counts as small relative to `base` and not to the value.
    """
    tree = Tree(matrix, value, budget, seed, linear=linear, base=base, margins=margins)
    open_bound = tree.run(first, bound)
    proved = open_bound <= tree.value + tree.margin
    bound = tree.value if proved else max(tree.value, min(bound, open_bound))
    inside = tree.found[-1] if tree.found else None
    return Proof(inside, tree.value, bound, proved)


def locally_optimal(matrix, floor, budget, most, seed=0, linear=None):
    """Find up to `most` locally optimal sets above `floor`; say whether these are all."""
    tree = Tree(matrix, floor, budget, seed, every=most, linear=linear)
    complete = tree.run() <= floor + tree.margin and len(tree.found) < most
    return tree.found[:most], complete


class Node(NamedTuple):
    """A node of proof B: what is undecided, what is placed, a bound, and its part of the proof."""

    subproblem: Subproblem
    state: np.ndarray
    bound: float
    part: dict


def closed():
    """Return the proof of a part that proof A ends (for others see `certificate`)."""
    return {"steps": [], "then": "enumerate"}


class Tree:
    """The branch and bound: what was found, what is still open, what was spent."""

    def __init__(
        self, matrix, value, budget, seed, every=None, linear=None, base=0.0, margins=None
    ):
        self.weights = Weights.of(matrix, linear)
        self.value = value
        self.every = every
        if margins is None:
            margins = Margins.of(matrix, self.weights.linear)
        self.margin = margins.gap
        if every is not None:
            self.margin = margins.error  # a list may hold sets of equal values
        elif margins.step:
            # Sets have multiples of a step: more than the value is more than the one below it.
            self.value = margins.step * np.floor(value / margins.step)
        self.base = base
        self.budget = budget
        self.seed = seed
        self.found = []
        self.proof = closed()
        self.scale = np.abs(matrix).mean() if matrix.size else 0.0

    @property
    def goal(self):
        """A bound that is not above this ends a branch."""
        return self.value + self.margin

    @property
    def near(self):
        """A bound that is not above this is near the goal."""
        return self.value * (1 + PROBE_GAP) + self.base * PROBE_GAP

    def run(self, first=None, known=np.inf):
        """Search the tree; returns a bound for all sets not found, given one `known` before."""
        state = np.zeros(len(self.weights.matrix), dtype=np.int8)
        # 1. Proof A on the whole graph.
        bound = self.branch(state, self.first_nodes(state) if first is None else first)
        if bound <= self.goal or self.full():
            return bound
        # 2. Proof B on what can be placed without branching, depth first.
        if not self.deduce(state):
            return self.value
        nearly = known <= self.near
        if self.budget.late() or not (nearly or self.allows(state, ROOT_COST)):
            return bound
        root = Subproblem.root(self.weights, ROOT_STEP * self.scale, self.budget, self.seed)
        root = root.merged(sides_of(root, state), root.step)
        # 3. What the plain relaxation decides, however large the graph: often all but a few.
        while nearly and (sides := root.forced(self.goal)).any():
            root, state = self.placed(root, state, sides, root.step)
            if root is None:
                return self.value
            # Proof A ends what is left, or lowers its bound.
            bound = min(bound, self.branch(state, SUB_NODES))
        open_ = [Node(root, state, bound, self.proof)]
        times = ROOT_COST
        while open_:
            node = open_.pop()
            if node.bound <= self.goal:
                continue
            if not self.allows(node.state, times) or self.full():
                return max([self.value, node.bound, *(other.bound for other in open_)])
            self.budget.spend(1, times * _cost(node.state))
            open_ += self.process(node, times == ROOT_COST)
            times = 1
        return self.value

    def stars(self, state):
        """Return what proof A uses on sparse graphs."""
        return Stars.of(self.weights.matrix, state == UNDECIDED)

    def first_nodes(self, state):
        """What proof A may spend on the whole graph: more on a sparse one, but half at most."""
        if not self.stars(state).degree.any():
            return FIRST_NODES
        return min(SPARSE_NODES * _cost(state) / RELAXATION_COST, self.budget.left / 2)

    def allows(self, state, times=1):
        """Whether a node of proof B may be visited that costs `times` as much as usual."""
        return self.budget.allows(times * _cost(state))

    def full(self):
        """Whether the wanted number of sets is found."""
        return self.every is not None and len(self.found) >= self.every

    def process(self, node, first):
        """Bound a node of proof B; returns its children (none if no better set is in it)."""
        subproblem, state, bound, part = node
        # 1. Proof A may end it.
        if not first and self.branch(state, SUB_NODES) <= self.goal:
            return []
        rounds, cap, fives = (ROUNDS, ROOT_CAP, ROOT_FIVES) if first else (FIRST_ROUNDS, CAP, FIVES)
        done = 0
        chunk = FIRST_ROUNDS
        bounds = []
        while done < rounds:
            # 2. Some rounds of triangle inequalities, and of pentagons where these leave a gap.
            growth = max(1.0, len(subproblem.vertices) / TYPICAL_SIZE) ** 2
            more_fives = 0 if first and done < PLAIN_ROUNDS else int(fives * growth)
            bounds += subproblem.tighten(self.goal, chunk, int(cap * growth), more_fives)
            done = done + chunk
            chunk = NEXT_ROUNDS
            bound = min(bound, *bounds)
            if bound <= self.goal and self.ends(subproblem, state, part):
                return []
            # 3. Near the goal, vertices that cannot be on one side are placed on the other.
            if bound <= self.near:
                before = len(subproblem.vertices)
                sides = self.ruled_out(subproblem, state, part)
                if sides.any():
                    subproblem, state = self.placed(subproblem, state, sides, subproblem.step)
                    if subproblem is None:
                        return []
                    few_left = len(subproblem.vertices) <= before - 3
                    if few_left and self.branch(state, SUB_NODES) <= self.goal:
                        return []
            if self.budget.late():
                return [Node(subproblem, state, bound, part)]
            if stalled(bounds, self.value):
                break
        # 4. Branch; the child with the vertex inside is visited first.
        bound = max(bound, np.nextafter(self.goal, np.inf))  # it did not end the node
        vertex = subproblem.branching_vertex()
        part["then"] = {"branch": int(subproblem.vertices[vertex])}
        children = []
        for side, name in ((-1, "outside"), (1, "inside")):
            sides = np.zeros(len(subproblem.vertices), dtype=np.int64)
            sides[vertex] = side
            child, child_state = self.placed(subproblem, state, sides, STEP * self.scale)
            part["then"][name] = closed()
            if child is not None:
                children.append(Node(child, child_state, bound, part["then"][name]))
        return children

    def ends(self, subproblem, state, part):
        """Whether a bound that is not above the goal ends a node (a certificate may refuse)."""
        return True

    def ruled_out(self, subproblem, state, part):
        """Sides on which vertices of a node cannot be: see `triangles.Subproblem.ruled_out`."""
        return subproblem.ruled_out(self.goal)

    def branch(self, state, most):
        """Proof A below a state; keeps what is found if it ends, and returns its bound."""
        left = None if self.every is None else self.every - len(self.found)
        value, found, bound = branch_and_bound(
            *(self.weights, state, self.value, self.margin, self.budget, most, left),
            stars=self.stars(state),
        )
        if self.every is None or bound <= value + self.margin:
            self.value = value
            self.found += found
        return bound

    def deduce(self, state):
        """Place what proof A places without branching, in place; False if nothing is left."""
        stack = Stack.starting_from(self.weights, state)
        stars = Stars.none(len(state))  # a look at every vertex does without them
        open_, _, _ = deduce(self.weights, stars, stack, 0, self.value, self.margin)
        state[:] = stack.state[0]
        left = (state == UNDECIDED).any()
        if open_ and stack.inner[0] > self.goal and not (self.every is not None and left):
            self.found.append(state == INSIDE)
            if self.every is None:
                self.value = float(stack.inner[0])
        return open_ and left

    def placed(self, subproblem, state, sides, step):
        """Place vertices of a subproblem (1 inside, -1 outside) and all that follows."""
        state = state.copy()
        state[subproblem.vertices[sides == 1]] = INSIDE
        state[subproblem.vertices[sides == -1]] = OUTSIDE
        if not self.deduce(state):
            return None, None
        return subproblem.merged(sides_of(subproblem, state), step), state


def _cost(state):
    """What a node of proof B takes from the limit: its time grows with the third power."""
    undecided = np.count_nonzero(state == UNDECIDED)
    return RELAXATION_COST * max(1.0, undecided / TYPICAL_SIZE) ** 3


def sides_of(subproblem, state):
    """Where the vertices of a subproblem are: 1 inside, -1 outside, 0 undecided."""
    local = state[subproblem.vertices]
    return (local == INSIDE).astype(np.int64) - (local == OUTSIDE)


def stalled(bounds, value):
    """Whether the last rounds closed hardly any of the gap."""
    lowest = np.minimum.accumulate(bounds)
    if len(lowest) <= PATIENCE:
        return False
    return lowest[-1 - PATIENCE] - lowest[-1] < STALL * (lowest[-1] - value)
