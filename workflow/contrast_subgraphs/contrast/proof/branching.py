"""Proof A: branch and bound on the vertices, without any relaxation.

A branch holds vertices that are inside, outside or undecided (the set ``U``). For the set
``S`` of those inside let ``g = W 1_S``, ``p = W+ 1_U`` and ``q = W- 1_U`` (positive and
negative parts). Three arguments place vertices or end the branch without branching:

* some best set is *locally optimal*: no vertex inside costs anything, and no vertex outside
  would gain. An undecided vertex with ``g + p < 0`` is outside, one with
  ``g + q > 0`` is inside, and a vertex placed against these ends the branch;
* no set of the branch exceeds ``f(S) + sum over U of max(0, g + p/2)``, since each
  positive pair within ``U`` is shared by its two vertices; in sparse graphs `stars` has less
  than ``p/2``;
* a vertex whose inclusion (exclusion) alone brings that bound down to the best value
  known is outside (inside).

This is quick where best sets are small (high percentiles).
"""

from typing import NamedTuple

import numpy as np

from ...core.compiled import kernel
from .stars import Stars, star_bound

# Not plain Python integers: numba would compile `place` anew for each of those constants.
UNDECIDED = np.int64(0)
INSIDE = np.int64(1)
OUTSIDE = np.int64(2)
#: Rows of `Stack.sums`.
G = 0
P = 1
Q = 2
#: The number of branches between two looks at the clock, on a graph of TYPICAL_SIZE vertices
#: (about 20 ms), and the number of sets that fit before they are collected.
CHUNK = 2000
ROOM = 256
#: The size of the paper's graphs, for which the numbers of branches were chosen.
TYPICAL_SIZE = 116


class Weights(NamedTuple):
    """A conditioned surplus matrix, its positive and negative parts, and each vertex's own gain."""

    matrix: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    linear: np.ndarray

    @classmethod
    def of(cls, matrix, linear=None):
        """Return a matrix with its parts; vertices gain nothing by themselves unless given."""
        linear = np.zeros(len(matrix)) if linear is None else linear
        return cls(matrix, np.maximum(matrix, 0.0), np.minimum(matrix, 0.0), linear)


class Stack(NamedTuple):
    """Branches to visit, the last first: states (rows, n), g, p, q (rows, 3, n), f(S), bounds."""

    state: np.ndarray
    sums: np.ndarray
    inner: np.ndarray
    bound: np.ndarray

    @classmethod
    def starting_from(cls, weights, state):
        """Return a stack with one branch, and room for those that follow from it."""
        n = len(state)
        # Depth first, each branch leaves one row behind and adds one: never more rows than
        # vertices.
        rows = n + 2
        stack = cls(
            np.zeros((rows, n), dtype=np.int8),
            np.zeros((rows, 3, n)),
            np.zeros(rows),
            np.full(rows, np.inf),
        )
        stack.state[0] = state
        sum_up(weights, stack, 0)
        return stack


def branch_and_bound(weights, state, value, margin, budget, most=np.inf, every=None, stars=None):
    """Prove that no set below a state has more than `value`, or find the sets that have more.

    Each better set raises `value`. With `every`, up to this many locally optimal sets above `value`
    are collected instead. Returns the best value, the sets found, and a bound (up to `margin`) for
    all sets that were not found.
    """
    stack = Stack.starting_from(weights, state)
    stars = Stars.of(weights.matrix, state == UNDECIDED) if stars is None else stars
    n = len(state)
    cost = max(1.0, n / TYPICAL_SIZE) ** 2
    chunk = max(1, int(CHUNK / cost))
    room = np.zeros((1 if every is None else ROOM, n), dtype=np.bool_)
    found = []
    top = 1
    while top and most >= cost and budget.allows(cost) and (every is None or len(found) < every):
        limit = int(min(chunk, most // cost, budget.left // cost))
        top, count, visited, value = visit(
            weights, stars, stack, top, limit, value, margin, every is not None, room
        )
        budget.spend(visited, cost)
        most -= visited * cost
        if count:
            found = [*(found if every else []), *room[:count].copy()]
    return value, found, max([value, *stack.bound[:top]])


@kernel
def visit(weights, stars, stack, top, limit, value, margin, every, found):
    """Visit at most `limit` branches.

    Returns the numbers of branches left, sets found and branches visited, and the best value.
    """
    n = len(weights.matrix)
    count = 0
    visited = 0
    while top > 0 and visited < limit and not (every and count == len(found)):
        # 1. Take the last branch; leave it if its bound is no better than what is known.
        top -= 1
        visited += 1
        if stack.bound[top] <= value + margin:
            continue
        # 2. Place what can be placed without branching.
        open_, bound, pick = deduce(weights, stars, stack, top, value, margin)
        if not open_:
            continue
        # 3. Keep the set of the vertices inside if it is better. Of a list of locally
        #    optimal sets it is one only if no vertex is undecided.
        if stack.inner[top] > value + margin and (pick < 0 or not every):
            if not every:
                count = 0
                value = stack.inner[top]
            for v in range(n):
                found[count, v] = stack.state[top, v] == INSIDE
            count += 1
        if pick < 0:
            continue
        # 4. Branch: the vertex outside stays in this row, the one inside goes on top.
        stack.bound[top] = min(bound, stack.bound[top])
        for v in range(n):
            stack.state[top + 1, v] = stack.state[top, v]
            for part in range(3):
                stack.sums[top + 1, part, v] = stack.sums[top, part, v]
        stack.inner[top + 1] = stack.inner[top]
        stack.bound[top + 1] = stack.bound[top]
        place(weights, stack, top, pick, OUTSIDE)
        place(weights, stack, top + 1, pick, INSIDE)
        top += 2
    return top, count, visited, value


@kernel
def sum_up(weights, stack, row):
    """Compute g, p, q and f(S) of a branch from scratch."""
    n = len(weights.matrix)
    state = stack.state[row]
    sums = stack.sums[row]
    for v in range(n):
        sums[G, v] = weights.linear[v]
        sums[P, v] = sums[Q, v] = 0.0
    for u in range(n):
        for v in range(n):
            if state[u] == INSIDE:
                sums[G, v] += weights.matrix[u, v]
            elif state[u] == UNDECIDED:
                sums[P, v] += weights.positive[u, v]
                sums[Q, v] += weights.negative[u, v]
    stack.inner[row] = 0.0
    for v in range(n):
        if state[v] == INSIDE:
            stack.inner[row] += (sums[G, v] + weights.linear[v]) / 2


@kernel
def place(weights, stack, row, v, side):
    """Put an undecided vertex inside or outside."""
    sums = stack.sums[row]
    stack.state[row, v] = side
    if side == INSIDE:
        stack.inner[row] += sums[G, v]
        for u in range(len(weights.matrix)):
            sums[G, u] += weights.matrix[v, u]
    for u in range(len(weights.matrix)):
        sums[P, u] -= weights.positive[v, u]
        sums[Q, u] -= weights.negative[v, u]


@kernel
def deduce(weights, stars, stack, row, value, margin):
    """Place all vertices of a branch that can be placed without branching.

    Returns whether it can hold a better set, a bound, and the vertex to branch on (or -1).
    """
    n = len(weights.matrix)
    undecided = np.empty(n, dtype=np.int64)
    share = np.empty(n)  # what each undecided vertex adds to the bound, if positive
    star = np.full(n, np.inf)  # the same, by its star
    to_place = np.zeros(n, dtype=np.int8)
    goal = value + margin
    while True:
        # 1. Local optimality, until it places nothing more.
        if not settle(weights, stack, row, margin):
            return False, value, -1
        # 2. The bound.
        count, bound = shares(stack, row, undecided, share)
        if bound <= goal:
            return False, bound, -1
        open_ = undecided[:count]
        # 3. A lower one, if the graph is sparse.
        if stars.neighbours.shape[1] > 0:
            bound = shares_by_stars(weights, stars, stack, row, open_, share, star)
            if bound <= goal:
                return False, bound, -1
        # 4. Probing. If it places nothing, there is a vertex to branch on.
        placed = probe(weights, stack, row, open_, share, star, goal, to_place)
        if placed < 0:
            return False, value, -1
        if placed == 0:
            return True, bound, most_promising(open_, share, star)
        for k in range(count):
            if to_place[k] != UNDECIDED:
                place(weights, stack, row, undecided[k], np.int64(to_place[k]))


@kernel
def settle(weights, stack, row, margin):
    """Place vertices by local optimality; return whether the branch has a locally optimal set."""
    state = stack.state[row]
    sums = stack.sums[row]
    changed = True
    while changed:
        changed = False
        for v in range(len(weights.matrix)):
            # What v can gain at least, and at most, whatever the undecided vertices do.
            low = sums[G, v] + sums[Q, v]
            high = sums[G, v] + sums[P, v]
            if state[v] == UNDECIDED:
                if high < -margin:
                    place(weights, stack, row, v, OUTSIDE)
                    changed = True
                elif low > margin:
                    place(weights, stack, row, v, INSIDE)
                    changed = True
            elif (state[v] == INSIDE and high < -margin) or (state[v] == OUTSIDE and low > margin):
                return False
    return True


@kernel
def shares(stack, row, undecided, share):
    """Fill in the undecided vertices, and what each adds to the bound; return number and bound."""
    state = stack.state[row]
    sums = stack.sums[row]
    count = 0
    bound = stack.inner[row]
    for v in range(len(state)):
        if state[v] == UNDECIDED:
            undecided[count] = v
            share[count] = sums[G, v] + sums[P, v] / 2
            bound += max(0.0, share[count])
            count += 1
    return count, bound


@kernel
def shares_by_stars(weights, stars, stack, row, undecided, share, star):
    """Fill in what each undecided vertex adds by its star; return the bound."""
    width = stars.neighbours.shape[1]
    groups = np.empty(width)
    group_of = np.empty((width, 2), dtype=np.int64)
    state = stack.state[row]
    bound = stack.inner[row]
    for k in range(len(undecided)):
        v = undecided[k]
        star[k] = share[k]
        if share[k] > 0:
            found = star_bound(weights.matrix, stars, state, v, groups, group_of)
            star[k] = stack.sums[row, G, v] + found
        bound += max(0.0, min(share[k], star[k]))
    return bound


@kernel
def probe(weights, stack, row, undecided, share, star, goal, to_place):
    """Bound the branch with each vertex inside, and with it outside; fill in where each must be.

    Returns how many must be in one place, -1 if one can be in neither: no set exceeds the goal.
    """
    count = len(undecided)
    placed = 0
    for k in range(count):
        v = undecided[k]
        to_place[k] = UNDECIDED
        without_v = stack.inner[row] - max(0.0, min(share[k], star[k]))
        with_v = stack.inner[row] + stack.sums[row, G, v] - max(0.0, min(share[k], star[k]))
        for m in range(count):
            weight = weights.matrix[v, undecided[m]]
            half = max(weight, 0.0) / 2
            with_v += max(0.0, min(share[m] + weight - half, star[m] + weight))
            without_v += max(0.0, min(share[m] - half, star[m]))
        if with_v <= goal:
            if without_v <= goal:
                return -1
            to_place[k] = OUTSIDE
            placed += 1
        elif without_v <= goal:
            to_place[k] = INSIDE
            placed += 1
    return placed


@kernel
def most_promising(undecided, share, star):
    """Return the vertex that adds most to the bound, or -1 if none is undecided."""
    pick = -1
    most = -np.inf
    for k in range(len(undecided)):
        promise = min(share[k], star[k])
        if promise > most:
            pick = undecided[k]
            most = promise
    return pick
