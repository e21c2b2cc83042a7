"""What a vertex can gain from its positive neighbours, many of which exclude each other.

Proof A counts half of every positive pair for each of its vertices, as if all of them could
be in a set at once. In a sparse graph they cannot: most neighbours of a vertex ``u`` are joined by
negative weights. A negative pair ``(v, w)`` with ``c`` common positive neighbours is charged to
them in equal parts ``l = |W_vw| / c``. No set then has more than ``f(S)`` plus the sum over its
undecided vertices ``u`` of ``g_u`` and of

    max over T within N+(u) of  sum over v in T of W_uv / 2  -  sum over v, w in T of l_vw,

since the stars together pay for no negative pair more than its weight. The maximum is bounded by
a colouring: neighbours in the order of their weights join a group of those that exclude them, and
add only what their weight exceeds the smallest charge within the group (the first of a group adds
all, and every other one in ``T`` pays for at least one that came before it). Rounding errors stay
far below the margin: those of the parts of a pair add up to no more than its weight's own.
"""

from typing import NamedTuple

import numpy as np

from ...core.compiled import kernel

#: Stars are used where the squared numbers of neighbours are at most this many for each pair.
SPARSE = 2.0


class Stars(NamedTuple):
    """The positive neighbours of the vertices, and what negative pairs charge.

    `neighbours` (n, most) are in order of falling weight, as many as `degree` says. There are none
    if the graph is not sparse.
    """

    neighbours: np.ndarray
    degree: np.ndarray
    charge: np.ndarray

    @classmethod
    def none(cls, n):
        """Return empty stars, which say nothing, for n vertices."""
        return cls(np.zeros((n, 0), np.int64), np.zeros(n, np.int64), np.zeros((0, 0)))

    @classmethod
    def of(cls, matrix, undecided):
        """Return the stars of the undecided vertices (a mask), or none if they are not sparse."""
        vertices = np.flatnonzero(undecided)
        inner = matrix[np.ix_(vertices, vertices)]
        positive = (inner > 0).astype(float)
        degree = positive.sum(axis=1)
        if (degree**2).sum() > SPARSE * len(vertices) ** 2:
            return cls.none(len(matrix))
        stars = cls(
            np.zeros((len(matrix), int(degree.max(initial=0))), np.int64),
            np.zeros(len(matrix), np.int64),
            np.zeros(matrix.shape),
        )
        order = np.argsort(-inner, axis=1, kind="stable")[:, : stars.neighbours.shape[1]]
        stars.neighbours[vertices] = vertices[order]
        stars.degree[vertices] = degree
        common = np.maximum(positive @ positive, 1.0)
        stars.charge[np.ix_(vertices, vertices)] = np.maximum(-inner, 0.0) / common
        return stars


@kernel
def star_bound(matrix, stars, state, u, groups, group_of):
    """Bound what u adds with its undecided neighbours; `groups` and `group_of` are work space."""
    bound = 0.0
    count = 0
    seen = 0
    for k in range(stars.degree[u]):
        v = stars.neighbours[u, k]
        if state[v] != 0:
            continue
        half = matrix[u, v] / 2
        # 1. Of each group, the smallest charge.
        for group in range(count):
            groups[group] = np.inf
        for m in range(seen):
            group = group_of[m, 0]
            groups[group] = min(groups[group], stars.charge[v, group_of[m, 1]])
        # 2. Join the group that charges most, or open one.
        pick = count
        most = 0.0
        for group in range(count):
            if groups[group] > most:
                pick = group
                most = groups[group]
        if pick == count:
            count += 1
        group_of[seen, 0] = pick
        group_of[seen, 1] = v
        seen += 1
        bound += max(0.0, half - most)
    return bound
