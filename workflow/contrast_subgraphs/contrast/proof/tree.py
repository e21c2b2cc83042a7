"""Proof that a set is the best one, or the best bound that the limits allow.

First proof A (`branching`), which is quick for small best sets. Where it does not end,
proof B: a branch and bound whose nodes are bounded by the relaxation with triangle
inequalities (`triangles`), and whose vertices are decided by both proofs' arguments.
The idea of the second is that of Biq Mac and BiqCrunch (Rendl, Rinaldi and Wiegele 2010;
Krislock, Malick and Roupin, ACM TOMS 2017).
"""

import time
from dataclasses import dataclass, fields

import numpy as np

from ...core.errors import InputError
from . import branching
from .branching import INSIDE, MARGIN, OUTSIDE, UNDECIDED
from .triangles import Node

#: Nodes of proof A before proof B starts, and in each subproblem of proof B.
FIRST_NODES, SUB_NODES = 8000, 1000
#: A node of proof B takes about as long as so many of proof A.
NODE_COST = 100
#: Rounds of the relaxation before vertices are probed first, and between probings.
FIRST_ROUNDS, NEXT_ROUNDS, ROUNDS = 8, 6, 40
#: Vertices are probed once the bound is within this fraction of the best value.
PROBE_GAP = 0.1
#: The first node is left when so many rounds closed less than STALL of its gap.
PATIENCE, STALL = 10, 0.05
#: Steps of the multipliers in the first node and below, in mean absolute weights.
ROOT_STEP, STEP = 0.5, 0.2
#: Inequalities added in a round in the first node and below.
ROOT_CAP, CAP = 2000, 500
#: The size for which the limit on nodes is meant.
TYPICAL_SIZE = 116


@dataclass(frozen=True)
class Limits:
    """When to stop; what was found by then is given.

    Attributes
    ----------
    nodes : int
        Of the branch and bound on graphs of up to 116 vertices; one with a
        semidefinite bound counts as 100. Larger graphs get fewer, so that the work
        stays about the same.
    alternatives : int
        Near-optimal sets that are listed.
    memory_mb : float or None
        Proof and relaxation are left out if they would take more (None: never).
    seconds : float or None
        CPU time of a proof. Off by default, since results would depend on the machine.
    """

    nodes: int = 10000
    alternatives: int = 1000
    memory_mb: float | None = 2000
    seconds: float | None = None

    @classmethod
    def of(cls, limits):
        """Return limits from a mapping such as the config's ``contrast: limits``."""
        if isinstance(limits, cls):
            return limits
        limits = dict(limits or {})
        known = [field.name for field in fields(cls)]
        for name, value in limits.items():
            if name not in known:
                raise InputError(f"unknown limit {name!r}: the limits are {', '.join(known)}")
            if value is None and name in ("memory_mb", "seconds"):
                continue
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not value >= 0:
                raise InputError(f"limit {name} must be a number from 0 on, not {value!r}")
        return cls(**limits)


@dataclass(frozen=True)
class Proof:
    """What the proof found.

    Attributes
    ----------
    inside : numpy.ndarray of bool or None
        A set better than the one given, if there is one.
    value : float
        The best value known.
    bound : float
        No set has more (up to `MARGIN`).
    proved : bool
        Whether `value` is the optimum.
    nodes : int
        Nodes visited.
    """

    inside: np.ndarray | None
    value: float
    bound: float
    proved: bool
    nodes: int


def prove(matrix, value, limits, bound=np.inf, seed=0):
    """Prove that no set has more than `value`, or find a better one.

    Parameters
    ----------
    matrix : numpy.ndarray of shape (n, n)
        Surplus matrix, largest magnitude about 1 (see `objective.rescaled`).
    value : float
        Value of the best set known.
    limits : Limits
    bound : float
        An upper bound that is known already.
    seed : int
        Of the start of the relaxation.

    Returns
    -------
    Proof
    """
    tree = _Tree(matrix, value, limits, seed)
    open_bound = tree.run()
    proved = open_bound <= tree.value + MARGIN
    bound = tree.value if proved else max(tree.value, min(bound, open_bound))
    inside = tree.found[-1] if tree.found else None
    return Proof(inside, tree.value, bound, proved, tree.nodes)


def locally_optimal(matrix, floor, limits, seed=0):
    """Find the locally optimal sets with more than `floor`.

    The same tree as for a proof, except that sets that are found do not raise the value
    that branches have to beat.

    Returns
    -------
    list of numpy.ndarray of bool
    complete : bool
        Whether these are all.
    """
    tree = _Tree(matrix, floor, limits, seed, every=True)
    complete = tree.run() <= floor + MARGIN
    return tree.found, complete


class _Tree:
    """The branch and bound: what was found, what is still open, what was spent."""

    def __init__(self, matrix, value, limits, seed, every=False):
        n = len(matrix)
        self.matrix = matrix
        self.positive, self.negative = np.maximum(matrix, 0.0), np.minimum(matrix, 0.0)
        self.value = value
        self.every, self.room = every, int(limits.alternatives) + 1 if every else 1
        self.found = []
        self.seed = seed
        self.nodes = 0
        shrink = min(1.0, TYPICAL_SIZE / max(n, 1))
        self.first_nodes = int(min(FIRST_NODES, limits.nodes) * shrink**2)
        self.relaxations = int((limits.nodes / NODE_COST) * shrink**3)
        self.seconds = np.inf if limits.seconds is None else limits.seconds
        self.begin = time.process_time()
        self.scale = np.abs(matrix).mean() if n else 0.0

    def run(self):
        """Search the tree; returns a bound of what was not found, `value` if all was."""
        state = np.zeros(len(self.matrix), dtype=np.int8)
        bound = self.branch(state, self.first_nodes)
        if bound <= self.value + MARGIN or self.relaxations < 1:
            return bound
        if not self.reduce(state):
            return self.value
        root = Node.root(self.matrix, ROOT_STEP * self.scale, self.seed)
        stack = [(self.child(root, state, root.step), state, bound)]
        first = True
        while stack:
            if self._spent():
                return max([self.value] + [bound for _, _, bound in stack])
            node, state, bound = stack.pop()
            self.relaxations -= 1
            self.nodes += 1
            if bound > self.value + MARGIN:
                stack += self.process(node, state, bound, first)
            first = False
        return self.value

    def _spent(self):
        return (
            self.relaxations < 1
            or (self.every and len(self.found) >= self.room)
            or time.process_time() - self.begin > self.seconds
        )

    def process(self, node, state, bound, first):
        """Bound a node; returns its children (none if no better set is in it)."""
        rounds = ROUNDS if first else FIRST_ROUNDS
        done, chunk = 0, FIRST_ROUNDS
        bounds = []
        if not first and self.branch(state, SUB_NODES) <= self.value + MARGIN:
            return []
        while done < rounds:
            bounds += node.tighten(self.value + MARGIN, chunk, ROOT_CAP if first else CAP)
            done, chunk = done + chunk, NEXT_ROUNDS
            bound = min(bound, *bounds)
            if bound <= self.value + MARGIN:
                return []
            if bound <= self.value * (1 + PROBE_GAP):
                before = len(node.vertices)
                decisions = node.ruled_out(self.value + MARGIN)
                if decisions.any():
                    node, state = self.decide(node, state, decisions, node.step)
                    if node is None:
                        return []
                    few_left = len(node.vertices) <= before - 3
                    if few_left and self.branch(state, SUB_NODES) <= self.value + MARGIN:
                        return []
            if _stalled(bounds, self.value):
                break
        vertex = node.branching_vertex()
        children = []
        for side in (-1, 1):  # the one inside is visited first
            decisions = np.zeros(len(node.vertices), dtype=np.int64)
            decisions[vertex] = side
            child, child_state = self.decide(node, state, decisions, STEP * self.scale)
            if child is not None:
                children.append((child, child_state, bound))
        return children

    def branch(self, state, node_limit):
        """Proof A below a state; keeps what is found if it ends, and returns its bound."""
        value, found, bound, nodes = branching.branch_and_bound(
            self.matrix,
            self.positive,
            self.negative,
            state,
            self.value,
            node_limit,
            self.every,
            self.room,
        )
        self.nodes += nodes
        if not self.every or bound <= value + MARGIN:
            self.value = value
            self.found += list(found)
        return bound

    def reduce(self, state):
        """Decide what proof A decides without branching, in place; False if nothing is left."""
        sums = np.zeros((3, len(self.matrix)))
        f = branching.set_sums(self.matrix, self.positive, self.negative, state, sums)
        open_, f, _ = branching.reduce(
            self.matrix, self.positive, self.negative, state, sums, f, self.value
        )
        left = (state == UNDECIDED).any()
        if open_ and f > self.value + MARGIN and not (self.every and left):
            self.found.append(state == INSIDE)
            if not self.every:
                self.value = f
        return open_ and left

    def decide(self, node, state, decisions, step):
        """Decide vertices of a node (local: 1 inside, -1 outside) and all that follows."""
        state = state.copy()
        state[node.vertices[decisions == 1]] = INSIDE
        state[node.vertices[decisions == -1]] = OUTSIDE
        if not self.reduce(state):
            return None, None
        return self.child(node, state, step), state

    def child(self, node, state, step):
        """Return the node in which the decided vertices of a state are merged."""
        local = state[node.vertices]
        decisions = (local == INSIDE).astype(np.int64) - (local == OUTSIDE)
        return node.decided(decisions, step)


def _stalled(bounds, value):
    """Whether the last rounds closed hardly any of the gap."""
    lowest = np.minimum.accumulate(bounds)
    if len(lowest) <= PATIENCE:
        return False
    return lowest[-1 - PATIENCE] - lowest[-1] < STALL * (lowest[-1] - value)
