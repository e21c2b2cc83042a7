"""The paper's own algorithm: DENSDP with LocalSearch (Algorithms 3 and 4)."""

import numpy as np

from ...core.checks import check_option
from ...core.compiled import kernel
from .relaxation import scaled_rounding

#: Where the local search starts: see `densdp`.
STARTS = ("vertex", "rounding")

#: A move must gain more than this, in units of the largest weight.
NO_GAIN = 1e-12


def densdp(matrix, vectors, rng, roundings=1, t_max=1000, start="vertex"):
    """Round the relaxation and search locally (Algorithm 3); returns the best set, sorted.

    The start ``vertex`` follows the pseudocode: the search stays within the rounded set S'. The
    start ``rounding`` follows the paper's text: it begins with S' and may use all vertices.
    """
    check_option("densdp: start", start, STARTS)
    best = np.zeros(0, dtype=np.int64)
    best_value = 0.0
    for _ in range(roundings):
        rounded = scaled_rounding(vectors, rng)
        if start == "rounding":
            nodes = local_search(matrix, rounded, np.ones(len(matrix), dtype=bool), t_max)
        elif rounded.any():
            first = np.zeros(len(matrix), dtype=bool)
            first[rng.choice(np.flatnonzero(rounded))] = True
            nodes = local_search(matrix, first, rounded, t_max)
        else:
            continue
        value = matrix[np.ix_(nodes, nodes)].sum() / 2
        if value > best_value + NO_GAIN:
            best = nodes
            best_value = value
    return best


def local_search(matrix, start, allowed, t_max=1000):
    """Search locally from a set within the allowed vertices (Algorithm 4; Tsourakakis et al. 2013).

    The pseudocode need not end. Here a move must gain, and each removal counts as an iteration.
    """
    inside = _local_search(matrix, start.copy(), allowed, t_max)
    outside = allowed & ~inside
    # The last line of Algorithm 4: the complement, where it is worth more.
    if matrix[np.ix_(outside, outside)].sum() > matrix[np.ix_(inside, inside)].sum():
        inside = outside
    return np.flatnonzero(inside)


@kernel
def _local_search(matrix, inside, allowed, t_max):
    n = len(matrix)
    gain = np.zeros(n)  # what each vertex adds, or would add
    for u in range(n):
        if inside[u]:
            gain += matrix[u]
    for _ in range(t_max):
        # 1. Add vertices while one gains (lines 4 to 11).
        adding = True
        while adding:
            adding = False
            for u in range(n):
                if allowed[u] and not inside[u] and gain[u] > NO_GAIN:
                    inside[u] = True
                    gain += matrix[u]
                    adding = True
        # 2. Take one out that gains by leaving (lines 12 to 16), or end.
        removed = False
        for u in range(n):
            if inside[u] and gain[u] < -NO_GAIN:
                inside[u] = False
                gain -= matrix[u]
                removed = True
                break
        if not removed:
            break
    return inside
