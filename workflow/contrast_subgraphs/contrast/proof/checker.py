"""Check certificates that a set is optimal: ``python checker.py certificate.json ...``

Needs nothing but Python. docs/certificates.md says what is claimed, and has the reasons under the
numbers that stand here too ("rule 1"). In short: f(S) is the sum of ``w - alpha`` over the pairs
in S (and of ``linear`` over its vertices, if the claim has that), and no set has more than
``(1 + tolerance) f(nodes)``. Suppose one had, and take a best one, S*. It is in no part of all sets
that is looked at, and these parts are all sets.

First, what is not exactly of the form that is known is refused (`ensure_...`). Then all is decided
in whole numbers (`Problem`): a certificate may hold any multipliers, but no rounding error and no
multiplier can make a wrong claim pass.
"""

import hashlib
import json
import math
import sys
from fractions import Fraction
from itertools import combinations, pairwise
from operator import mul

INSIDE = 1  # where a vertex is, in the part that is looked at
OUTSIDE = -1
OPEN = 0

#: How many entries of x an inequality of rule 3 has: a triangle or a pentagon.
SIZES = (3, 5)

#: With a larger tolerance a clearly worse set could pass for the best.
LARGEST_TOLERANCE = Fraction(1e-6)

#: Larger numbers would be infinite where floating-point numbers are used.
LARGEST_NUMBER = int(sys.float_info.max)

#: Multipliers are cut to this many binary digits after the point, or to those of the weights.
LEAST_DIGITS = 40

CLAIM = ("vertices", "weights", "alpha", "nodes", "tolerance")


def claim_of(certificate):
    """Return the keys of what is claimed; only some claims have linear terms."""
    return (*CLAIM, "linear") if "linear" in certificate else CLAIM


def digest(certificate):
    """Return the SHA-256 of what is claimed: the graph, alpha, the set and the tolerance."""
    claim = [certificate[key] for key in claim_of(certificate)]
    return hashlib.sha256(json.dumps(claim).encode()).hexdigest()


# ---- The form. Types are compared exactly: True is no number, "0.5" is none, 1.0 is no place.


def ensure(fine, why):
    """Refuse the certificate unless something holds."""
    if not fine:
        raise ValueError(f"the certificate proves nothing: {why}")


def is_number(value):
    """Whether a value is a finite number (comparisons with NaN are False)."""
    return type(value) in (int, float) and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def is_place(value, length):
    """Whether a value is a place in a list of some length, counted from its beginning."""
    return type(value) is int and 0 <= value < length


def ensure_keys(value, keys, what):
    """Refuse what is no object with just these keys."""
    fine = type(value) is dict and set(value) == set(keys)
    ensure(fine, f"{what} must have just the keys {', '.join(keys)}")


def ensure_vertices(value, n, what):
    """Refuse what is no list of different vertices in rising order."""
    fine = type(value) is list and all(is_place(v, n) for v in value)
    ensure(fine, f"{what} must be a list of vertices, from 0 to the number of vertices less 1")
    ensure(all(u < v for u, v in pairwise(value)), f"the vertices of {what} must rise")


def ensure_numbers(value, length, what):
    """Refuse what is not a list of `length` finite numbers."""
    fine = type(value) is list and len(value) == length and all(is_number(x) for x in value)
    ensure(fine, f"{what} must be a list of finite numbers, neither more nor fewer than needed")


def ensure_claim(certificate):
    """Refuse a claim that is not of the form, or that was changed."""
    ensure(type(certificate) is dict, "it must be an object")
    for key in (*CLAIM, "digest"):
        ensure(key in certificate, f"it lacks {key}")
    n = certificate["vertices"]
    weights = certificate["weights"]
    ensure(type(n) is int and n >= 0, "the number of vertices must be a whole number")
    pairs = n * (n - 1) // 2
    ensure_numbers(weights, pairs, "weights")  # so n cannot be large where little was read
    ensure(is_number(certificate["alpha"]), "alpha must be a finite number")
    if "linear" in certificate:
        ensure_numbers(certificate["linear"], n, "linear")
    ensure_vertices(certificate["nodes"], n, "nodes")
    tolerance = certificate["tolerance"]
    fine = is_number(tolerance) and 0 <= Fraction(tolerance) <= LARGEST_TOLERANCE
    ensure(fine, "the tolerance must be a number from 0 to 1e-6")
    fine = type(certificate["digest"]) is str and certificate["digest"] == digest(certificate)
    ensure(fine, "its claim was changed")


def ensure_proof(proof, n):
    """Refuse a proof that is not of the form, without recursion however deep it is."""
    parts = [(proof, 0)]
    while parts:
        part, depth = parts.pop()
        ensure(depth <= n, "a part branches more often than there are vertices")
        ensure_keys(part, ("steps", "then"), "each part of the proof")
        ensure(type(part["steps"]) is list, "steps must be a list")
        for step in part["steps"]:
            ensure_step(step, n)
        then = part["then"]
        if type(then) is dict and "bound" in then:
            ensure_keys(then, ("bound",), "the end by a bound")
            ensure_keys(then["bound"], ("free", "z", "y"), "a bound")
            ensure_relaxation(then["bound"], n)
            length = 1 + len(then["bound"]["free"])  # one for the reference
            ensure_numbers(then["bound"]["y"], length, "y of a bound")
        elif type(then) is dict:
            ensure_keys(then, ("branch", "inside", "outside"), "a part that branches")
            ensure(is_place(then["branch"], n), "a part branches on what is no vertex")
            parts += [(then["inside"], depth + 1), (then["outside"], depth + 1)]
        else:
            fine = type(then) is str and then == "enumerate"
            ensure(fine, "each part must end by a bound, a branch or enumerate")


def ensure_step(step, n):
    """Refuse a step that is not of the form."""
    ensure_keys(step, ("free", "z", "ruled_out"), "each step")
    ensure_relaxation(step, n)
    free = step["free"]
    ruled_out = step["ruled_out"]
    ensure(type(ruled_out) is list, "ruled_out must be a list")
    for entry in ruled_out:
        fine = type(entry) is list and len(entry) == 3
        ensure(fine, "each entry of ruled_out must be a list of a place in free, a side and y")
        place, excluded, y = entry
        ensure(is_place(place, len(free)), "ruled_out names a place that free does not have")
        ensure(type(excluded) is int and excluded in (INSIDE, OUTSIDE), "a side must be 1 or -1")
        ensure_numbers(y, len(free), "y of ruled_out")  # the reference instead of the vertex


def ensure_relaxation(value, n):
    """Refuse the free vertices and inequalities of a step or a bound that are not of the form."""
    ensure_vertices(value["free"], n, "free")
    ensure(type(value["z"]) is list, "z must be a list")
    length = 1 + len(value["free"])  # the reference is the first
    for entry in value["z"]:
        fine = type(entry) is list and len(entry) - 2 in SIZES
        ensure(fine, "each entry of z must be a list of 3 or 5 places, a pattern and a multiplier")
        *places, pattern, multiplier = entry
        fine = all(is_place(place, length) for place in places)
        rising = fine and all(i < j for i, j in pairwise(places))
        ensure(rising, "the places of an inequality must rise")
        fine = is_place(pattern, 2 ** (len(places) - 1))
        ensure(fine, "the pattern of an inequality must be from 0 to 3, of five places to 15")
        ensure(is_number(multiplier) and multiplier >= 0, "multipliers must be >= 0")


# ---- The rules, in whole numbers. A part of all sets is a list: where each vertex is (`side`).


class Problem:
    """The weights less alpha in units of ``2 ** -digits``, in which they are whole numbers.

    S* has more than the claim allows, and the value of every set is a multiple of some `step`. So
    S* has at least the next multiple, which is called `least` (in these units too).
    """

    def __init__(self, certificate):
        ensure_claim(certificate)
        self.n = certificate["vertices"]
        alpha = Fraction(certificate["alpha"])
        surplus = [Fraction(weight) - alpha for weight in certificate["weights"]]
        linear = [Fraction(x) for x in certificate.get("linear", [0] * self.n)]
        needed = max((x.denominator for x in surplus + linear), default=1).bit_length() - 1
        self.digits = max(needed, LEAST_DIGITS)
        surplus = [x * 2**self.digits for x in surplus]
        linear = [x * 2**self.digits for x in linear]
        whole = all(x.denominator == 1 for x in surplus + linear)
        ensure(whole, "a weight is no floating-point number")
        step = max(1, math.gcd(*map(int, surplus + linear)))
        self.linear = [int(x) for x in linear]
        self.weights = [[0] * self.n for _ in range(self.n)]
        for (u, v), x in zip(combinations(range(self.n), 2), surplus, strict=True):
            self.weights[u][v] = int(x)
            self.weights[v][u] = int(x)
        self.positive = [[max(0, x) for x in row] for row in self.weights]
        self.value = sum(self.weights[u][v] for u, v in combinations(certificate["nodes"], 2))
        self.value += total(self.linear, certificate["nodes"])
        ensure(self.value >= 0, "the empty set is better")
        ensure(self.value <= LARGEST_NUMBER << self.digits, "the objective is too large a number")
        goal = self.value * (1 + Fraction(certificate["tolerance"]))
        self.least = (math.floor(goal / step) + 1) * step

    def gains(self, inside):
        """Return what each vertex has by itself and from those inside."""
        return [x + total(row, inside) for x, row in zip(self.linear, self.weights, strict=True)]

    def deduce(self, side):
        """Place what follows from what is placed; False if S* cannot be in this part."""
        while True:
            inside = [v for v in range(self.n) if side[v] == INSIDE]
            free = [v for v in range(self.n) if side[v] == OPEN]
            gain = self.gains(inside)
            most = [g + total(row, free) for g, row in zip(gain, self.positive, strict=True)]
            excluded = self.by_local_optimality(side, free, gain, most)
            if not excluded:
                share = {v: gain[v] + most[v] for v in free}
                room = 2 * self.least - total(gain, inside) - total(self.linear, inside)
                if sum(max(0, x) for x in share.values()) < room:
                    return False  # rule 2: nothing in this part has as much as S*
                excluded = self.by_bound(free, gain, share, room)
            if not excluded:
                return True
            if not exclude(side, excluded):
                return False

    def by_local_optimality(self, side, free, gain, most):
        """Rule 1: in S* no vertex inside loses, and no vertex outside would gain."""
        excluded = []
        for v in range(self.n):
            # of what v can have, with the positive and with the negative weights to open ones
            least = gain[v] + total(self.weights[v], free) - (most[v] - gain[v])
            if most[v] < 0 and side[v] != OUTSIDE:
                excluded.append((v, INSIDE))
            if least > 0 and side[v] != INSIDE:
                excluded.append((v, OUTSIDE))
        return excluded

    def by_bound(self, free, gain, share, room):
        """Rule 2 for each open vertex v: what if it were outside, what if it were inside?

        All doubled: `share` is twice what each open vertex can add, half of its positive pairs
        with open ones included, and `room` is twice what all of them must add for S*.
        """
        excluded = []
        for v in free:
            if_outside = 0
            if_inside = 0
            for u in free:
                if u != v:
                    without_v = share[u] - self.positive[v][u]
                    with_v = without_v + 2 * self.weights[v][u]
                    if without_v > 0:
                        if_outside += without_v
                    if with_v > 0:
                        if_inside += with_v
            if if_outside < room:
                excluded.append((v, OUTSIDE))
            if if_inside < room - 2 * gain[v]:
                excluded.append((v, INSIDE))
        return excluded

    def enumerate(self, side):
        """Rule 5: branch on one vertex after the other until S* is in no part."""
        parts = [side]
        while parts:
            side = parts.pop()
            if self.deduce(side):
                v = self.promising(side)
                ensure(v is not None, "there is a better set")
                parts += [placed(side, v, OUTSIDE), placed(side, v, INSIDE)]

    def promising(self, side):
        """Return the open vertex that can add most (any would do), or None."""
        inside = [v for v in range(self.n) if side[v] == INSIDE]
        free = [v for v in range(self.n) if side[v] == OPEN]
        gain = self.gains(inside)

        def share(v):
            return 2 * gain[v] + total(self.positive[v], free)

        return max(free, key=share, default=None)

    def whole(self, multiplier):
        """Return a multiplier in units, rounded down: any multiplier would do."""
        numerator, denominator = multiplier.as_integer_ratio()
        return (numerator << self.digits) // denominator

    def relaxation(self, side, free, z):
        """Rule 3: return ``c + sum z`` and ``P + D(z)``, the reference first, then the free.

        All doubled, since a multiplier counts half in each of its two entries.
        """
        others = sorted(set(range(self.n)) - set(free))
        ensure(all(side[v] != OPEN for v in others), "a vertex is neither placed nor free")
        rows = [sum(row) + 2 * x for row, x in zip(self.weights, self.linear, strict=True)]
        pull = [rows[v] + sum(side[u] * self.weights[v][u] for u in others) for v in range(self.n)]
        constant = 2 * sum(rows) + 4 * sum(self.linear)
        constant += 2 * sum(side[v] * (rows[v] + pull[v]) for v in others)
        matrix = [[0, *(2 * pull[v] for v in free)]]
        for v in free:
            matrix.append([2 * pull[v], *(2 * self.weights[v][u] for u in free)])
        for *places, pattern, multiplier in z:
            number = self.whole(multiplier)
            constant += (len(places) - 1) * number
            signed = zip(places, signs_of(places, pattern), strict=True)
            for (i, a), (j, b) in combinations(signed, 2):
                matrix[i][j] += a * b * number
                matrix[j][i] += a * b * number
        return constant, matrix

    def is_below(self, constant, matrix, y):
        """Rule 3: whether the bound ``c + sum z + sum y + m r`` is below 8 times what S* has.

        As constant and matrix are, all is doubled; m is the number of entries of x.
        """
        diagonal = [2 * self.whole(multiplier) for multiplier in y]
        left = [[-entry for entry in row] for row in matrix]
        for i, entry in enumerate(diagonal):
            left[i][i] += entry
        r = remainder(left, self.digits + 1)
        if r is None:
            return False
        return constant + sum(diagonal) + len(diagonal) * r < 16 * self.least


def signs_of(places, pattern):
    """Return the signs of an inequality: bits of the pattern turn those after the first place.

    The lowest bit belongs to the last place.
    """
    return [-1 if pattern >> bit & 1 else 1 for bit in reversed(range(len(places)))]


def total(row, vertices):
    """Return the sum of some entries of a row."""
    return sum(map(row.__getitem__, vertices))


def placed(side, v, where):
    """Return a part of a part: the sets with a vertex inside, or outside."""
    return [*side[:v], where, *side[v + 1 :]]


def exclude(side, excluded):
    """Place vertices on the other side than those excluded; False if one is there already.

    What is excluded must hold in the whole part, as it was before the first of them is placed.
    """
    for v, where in excluded:
        if side[v] == where:
            return False
        side[v] = -where
    return True


def with_one_placed(constant, matrix, place, where):
    """Rule 3 with a free vertex placed too: ``x_v = where * x_0`` joins the reference."""
    v = place + 1  # the reference is the first
    kept = [i for i in range(len(matrix)) if i != v]
    joined = [[matrix[i][j] for j in kept] for i in kept]
    for position in range(1, len(kept)):
        joined[0][position] += where * matrix[v][kept[position]]
        joined[position][0] += where * matrix[v][kept[position]]
    return constant + 2 * where * matrix[0][v], joined


def remainder(m, digits, extra=60):
    """Rule 4: return r with ``m + r I`` positive semidefinite, or None if none is found.

    The entries of m, and r, are in units of ``2 ** -digits``.
    """
    half = (digits + extra + 1) // 2  # L has so many digits, L L' twice as many
    shift = 2 * half - digits  # what L L' has more of than m: `extra` or one more
    lower = factor(m, digits, half)
    if lower is None:
        return None
    sums = [0] * len(m)
    for i in range(len(m)):
        for j in range(i + 1):
            product = sum(map(mul, lower[i], lower[j]))  # up to the end of row j: then come zeros
            left = abs((m[i][j] << shift) - product)
            sums[i] += left
            if i != j:
                sums[j] += left
    return (max(sums) >> shift) + 1  # rounded up


def factor(m, digits, half):
    """Rule 4: propose L by Cholesky's method in floating-point numbers; None if it fails.

    Its rows, as whole numbers in units of ``2 ** -half``, end at the diagonal.
    """
    unit = 2**digits
    lower = []
    whole = []
    try:
        for i in range(len(m)):
            row = []
            for j in range(i):
                row.append((m[i][j] / unit - sum(map(mul, row, lower[j]))) / lower[j][j])
            rest = m[i][i] / unit - sum(map(mul, row, row))
            if not rest > 0:  # NaN is not
                return None
            row.append(math.sqrt(rest))
            lower.append(row)
            whole.append([int(math.ldexp(x, half)) for x in row])
    except OverflowError:  # beyond floating-point numbers
        return None
    return whole


# ---- The proof: parts of all sets, each with steps that place vertices, and then an end.


def follow(problem, proof):
    """Refuse the proof unless it shows of all sets that S* is not there."""
    waiting = [(proof, [OPEN] * problem.n)]
    while waiting:
        part, side = waiting.pop()
        if take_steps(problem, part["steps"], side):
            waiting += what_is_left(problem, part["then"], side)


def take_steps(problem, steps, side):
    """Place what the steps of a part show; False if S* cannot be in it."""
    for step in steps:
        if not problem.deduce(side):
            return False
        free = step["free"]
        relaxation = problem.relaxation(side, free, step["z"])
        excluded = []
        for place, where, y in step["ruled_out"]:
            joined = with_one_placed(*relaxation, place, where)
            ensure(problem.is_below(*joined, y), f"vertex {free[place]} may be on either side")
            excluded.append((free[place], where))
        if not exclude(side, excluded):
            return False
    return problem.deduce(side)


def what_is_left(problem, then, side):
    """Check how a part ends; return the smaller parts, with their proofs, that it branches into."""
    if then == "enumerate":
        problem.enumerate(side)
        return []
    if "bound" in then:
        bound = then["bound"]
        relaxation = problem.relaxation(side, bound["free"], bound["z"])
        ensure(problem.is_below(*relaxation, bound["y"]), "a bound leaves room for a better set")
        return []
    v = then["branch"]
    parts = []
    if side[v] != OUTSIDE:
        parts.append((then["inside"], placed(side, v, INSIDE)))
    if side[v] != INSIDE:
        parts.append((then["outside"], placed(side, v, OUTSIDE)))
    return parts


def check(certificate):
    """Raise ValueError unless the certificate proves its claim; return the objective."""
    problem = Problem(certificate)
    keys = [*claim_of(certificate), "digest", "proof"]
    if "sha256" in certificate:  # that of the file: says whether it is damaged, proves nothing
        ensure(type(certificate["sha256"]) is str, "sha256 must be a text")
        keys.append("sha256")
    ensure_keys(certificate, keys, "it")
    ensure_proof(certificate["proof"], problem.n)
    follow(problem, certificate["proof"])
    return Fraction(problem.value, 2**problem.digits)


# ---- Files.


def read(path):
    """Read a file of JSON, in the strict sense: no key twice, no NaN, nothing infinite."""

    def once(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key is there twice")
        return dict(pairs)

    def refuse(name):
        raise ValueError(f"{name} is no number")

    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_pairs_hook=once, parse_constant=refuse)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"the certificate proves nothing: it cannot be read ({error})") from error


def main(paths):
    """Check files; return 0 if all are proved."""
    if not paths:
        print("usage: python checker.py certificate.json ...", file=sys.stderr)
        return 2
    refused = 0
    for path in paths:
        try:
            certificate = read(path)
            objective = check(certificate)
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            refused = 1
            continue
        print(
            f"{path}: proved, objective {float(objective):.9g} at alpha {certificate['alpha']!r}, "
            f"up to {certificate['tolerance']:g} of it; claim {certificate['digest']}"
        )
    return refused


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
