"""Certificates to forge, what is true of them, and ways to change them."""

import copy
import dataclasses
import itertools
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from contrast_subgraphs.contrast import ContrastSubgraphResult, certify
from contrast_subgraphs.contrast.proof import checker, tree

# ---- What is true, in exact fractions, of all sets.


def values(n, weights, alpha, linear=None):
    """Value of every set of n vertices, as whole numbers, and the number that is 1."""
    surplus = [Fraction(weight) - Fraction(alpha) for weight in weights]
    own = [Fraction(x) for x in linear or [0] * n]
    unit = math.lcm(1, *(x.denominator for x in surplus + own))
    matrix = [[0] * n for _ in range(n)]
    for (u, v), x in zip(itertools.combinations(range(n), 2), surplus, strict=True):
        matrix[u][v] = matrix[v][u] = int(x * unit)
    every = [0]
    for v in range(n):  # the sets with v as their last vertex
        gain = [int(own[v] * unit)]
        for u in range(v):
            gain += [old + matrix[u][v] for old in gain]
        every += [old + more for old, more in zip(every, gain, strict=True)]
    return every, unit


def place_of(nodes):
    """Where a set is in `values`."""
    return sum(1 << v for v in nodes)


class Truth:
    """Whether claims are true; graphs are looked at once."""

    def __init__(self):
        self.known = {}

    def of(self, certificate):
        """Whether no set exceeds (1 + tolerance) times the value of the set that is claimed."""
        n, nodes = certificate["vertices"], certificate["nodes"]
        problem = n, certificate["weights"], certificate["alpha"], certificate.get("linear")
        key = repr(problem)
        if key not in self.known:
            every, _ = values(*problem)
            self.known[key] = every, max(every)
        every, best = self.known[key]
        distinct = len(set(nodes)) == len(nodes) and all(0 <= v < n for v in nodes)
        tolerance = Fraction(certificate["tolerance"])
        small = 0 <= tolerance <= Fraction(1e-6)  # the largest of what is called a proof
        return distinct and small and best <= (1 + tolerance) * every[place_of(nodes)]


# ---- Genuine certificates.

#: How the tree of a proof is made to end early, late or not at all by its bounds.
MODES = {
    "as far as possible": {},
    "branching": {"ROUNDS": 1, "FIRST_ROUNDS": 1, "NEXT_ROUNDS": 1, "PROBE_GAP": -1},
    "few triangles": {"ROUNDS": 1, "FIRST_ROUNDS": 1, "NEXT_ROUNDS": 1, "ROOT_CAP": 2, "CAP": 2},
}
KINDS = ["normal", "binary", "whole", "negative", "close", "tiny", "huge", "mixed", "zero"]
#: The same with a number for each vertex.
LINEAR_KINDS = ["linear", "whole linear", "close linear", "mixed linear"]


def graph(rng, n, kind):
    """Weights of the pairs of n vertices, a penalty, and what each vertex adds, or None."""
    if kind in LINEAR_KINDS:
        like = kind.removesuffix("linear").strip() or "normal"
        weights, alpha, _ = graph(rng, n, like)
        others, _, _ = graph(rng, 5, like)
        return weights, alpha, [pick(rng, [-1, 1, 2]) * pick(rng, others) for _ in range(n)]
    weights = rng.normal(size=n * (n - 1) // 2)
    alpha = float(rng.choice([0.0, 0.1, 0.25, -0.5]))
    if kind == "binary":
        weights = (rng.random(len(weights)) < 0.6).astype(float)
        alpha = 0.5
    elif kind == "whole":
        weights = rng.integers(-3, 4, size=len(weights)).astype(float)
        alpha = float(rng.integers(0, 2))
    elif kind == "negative":
        weights, alpha = -np.abs(weights), 0.0
    elif kind == "close":  # sets that differ by little more or less than the tolerance
        weights = rng.integers(-2, 4, size=len(weights)) + 3e-7 * rng.normal(size=len(weights))
        alpha = 0.0
    elif kind in ("tiny", "huge"):
        factor = {"tiny": 1e-300, "huge": 1e280}[kind]
        weights, alpha = weights * factor, alpha * factor
    elif kind == "mixed":
        weights = np.ldexp(weights, rng.integers(-200, 200, size=len(weights)))
    elif kind == "zero":
        weights, alpha = 0 * weights, 0.0
    return weights.tolist(), alpha, None


def genuine(seed, n, kind, mode):
    """A certificate of the best set of a graph, as read from a file."""
    rng = np.random.default_rng([seed, n, [*KINDS, *LINEAR_KINDS].index(kind)])
    weights, alpha, linear = graph(rng, n, kind)
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = weights
    every, unit = values(n, weights, alpha, linear)
    best = max(range(2**n), key=every.__getitem__)
    result = ContrastSubgraphResult(
        nodes=np.flatnonzero([best >> v & 1 for v in range(n)]),
        objective=float(Fraction(every[best], unit)),
        upper_bound=float(Fraction(every[best], unit)),
        optimal=True,
        alpha=alpha,
    )
    early = {"FIRST_NODES": 0, "SUB_NODES": 0, "PLAIN_ROUNDS": 0}
    with pytest.MonkeyPatch.context() as patch:
        for name, number in {**early, **MODES[mode]}.items():
            patch.setattr(tree, name, number)
        return json.loads(json.dumps(certify(matrix + matrix.T, result, linear=linear)))


def parts_of(proof):
    """Every part of a proof."""
    parts = [proof]
    for part in parts:
        if isinstance(part["then"], dict) and "branch" in part["then"]:
            parts += [part["then"]["inside"], part["then"]["outside"]]
    return parts


def kind_of(certificate):
    """What a claim has, and what its proof uses."""
    found = {"linear"} & set(certificate)
    for part in parts_of(certificate["proof"]):
        then = part["then"]
        found |= {"steps"} if part["steps"] else set()
        found |= {then} if isinstance(then, str) else {next(k for k in then if k != "outside")}
        relaxations = [*part["steps"], *([then["bound"]] if "bound" in then else [])]
        sizes = {len(entry) - 2 for one in relaxations for entry in one["z"]}
        found |= {name for size, name in ((3, "triangles"), (5, "pentagons")) if size in sizes}
    return found


def signed(certificate):
    """A forger can write the digest of a changed claim as well."""
    try:
        return certificate | {"digest": checker.digest(certificate)}
    except (KeyError, TypeError, ValueError):
        return certificate  # of what is no claim


# ---- Any change at any depth.

JUNK = [
    None, True, False, 0, 1, 2, -1, -2, 3, 7, 10**6, 10**400, -(10**400), 2**1024, 0.0, -0.0, 1.0,
    0.5, -1.0, 1e-7, 1e-6, 2e-6, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf,
    "", "0", "1", "1/3", "0.1", "-1", "nan", "enumerate", "bound", [], [[]], [0], [1, 2, 3],
    {}, {"0": 0}, {"bound": {}}, {"steps": [], "then": "enumerate"}, (), (0, 1), b"1", 1j,
    Fraction(1, 3), Decimal("0.1"), np.float64(0.5), np.int64(1), frozenset({1}), range(3),
]  # fmt: skip
NAMES = [
    "merge", "free", "z", "y", "bound", "branch", "inside", "outside", "steps", "then",
    "ruled_out", "sha256", "digest", "proof", "tolerance", "n", "", "linear",
]  # fmt: skip


def pick(rng, items):
    """One of some items."""
    return items[int(rng.integers(len(items)))]


def junk(rng):
    """Something that may not belong where it is put; a copy, since it may be changed there."""
    return copy.deepcopy(pick(rng, JUNK))


def spot(rng, root):
    """A random container in a tree of lists and dicts, and a key of it; each level is as likely."""
    holder, key = None, None
    here = root
    while isinstance(here, (dict, list)) and here:
        holder, key = here, pick(rng, list(here) if isinstance(here, dict) else range(len(here)))
        here = holder[key]
        if rng.random() < 0.2:
            break
    return holder, key


def other_number(rng, x):
    """A number near another one, or the same in another form."""
    if isinstance(x, int) and not isinstance(x, bool):
        near = [x + 1, x - 1, -x, x - 7, x + 7, float(x) if abs(x) < 1e300 else x, str(x)[:9], [x]]
        return pick(rng, [*near, bool(x), 0, 1])
    if isinstance(x, float):
        with np.errstate(all="ignore"):
            far = [x * 2, x / 2, -x, x + 1, x - 1, x * (1 + 1e-7), x * (1 - 1e-7), x * 1e300]
            near = [float(np.nextafter(x, math.inf)), float(np.nextafter(x, -math.inf))]
        whole = [int(x), round(x)] if math.isfinite(x) else []
        return pick(rng, [*far, *near, *whole, repr(x), [x], {"x": x}, 0.0, -0.0])
    return junk(rng)


def change(rng, root, pool):
    """Change one thing in a tree, in place."""
    holder, key = spot(rng, root)
    if holder is None:
        return
    old = holder[key]
    kind = rng.integers(12)
    if kind <= 3:
        holder[key] = other_number(rng, old)
    elif kind == 4:
        holder[key] = junk(rng)
    elif kind == 5:
        del holder[key]
    elif kind == 6:  # something of this certificate, or of another one
        there, name = spot(rng, pick(rng, [root, pick(rng, pool)]))
        holder[key] = json.loads(json.dumps(there[name], default=str)) if there else old
    elif kind == 7 and isinstance(holder, list):
        holder.insert(int(rng.integers(len(holder) + 1)), pick(rng, [old, junk(rng)]))
    elif kind == 7:
        holder[pick(rng, NAMES)] = pick(rng, [old, junk(rng), [0, 1], [1, -1]])
    elif kind == 8:  # two of a list or an object change places
        other = pick(rng, list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key], holder[other] = holder[other], old
    elif kind == 9 and isinstance(holder, list):
        order = rng.permutation(len(holder)).tolist()
        holder[:] = [holder[i] for i in order]
    elif kind == 9 and isinstance(old, dict) and old:  # a key gets another name
        old[pick(rng, NAMES)] = old.pop(pick(rng, list(old)))
    elif kind == 10:
        holder[key] = pick(rng, [[old], {"0": old}, (old,), [old, old], str(old)[:20]])
    elif isinstance(old, list):
        holder[key] = pick(rng, [old[:-1], old[1:], old * 2, old[::-1], tuple(old), dict.fromkeys(
            range(len(old)), 0)])  # fmt: skip


def mutant(rng, texts, pool):
    """A certificate with one change or several, mostly with a digest of its own."""
    certificate = json.loads(pick(rng, texts))
    where = pick(rng, [certificate, certificate["proof"]])
    if rng.random() < 0.3:  # another claim of the right form: is the proof one of it?
        change_claim(rng, certificate)
    for _ in range(int(rng.choice([1, 1, 1, 2, 2, 3, 5]))):
        change(rng, where, pool)
    return signed(certificate) if rng.random() < 0.8 else certificate


def change_claim(rng, certificate):
    """Change a claim within its form."""
    n = certificate["vertices"]
    kind = rng.integers(7)
    if kind == 0 and n:
        certificate["nodes"] = sorted(set(certificate["nodes"]) ^ {int(rng.integers(n))})
    elif kind == 1:
        certificate["nodes"] = np.flatnonzero(rng.random(n) < 0.5).tolist()
    elif kind == 2 and certificate["weights"]:
        pair = int(rng.integers(len(certificate["weights"])))
        weight = certificate["weights"][pair]
        certificate["weights"][pair] = pick(rng, [weight + 1, weight * (1 + 1e-6), -weight, 0.25])
    elif kind == 3:
        certificate["alpha"] = pick(rng, [certificate["alpha"] * 0.9, 0.0, 0.3, 0.5])
    elif kind == 5 and n and "linear" in certificate:
        vertex = int(rng.integers(n))
        own = certificate["linear"][vertex]
        certificate["linear"][vertex] = pick(rng, [own + 1, own * (1 + 1e-6), -own, 0, 0.25])
    elif kind == 6 and "linear" in certificate:
        del certificate["linear"]
    elif kind == 6:
        certificate["linear"] = [pick(rng, [0, 0.0, 0.5, 1e-6]) for _ in range(n)]
    elif kind == 4:
        certificate["tolerance"] = pick(rng, [0, 0.0, 1e-6, 1e-9, 1.0, 1e-5])


# ---- A forger who knows the checker.


@dataclasses.dataclass
class Forger:
    """Claims worse sets, and writes the best proofs that multipliers of any kind allow.

    `honest`: claims the best sets, by multipliers of the right form.
    """

    rng: np.random.Generator
    honest: bool = False

    def certificate(self):
        """A claim with a proof."""
        rng = self.rng
        n = int(rng.integers(3, 7))
        while True:
            kinds = ["normal", "binary", "whole", "close", *LINEAR_KINDS[:3]]
            weights, alpha, linear = graph(rng, n, pick(rng, kinds))
            every, unit = values(n, weights, alpha, linear)
            order = sorted(range(2**n), key=every.__getitem__, reverse=True)
            tolerance = pick(rng, [0, 1e-7, 1e-6])
            worse = [s for s in order if 0 <= every[s] * (1 + Fraction(tolerance)) < max(every)]
            if worse:
                break
        claimed = worse[0] if rng.random() < 0.6 else pick(rng, worse)
        if self.honest:
            claimed = order[0]
        claim = {
            "vertices": n,
            "weights": weights,
            "alpha": alpha,
            "nodes": [v for v in range(n) if claimed >> v & 1],
            "tolerance": tolerance,
        }
        certificate = signed(claim if linear is None else claim | {"linear": linear})
        self.problem = checker.Problem(certificate)
        self.scale = float(np.abs(np.array(weights) - alpha).mean())
        self.gap = float(Fraction(max(every) - every[claimed], unit))  # what must be hidden
        self.cheat = (
            None if self.honest else pick(rng, [None, "free", "open", "places", "pattern", "sign"])
        )
        return {**certificate, "proof": self.part([0] * n, depth=2)}

    def part(self, side, depth):
        """A proof of a part: multipliers are fitted to the numbers that the checker has there."""
        rng, n = self.rng, len(side)
        side = list(side)
        steps = []
        for _ in range(int(rng.integers(3))):
            if not self.problem.deduce(side):
                break
            free, z, relaxation = self.relaxation(side)
            fine = []
            for _ in range(int(rng.integers(1, 4)) if free else 0):
                place = int(rng.integers(len(free)))
                where = pick(rng, [1, -1])
                joined = checker.with_one_placed(*relaxation, place, where)
                y = self.diagonal(joined[1])
                if self.problem.is_below(*joined, y):
                    fine.append([place, where, y])
            if fine:
                checker.exclude(side, [(free[place], where) for place, where, _ in fine])
                steps.append({"free": free, "z": z, "ruled_out": fine})
        ends = ["bound", "bound", "enumerate"] + ["branch"] * 2 * (depth > 0)
        end = pick(rng, ends)
        if end == "bound" and not all(side):
            free, z, (_, matrix) = self.relaxation(side)
            end = {"bound": {"free": free, "z": z, "y": self.diagonal(matrix)}}
        elif end == "branch":
            v = int(rng.integers(n))
            end = {
                "branch": v,
                "inside": self.part(checker.placed(side, v, 1), depth - 1),
                "outside": self.part(checker.placed(side, v, -1), depth - 1),
            }
        return {"steps": steps, "then": end if end != "bound" else "enumerate"}

    def cheats(self, kind):
        """Whether to try here what must not be."""
        return self.cheat == kind and self.rng.random() < 0.4

    def relaxation(self, side):
        """Free vertices and inequalities, of which some are as they must not be."""
        rng = self.rng
        free = [v for v in range(len(side)) if side[v] == 0 or rng.random() < 0.2]
        if free and self.cheats("open"):
            free.remove(pick(rng, free))
        if free and self.cheats("free"):
            free = pick(rng, [[*free, free[-1]], free[::-1], [*free[:-1], free[-1] - len(side)]])
        z, m = [], len(free) + 1
        for _ in range(int(rng.integers(5)) if m > 2 else 0):
            size = pick(rng, [3, 5]) if m > 4 else 3
            patterns = 2 ** (size - 1)
            places = sorted(rng.permutation(m)[:size].tolist())
            if self.cheats("places"):
                # Also an even number of them: its signs may add up to 0.
                places = rng.integers(-m, m, size=pick(rng, [size, size - 1])).tolist()
            pattern = int(rng.integers(-patterns if self.cheats("pattern") else 0, patterns))
            unit = pick(rng, [self.scale, self.scale, 8 * self.gap])
            amount = float(rng.choice([0.1, 0.5, 1, 4]) * unit * rng.random())
            z.append([*places, pattern, -amount if self.cheats("sign") else amount])
        try:
            return free, z, self.problem.relaxation(side, free, z)
        except ValueError:
            return [], [], self.problem.relaxation([s or -1 for s in side], [], [])

    def diagonal(self, matrix):
        """A y with which a relaxation gives nearly its best bound (Wang and Kolter's mixing)."""
        unit = 2.0 ** (self.problem.digits + 1)
        matrix = np.array([[entry / unit for entry in row] for row in matrix])
        np.fill_diagonal(matrix, 0)
        vectors = self.rng.normal(size=(len(matrix), len(matrix)))
        for _ in range(60):
            for i, row in enumerate(matrix):
                pull = row @ vectors
                vectors[i] = pull / (np.linalg.norm(pull) or 1)
        y = np.linalg.norm(matrix @ vectors, axis=1)
        lowest = np.linalg.eigvalsh(np.diag(y) - matrix)[0]
        return (y + max(0.0, -lowest) + 1e-10 * self.scale).tolist()
