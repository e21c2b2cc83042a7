"""The relaxation, its bound, its other solvers, the roundings and the paper's algorithm."""

import importlib.util
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.alpha import alpha_from_percentile
from contrast_subgraphs.contrast.difference import difference_of_summaries
from contrast_subgraphs.contrast.objective import conditioned, surplus, surplus_of
from contrast_subgraphs.contrast.solver.densdp import densdp, local_search
from contrast_subgraphs.contrast.solver.relaxation import (
    dual_bound,
    factor,
    hyperplanes,
    lifted,
    low_rank,
    relax,
    scaled_rounding,
    solve_with_cvxpy,
    values,
)
from contrast_subgraphs.core.errors import InputError
from contrast_tools import brute_force, surplus_matrices
from hypothesis import given, settings
from hypothesis import strategies as st

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)


@pytest.fixture(scope="module")
def difference(published):
    graphs = published("children")
    td, asd = graphs.adjacency[graphs.y == 0], graphs.adjacency[graphs.y == 1]
    return difference_of_summaries(td.mean(axis=0), asd.mean(axis=0), "td-asd")


@PROPERTY
@given(surplus_matrices(largest=8), st.integers(0, 100))
def test_the_bound_holds_for_any_vectors(matrix, seed):
    scaled, _ = conditioned(matrix)
    best = max(0.0, brute_force(scaled).max())
    lift, constant = lifted(scaled)
    rng = np.random.default_rng(seed)
    for vectors in (rng.normal(size=(3, len(lift))), low_rank(lift, seed=seed, sweeps=seed % 5)):
        assert (constant + dual_bound(lift, vectors)) / 8 >= best - 1e-9
    assert relax(scaled)[1] >= best - 1e-9


@PROPERTY
@given(surplus_matrices(largest=7), st.integers(0, 2**7 - 1))
def test_the_lifted_form_has_the_values_of_the_sets(matrix, bits):
    scaled, _ = conditioned(matrix)
    inside = (bits >> np.arange(len(scaled))) & 1
    x = np.concatenate([[1], 2 * inside - 1])
    lift, constant = lifted(scaled)
    value = surplus_of(scaled, np.flatnonzero(inside))
    assert (constant + x @ lift @ x) / 8 == pytest.approx(value, abs=1e-9)


def test_the_low_rank_method_closes_the_duality_gap(difference):
    matrix, _ = conditioned(surplus(difference, alpha_from_percentile(difference, 80)))
    lift, _ = lifted(matrix)
    vectors = low_rank(lift)
    assert np.linalg.norm(vectors, axis=0) == pytest.approx(1)
    primal = np.sum((vectors @ lift) * vectors)
    assert dual_bound(lift, vectors) == pytest.approx(primal, rel=1e-4)


def has_mosek_licence():
    places = os.environ.get("MOSEKLM_LICENSE_FILE", str(Path.home() / "mosek" / "mosek.lic"))
    return any("@" in place or Path(place).exists() for place in places.split(os.pathsep))


@pytest.mark.parametrize("solver", ["scs", "clarabel", "mosek"])
def test_other_solvers_agree_with_the_low_rank_method(solver, difference):
    pytest.importorskip("cvxpy")
    if importlib.util.find_spec(solver) is None:
        pytest.skip(f"{solver} is not installed")
    if solver == "mosek" and not has_mosek_licence():
        pytest.skip("no licence for MOSEK on this machine")
    part = difference[::4, ::4]  # 29 regions: clarabel takes a minute for all of them
    matrix, exponent = conditioned(surplus(part, alpha_from_percentile(part, 80)))
    lift, constant = lifted(matrix)
    value = (constant + np.sum(lift * solve_with_cvxpy(lift, solver))) / 8
    bound, expected = relax(matrix, solver)[1], relax(matrix)[1]
    assert value == pytest.approx(expected, rel=1e-3)
    assert bound == pytest.approx(expected, rel=1e-3)
    assert np.ldexp(bound, exponent) >= sweep(part, percentiles=[80])[0].objective


def test_an_inaccurate_answer_is_refused(monkeypatch):
    cvxpy = pytest.importorskip("cvxpy")
    monkeypatch.setattr(cvxpy.Problem, "status", "optimal_inaccurate")
    with pytest.raises(InputError, match="scs.*optimal_inaccurate.*choose another"):
        solve_with_cvxpy(lifted(np.ones((3, 3)) - np.eye(3))[0], "scs")


def test_a_solver_that_fails_is_reported_in_one_line(monkeypatch):
    cvxpy = pytest.importorskip("cvxpy")

    def fail(self, **options):
        raise cvxpy.SolverError("it broke")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    with pytest.raises(InputError, match="scs failed \\(it broke\\); choose another") as caught:
        solve_with_cvxpy(lifted(np.ones((3, 3)) - np.eye(3))[0], "scs")
    assert "\n" not in str(caught.value)


def test_vectors_have_the_products_of_a_solution():
    gram = np.array([[1.0, 0.3], [0.3, 1.0]])
    vectors = factor(gram)
    assert vectors.T @ vectors == pytest.approx(gram)


def test_mosek_without_a_licence_says_where_it_looked(monkeypatch, tmp_path, difference):
    if importlib.util.find_spec("mosek") is None:
        pytest.skip("mosek is not installed")
    monkeypatch.delenv("MOSEKLM_LICENSE_FILE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(InputError, match="MOSEKLM_LICENSE_FILE.*not set") as caught:
        sweep(difference, percentiles=[80], sdp={"solver": "mosek"})
    message = str(caught.value)
    assert str(tmp_path / "mosek" / "mosek.lic") in message
    assert "auto, clarabel or scs" in message and "\n" not in message
    monkeypatch.setenv("MOSEKLM_LICENSE_FILE", str(tmp_path / "none.lic"))
    with pytest.raises(InputError, match="none.lic"):
        sweep(difference, percentiles=[80], sdp={"solver": "mosek"})


def test_auto_imports_neither_mosek_nor_cvxpy(difference, monkeypatch):
    for name in ("mosek", "cvxpy"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))  # without any content
    assert sweep(difference, percentiles=[97])[0].optimal


def test_an_absent_package_is_named(monkeypatch, difference):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "clarabel" else find_spec(name)
    )
    with pytest.raises(InputError, match="package clarabel is not installed"):
        sweep(difference, percentiles=[80], sdp={"solver": "clarabel"})
    with pytest.raises(InputError, match="auto, mosek, clarabel or scs"):
        sweep(difference, percentiles=[80], sdp={"solver": "gurobi"})


def test_hyperplanes_separate_opposite_vectors():
    vectors = np.array([[1.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    masks = hyperplanes(vectors, 50, np.random.default_rng(0))
    assert (masks == [True, False]).all()


def test_hyperplanes_reach_nearly_the_best_at_low_percentiles(difference):
    matrix, _ = conditioned(surplus(difference, alpha_from_percentile(difference, 70)))
    masks = hyperplanes(relax(matrix)[0], 1000, np.random.default_rng(0))
    best = sweep(difference, percentiles=[70], solver="search")[0].nodes
    assert values(matrix, masks).max() >= 0.85 * surplus_of(matrix, best)


def test_the_papers_rounding_has_the_stated_probabilities():
    n = 200
    vectors = np.zeros((2, n + 1))
    vectors[0] = 1.0
    for seed in range(5):
        direction = np.random.default_rng(seed).normal(size=2)
        share = scaled_rounding(vectors, np.random.default_rng(seed)).mean()
        y = direction[0] / np.sqrt(4 * np.log(n))
        assert share == pytest.approx((1 + y) / 2, abs=0.15)


def test_local_search_adds_removes_and_ends_on_ties():
    everything = np.ones(4, dtype=bool)
    ties = np.zeros((4, 4))
    assert local_search(ties, everything, everything).tolist() == [0, 1, 2, 3]
    # 0 and 1 belong together, 2 spoils it; 3 gains nothing. From all, 0 and 1 are taken
    # out first, and the complement is what remains.
    matrix = np.array([[0, 1, -2, 0], [1, 0, -2, 0], [-2, -2, 0, 0], [0, 0, 0, 0]], float)
    assert local_search(matrix, everything, everything).tolist() == [0, 1]
    start = np.array([True, False, False, False])
    assert local_search(matrix, start, everything).tolist() == [0, 1]
    # Only vertices of the rounded set are used, and the complement is the better one here.
    allowed = np.array([True, True, True, False])
    start = np.array([False, False, True, False])
    assert local_search(matrix, start, allowed).tolist() == [0, 1]
    # Taking out 0 and 1 leaves 2. After one iteration the complement, 0, is better.
    matrix = np.eye(3) - np.ones((3, 3))
    all_three = np.ones(3, dtype=bool)
    assert local_search(matrix, all_three, all_three).tolist() == [2]
    assert local_search(matrix, all_three, all_three, t_max=1).tolist() == [0]


def test_densdp_is_no_better_than_the_optimum_and_better_with_more_roundings(difference):
    matrix, _ = conditioned(surplus(difference, alpha_from_percentile(difference, 75)))
    vectors, bound = relax(matrix)
    found = [
        surplus_of(matrix, densdp(matrix, vectors, np.random.default_rng(0), count, start=start))
        for start in ("vertex", "rounding")
        for count in (1, 50)
    ]
    assert found[0] <= found[1] <= bound and found[2] <= found[3] <= bound
    with pytest.raises(InputError, match="vertex or rounding"):
        densdp(matrix, vectors, np.random.default_rng(0), start="anywhere")
