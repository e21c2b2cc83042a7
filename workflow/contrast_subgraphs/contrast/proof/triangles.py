"""Proof B: the relaxation tightened by triangle inequalities.

For ``x`` in {-1, 1} any three entries satisfy ``1 + a x_i x_j + b x_i x_k + c x_j x_k >= 0``
for the signs ``(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)`` (Helmberg and Rendl,
Mathematical Programming 1998; Rendl, Rinaldi and Wiegele, Mathematical Programming 2010).
For multipliers ``z >= 0`` of these inequalities,

    8 f(S) <= c + sum(z) + max { <P + D(z), X> : X psd, X_ii = 1 },

where ``D(z)`` collects the signs. Inequalities of five vertices (`pentagons`) enter in the same
way. `Subproblem.tighten` lowers the right side by a primal-dual
loop on low-rank vectors; what it reports is always a dual bound, valid however far from
convergence the loop is.
"""

import numpy as np
import scipy.linalg

from ...core import seeds
from ...core.compiled import kernel
from ..solver.relaxation import dual_bound, lifted, low_rank, mix, rounding_error
from .pentagons import Pentagons
from .pentagons import scatter as scatter_fives
from .pentagons import slacks as slacks_of_fives

# The numbers below were tuned on the paper's 96 instances (benchmarks/solver.py).
#: Rank of the vectors. Higher ones changed no bound in the digits shown.
RANK = 16
#: The four sign patterns of the triangle inequalities.
SIGNS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=np.int64)
#: Steps of the primal-dual loop in a round, and the share of their mean in the running mean of the
#: products.
INNER = 30
LATEST = 0.5
#: After a round the step of the multipliers shrinks: more if the bound got worse.
STEP_AFTER_WORSE = 0.8
STEP_AFTER_BETTER = 0.95
#: Sweeps of the vectors before a bound is computed, and the gain at which they end.
BOUND_SWEEPS = 80
BOUND_TOLERANCE = 1e-7
#: Sweeps for a vertex that is probed. After HOPE of them it is given up if HOPE more sweeps with
#: the gain of the last one would not reach the goal.
PROBE_SWEEPS = 80
HOPE = 20
#: Vertices tried for branching, sweeps for each side, and the weight of the better side.
CANDIDATES = 20
CANDIDATE_SWEEPS = 12
BETTER_SIDE = 0.1
#: Probing ends after this many vertices in a row that could not be decided.
FAILURES = 15
#: Share of the gap by which the bound is raised to invert its matrix, and the share of a fixing's
#: strength that rounding errors leave.
SHIFT = 0.05
SAFE = 0.99
#: Inequalities violated by less are not added.
VIOLATION = 0.01
#: One sweep, not as a plain Python integer, for which numba would compile `mix` again.
ONCE = np.int64(1)


class Subproblem:
    """A subproblem over the undecided vertices and the reference vector, which is the first.

    ``8 f = constant + x' P x`` with P = `lift` (m, m), made of numbers of this `magnitude` in sum;
    `triples`, `signs` (k, 3) and `multipliers` are the triangles in use, at the best bound, and
    `fives` the pentagons.
    `gram` is a mean of products of vectors over the latest steps, near a solution of the
    relaxation; the vectors of any one step are far from it, since they answer to the multipliers.
    """

    def __init__(self, lift, constant, vertices, vectors, step, budget, seed, magnitude):
        self.lift = lift
        self.constant = constant
        self.magnitude = magnitude
        self.vertices = vertices
        self.vectors = vectors
        self.step = step
        self.budget = budget
        self.seed = seed
        self.noise = seeds.generator(seed, "triangles", len(lift))
        self.triples = np.zeros((0, 3), dtype=np.int64)
        self.signs = np.zeros((0, 3), dtype=np.int64)
        self.multipliers = np.zeros(0)
        self.fives = Pentagons.none()
        self.gram = vectors.T @ vectors

    @classmethod
    def root(cls, weights, step, budget, seed=0):
        """Return the subproblem in which every vertex is undecided."""
        lift, constant = lifted(weights.matrix, weights.linear)
        vectors = low_rank(lift, seed=seed, rank=RANK, tolerance=BOUND_TOLERANCE, budget=budget)
        magnitude = abs(constant) + np.abs(lift).sum()
        vertices = np.arange(len(lift) - 1)
        return cls(lift, constant, vertices, vectors, step, budget, seed, magnitude)

    def tighten(self, goal, rounds, cap, fives=0):
        """Add at most `cap` triangles and `fives` pentagons a round, improve the multipliers.

        Returns the bounds met.
        """
        first, self.vectors = self.bound_at(self.multipliers, self.fives)
        bounds = [first]
        kept = self.triples, self.signs, self.multipliers, self.fives
        while len(bounds) <= rounds and min(bounds) > goal and not self.budget.late():
            # 1. Other inequalities. 2. Better multipliers. 3. Their certified bound.
            self._refresh(cap, fives)
            self.vectors = self._shaken()
            inequalities = self.triples, self.signs, self.multipliers
            asked = self.lift, self.vectors, *inequalities, *self.fives, self.step, INNER
            mean, mean_of_fives, gram = _primal_dual(*asked)
            self.gram = LATEST * gram + (1 - LATEST) * self.gram
            fives_now = self.fives._replace(multipliers=mean_of_fives)
            bound, _ = self.bound_at(mean, fives_now)
            self.step *= STEP_AFTER_WORSE if bound > bounds[-1] else STEP_AFTER_BETTER
            if bound < min(bounds):
                kept = self.triples, self.signs, mean, fives_now
            bounds.append(bound)
        self.triples, self.signs, self.multipliers, self.fives = kept
        return bounds

    def ruled_out(self, goal, sweeps=PROBE_SWEEPS, accept=None):
        """Where vertices must be (1 inside, -1 outside, 0 not known) for more than `goal`.

        `accept` may refuse: it gets the vertex, the side, its merged matrix and vectors.
        """
        against_sides = self.strengths(goal)
        tightened = self.tightened(self.multipliers, self.fives)
        vectors = self._shaken()
        goal = 8 * goal - self._offset(self.multipliers, self.fives)
        sides = np.zeros(len(self.vertices), dtype=np.int64)
        failures = 0
        for v in np.argsort(-against_sides.max(axis=0), kind="stable"):
            if failures == FAILURES or self.budget.late():
                break
            side = 1 if against_sides[0, v] > against_sides[1, v] else -1
            if accept is None and against_sides[:, v].max() > 1:
                sides[v] = side
                continue
            offset, lift, against = _against(tightened, vectors, v + 1, -side)
            hopeful = _hopeful(lift, against, goal - offset, sweeps)
            hopeful = hopeful and offset + dual_bound(lift, against) <= goal
            if hopeful and (accept is None or accept(v, -side, lift, against)):
                sides[v] = side
                failures = 0
            else:
                failures += 1
        return sides

    def strengths(self, goal):
        """How strongly the dual bound alone speaks against each side of each vertex: (2, m - 1).

        ``8 f <= c + sum(z) + sum(y) - x' S x`` with ``S = diag(y) - P - D(z)``, and x' S x is at
        least its real minimum, at ``u = -N s_0``, plus ``(x_v - u_v)**2 / N_vv``, where N is the
        inverse of S without the reference (fixing by reduced costs). Above 1, that side (outside,
        then inside) holds no set above the goal.
        """
        m = len(self.lift)
        eps = np.finfo(float).eps
        tightened = self.tightened(self.multipliers, self.fives)
        y = np.linalg.norm(self.vectors @ tightened, axis=0)
        slack = np.diag(y) - tightened
        room = self._offset(self.multipliers, self.fives) - 8 * goal
        room += y.sum()
        # 1. Raise y if that is needed to invert S, by an amount that is small next to the gap.
        rest = slack[1:, 1:]
        border = slack[1:, 0]
        low, high = scipy.linalg.eigvalsh(rest, check_finite=False)[[0, -1]]
        raised = max(0.0, SHIFT * abs(room) / m - low)
        room += m * raised
        slack[np.diag_indices(m)] += raised
        steep = low + raised
        if steep <= 0 or m**2 * eps * np.sqrt((high + raised) / steep) > 1e-3:
            return 0.25 * (1 + np.array([[1], [-1]]) * self._cosines())  # says nothing for sure
        # 2. Its inverse, and the real minimum; the factor is that of a matrix this near to S.
        factor = scipy.linalg.cholesky(rest, lower=True, check_finite=False)
        variance = np.diag(scipy.linalg.lapack.dpotri(factor, lower=1)[0])
        u = -scipy.linalg.cho_solve((factor, True), border, check_finite=False)
        off = 2 * (m + 1) * eps * np.trace(rest) * ((1 + np.abs(u)) ** 2).sum()
        residual = border + rest @ u
        off += 2 * np.abs(residual) @ (1 + np.abs(u))
        room += off - (slack[0, 0] + (border + residual) @ u)
        # 3. The least that x' S x can be on each side, relative to the most that is allowed.
        return SAFE * (np.array([[-1], [1]]) - u) ** 2 / variance / max(room, off)

    def forced(self, goal):
        """Return the sides (1 inside, -1 outside, 0 open) that the dual bound alone leaves."""
        outside, inside = self.strengths(goal) > 1
        return np.where(outside, 1, np.where(inside, -1, 0))

    def branching_vertex(self, candidates=CANDIDATES, sweeps=CANDIDATE_SWEEPS):
        """Return the local index of the vertex whose two sides both lower the bound most."""
        tightened = self.tightened(self.multipliers, self.fives)
        vectors = self._shaken()
        undecided = np.argsort(np.abs(self._cosines()), kind="stable")[:candidates]
        scores = []
        for v in undecided:
            if scores and self.budget.late():
                break
            values = []
            for side in (-1, 1):
                offset, lift, against = _against(tightened, vectors, v + 1, side)
                _hopeful(lift, against, np.inf, sweeps)
                values.append(offset + _value(lift, against))
            scores.append(max(values) + BETTER_SIDE * min(values))
        return int(undecided[np.argmin(scores)])

    def merged(self, sides, step):
        """Return the subproblem in which placed vertices (1 inside, -1 outside) are merged."""
        sign = np.concatenate([[1], sides])
        free = np.flatnonzero(sign == 0)
        placed = np.flatnonzero(sign)
        # 1. x_v = sign_v x_0 for the placed vertices: their rows join that of the reference.
        lift = np.zeros((len(free) + 1, len(free) + 1))
        lift[1:, 1:] = self.lift[np.ix_(free, free)]
        lift[0, 1:] = lift[1:, 0] = sign[placed] @ self.lift[np.ix_(placed, free)]
        constant = self.constant + sign[placed] @ self.lift[np.ix_(placed, placed)] @ sign[placed]
        vectors = np.ascontiguousarray(self.vectors[:, np.concatenate([[0], free])])
        vertices, given = self.vertices[free - 1], (self.budget, self.seed, self.magnitude)
        child = Subproblem(lift, constant, vertices, vectors, step, *given)
        # 2. Inequalities in use, unless two of their three vertices became the reference.
        place = np.zeros(len(sign), dtype=np.int64)
        place[free] = np.arange(1, len(free) + 1)
        sign[free] = 1
        keep = ((place[self.triples] == 0).sum(axis=1) < 2) & (self.multipliers > 0)
        i, j, k = self.triples[keep].T
        flip = np.stack([sign[i] * sign[j], sign[i] * sign[k], sign[j] * sign[k]], axis=1)
        child.triples, child.signs = _sorted(place[self.triples[keep]], self.signs[keep] * flip)
        child.multipliers = self.multipliers[keep]
        child.fives = self.fives.merged(place, sign)
        kept = np.concatenate([[0], free])
        child.gram = self.gram[np.ix_(kept, kept)]
        return child

    def _cosines(self):
        return self.gram[0, 1:]

    def tightened(self, multipliers, fives):
        """Return ``P + D(z)``."""
        tightened = self.lift.copy()
        _scatter(tightened, self.triples, self.signs, multipliers)
        scatter_fives(tightened, *fives)
        return tightened

    def bound_at(self, multipliers, fives):
        """Return the dual bound at some multipliers, and vectors near its optimum."""
        tightened = self.tightened(multipliers, fives)
        vectors = self._shaken()
        mix(tightened, vectors, BOUND_SWEEPS, BOUND_TOLERANCE)
        bound = self._offset(multipliers, fives) + dual_bound(tightened, vectors)
        return bound / 8, vectors

    def _offset(self, multipliers, fives):
        """Return the constant ``c + sum(z)`` of the bound, raised by what rounding may hide.

        That is how far the constant itself and the entries of ``P + D(z)`` may be off.
        """
        numbers = self.magnitude + 4 * multipliers.sum() + fives.magnitude
        offset = self.constant + multipliers.sum() + fives.constant
        return offset + rounding_error(len(self.lift), numbers)

    def _shaken(self):
        """Return the vectors with noise: as the bound gets tight, they would stay in one line."""
        noise = self.noise.normal(size=self.vectors.shape) / np.sqrt(RANK)
        vectors = self.vectors + noise
        return vectors / np.linalg.norm(vectors, axis=0)

    def _refresh(self, cap, fives):
        """Drop the inequalities that do nothing and add the most violated ones."""
        slack = _slack(self.gram, self.triples, self.signs)
        # A child goes on with its parent's pentagons, and adds none if none are asked for.
        if fives or len(self.fives.multipliers):
            seeds = self.gram, (self.triples, self.signs), slack, fives, self.noise
            self.fives = self.fives.refreshed(*seeds)
        active = (self.multipliers > 0) | (slack < 0)
        self.triples = self.triples[active]
        self.signs = self.signs[active]
        self.multipliers = self.multipliers[active]
        # Those in use may be among the most violated ones, so that more are asked for than added.
        triples, signs = _violated(self.gram, VIOLATION, cap + len(self.triples))
        new = ~np.isin(self._keys(triples, signs), self._keys(self.triples, self.signs))
        triples = triples[new][:cap]
        signs = signs[new][:cap]
        self.triples = np.concatenate([self.triples, triples])
        self.signs = np.concatenate([self.signs, signs])
        self.multipliers = np.concatenate([self.multipliers, np.zeros(len(triples))])

    def _keys(self, triples, signs):
        """One number for each inequality."""
        m = len(self.lift)
        pattern = signs[:, 0] + 2 * signs[:, 1] + 3  # tells the four patterns apart
        return ((triples[:, 0] * m + triples[:, 1]) * m + triples[:, 2]) * 8 + pattern


def _sorted(triples, signs):
    """Put the indices of each triple in order, and the signs of its pairs with them."""
    if len(triples) == 0:
        return triples, signs
    # The sign of a pair is kept under the position of the index that is not in it.
    opposite = signs[:, ::-1]
    order = np.argsort(triples, axis=1, kind="stable")
    triples = np.take_along_axis(triples, order, axis=1)
    signs = np.take_along_axis(opposite, order, axis=1)[:, ::-1]
    return triples, np.ascontiguousarray(signs)  # the kernels are compiled for one layout


@kernel
def _scatter(lift, triples, signs, z):
    """Add D(z) to a matrix."""
    for t in range(len(triples)):
        if z[t] != 0.0:
            i, j, k = triples[t]
            for a, b, sign in ((i, j, signs[t, 0]), (i, k, signs[t, 1]), (j, k, signs[t, 2])):
                lift[a, b] += sign * z[t] / 2
                lift[b, a] += sign * z[t] / 2


@kernel
def _slack(gram, triples, signs):
    """1 + a X_ij + b X_ik + c X_jk of each inequality."""
    slack = np.empty(len(triples))
    for t in range(len(triples)):
        i, j, k = triples[t]
        a, b, c = signs[t]
        slack[t] = 1 + a * gram[i, j] + b * gram[i, k] + c * gram[j, k]
    return slack


@kernel
def _primal_dual(lift, vectors, triples, signs, z, places, five_signs, z_five, step, inner):
    """Alternate coordinate sweeps and steps of the multipliers, `inner` times.

    Returns the means of the multipliers, of triangles and of pentagons, and of the products of the
    vectors. `vectors` and the multipliers are changed in place.
    """
    tightened = lift.copy()
    _scatter(tightened, triples, signs, z)
    scatter_fives(tightened, places, five_signs, z_five)
    mean = np.zeros(len(z))
    change = np.zeros(len(z))
    mean_five = np.zeros(len(z_five))
    change_five = np.zeros(len(z_five))
    mean_gram = np.zeros(lift.shape)
    for _ in range(inner):
        mix(tightened, vectors, ONCE, 0.0)
        gram = vectors.T @ vectors
        mean_gram += gram / inner
        slack = _slack(gram, triples, signs)
        _step(z, slack, step, change, mean, inner)
        _scatter(tightened, triples, signs, change)
        slack = slacks_of_fives(gram, places, five_signs)
        _step(z_five, slack, step, change_five, mean_five, inner)
        scatter_fives(tightened, places, five_signs, change_five)
    return mean, mean_five, mean_gram


@kernel
def _step(z, slack, step, change, mean, inner):
    """z <- max(0, z - step * slack) for each inequality; notes the change, adds to the mean."""
    # In loops: numba takes seconds to compile an assignment to a slice.
    for t in range(len(z)):
        new = max(0.0, z[t] - step * slack[t])
        change[t] = new - z[t]
        z[t] = new
        mean[t] += new / inner


@kernel
def _against(lift, vectors, v, side):
    """Merge vector v with the reference: the constant that this adds, the matrix, its vectors."""
    rank, n = vectors.shape
    merged = np.zeros((n - 1, n - 1))
    kept = np.empty((rank, n - 1))
    for i in range(n - 1):
        row = i + (i >= v)
        for j in range(1, n - 1 if i else 1):
            merged[i, j] = lift[row, j + (j >= v)]
        if i:
            merged[0, i] = merged[i, 0] = lift[0, row] + side * lift[v, row]
        for k in range(rank):
            kept[k, i] = vectors[k, row]
    offset = 2 * side * lift[0, v] + lift[0, 0] + lift[v, v]
    return offset, merged, kept


@kernel
def _hopeful(lift, vectors, goal, sweeps):
    """Mix until the relaxation is above the goal (then False), or will hardly get there."""
    last = -np.inf
    for sweep in range(sweeps):
        mix(lift, vectors, ONCE, 0.0)
        value = _value(lift, vectors)
        if value > goal:
            return False
        # It rises more and more slowly. The dual bound is then checked: this is only a hint.
        if sweep >= HOPE and HOPE * (value - last) < goal - value:
            break
        last = value
    return True


@kernel
def _value(lift, vectors):
    """<P, V'V>."""
    product = vectors @ lift
    value = 0.0
    for k in range(len(vectors)):
        for i in range(len(lift)):
            value += product[k, i] * vectors[k, i]
    return value


def _violated(gram, threshold, cap):
    """The `cap` most violated triangle inequalities.

    With ``a = X_ij, b = X_ik, c = X_jk`` the lowest of the four sums of a triple is
    ``min(a - |b + c|, -a - |b - c|)``; two are never below -1 at once.
    """
    triples, low = _collect_below(gram, -1 - threshold)
    if len(low) > cap:
        triples = triples[np.sort(np.argpartition(low, cap)[:cap])]
    i, j, k = triples.T
    a = gram[i, j]
    b = gram[i, k]
    c = gram[j, k]
    same = a - np.abs(b + c) < -a - np.abs(b - c)
    return triples, SIGNS[np.where(same, b + c >= 0, 2 + (b >= c))]


@kernel
def _lowest(a, b, c):
    """The lowest of the four signed sums of a triple."""
    return min(a - abs(b + c), -a - abs(b - c))


@kernel
def _collect_below(gram, threshold):
    """The triples that violate an inequality, and their lowest sums."""
    m = len(gram)
    counts = np.zeros((m, m), dtype=np.int64)
    every = 0
    for i in range(m):
        for j in range(i + 1, m):
            counts[i, j] = _count_below(gram[i, j], gram[i, j + 1 :], gram[j, j + 1 :], threshold)
            every += counts[i, j]
    triples = np.empty((every, 3), np.int64)
    low = np.empty(every)
    t = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m if counts[i, j] else 0):
                lowest = _lowest(gram[i, j], gram[i, k], gram[j, k])
                if lowest < threshold:
                    triples[t, 0] = i
                    triples[t, 1] = j
                    triples[t, 2] = k
                    low[t] = lowest
                    t += 1
    return triples, low


@kernel
def _count_below(a, row_i, row_j, threshold):
    """How many third vertices violate an inequality with two given ones (vectorised)."""
    count = 0
    for k in range(len(row_i)):
        count += _lowest(a, row_i[k], row_j[k]) < threshold
    return count
