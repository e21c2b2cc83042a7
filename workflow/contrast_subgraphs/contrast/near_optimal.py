"""Near-optimal sets: how stable is a contrast subgraph as an explanation?

Only *locally optimal* sets are listed, those that no single vertex improves by joining or leaving:
the best set with one vertex more or less is not an explanation of its own.
"""

import numpy as np

from ..core import seeds
from .objective import conditioned_quadratic, margin_of, surplus_of
from .proof.tree import locally_optimal
from .result import Alternatives, NearOptimal
from .solver.relaxation import values
from .solver.search import climb_all

#: The number of sets that the sample climbs from if the enumeration does not end, and how many of
#: them between two looks at the clock.
SAMPLES = 2000
SAMPLES_AT_ONCE = 100
#: More sets than this are never listed.
MOST = 100_000


def near_optimal(matrix, nodes, fraction, limits, budget, seed=0, linear=None):
    """List the locally optimal sets of at least ``(1 - fraction)`` times the value of `nodes`.

    If the enumeration does not end, the list holds those met by climbing from random sets and from
    disturbed copies of the best set. It may hold sets that are better than `nodes`.
    """
    if nodes.size == 0:
        return Alternatives(fraction, True)
    n = len(matrix)
    linear = np.zeros(n) if linear is None else linear
    scaled, scaled_linear, _ = conditioned_quadratic(matrix, linear)
    margin = margin_of(scaled, scaled_linear)
    best = np.zeros(n, dtype=np.bool_)
    best[nodes] = True
    target = (1 - fraction) * surplus_of(scaled, nodes, scaled_linear)
    # 1. All of them, if the tree ends. Ties with the lowest value that is listed are listed.
    #    There is room for the best set too, and for one more that shows that the list is cut.
    room = int(min(limits.alternatives, MOST)) + 2
    found, complete = locally_optimal(
        scaled, target - 2 * margin, budget, room, seed, scaled_linear
    )
    # 2. Otherwise a sample.
    if not complete:
        rng = seeds.generator(seed, "alternatives", n)
        starts = _starts(best, rng)
        for first in range(0, len(starts), SAMPLES_AT_ONCE):
            if budget.late():
                break
            some = starts[first : first + SAMPLES_AT_ONCE]
            climbed = climb_all(scaled, some, scaled_linear)
            near = values(scaled, climbed, scaled_linear) >= target - margin
            found += list(climbed[near])
    # 3. Each set once, without the best one, in an order that does not depend on the search.
    masks = np.unique(np.array([best, *found]), axis=0)
    masks = masks[(masks != best).any(axis=1)]
    sets = [
        NearOptimal(surplus_of(matrix, nodes, linear), nodes, _overlap(mask, best))
        for mask, nodes in zip(masks, map(np.flatnonzero, masks), strict=True)
    ]
    sets.sort(key=lambda near: (-near.objective, near.nodes.tolist()))
    if len(sets) > limits.alternatives:
        sets = sets[: int(limits.alternatives)]
        complete = False
    return Alternatives(fraction, bool(complete), tuple(sets))


def _overlap(one, other):
    """The Jaccard index of two sets (masks), at least one of which is not empty."""
    return float((one & other).sum() / (one | other).sum())


def _starts(best, rng):
    """Random sets, and the best set with some vertices added and about half of its own removed."""
    half = SAMPLES // 2
    n = len(best)
    random = rng.random((half, n)) < np.linspace(0.02, 0.5, half)[:, None]
    drop = rng.random((half, n)) < rng.random((half, 1))
    add = rng.random((half, n)) < np.count_nonzero(best) / n * rng.random((half, 1))
    return np.concatenate([random, (best & ~drop) | add])
