"""Binary quadratic problems: exact against all sets, in fractions; certificates; files."""

import gzip
import itertools
import json
from fractions import Fraction

import forgery
import numpy as np
import pytest
import scipy.sparse
from contrast_subgraphs import (
    InputError,
    QuadraticProblem,
    certify,
    check_certificate,
    contrast_subgraph,
    maximize_quadratic,
)
from contrast_subgraphs.contrast.proof import tree
from contrast_subgraphs.contrast.quadratic import Placed

#: Brute force over so many problems of each kind.
INSTANCES = 160
NUMBERS = [1e-16, 1e-9, 0.1, 0.3, 1.0, 3.0, 1e6, 1e12, 1e16, 0.0]


def symmetric(upper):
    upper = np.triu(upper, 1)
    return upper + upper.T


def pairs(rng, n, kind):
    """Weights of pairs."""
    if kind == "normal":
        return symmetric(rng.normal(size=(n, n)))
    if kind == "whole":
        return symmetric(rng.integers(-3, 4, size=(n, n)).astype(float))
    return symmetric(rng.choice(NUMBERS, size=(n, n)) * rng.choice([-1, 1], size=(n, n)))


LINEAR = {
    "nothing": lambda rng, n: np.zeros(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "negative": lambda rng, n: -3 * np.abs(rng.normal(size=n)),
    "whole": lambda rng, n: rng.integers(-4, 5, size=n).astype(float),
    "of any size": lambda rng, n: rng.normal(size=n) * rng.choice([1e-12, 1, 1e8, 1e20], size=n),
    "forcing": lambda rng, n: rng.choice([-1e300, -1.0, 0.0, 0.5, 1.0, 1e300], size=n),
}


def every_value(weights, linear):
    """Value of every set in fractions."""
    every, unit = forgery.values(
        len(weights), weights[np.triu_indices(len(weights), 1)].tolist(), 0, linear.tolist()
    )
    return every, unit


@pytest.mark.parametrize("kind", ["normal", "whole", "any"])
@pytest.mark.parametrize("of_vertices", LINEAR)
def test_the_answer_is_the_best_of_all_sets_in_exact_fractions(kind, of_vertices):
    rng = np.random.default_rng([len(kind), list(LINEAR).index(of_vertices)])
    for _ in range(INSTANCES):
        n = int(rng.integers(1, 9))
        weights = pairs(rng, n, kind)
        linear = LINEAR[of_vertices](rng, n)
        share = rng.choice([None, 1e-9, 0.1])
        found = maximize_quadratic(weights, linear, alternatives=share)
        every, unit = every_value(weights, linear)
        best = Fraction(max(every), unit)
        mine = Fraction(every[forgery.place_of(found.nodes.tolist())], unit)
        assert best <= mine * Fraction(1 + 1e-8)
        assert found.objective == pytest.approx(float(mine), rel=1e-12)
        if kind == "whole" and of_vertices == "whole":
            assert mine == best and found.optimal
        # Of no value there is no share that could be left out: the bound says what is open.
        assert found.optimal or (mine == 0 and found.upper_bound < 1e-7 * np.abs(weights).max())


def test_a_term_that_forces_a_vertex_does_not_swallow_the_others():
    rng = np.random.default_rng(0)
    weights = pairs(rng, 10, "normal")
    free = rng.normal(size=10)
    best = maximize_quadratic(weights[1:, 1:], free[1:] + weights[0, 1:]).nodes + 1
    for huge in (1e3, 1e9, 1e17, 1e300):
        assert maximize_quadratic(weights, [huge, *free[1:]]).nodes.tolist() == [0, *best]
        without = maximize_quadratic(weights, [-huge, *free[1:]])
        expected = maximize_quadratic(weights[1:, 1:], free[1:])
        assert without.nodes.tolist() == (expected.nodes + 1).tolist()
        assert without.objective == expected.objective


def test_every_best_set_has_what_is_placed_inside_and_none_what_is_placed_outside():
    rng = np.random.default_rng(1)
    placed_vertices = 0
    for _ in range(200):
        n = int(rng.integers(1, 8))
        weights = pairs(rng, n, "whole")
        linear = rng.integers(-6, 7, size=n).astype(float)
        placed = Placed.of(weights, linear)
        every, _ = every_value(weights, linear)
        outside = set(range(n)) - set(placed.free) - set(placed.inside)
        for place, value in enumerate(every):
            if value == max(every):
                members = {v for v in range(n) if place >> v & 1}
                assert set(placed.inside) <= members and not members & outside
        placed_vertices += n - len(placed.free)
    assert placed_vertices > 100


def test_of_whole_numbers_the_last_digit_counts():
    """Sets whose values differ by 1 in 10 million million are told apart."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        weights = 10**12 * pairs(rng, 7, "whole") + symmetric(rng.integers(-2, 3, (7, 7)))
        linear = 10**12 * rng.integers(-2, 3, 7) + rng.integers(-2, 3, 7).astype(float)
        found = maximize_quadratic(weights, linear)
        every, unit = every_value(weights, linear)
        assert found.optimal and Fraction(found.objective) == Fraction(max(every), unit)


def test_a_contrast_subgraph_is_the_problem_without_linear_terms():
    weights = pairs(np.random.default_rng(3), 40, "normal")
    as_contrast = contrast_subgraph(weights, alpha=0.5)
    as_quadratic = maximize_quadratic(np.where(np.eye(40) == 1, 0, weights - 0.5))
    assert as_quadratic.nodes.tolist() == as_contrast.nodes.tolist()
    assert as_quadratic.objective == as_contrast.objective and as_quadratic.optimal


def test_limits_end_the_proof_with_a_bound_that_holds():
    rng = np.random.default_rng(4)
    weights = symmetric(rng.integers(-50, 51, size=(60, 60)).astype(float))
    linear = rng.integers(-50, 51, size=60).astype(float)
    proved = maximize_quadratic(weights, linear)
    assert proved.optimal
    stopped = maximize_quadratic(weights, linear, limits={"nodes": 0})
    assert not stopped.optimal and stopped.upper_bound == int(stopped.upper_bound)
    assert stopped.upper_bound >= proved.objective
    searched = maximize_quadratic(weights, linear, solver="search")
    assert searched.objective == proved.objective < searched.upper_bound


@pytest.mark.parametrize("relaxation", [False, True])
def test_certificates_of_linear_terms_are_checked_and_belong_to_them(monkeypatch, relaxation):
    if relaxation:
        monkeypatch.setattr(tree, "FIRST_NODES", 0)
        monkeypatch.setattr(tree, "SUB_NODES", 0)
    rng = np.random.default_rng(5)
    weights = pairs(rng, 22, "whole")
    linear = rng.integers(-6, 7, size=22).astype(float)
    found = maximize_quadratic(weights, linear)
    certificate = json.loads(json.dumps(certify(weights, found, linear=linear)))
    assert check_certificate(certificate, weights, alpha=0.0, linear=linear) == found.objective
    assert relaxation <= ("bound" in str(certificate["proof"]))
    with pytest.raises(InputError, match="other linear terms"):
        check_certificate(certificate, weights, linear=linear + 1)
    with pytest.raises(InputError, match="its claim was changed"):
        check_certificate({k: v for k, v in certificate.items() if k != "linear"})
    with pytest.raises(InputError, match="a better set|empty set is better"):
        certify(weights, found, linear=linear - 5)


def test_without_vertices_or_numbers_the_set_is_empty():
    for weights, linear in (([], []), ([[0]], [0]), ([[0]], [-1]), (np.zeros((3, 3)), None)):
        found = maximize_quadratic(weights, linear)
        assert found.nodes.size == 0 and found.objective == 0 and found.optimal
    assert maximize_quadratic([[0]], [2], names=["a"]).regions == ("a",)


@pytest.mark.parametrize(
    ("weights", "linear", "why"),
    [
        ([[1, 2], [2, 0]], None, "its diagonal, at vertex 0.*linear.*of_qubo"),
        (scipy.sparse.csr_array(np.eye(2)), None, "diagonal"),
        ([[0, 2], [1, 0]], None, "not symmetric|symmetric"),
        ([[0, 2, 1]], None, "not square"),
        ([[0, np.nan], [np.nan, 0]], None, "NaN"),
        ([[0, 2], [2, 0]], [1], "one number for each of 2"),
        ([[0, 2], [2, 0]], [[1, 2]], "one number for each of 2"),
        ([[0, 2], [2, 0]], [1, np.nan], "vertex 1"),
        ([[0, 2], [2, 0]], ["1", "2"], "list of numbers"),
        ([[0, 2], [2, 0]], [1e301, 0], "too large"),
    ],
)
def test_what_is_no_problem_is_named(weights, linear, why):
    with pytest.raises(InputError, match=why):
        maximize_quadratic(weights, linear)


# ---- Problems of other fields.


def test_a_qubo_and_a_cut_have_their_values():
    rng = np.random.default_rng(6)
    for _ in range(30):
        n = int(rng.integers(1, 8))
        q = rng.integers(-5, 6, size=(n, n))
        rows = np.array(list(itertools.product([0, 1], repeat=n)))
        problem = QuadraticProblem.of_qubo(q)
        found = maximize_quadratic(problem.weights, problem.linear)
        assert -found.objective == min(x @ q @ x for x in rows)
        graph = symmetric(q)
        cuts = QuadraticProblem.of_cut(graph)
        best = maximize_quadratic(cuts.weights, cuts.linear)
        side = np.isin(np.arange(n), best.nodes)
        assert best.objective == graph[side][:, ~side].sum() and not side[0]
        assert best.objective == max(graph[x == 1][:, x == 0].sum() for x in rows)


def test_files_of_the_field_are_read_and_written(tmp_path):
    text = "3 4\n1 1 -5\n1 2 2\n2 3 -1.5\n3 3 4\n"
    (tmp_path / "small.sparse").write_text(text)
    (tmp_path / "small.sparse.gz").write_bytes(gzip.compress(text.encode()))
    q = np.array([[-5, 2, 0], [2, 0, -1.5], [0, -1.5, 4]])
    expected = QuadraticProblem.of_qubo(q)
    expected.write(tmp_path / "written.sparse")
    for name in ("small.sparse", "small.sparse.gz", "written.sparse"):
        read = QuadraticProblem.read(tmp_path / name)
        np.testing.assert_array_equal(read.weights, expected.weights)
        np.testing.assert_array_equal(read.linear, expected.linear)
    (tmp_path / "graph.mc").write_text("3 2\n1 2 1\n2 3 -1\n")
    read = QuadraticProblem.read(tmp_path / "graph.mc", form="cut")
    graph = symmetric(np.array([[0, 1, 0], [0, 0, -1], [0, 0, 0]]))
    np.testing.assert_array_equal(read.weights, QuadraticProblem.of_cut(graph).weights)


@pytest.mark.parametrize(
    ("text", "form", "why"),
    [
        ("", "qubo", "must begin with the numbers"),
        ("2\n", "qubo", "must begin with the numbers"),
        ("2 2\n1 2 3\n", "qubo", "says 2 lines, and has 1"),
        ("2 1\n1 3 3\n", "qubo", "line 2: '1 3 3' is no pair"),
        ("2 1\n0 1 3\n", "qubo", "line 2"),
        ("2 1\n1 2 nan\n", "qubo", "line 2"),
        ("2 1\n1 2\n", "qubo", "line 2"),
        ("2 2\n1 2 3\n2 1 3\n", "qubo", "line 3: the pair 2 1 stands there twice"),
        ("2 1\n1 1 3\n", "cut", "vertex 1 to itself"),
        ("2 0\n", "rudy", "form must be qubo or cut"),
    ],
)
def test_what_is_no_file_of_a_problem_is_named(tmp_path, text, form, why):
    path = tmp_path / "wrong.sparse"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        QuadraticProblem.read(path, form)


class Model:
    """What a binary quadratic model of `dimod` offers, with values 0 and 1."""

    vartype = "BINARY"

    def __init__(self):
        self.linear = {"a": -1.0, "b": -1.0, "c": 2.0}
        self.quadratic = {("a", "b"): 3.0, ("b", "c"): -4.0}
        self.offset = 0.5

    def change_vartype(self, vartype, inplace):
        assert vartype == "BINARY" and not inplace
        return self


def test_a_binary_quadratic_model_has_its_energy():
    problem = QuadraticProblem.of_bqm(Model())
    found = maximize_quadratic(problem.weights, problem.linear, names=problem.names)
    assert found.regions == ("b", "c") and -(problem.constant + found.objective) == -2.5
    with pytest.raises(InputError, match="no binary quadratic model"):
        QuadraticProblem.of_bqm({"a": 1})


def test_a_model_of_dimod_with_spins():
    dimod = pytest.importorskip("dimod")
    rng = np.random.default_rng(7)
    couplings = {(i, j): int(rng.integers(-3, 4)) for i in range(7) for j in range(i)}
    fields = {i: int(rng.integers(-3, 4)) for i in range(7)}
    model = dimod.BinaryQuadraticModel(fields, couplings, 1.5, "SPIN")
    problem = QuadraticProblem.of_bqm(model)
    found = maximize_quadratic(problem.weights, problem.linear)
    lowest = dimod.ExactSolver().sample(model).first.energy
    assert -(problem.constant + found.objective) == lowest
