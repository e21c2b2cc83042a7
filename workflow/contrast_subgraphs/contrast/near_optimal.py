"""Near-optimal sets: how stable is a contrast subgraph as an explanation?

Only *locally optimal* sets are listed (putting one vertex in or taking one out never gains): the
best set with one vertex more or less is no explanation of its own.
"""

import numpy as np

from ..core import seeds
from .objective import conditioned_quadratic, margin_of, surplus_of
from .proof.tree import locally_optimal
from .result import Alternatives, NearOptimal
from .solver.relaxation import values
from .solver.search import climb_all

#: Sets from which the sample climbs, where the enumeration does not end, and between two looks
#: at the clock.
SAMPLES = 2000
SAMPLES_AT_ONCE = 100
#: More sets than this are never listed.
MOST = 100_000


def near_optimal(matrix, nodes, fraction, limits, budget, seed=0, linear=None):
    """List the locally optimal sets of at least ``(1 - fraction)`` times the value of `nodes`.

    If the enumeration did not end, those met by climbing from random sets and from the best one
    disturbed. Better ones than `nodes` may be among them.
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
    room = int(min(limits.alternatives, MOST)) + 2  # the best set, and one too many
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
    """The Jaccard index of two sets (masks), of which one has a vertex."""
    return float((one & other).sum() / (one | other).sum())


def _starts(best, rng):
    """Random sets, and the best set with some vertices put in and about half of its own out."""
    half = SAMPLES // 2
    n = len(best)
    random = rng.random((half, n)) < np.linspace(0.02, 0.5, half)[:, None]
    drop = rng.random((half, n)) < rng.random((half, 1))
    add = rng.random((half, n)) < np.count_nonzero(best) / n * rng.random((half, 1))
    return np.concatenate([random, (best & ~drop) | add])
