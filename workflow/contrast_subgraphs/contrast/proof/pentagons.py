"""Pentagonal inequalities, which tighten the relaxation where triangles leave a gap.

For ``x`` in {-1, 1} and five signs ``b`` the sum of the five ``b_i x_i`` is odd, so that its square
is at least 1: ``2 + sum over the ten pairs of b_i b_j x_i x_j >= 0`` (Helmberg and Rendl,
Mathematical Programming 1998). Three signs give the triangle inequalities of `triangles`.

There are too many to look at each. A triangle that is nearly tight is extended by the best pair of
other vertices, since a violated pentagon often has such a triangle within it.
"""

from typing import NamedTuple

import numpy as np

from ...core.compiled import kernel

#: Pentagons violated by less are not added.
VIOLATION = 0.02
#: Which triangles are extended is drawn: to the slack of each a number up to this is added, so that
#: not the same ones are extended in every round.
SPREAD = 0.3


class Pentagons(NamedTuple):
    """Some pentagonal inequalities: `places` in rising order, `signs` (k, 5) and `multipliers`.

    The first of the signs is 1: with all signs turned, an inequality is the same.
    """

    places: np.ndarray
    signs: np.ndarray
    multipliers: np.ndarray

    @classmethod
    def none(cls):
        """Return no inequalities."""
        empty = np.zeros((0, 5), dtype=np.int64)
        return cls(empty, empty, np.zeros(0))

    @property
    def constant(self):
        """What the inequalities in use add to the constant of the bound."""
        return 2 * self.multipliers.sum()

    @property
    def magnitude(self):
        """The sum of all numbers that enter the bound: constants, and both entries of each pair."""
        return 12 * self.multipliers.sum()

    def rows(self, chosen):
        """Return some of the inequalities (a mask or places in the list)."""
        return Pentagons(*(np.ascontiguousarray(part[chosen]) for part in self))

    def merged(self, place, sign):
        """Return the inequalities in use after some vertices joined the reference.

        A vertex v is now at `place[v]`, which is 0 if it joined with ``x_v = sign[v] x_0``. Those
        with two vertices at the reference are left out.
        """
        keep = ((place[self.places] == 0).sum(axis=1) < 2) & (self.multipliers > 0)
        kept = self.rows(keep)
        moved = ordered(place[kept.places], kept.signs * sign[kept.places])
        return Pentagons(*moved, kept.multipliers)

    def refreshed(self, gram, triangles, slack, count, rng):
        """Drop the inequalities that do nothing, and add at most `count` violated ones.

        `triangles` are triples and the signs of their pairs, with the `slack` of each.
        """
        own = slacks(gram, self.places, self.signs)
        active = self.rows((self.multipliers > 0) | (own < 0))
        # 1. Extend the tightest triangles, with some chance for others.
        count = count if len(gram) >= self.places.shape[1] else 0
        triples, pairs = triangles
        drawn = np.argsort(slack + SPREAD * rng.random(len(slack)), kind="stable")[:count]
        signs = np.ones((len(drawn), 3), dtype=np.int64)
        signs[:, 1:] = pairs[drawn, :2]
        places, signs = ordered(*_extended(gram, triples[drawn], signs))
        # 2. Keep what is violated and new; two triangles may lead to one pentagon.
        violated = slacks(gram, places, signs) < -VIOLATION
        places = places[violated]
        signs = signs[violated]
        keys = _keys(len(gram), places, signs)
        _, first = np.unique(keys, return_index=True)
        old = _keys(len(gram), active.places, active.signs)
        first = np.sort(first[~np.isin(keys[first], old)])
        return Pentagons(
            np.concatenate([active.places, places[first]]),
            np.concatenate([active.signs, signs[first]]),
            np.concatenate([active.multipliers, np.zeros(len(first))]),
        )


def _keys(m, places, signs):
    """One number for each inequality: below 2**62 for up to 2000 vertices."""
    key = np.zeros(len(places), dtype=np.int64)
    for place, sign in zip(places.T, signs.T, strict=True):
        key = key * (2 * m) + 2 * place + (sign > 0)
    return key


def ordered(places, signs):
    """Put the places of each inequality in order, and make its first sign positive."""
    order = np.argsort(places, axis=1, kind="stable")
    places = np.take_along_axis(places, order, axis=1)
    signs = np.take_along_axis(signs, order, axis=1)
    return places, signs * signs[:, :1]


@kernel
def scatter(lift, places, signs, z):
    """Add to a matrix the pairs of inequalities, times their multipliers."""
    width = places.shape[1]
    for t in range(len(z)):
        if z[t] != 0.0:
            for a in range(width):
                for b in range(a):
                    entry = signs[t, a] * signs[t, b] * z[t] / 2
                    lift[places[t, a], places[t, b]] += entry
                    lift[places[t, b], places[t, a]] += entry


@kernel
def slacks(gram, places, signs):
    """2 + the signed sum over the ten pairs of each inequality."""
    width = places.shape[1]
    slack = np.empty(len(places))
    for t in range(len(places)):
        slack[t] = (width - 1) / 2
        for a in range(width):
            for b in range(a):
                slack[t] += signs[t, a] * signs[t, b] * gram[places[t, a], places[t, b]]
    return slack


@kernel
def _extended(gram, places, signs):
    """Extend each inequality by the two vertices, with signs, that make its sum lowest."""
    count, width = places.shape
    n = len(gram)
    longer = np.zeros((count, width + 2), dtype=np.int64)
    longer_signs = np.ones((count, width + 2), dtype=np.int64)
    pull = np.empty(n)
    used = np.zeros(n, dtype=np.bool_)
    for t in range(count):
        # 1. The signed sum of each vertex's pairs with those of the inequality.
        for u in range(n):
            pull[u] = 0.0
            used[u] = False
        for a in range(width):
            for u in range(n):
                pull[u] += signs[t, a] * gram[places[t, a], u]
            used[places[t, a]] = True
        # 2. With equal signs a pair adds X_uv - |p_u + p_v| at best, else -X_uv - |p_u - p_v|.
        lowest = np.inf
        for u in range(n):
            for v in range(0 if used[u] else u):
                same = gram[u, v] - abs(pull[u] + pull[v])
                other = -gram[u, v] - abs(pull[u] - pull[v])
                if min(same, other) < lowest and not used[v]:
                    lowest = min(same, other)
                    longer[t, width] = u
                    longer[t, width + 1] = v
        # 3. Their signs.
        for a in range(width):
            longer[t, a] = places[t, a]
            longer_signs[t, a] = signs[t, a]
        u = longer[t, width]
        v = longer[t, width + 1]
        equal = gram[u, v] - abs(pull[u] + pull[v]) <= -gram[u, v] - abs(pull[u] - pull[v])
        sum_ = pull[u] + pull[v] if equal else pull[u] - pull[v]
        longer_signs[t, width] = -1 if sum_ > 0 else 1
        longer_signs[t, width + 1] = longer_signs[t, width] * (1 if equal else -1)
    return longer, longer_signs
