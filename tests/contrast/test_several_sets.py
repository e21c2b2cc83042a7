"""Several sets one after the other, and two sets with the surplus between them."""

import itertools
import json

import numpy as np
import pytest
from contrast_subgraphs.contrast import (
    bipartite_contrasts,
    contrast_subgraph,
    sweep,
)
from contrast_subgraphs.contrast.bipartite import alternated
from contrast_subgraphs.contrast.objective import surplus
from contrast_subgraphs.core.errors import InputError
from contrast_tools import brute_force, surplus_matrices
from hypothesis import assume, given, settings
from hypothesis import strategies as st

PROPERTY = settings(deadline=None, derandomize=True, max_examples=120)


def one_after_another(weights, **options):
    first = contrast_subgraph(weights, **options)
    return [first, *first.further]


def with_alpha(weights, share):
    """A graph in units of its largest weight, and a penalty."""
    assume(weights.max() > 0)
    weights = weights / np.abs(weights).max()
    alpha = share * weights.max()
    assume((weights > alpha).any())
    return weights, alpha


@PROPERTY
@given(surplus_matrices(largest=8), st.floats(0.05, 0.9), st.sampled_from(["pairs", "none"]))
def test_each_set_is_the_best_given_those_before(weights, share, overlap):
    weights, alpha = with_alpha(weights, share)
    found = one_after_another(weights, n_sets=3, alpha=alpha, overlap=overlap)
    assert 1 <= len(found) <= 3
    left, positive, explained = weights.copy(), np.maximum(surplus(weights, alpha), 0), 0.0
    for one in found:
        best = brute_force(surplus(left, alpha)).max()
        assert one.optimal and one.objective == pytest.approx(best, abs=1e-8)
        for u, v in itertools.product(range(len(weights)), repeat=2):
            inside = np.isin([u, v], one.nodes)
            if u != v and (inside.any() if overlap == "none" else inside.all()):
                left[u, v] = min(left[u, v], -alpha)
        explained += one.explained
    if len(found) < 3:
        assert surplus(left, alpha).max() <= 0
        if overlap == "pairs":
            assert explained == pytest.approx(1)
    assert explained <= 1 + 1e-12
    if overlap == "none":
        together = np.concatenate([one.nodes for one in found])
        assert len(np.unique(together)) == len(together)
    first = positive[np.ix_(found[0].nodes, found[0].nodes)].sum() / positive.sum()
    assert found[0].explained == pytest.approx(first)


def test_several_sets_are_written_as_an_optional_list():
    blocks = np.kron(np.diag([3.0, 2.0]), np.ones((3, 3)))
    (several,), (single,) = sweep(blocks, alphas=0.5, n_sets=3), sweep(blocks, alphas=0.5)
    record = json.loads(json.dumps(several.to_dict("abcdef"), allow_nan=False))
    plain = single.to_dict("abcdef")
    assert "further" not in plain and {**plain, **record} == record
    assert record["explained"] == 0.625
    assert record["further"] == [
        {
            "objective": 4.5,
            "upper_bound": 4.5,
            "gap": 0.0,
            "optimal": True,
            "nodes": [3, 4, 5],
            "regions": ["d", "e", "f"],
            "explained": 0.375,
        }
    ]


def test_one_set_is_what_the_single_call_gives():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(30, 30)), 1)
    weights += weights.T
    (one,) = one_after_another(weights, n_sets=1, percentile=80)
    assert one.nodes.tolist() == contrast_subgraph(weights, percentile=80).nodes.tolist()
    searched = one_after_another(weights, n_sets=3, percentile=80, solver="search")
    proved = one_after_another(weights, n_sets=3, percentile=80)
    assert [s.nodes.tolist() for s in searched] == [s.nodes.tolist() for s in proved]
    assert all(one.optimal for one in proved)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"n_sets": 0}, "whole number of at least 1"),
        ({"n_sets": 2.5}, "whole number of at least 1"),
        ({"overlap": 0.5}, "pairs or none"),
        ({"alpha": 0.1}, "either percentile or alpha"),
    ],
)
def test_wrong_options_are_named(options, complaint):
    graph = np.ones((4, 4)) - np.eye(4)
    with pytest.raises(InputError, match=complaint):
        contrast_subgraph(graph, **{"percentile": 50, **options})
    if "overlap" not in options:
        with pytest.raises(InputError, match=complaint):
            bipartite_contrasts(graph, **{"percentile": 50, **options})
    with pytest.raises(InputError, match="exact or search"):
        bipartite_contrasts(graph, percentile=50, solver="densdp")


def between(matrix, first, second):
    return matrix[np.ix_(first, second)].sum()


def best_between(matrix):
    """The largest surplus between two disjoint sets, by trying all."""
    best = 0.0
    for sides in itertools.product((0, 1, 2), repeat=len(matrix)):
        sides = np.array(sides)
        best = max(best, between(matrix, np.flatnonzero(sides == 1), np.flatnonzero(sides == 2)))
    return best


@settings(PROPERTY, max_examples=60)
@given(surplus_matrices(largest=6), st.floats(0.05, 0.9))
def test_two_sets_are_the_best_given_those_before(weights, share):
    weights, alpha = with_alpha(weights, share)
    left, explained = weights.copy(), 0.0
    for one in bipartite_contrasts(weights, n_sets=2, alpha=alpha):
        assert not set(one.first) & set(one.second)
        assert one.first.min() < one.second.min()
        assert one.optimal and one.gap == 0
        assert one.objective == pytest.approx(best_between(surplus(left, alpha)), abs=1e-8)
        assert one.objective == pytest.approx(
            between(surplus(left, alpha), one.first, one.second), abs=1e-12
        )
        for u, v in [*itertools.product(one.first, one.second)]:
            left[u, v] = left[v, u] = min(left[u, v], -alpha)
        explained += one.explained
    assert 0 < explained <= 1 + 1e-12


def test_alternating_ends_in_disjoint_sets_that_are_best_against_each_other():
    rng = np.random.default_rng(1)
    matrix = np.triu(rng.normal(size=(20, 20)) - 0.3, 1)
    matrix += matrix.T
    for first, second in alternated(matrix):
        assert not (first & second).any()
        for one, other in ((first, second), (second, first)):
            gain = matrix[other].sum(axis=0)
            np.testing.assert_array_equal(one, (gain > 0) & ~other)


def test_two_sets_on_a_graph_of_the_usual_size():
    """Planted: vertices 0 to 7 against 60 to 71, on 116."""
    rng = np.random.default_rng(2)
    weights = np.triu(rng.normal(size=(116, 116)) * 0.1, 1)
    weights[:8, 60:72] += 0.4
    weights = weights + weights.T
    [found] = bipartite_contrasts(weights, percentile=95)
    assert found.optimal
    assert set(range(8)) <= set(found.first) and set(range(60, 72)) <= set(found.second)


@pytest.mark.filterwarnings("ignore:percentile .* penalises no pair")
@pytest.mark.parametrize("percentile", [0, 10, 30])
@pytest.mark.parametrize("level", [-0.5, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_vertex_is_in_two_sets_whatever_alpha(percentile, level, seed):
    rng = np.random.default_rng(seed)
    weights = np.triu(np.round(rng.normal(size=(10, 10)) * 2 + level), 1)
    weights += weights.T
    found = one_after_another(weights, n_sets=4, percentile=percentile, overlap="none")
    together = np.concatenate([one.nodes for one in found])
    assert found[0].alpha <= 0 and len(np.unique(together)) == len(together)
    spent = np.zeros(weights.shape, dtype=bool)
    for one in bipartite_contrasts(weights, n_sets=3, percentile=percentile, solver="search"):
        inside = np.ix_(one.first, one.second)
        assert not (spent & spent.T)[inside].all()
        spent[inside] = spent.T[inside] = True


def test_a_tiny_alpha_spends_vertices_too():
    weights = np.kron(np.array([[3.0, -1], [-1, 2]]), np.ones((3, 3)))
    found = one_after_another(weights, n_sets=3, alpha=1e-13, overlap="none")
    assert [one.nodes.tolist() for one in found] == [[0, 1, 2], [3, 4, 5]]


def test_a_percentile_that_penalises_nothing_or_leaves_nothing_is_said():
    weights = np.zeros((6, 6))
    weights[0, 1] = weights[1, 0] = 1.0
    for function in (bipartite_contrasts, contrast_subgraph):
        with pytest.warns(UserWarning, match="penalises no pair"):
            function(weights, percentile=50)
        with pytest.warns(UserWarning, match="the contrast subgraph is empty"):
            function(weights, percentile=100)
