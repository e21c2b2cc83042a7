"""Proof A: branch and bound on the vertices, without any relaxation.

Vertices are inside, outside or undecided (the set ``U``). For the set ``S`` of those
inside let ``g = W 1_S``, ``p = W+ 1_U`` and ``q = W- 1_U`` (positive and negative parts).
Three arguments decide or discard without branching:

* some best set is *locally optimal*: no vertex inside loses it anything and no vertex
  outside would gain. An undecided vertex with ``g + p < 0`` is outside, one with
  ``g + q > 0`` is inside, and a vertex decided against these ends the branch;
* no set of the branch exceeds ``f(S) + sum over U of max(0, g + p/2)``, since each
  positive pair within ``U`` is shared by its two vertices;
* a vertex whose inclusion (exclusion) alone brings that bound down to the best value
  known is outside (inside).

This is quick where best sets are small (high percentiles).
"""

import numpy as np

from ...core.compiled import kernel

#: Bounds are compared with the best value known up to this much, in units of the largest
#: weight: far above rounding errors, far below what distinguishes two sets.
MARGIN = 1e-9

UNDECIDED, INSIDE, OUTSIDE = 0, 1, 2


@kernel
def branch_and_bound(matrix, positive, negative, start, value, node_limit, every, room):
    """Prove that no set has more than `value`, or find the sets that have.

    Parameters
    ----------
    matrix : numpy.ndarray of shape (n, n)
        Surplus matrix, largest magnitude about 1.
    positive, negative : numpy.ndarray of shape (n, n)
        Its parts.
    start : numpy.ndarray of shape (n,), int8
        Which vertices are UNDECIDED, INSIDE or OUTSIDE to begin with.
    value : float
        The best value known.
    node_limit : int
        Stop after so many nodes.
    every : bool
        False: look for the best set, so that each better one raises `value`. True: look
        for every locally optimal set above `value`.
    room : int
        With `every`, stop once so many sets are found; 1 otherwise.

    Returns
    -------
    value : float
        The best value known now (with `every`, as given).
    found : numpy.ndarray of bool, shape (count, n)
        The sets above the value given: the best one, or every one met.
    bound : float
        No set that was not found has more (up to `MARGIN`); not above `value` if the
        tree was searched to its end.
    nodes : int
        Nodes visited.
    """
    n = len(matrix)
    found = np.zeros((room, n), dtype=np.bool_)
    count = 0
    # A stack of branches still to be visited: decisions, g, p, q, f(S), inherited bound.
    state = np.zeros((n + 2, n), dtype=np.int8)
    sums = np.zeros((n + 2, 3, n))
    inner = np.zeros(n + 2)
    bounds = np.zeros(n + 2)
    bounds[0] = np.inf
    for v in range(n):
        state[0, v] = start[v]
    inner[0] = set_sums(matrix, positive, negative, state[0], sums[0])
    top, nodes = 1, 0
    while top > 0 and nodes < node_limit and not (every and count == room):
        top -= 1
        nodes += 1
        if bounds[top] <= value + MARGIN:
            continue
        open_, f, bound = reduce(
            matrix, positive, negative, state[top], sums[top], inner[top], value
        )
        if not open_:
            continue
        pick, most = -1, -np.inf
        for v in range(n):
            if state[top, v] == UNDECIDED and sums[top, 0, v] + sums[top, 1, v] / 2 > most:
                pick, most = v, sums[top, 0, v] + sums[top, 1, v] / 2
        if f > value + MARGIN and (pick < 0 or not every):
            for v in range(n):
                found[count if every else 0, v] = state[top, v] == INSIDE
            if every:
                count += 1
            else:
                value, count = f, 1
        if pick < 0:
            continue
        bound = min(bound, bounds[top])
        for v in range(n):
            state[top + 1, v] = state[top, v]
            for part in range(3):
                sums[top + 1, part, v] = sums[top, part, v]
        inner[top] = decide(matrix, positive, negative, state[top], sums[top], f, pick, OUTSIDE)
        inner[top + 1] = decide(
            matrix, positive, negative, state[top + 1], sums[top + 1], f, pick, INSIDE
        )
        bounds[top] = bounds[top + 1] = bound
        top += 2
    bound = value
    for k in range(top):
        bound = max(bound, bounds[k])
    return value, found[:count], bound, nodes


@kernel
def set_sums(matrix, positive, negative, state, sums):
    """Compute g, p and q of a state from scratch; returns f(S)."""
    n = len(matrix)
    for v in range(n):
        sums[0, v] = sums[1, v] = sums[2, v] = 0.0
    f = 0.0
    for u in range(n):
        if state[u] == INSIDE:
            for v in range(n):
                sums[0, v] += matrix[u, v]
        elif state[u] == UNDECIDED:
            for v in range(n):
                sums[1, v] += positive[u, v]
                sums[2, v] += negative[u, v]
    for v in range(n):
        if state[v] == INSIDE:
            f += sums[0, v] / 2
    return f


@kernel
def decide(matrix, positive, negative, state, sums, f, v, decision):
    """Put an undecided vertex inside or outside, in place; returns the new f(S)."""
    n = len(matrix)
    state[v] = decision
    if decision == INSIDE:
        f += sums[0, v]
        for u in range(n):
            sums[0, u] += matrix[v, u]
    for u in range(n):
        sums[1, u] -= positive[v, u]
        sums[2, u] -= negative[v, u]
    return f


@kernel
def reduce(matrix, positive, negative, state, sums, f, value):
    """Decide all that can be decided without branching, in place.

    Returns
    -------
    open_ : bool
        False if no set of this branch can be better than `value`.
    f : float
        Value of the vertices inside.
    bound : float
        Of the sets of this branch.
    """
    n = len(matrix)
    undecided = np.empty(n, dtype=np.int64)
    share = np.empty(n)
    while True:
        changed = True
        while changed:
            changed = False
            for v in range(n):
                low, high = sums[0, v] + sums[2, v], sums[0, v] + sums[1, v]
                if state[v] == UNDECIDED:
                    if high < -MARGIN:
                        f = decide(matrix, positive, negative, state, sums, f, v, OUTSIDE)
                        changed = True
                    elif low > MARGIN:
                        f = decide(matrix, positive, negative, state, sums, f, v, INSIDE)
                        changed = True
                elif (state[v] == INSIDE and high < -MARGIN) or (
                    state[v] == OUTSIDE and low > MARGIN
                ):
                    return False, f, value
        count = 0
        bound = f
        for v in range(n):
            if state[v] == UNDECIDED:
                undecided[count] = v
                share[count] = sums[0, v] + sums[1, v] / 2
                bound += max(0.0, share[count])
                count += 1
        if bound <= value + MARGIN:
            return False, f, bound
        for k in range(count):
            v = undecided[k]
            with_v = f + sums[0, v] - max(0.0, share[k])
            without_v = f - max(0.0, share[k])
            for m in range(count):
                weight = matrix[v, undecided[m]]
                half = max(weight, 0.0) / 2
                with_v += max(0.0, share[m] + weight - half)
                without_v += max(0.0, share[m] - half)
            if with_v <= value + MARGIN:
                if without_v <= value + MARGIN:
                    return False, f, value
                state[v] = -OUTSIDE
                changed = True
            elif without_v <= value + MARGIN:
                state[v] = -INSIDE
                changed = True
        if not changed:
            return True, f, bound
        for k in range(count):
            v = undecided[k]
            if state[v] < 0:
                f = decide(matrix, positive, negative, state, sums, f, v, -state[v])
