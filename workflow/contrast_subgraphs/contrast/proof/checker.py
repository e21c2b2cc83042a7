"""Check certificates that a set is optimal: ``python checker.py certificate.json ...``

Needs nothing but Python; all is decided in whole numbers (docs/certificates.md has the reasons).
The claim: no set has more than ``(1 + tolerance) f(nodes)``, with ``f(S)`` the sum of ``w - alpha``
over the pairs in S. Suppose one had, and take a best one, S*: it is in no part of all sets that
is shown to stay below the goal. A part: each vertex inside (1), outside (-1) or open (0).
"""

import hashlib
import json
import math
import sys
from fractions import Fraction
from operator import mul

SIGNS = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))  # of the pairs ij, ik, jk


LARGEST_TOLERANCE = Fraction(1e-6)  # from there on a worse set could pass for the best


def digest(certificate):
    """Return the SHA-256 of what is claimed: the graph, alpha, the set and the tolerance."""
    claim = [certificate[key] for key in ("vertices", "weights", "alpha", "nodes", "tolerance")]
    return hashlib.sha256(json.dumps(claim).encode()).hexdigest()


def ensure(fine, why):
    """Refuse the certificate unless something holds."""
    if not fine:
        raise ValueError(f"the certificate proves nothing: {why}")


class Problem:
    """The surplus matrix in whole numbers: ``w - alpha`` times ``2 ** digits``."""

    def __init__(self, certificate):
        n, nodes = certificate["vertices"], sorted(set(certificate["nodes"]))
        tolerance = Fraction(certificate["tolerance"])
        ensure(0 <= tolerance <= LARGEST_TOLERANCE, f"a tolerance of {float(tolerance)!r}")
        ensure(certificate.get("digest") == digest(certificate), "its claim was changed")
        surplus = [Fraction(w) - Fraction(certificate["alpha"]) for w in certificate["weights"]]
        ensure(len(surplus) == n * (n - 1) // 2, "not one weight for each pair")
        ensure(set(nodes) <= set(range(n)), "its nodes are no vertices")
        self.digits = max((s.denominator for s in surplus), default=1).bit_length() - 1
        whole = iter(int(s * 2**self.digits) for s in surplus)
        upper = [[0] * (u + 1) + [next(whole) for _ in range(u + 1, n)] for u in range(n)]
        self.n, self.w = n, [[upper[u][v] + upper[v][u] for v in range(n)] for u in range(n)]
        self.plus = [[max(0, x) for x in row] for row in self.w]
        self.value = sum(self.w[u][v] for u in nodes for v in nodes if u < v)
        self.goal = math.floor(self.value * (1 + tolerance))

    def deduce(self, side):
        """Place what follows from what is placed; False if S* cannot be in this part."""
        w, plus, n = self.w, self.plus, self.n
        while True:
            inside, free = ([u for u in range(n) if side[u] == s] for s in (1, 0))
            g = [sum(map(w[v].__getitem__, inside)) for v in range(n)]
            p = [sum(map(plus[v].__getitem__, free)) for v in range(n)]
            low = [g[v] + sum(map(w[v].__getitem__, free)) - p[v] for v in range(n)]
            placed = False
            for v in range(n):  # 1. in S* nobody inside loses, nobody outside would gain
                wanted = -1 if g[v] + p[v] < 0 else int(low[v] > 0)
                if side[v] * wanted < 0:
                    return False
                if wanted and not side[v]:
                    side[v], placed = wanted, True
            # 2. a positive pair is shared by its vertices (all doubled)
            share = {v: 2 * g[v] + p[v] for v in free}
            room = 2 * self.goal - sum(g[v] for v in inside)
            if not placed and sum(max(0, s) for s in share.values()) <= room:
                return False
            for v in [] if placed else free:  # 3. the same with v outside, or inside
                others = [(share[u] - plus[v][u], 2 * w[v][u]) for u in free if u != v]
                must_in = sum(max(0, s) for s, _ in others) <= room
                must_out = sum(max(0, s + x) for s, x in others) <= room - 2 * g[v]
                if must_in and must_out:
                    return False
                if must_in or must_out:
                    side[v], placed = (1 if must_in else -1), True
            if not placed:
                self.next = max(free, key=share.get) if free else None
                return True

    def enumerate(self, side):
        """Branch on one vertex after the other until S* is in no part."""
        parts = [side]
        while parts:
            side = parts.pop()
            if self.deduce(side):
                ensure(self.next is not None, "there is a better set")
                parts += [[*side[: self.next], s, *side[self.next + 1 :]] for s in (-1, 1)]

    def below(self, side, free, z, y, merge=None):
        """Whether no set of a part, with ``merge = (v, s)`` placed too, is above the goal."""
        placed, m = sorted(set(range(self.n)) - set(free)), len(free) + 1
        ensure(free == sorted(set(range(self.n)) - set(placed)), "free vertices")
        ensure(all(0 <= i < j < k < m for i, j, k, _, _ in z), "not a triangle")
        if not all(side[v] for v in placed):
            return False
        # 1. c and P + D(z), the reference first; all doubled, since multipliers count half
        rows = [sum(row) for row in self.w]
        pull = [rows[v] + sum(side[u] * self.w[v][u] for u in placed) for v in range(self.n)]
        c = 2 * sum(rows) + 2 * sum(side[v] * (rows[v] + pull[v]) for v in placed)
        t = [[0, *(2 * pull[v] for v in free)]]
        t += [[2 * pull[v], *(2 * self.w[v][u] for u in free)] for v in free]
        for i, j, k, pattern, number in z:
            whole = max(0, int(Fraction(number) * 2**self.digits))
            for (a, b), sign in zip(((i, j), (i, k), (j, k)), SIGNS[pattern], strict=True):
                t[a][b] += sign * whole
                t[b][a] += sign * whole
            c += 2 * whole
        if merge is not None:  # 2. x_v = s x_0
            v, s = merge[0] + 1, merge[1]
            ensure(0 < v < m and s in (1, -1), "no side of a free vertex")
            c += 2 * s * t[0][v]
            first = [0, *(t[0][j] + s * t[v][j] for j in range(1, m))]
            t = [first] + [[first[i], *t[i][1:]] for i in range(1, m)]
            t = [row[:v] + row[v + 1 :] for row in t[:v] + t[v + 1 :]]
        # 3. diag(y) - P - D(z), and how far it is from positive semidefinite
        ensure(len(y) == len(t), "not one multiplier for each vertex")
        y = [2 * int(Fraction(number) * 2**self.digits) for number in y]
        left = [[(i == j) * y[i] - a for j, a in enumerate(row)] for i, row in enumerate(t)]
        return c + sum(y) + len(y) * remainder(left, self.digits + 1) <= 16 * self.goal


def remainder(m, digits, extra=60):
    """Return r with ``m + r I`` positive semidefinite: the row sums of what ``L L'`` leaves."""
    half, lower, whole, sums = (digits + extra + 1) // 2, [], [], [0] * len(m)
    for i in range(len(m)):
        row = []
        for j in range(i):
            row.append((m[i][j] / 2**digits - sum(map(mul, row, lower[j]))) / lower[j][j])
        rest = m[i][i] / 2**digits - sum(map(mul, row, row))
        if not rest > 0:
            return math.inf
        lower.append([*row, math.sqrt(rest)])
        whole.append([int(math.ldexp(x, half)) for x in lower[i]])
        for j in range(i + 1):
            off = abs((m[i][j] << 2 * half - digits) - sum(map(mul, whole[i], whole[j])))
            sums[i] += off
            sums[j] += (i != j) * off
    return (max(sums) >> 2 * half - digits) + 1


def follow(problem, proof, side):
    """Check the proof for a part of all sets."""
    for step in proof["steps"]:
        if not problem.deduce(side):
            return
        for v, s, y in step["ruled_out"]:  # the vertex with this place in `free` is not on side s
            below = problem.below(side, step["free"], step["z"], y, (v, s))
            ensure(below, f"vertex {step['free'][v]} may be on either side")
        for v, s, _ in step["ruled_out"]:
            if side[step["free"][v]] == s:
                return
            side[step["free"][v]] = -s
    then = proof["then"]
    if then == "enumerate":
        problem.enumerate(side)
    elif "bound" in then:
        ensure(not problem.deduce(side) or problem.below(side, **then["bound"]), "a bound")
    elif problem.deduce(side):
        v = then["branch"]
        ensure(0 <= v < problem.n, "no vertex to branch on")
        for s, part in ((1, then["inside"]), (-1, then["outside"])):
            if side[v] != -s:
                follow(problem, part, [*side[:v], s, *side[v + 1 :]])


def check(certificate):
    """Raise ValueError unless the certificate proves its claim; return the objective."""
    problem = Problem(certificate)
    follow(problem, certificate["proof"], [0] * problem.n)
    return Fraction(problem.value, 2**problem.digits)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            read = json.load(file)
        print(
            f"{path}: proved, objective {float(check(read)):.9g} at alpha {read['alpha']!r}, up to "
            f"{read['tolerance']:g} of it; claim {read['digest']}"
        )
