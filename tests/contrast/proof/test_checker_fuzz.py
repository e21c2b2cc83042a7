"""No change of a certificate makes the checker accept what is false, or fall over.

What is accepted is compared with all sets, in exact fractions. A longer hunt, with other numbers:

    CHECKER_MUTANTS=1000000 CHECKER_SEED=1 python -m pytest -s <this file>
"""

import itertools
import json
import os
from fractions import Fraction

import forgery
import numpy as np
import pytest
from contrast_subgraphs.contrast import check_certificate
from contrast_subgraphs.contrast.proof import checker
from contrast_subgraphs.core.errors import InputError

MUTANTS = int(os.environ.get("CHECKER_MUTANTS", 16000))
SEED = int(os.environ.get("CHECKER_SEED", 0))
#: What certificates may have.
ALL = {"bound", "branch", "enumerate", "linear", "steps", "triangles", "pentagons"}


@pytest.fixture(scope="module")
def pool():
    """Certificates of graphs of all kinds, by proofs of all kinds."""
    found = []
    for seed, n, kind, mode in itertools.product(
        range(6), (1, 2, 5, 7, 8, 9), [*forgery.KINDS, *forgery.LINEAR_KINDS], forgery.MODES
    ):
        certificate = forgery.genuine(SEED + seed, n, kind, mode)
        simple = forgery.kind_of(certificate) <= {"enumerate", "linear"}
        if not simple or (seed == 0 and mode == "branching"):  # of these there would be many
            found.append(certificate)
    return found


def test_there_are_proofs_of_all_kinds_and_all_are_true(pool):
    truth = forgery.Truth()
    kinds = set()
    for certificate in pool:
        checker.check(certificate)
        assert truth.of(certificate)
        kinds.add(frozenset(forgery.kind_of(certificate)))
    assert frozenset().union(*kinds) == ALL
    assert len(kinds) > 14


def describe(certificate):
    """What to look at when a mutant is accepted that should not be."""
    return f"accepted, and false: {certificate!r}"


def test_no_mutant_is_accepted_that_is_false_and_nothing_else_is_raised(pool):
    rng = np.random.default_rng([SEED, 1])
    texts = [json.dumps(certificate) for certificate in pool]
    truth = forgery.Truth()
    accepted = 0
    for k in range(MUTANTS):
        mutant = forgery.mutant(rng, texts, pool)
        try:
            if k % 10:
                checker.check(mutant)
            else:
                check_certificate(mutant)
        except ValueError as error:
            assert "proves nothing" in str(error)
            assert k % 10 or isinstance(error, InputError)
            continue
        assert truth.of(mutant), describe(mutant)
        accepted += 1
    print(f"{MUTANTS} mutants, {accepted} accepted, of {len(truth.known)} graphs, all true")
    assert accepted > MUTANTS / 100 and len(truth.known) > len(pool)


def test_no_forger_who_knows_the_checker_gets_a_false_claim_accepted():
    forger = forgery.Forger(np.random.default_rng([SEED, 2]))
    truth = forgery.Truth()
    for _ in range(MUTANTS // 16):
        forged = forger.certificate()
        assert not truth.of(forged)
        with pytest.raises(ValueError, match="proves nothing"):
            checker.check(forged)
            pytest.fail(describe(forged))


def test_the_forger_is_a_good_one():
    """Of true claims such proofs are often accepted: the false ones fail for being false."""
    forger = forgery.Forger(np.random.default_rng([SEED, 3]), honest=True)
    accepted = 0
    for _ in range(300):
        try:
            checker.check(forger.certificate())
        except ValueError:
            continue
        accepted += 1
    assert accepted > 100


# ---- The remainder, of which no claim of small graphs needs the last digits.


def semidefinite(matrix):
    """Whether a matrix of whole numbers is positive semidefinite, by elimination in fractions."""
    rows = [[Fraction(x) for x in row] for row in matrix]
    while rows:
        first, rest = rows[0], rows[1:]
        if first[0] < 0 or (first[0] == 0 and any(first)):
            return False
        share = [row[0] / first[0] if first[0] else 0 for row in rest]
        rows = [
            [x - factor * y for x, y in zip(row[1:], first[1:], strict=True)]
            for row, factor in zip(rest, share, strict=True)
        ]
    return True


def plus(matrix, r):
    return [[x + r * (i == j) for j, x in enumerate(row)] for i, row in enumerate(matrix)]


def symmetric(lower):
    return [[lower[max(i, j)][min(i, j)] for j in range(len(lower))] for i in range(len(lower))]


def test_the_remainder_counts_what_floating_point_numbers_do_not_see():
    rng = np.random.default_rng([SEED, 4])
    digits, found, hidden = 120, 0, 0
    for _ in range(1500):
        m = int(rng.integers(2, 6))
        half = np.tril(rng.normal(size=(m, m)))
        half[-1, -1] = 1e-8  # so that the matrix is nearly singular
        below = rng.integers(-(2**60), 2**60, size=(m, m)).tolist()  # 2**-60: under the last digit
        lower = [[int(Fraction(x) * 2**digits) for x in row] for row in half @ half.T]
        matrix = symmetric(
            [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(lower, below, strict=True)]
        )
        r = checker.remainder(matrix, digits)
        if r is not None:
            found += 1
            hidden += not semidefinite(matrix)
            assert semidefinite(plus(matrix, r))
    assert found > 100 and hidden > 10


def test_the_remainder_holds_whatever_factor_is_proposed(monkeypatch):
    rng = np.random.default_rng([SEED, 5])
    for _ in range(1500):
        m, digits = int(rng.integers(1, 6)), 3
        matrix = symmetric(
            (rng.integers(-20, 21, size=(m, m)) * (rng.random((m, m)) < 0.5)).tolist()
        )
        size = forgery.pick(rng, [1, 2**31, 2**33, 2**34])
        proposed = [rng.integers(-size, size, size=i + 1).tolist() for i in range(m)]
        monkeypatch.setattr(checker, "factor", lambda *of, proposed=proposed: proposed)
        assert semidefinite(plus(matrix, checker.remainder(matrix, digits)))


def test_a_bound_holds_whatever_factor_and_multipliers_are_given(monkeypatch):
    rng = np.random.default_rng([SEED, 6])
    monkeypatch.setattr(checker, "LEAST_DIGITS", 0)
    problem = checker.Problem(forgery.signed(claim(4, [1.5, 2, 0, 1, 1, 1], 0, [0, 1, 2, 3])))
    monkeypatch.undo()
    shown = 0
    for _ in range(3000):
        m = int(rng.integers(1, 5))
        matrix = symmetric(np.tril(rng.integers(-9, 10, size=(m, m)), -1).tolist())
        signs = [np.array(x) for x in itertools.product((1, -1), repeat=m)]
        most = max(int(x @ np.array(matrix) @ x) for x in signs)
        slack = int(rng.integers(-40, 200))
        size = forgery.pick(rng, [1, 2**29, 2**31])
        proposed = [rng.integers(-size, size, size=i + 1).tolist() for i in range(m)]
        if rng.random() < 0.5:
            monkeypatch.setattr(checker, "factor", lambda *of, proposed=proposed: proposed)
        y = rng.integers(-20, 20, size=m).tolist()
        if problem.is_below(16 * problem.least - most - slack, matrix, y):
            assert slack > 0
            shown += 1
        monkeypatch.undo()
    assert shown > 100


# ---- Forgeries that older versions of the checker accepted.


def claim(n, weights, alpha, nodes):
    return {"vertices": n, "weights": weights, "alpha": alpha, "nodes": nodes, "tolerance": 1e-7}


ENUMERATE = {"steps": [], "then": "enumerate"}


def refused(certificate):
    with pytest.raises(ValueError, match="the certificate proves nothing: "):
        checker.check(certificate)
    with pytest.raises(InputError, match="the certificate proves nothing: "):
        check_certificate(certificate)


def test_a_bound_of_the_sets_without_one_vertex_is_no_bound_of_all():
    """A key `merge` placed a vertex: 0.9 was proved, where all three vertices have 4.9."""
    forged = forgery.signed(claim(3, [1.0, 2.1, 2.1], 0.1, [0, 1]))
    assert not forgery.Truth().of(forged)
    problem = checker.Problem(forged)
    free, y = [0, 1, 2], [1.8 + 1e-9] * 3
    without_the_last = checker.with_one_placed(*problem.relaxation([0, 0, 0], free, []), 2, -1)
    assert problem.is_below(*without_the_last, y)
    for more in ({}, {"merge": [2, -1]}):
        refused(forged | {"proof": {"steps": [], "then": {"bound": {
            "free": free, "z": [], "y": y, **more}}}})  # fmt: skip


@pytest.mark.parametrize(
    ("n", "weights", "alpha"),
    [(7, ["0.1"] * 21, 0), (4, ["1/3"] * 6, 0), (7, [0] * 21, "-0.1")],
    ids=["0.1", "1/3", "alpha"],
)
def test_numbers_as_texts_are_no_weights(n, weights, alpha):
    """No fractions of powers of two: they were cut to 0, where all vertices have 2 or more."""
    forged = claim(n, weights, alpha, [])
    assert not forgery.Truth().of(forged)
    refused(forgery.signed(forged) | {"proof": ENUMERATE})


# ---- Every place of every form.


def places(tree, path=()):
    """Every container, key and path of a tree."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key, (*path, key)
        if isinstance(tree[key], (dict, list)):
            yield from places(tree[key], (*path, key))


def each_shape(certificate):
    """The places of a certificate, of each list of the same kind the first and last three."""
    seen = {}
    for place in places(certificate):
        lists = tuple("*" if isinstance(key, int) else key for key in place[2])
        inner = place[2][-1] if lists[-1] == "*" and len(lists) > 2 else None
        seen.setdefault((lists, inner if inner in range(5) else None), []).append(place)
    for found in seen.values():
        yield from found[:3] + found[3:][-3:]


def unlike(value):
    """What cannot stand where some value stands."""
    yield from (None, True, False, "1", "0.1", b"1", 1j, (), {"x": value}, [value], (value,))
    yield from (float("nan"), float("inf"), -float("inf"), 10**400, -(10**400))
    if type(value) is int:
        yield from (float(value), str(value), value + 0.5, value - 1000, value + 1000)
    elif type(value) is float:
        yield from (repr(value), np.float64(value))
    elif type(value) is list:
        yield from (tuple(value), dict(enumerate(value)), 0, 1.0, repr(value))
    elif type(value) is dict:
        yield from (list(value.items()), tuple(value), value | {"merge": [0, 1]}, value | {0: 0})
        yield from ({k: v for k, v in value.items() if k != name} for name in value)
        yield from (value | {name: None} for name in forgery.NAMES if name not in value)
    elif value == "enumerate":
        yield from ("Enumerate", "", "bound", ["enumerate"], {"enumerate": {}}, {}, 0)


def test_nothing_of_another_form_is_accepted_anywhere(pool):
    wanted = ALL
    bases = []
    while wanted:  # the fewest certificates that have everything
        base = max(pool, key=lambda c: (len(wanted & forgery.kind_of(c)), -len(str(c))))
        bases.append(json.loads(json.dumps(base)))
        wanted = wanted - forgery.kind_of(base)
    count = 0
    for base in bases:
        root = [base]
        for holder, key, path in each_shape(root):
            old = holder[key]
            for other in unlike(old):
                holder[key] = other
                with pytest.raises(ValueError, match="proves nothing"):
                    forged = root[0]
                    as_it_is = path in [(0,), (0, "digest")]
                    checker.check(forged if as_it_is else forgery.signed(forged))
                    pytest.fail(f"{path}: {other!r} was accepted for {old!r}")
                count += 1
            holder[key] = old
        checker.check(base)
    assert count > 1000


def proof_with(**changes):
    """A certificate of a pair, whose proof has a step, a branch and a bound, and changes in it."""
    step = {"free": [0, 1], "z": [[0, 1, 2, 0, 0.0]], "ruled_out": []}
    bound = {"free": [0, 1], "z": [[0, 1, 2, 0, 0.0]], "y": [9, 9, 9]}
    branch = {"branch": 1, "inside": ENUMERATE, "outside": {"steps": [], "then": {"bound": bound}}}
    for where in (step, bound, branch):
        where.update({key: value for key, value in changes.items() if key in where})
    made = forgery.signed(claim(2, [1.0], 0.5, [0, 1]))
    return made | {"proof": {"steps": [step], "then": branch}}


@pytest.mark.parametrize(
    "changes",
    [
        {"free": [1, 0]}, {"free": [0, 0]}, {"free": [-2, -1]}, {"free": [0, -1]}, {"free": [0, 2]},
        {"branch": -1}, {"branch": -2}, {"branch": 2}, {"branch": True}, {"branch": 1.0},
        {"z": [[0, 1, 2, -1, 0.0]]}, {"z": [[0, 1, 2, 4, 0.0]]}, {"z": [[0, 1, 2, True, 0.0]]},
        {"z": [[0, 1, 1, 0, 0.0]]}, {"z": [[0, 2, 1, 0, 0.0]]}, {"z": [[-3, 1, 2, 0, 0.0]]},
        {"z": [[0, 1, 3, 0, 0.0]]}, {"z": [[-3, -2, -1, 0, 0.0]]}, {"z": [[0, 1, 2, 0, -1e-9]]},
        {"z": [[0, 1, 2, 0]]}, {"z": [[0, 1, 2, 0, 0.0, 0]]}, {"z": [[0, 0.0]]},
        {"z": [[0, 1, 2, 0, 0, 0, 0.0]]}, {"z": [[0, 1, 1, 2, 2, 0, 0.0]]}, {"z": [[0, 1, 0, 0.0]]},
        {"z": [[0, 0, 0.0]]},
        {"y": [9, 9]}, {"y": [9, 9, 9, 9]},
        {"y": [9, 9, True]}, {"y": []}, {"ruled_out": [[-1, 1, [9, 9]]]},
        {"ruled_out": [[2, 1, [9, 9]]]}, {"ruled_out": [[0, 0, [9, 9]]]},
        {"ruled_out": [[0, 2, [9, 9]]]}, {"ruled_out": [[0, True, [9, 9]]]},
        {"ruled_out": [[0, 1, [9, 9, 9]]]}, {"ruled_out": [[0, 1]]},
        {"inside": None}, {"outside": "enumerate"}, {"inside": {"steps": []}},
    ],
    ids=str,
)  # fmt: skip
def test_each_rule_of_the_form(changes):
    checker.check(proof_with())
    refused(proof_with(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": [1, 0]}, {"nodes": [0, 0, 1]}, {"nodes": [-2, -1]}, {"nodes": [0, 2]},
        {"nodes": [False, True]}, {"vertices": True}, {"vertices": 2.0}, {"vertices": -1},
        {"vertices": 10**9}, {"vertices": 10**300}, {"weights": [True]}, {"weights": [10**400]},
        {"weights": [2.0**1023] * 1 + [0.0]}, {"alpha": 10**400}, {"alpha": False},
        {"tolerance": True}, {"tolerance": -1e-9}, {"tolerance": 1.1e-6}, {"tolerance": "1e-7"},
        {"weights": [-1.0]}, {"nodes": []}, {"nodes": [0]},
        {"linear": []}, {"linear": [0.0]}, {"linear": [0.0] * 3}, {"linear": None}, {"linear": 0.0},
        {"linear": [True, 0]}, {"linear": ["0", "0"]}, {"linear": [10**400, 0]},
        {"linear": [0.0, -1.0]}, {"linear": {"0": 0, "1": 0}},
    ],
    ids=lambda changes: str(changes)[:40],
)  # fmt: skip
def test_each_rule_of_a_claim(changes):
    refused(forgery.signed(proof_with() | changes))


def test_of_whole_numbers_a_gap_below_one_ends_a_proof():
    """Pairs of 4 have 4, three have 1: a bound of 4.9 says that no set has 5."""
    linear = {"linear": [0.0, 0.0, -11.0]}
    made = forgery.signed(claim(3, [4.0, 4.0, 4.0], 0.0, [0, 1]) | linear)
    problem = checker.Problem(made)
    unit = 2**problem.digits
    for bound, below in ((4.0, True), (4.9, True), (5.0, False)):
        assert problem.is_below(int(16 * bound * unit) - 2 * unit, [[0]], [1]) is below
    fractions = checker.Problem(forgery.signed(made | {"linear": [0.0, 0.0, -10.5]}))
    assert not fractions.is_below(int(16 * 4.9 * unit) - 2 * unit, [[0]], [1])


def test_an_objective_beyond_floating_point_numbers_is_refused():
    forged = forgery.signed(claim(4, [1.7e308] * 6, 0.0, [0, 1, 2, 3]))
    refused(forged | {"proof": ENUMERATE})
    assert checker.remainder([[2**3000]], 1) is None  # nor does Cholesky's method fall over


@pytest.mark.parametrize("n", [0, 1])
def test_without_a_pair_the_empty_set_is_the_best(n):
    for nodes in [[], list(range(n))]:
        certificate = forgery.signed(claim(n, [], 0.5, nodes)) | {"proof": ENUMERATE}
        assert checker.check(certificate) == 0


def branching(depth, last, n=1):
    """A proof that branches so often, on one vertex after the other."""
    proof = last
    for k in reversed(range(depth)):
        then = {"branch": k % n, "inside": ENUMERATE, "outside": proof}
        proof = {"steps": [], "then": then}
    return proof


def test_proofs_may_be_as_deep_as_there_are_vertices_without_recursion():
    n = 1100  # more than Python's limit
    checker.ensure_proof(branching(n, ENUMERATE, n), n)
    small = forgery.signed(claim(3, [1.0] * 3, 0.5, [0, 1, 2]))
    checker.check(small | {"proof": branching(3, ENUMERATE, 3)})
    for depth in (4, 100_000):
        refused(small | {"proof": branching(depth, ENUMERATE)})
    circle = branching(1, ENUMERATE)
    circle["then"]["inside"] = circle
    refused(small | {"proof": circle})
    with pytest.raises(ValueError, match="each part must end"):
        checker.ensure_proof(branching(n, {"steps": [], "then": "?"}, n), n)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"alpha": 0.5', '"alpha": 0.5, "alpha": 0.5', "a key is there twice"),
        ('"z": []', '"z": [], "z": []', "a key is there twice"),
        ("0.5", "NaN", "NaN is no number"),
        ("[9, 9, 9]", "[9, 9, -Infinity]", "-Infinity is no number"),
        ("[9, 9, 9]", "[9, 9, 1e999]", "y of a bound"),
        ("[9, 9, 9]", f"[9, 9, {'9' * 5000}]", "cannot be read"),
        ("[9, 9, 9]", "[" * 100_000 + "]" * 100_000, "cannot be read"),
        ('{"steps"', '["steps"', "cannot be read"),
        ("{", "\ufeff{", "cannot be read"),
        ("{", "\xff{", "cannot be read"),
    ],
)
def test_files_are_read_strictly_and_every_one_is_told(tmp_path, capsys, old, new, why):
    proof = {"steps": [], "then": {"bound": {"free": [0, 1], "z": [], "y": [9, 9, 9]}}}
    fine = json.dumps(forgery.signed(claim(2, [1.0], 0.5, [0, 1])) | {"proof": proof})
    assert old in fine
    encoding = "latin-1" if "\xff" in new else "utf-8"
    (tmp_path / "forged.json").write_text(fine.replace(old, new, 1), encoding=encoding)
    (tmp_path / "fine.json").write_text(fine, encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("missing.json", "forged.json", "fine.json")]
    assert checker.main(paths) == 1
    out, err = capsys.readouterr()
    assert out.startswith(f"{paths[2]}: proved") and out.count("proved") == 1
    missing, forged = err.splitlines()
    assert "missing.json" in missing and "forged.json" in forged and why in forged
    assert checker.main(paths[2:]) == 0
    assert checker.main([]) == 2
