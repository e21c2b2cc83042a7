"""Certificates: every proof can be checked without the solver, and nothing false can."""

import copy
import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest
from contrast_subgraphs.contrast import (
    certify,
    check_certificate,
    contrast_subgraph,
)
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of
from contrast_subgraphs.contrast.objective import objective
from contrast_subgraphs.contrast.proof import checker, tree
from contrast_subgraphs.core.errors import InputError
from contrast_tools import brute_force, subsets, surplus_matrices
from hypothesis import assume, given, settings
from hypothesis import strategies as st

PROPERTY = settings(deadline=None, derandomize=True, max_examples=40)


def by_relaxation(weights, solution):
    """A certificate by the relaxation as far as possible, through a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "FIRST_NODES", 0)
        patch.setattr(tree, "SUB_NODES", 0)
        return json.loads(json.dumps(certify(weights, solution)))


def usual(weights, share):
    assume(weights.max() > 0 and len(weights) > 2)
    weights = weights / np.abs(weights).max()
    return weights, contrast_subgraph(weights, alpha=share * weights.max())


@PROPERTY
@given(surplus_matrices(largest=8), st.floats(0.05, 0.9), st.booleans())
def test_the_checker_accepts_what_is_optimal_and_gives_its_value(weights, share, relaxation):
    weights, solution = usual(weights, share)
    make = by_relaxation if relaxation else certify
    value = checker.check(make(weights, solution))
    assert float(value) == pytest.approx(solution.objective, rel=1e-12)


@PROPERTY
@given(surplus_matrices(largest=7), st.floats(0.05, 0.9), st.data())
def test_no_other_set_can_be_given_for_the_optimal_one(weights, share, data):
    weights, solution = usual(weights, share)
    values = brute_force(np.where(np.eye(len(weights)) == 1, 0, weights - solution.alpha))
    worse = np.flatnonzero(values < solution.objective * (1 - 1e-6))
    forged = by_relaxation(weights, solution)
    forged["nodes"] = np.flatnonzero(
        subsets(len(weights))[worse[data.draw(st.integers(0, len(worse) - 1))]]
    ).tolist()
    with pytest.raises(ValueError, match="proves nothing"):
        checker.check(signed(forged))


def signed(certificate):
    """A forger can write the digest of a changed claim as well."""
    return certificate | {"digest": checker.digest(certificate)}


@pytest.fixture(scope="module")
def graph():
    """A graph that proof B needs some steps for, with its certificate."""
    rng = np.random.default_rng(1)
    weights = np.triu(rng.normal(size=(24, 24)), 1)
    weights += weights.T
    solution = contrast_subgraph(weights, percentile=60)
    return weights, solution, by_relaxation(weights, solution)


def test_a_certificate_of_the_relaxation_is_accepted(graph):
    weights, solution, certificate = graph
    assert certificate["proof"]["steps"] or certificate["proof"]["then"] != "enumerate"
    assert float(checker.check(certificate)) == pytest.approx(solution.objective)
    assert solution.objective == objective(weights, solution.nodes, solution.alpha)


def dual(certificate):
    """The first place of a proof that holds multipliers."""
    steps = certificate["proof"]["steps"]
    return steps[0] if steps else certificate["proof"]["then"]["bound"]


def forgeries():
    def nodes_below_zero(c):
        c["nodes"] = [*c["nodes"], c["nodes"][0] - c["vertices"]]

    def a_vertex_left_out_of_free(c):
        dual(c)["free"].pop()

    def a_vertex_twice(c):
        dual(c)["free"][0] = dual(c)["free"][1]

    def no_triangle(c):
        dual(c)["z"].append([0, 1, 1, 0, 1.0])

    def from_the_end(c):
        dual(c)["z"].append([-1, 0, 1, 0, 1.0])

    def a_lower_bound(c):
        where = dual(c)
        y = where["ruled_out"][0][2] if "ruled_out" in where else where["y"]
        y[0] -= 1.0

    def one_multiplier_more(c):
        where = dual(c)
        y = where["ruled_out"][0][2] if "ruled_out" in where else where["y"]
        y.append(-1e6)

    def fewer_weights(c):
        c["weights"].pop()

    def a_higher_weight(c):
        c["weights"][0] += 100.0

    def a_wide_tolerance(c):
        c["nodes"], c["tolerance"] = c["nodes"][1:], 50

    def a_negative_tolerance(c):
        c["nodes"], c["tolerance"] = list(range(c["vertices"])), -1000

    def no_tolerance(c):
        c["tolerance"] = float("nan")

    return [function for name, function in sorted(locals().items())]


@pytest.mark.parametrize("forge", forgeries(), ids=lambda function: function.__name__)
def test_forged_certificates_are_refused(graph, forge):
    forged = copy.deepcopy(graph[2])
    forge(forged)
    with pytest.raises(ValueError):
        checker.check(signed(forged))


@pytest.mark.parametrize("change", [{"alpha": 0.4}, {"tolerance": 1e-6}, {"digest": None}])
def test_another_claim_than_the_one_that_was_proved_is_refused(graph, change):
    forged = copy.deepcopy(graph[2]) | change
    with pytest.raises(InputError, match="its claim was changed"):
        check_certificate(forged)


def test_a_certificate_is_of_one_graph_and_one_penalty(graph):
    weights, solution, certificate = graph
    value = check_certificate(certificate, weights, alpha=solution.alpha)
    assert value == pytest.approx(solution.objective)
    with pytest.raises(InputError, match="another difference graph"):
        check_certificate(certificate, weights + np.eye(24)[::-1])
    with pytest.raises(InputError, match="not 0.4"):
        check_certificate(certificate, alpha=0.4)
    for broken in ({}, {"vertices": 2}, None):
        with pytest.raises(InputError, match="refused"):
            check_certificate(broken)


def test_a_set_that_is_not_the_best_is_not_certified(graph):
    weights, solution, _ = graph
    worse = dataclasses.replace(solution, nodes=solution.nodes[1:])
    with pytest.raises(InputError, match="a better set"):
        certify(weights, worse)
    worst = np.argwhere(weights == weights.min())[0]
    with pytest.raises(InputError, match="the empty set is better"):
        certify(weights, dataclasses.replace(solution, nodes=np.sort(worst)))


def test_the_checker_runs_alone_and_needs_no_package(graph, tmp_path):
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(graph[2]), encoding="utf-8")
    command = [sys.executable, "-I", "-S", checker.__file__, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"proved, objective {graph[1].objective:.9g} at alpha" in done.stdout
    assert "up to 1e-07 of it" in done.stdout and graph[2]["digest"] in done.stdout
    forged = graph[2] | {"nodes": graph[2]["nodes"][1:]}
    path.write_text(json.dumps(forged), encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "proves nothing" in done.stderr


def test_a_proof_beyond_the_limits_is_named(graph):
    with pytest.raises(InputError, match="within the limits"):
        certify(graph[0], graph[1], limits={"nodes": 0})


@pytest.mark.parametrize("percentile", [95, pytest.param(85, marks=pytest.mark.slow)])
def test_published_instances_are_certified(published, percentile):
    """Slow at 85: triangles bound it, and whole numbers check them."""
    graphs = published("male")
    summary = [summary_of(graphs.adjacency[graphs.y == k]) for k in (0, 1)]
    difference = difference_of_summaries(*summary, "td-asd")
    solution = contrast_subgraph(difference, percentile=percentile)
    value = checker.check(certify(difference, solution))
    assert float(value) == pytest.approx(solution.objective, rel=1e-12)
