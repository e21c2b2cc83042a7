"""The largest average degree: exact on small networks, no worse than peeling on large ones."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from contrast_subgraphs.contrast.density import (
    PEELED,
    _peel,
    arrays_of,
    densest_contrast,
    density_of,
)
from contrast_subgraphs.core.errors import InputError
from contrast_tools import subsets, surplus_matrices
from hypothesis import given, settings
from hypothesis import strategies as st

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)


def sparse_network(n, degree, planted=0, seed=0):
    """Signed weights of random pairs, and a module of ``planted`` vertices at the start."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, n * degree // 2))
    weights = rng.normal(size=len(u)) * (u != v)
    a, b = np.triu_indices(planted, 1)
    kept = rng.random(len(a)) < 0.6
    u, v, w = (np.concatenate(x) for x in ((u, a[kept]), (v, b[kept]), (weights, 0.8 * kept[kept])))
    network = scipy.sparse.coo_array((w, (u, v)), shape=(n, n)).tocsr()
    return network + network.T


@PROPERTY
@given(surplus_matrices(largest=9))
def test_the_average_degree_is_the_brute_force_optimum(weights):
    weights = weights / np.abs(weights).max(initial=1e-300)
    sets = subsets(len(weights)).astype(float)[1:]
    best = (np.einsum("sv,sv->s", sets @ weights, sets) / sets.sum(axis=1)).max(initial=0.0)
    found = densest_contrast(weights)
    assert found.optimal and found.objective == pytest.approx(best, abs=1e-6)
    inside = weights[np.ix_(found.nodes, found.nodes)].sum()
    assert found.objective == pytest.approx(inside / max(1, len(found.nodes)), rel=1e-12)


@PROPERTY
@given(surplus_matrices(largest=9), st.floats(1, 2))
def test_the_density_of_any_exponent_is_the_brute_force_optimum(weights, exponent):
    weights = weights / np.abs(weights).max(initial=1e-300)
    sets = subsets(len(weights)).astype(float)[1:]
    inside = np.einsum("sv,sv->s", sets @ weights, sets)
    best = (inside / sets.sum(axis=1) ** exponent).max(initial=0.0)
    found = densest_contrast(weights, exponent=exponent)
    assert found.optimal and found.objective == pytest.approx(best, abs=1e-6)
    again = weights[np.ix_(found.nodes, found.nodes)].sum() / max(1, len(found.nodes)) ** exponent
    assert found.objective == pytest.approx(again, rel=1e-12)


@pytest.mark.parametrize("exponent", [1.15, 1.5, 1.85])
def test_no_set_of_any_size_that_exchanges_find_is_denser(exponent):
    rng = np.random.default_rng(4)
    weights = np.triu(rng.exponential(size=(24, 24)), 1)
    weights[:12, :12] *= 1.3
    weights = np.triu(weights, 1)
    weights += weights.T
    found = densest_contrast(weights, exponent=exponent)
    assert found.optimal
    sizes = np.arange(1, 25)
    best = max(exchanged(weights, found.nodes, size) / size**exponent for size in sizes[1:])
    assert found.objective >= 2 * best - 1e-12


def exchanged(weights, nodes, size):
    """What a set of a size has that no exchange of two vertices improves."""
    inside = np.zeros(len(weights), dtype=bool)
    inside[nodes] = True
    while inside.sum() != size:
        gain = weights @ inside
        grow = inside.sum() < size
        pick = np.argmax(
            np.where(inside, -np.inf, gain) if grow else np.where(inside, -gain, -np.inf)
        )
        inside[pick] = grow
    while True:
        gain = weights @ inside
        change = gain[None, :] - gain[:, None] - weights
        change[~inside] = -np.inf
        change[:, inside] = -np.inf
        out, into = np.unravel_index(np.argmax(change), change.shape)
        if change[out, into] <= 1e-12:
            return weights[np.ix_(inside, inside)].sum() / 2
        inside[out] = False
        inside[into] = True


@pytest.mark.parametrize("exponent", [0.9, 2.1, np.nan, "1", None, True])
def test_an_exponent_beyond_its_range_is_named(exponent):
    with pytest.raises(InputError, match="exponent must be a number from 1 to 2"):
        densest_contrast(np.zeros((3, 3)), exponent=exponent)


def test_limits_end_the_proof_of_an_exponent_with_a_bound_that_holds():
    rng = np.random.default_rng(5)
    weights = np.triu(rng.normal(size=(60, 60)), 1)
    weights += weights.T
    proved = densest_contrast(weights, exponent=1.3)
    stopped = densest_contrast(weights, exponent=1.3, limits={"nodes": 0})
    assert proved.optimal and not stopped.optimal
    assert stopped.upper_bound > proved.objective >= stopped.objective


def test_a_network_of_the_usual_size_is_proved_and_beats_peeling():
    network = sparse_network(100, 10, seed=3)
    found = densest_contrast(network)
    arrays = arrays_of(network)
    peeled = [np.flatnonzero(_peel(*arrays, share, 1.0)) for share in PEELED]
    assert found.optimal
    assert found.objective >= 2 * max(density_of(network, nodes) for nodes in peeled)
    dense = densest_contrast(network.toarray())
    assert dense.nodes.tolist() == found.nodes.tolist()


def test_a_planted_module_among_thousands_of_vertices_is_found_with_a_bound():
    network = sparse_network(4000, 8, planted=25)
    found = densest_contrast(network, limits={"nodes": 20_000})
    assert np.isin(found.nodes, np.arange(25)).mean() > 0.9
    assert found.objective <= found.upper_bound <= 1.2 * found.objective


def test_limits_end_the_proof_with_a_bound():
    network = sparse_network(200, 30, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = densest_contrast(network, limits={"nodes": 0}, names=np.arange(200) + 1)
    assert not stopped.optimal and stopped.gap > 0
    assert stopped.regions == tuple(str(node + 1) for node in stopped.nodes)


@pytest.mark.parametrize("empty", [np.zeros((0, 0)), np.zeros((3, 3)), -np.ones((4, 4))])
def test_without_a_positive_weight_the_set_is_empty(empty):
    for network in (empty, scipy.sparse.csr_array(empty)):
        found = densest_contrast(network)
        assert found.nodes.size == 0 and found.objective == 0 and found.optimal


def test_the_unit_of_the_weights_and_the_diagonal_change_nothing():
    network = sparse_network(60, 8, seed=2)
    here = densest_contrast(network)
    for exponent in (-60, 40):
        there = densest_contrast(np.ldexp(1.0, exponent) * network)
        assert there.nodes.tolist() == here.nodes.tolist() and there.optimal
        assert there.objective == np.ldexp(here.objective, exponent)
    diagonal = scipy.sparse.diags_array(np.full(60, np.nan))
    assert densest_contrast(network + diagonal).objective == here.objective


def test_what_is_no_network_is_named():
    triangle = np.triu(np.ones((3, 3)), 1)
    full = scipy.sparse.csr_array(triangle + triangle.T)
    wrong = [triangle, scipy.sparse.csr_array(triangle), scipy.sparse.csr_array((2, 3))]
    for network in (*wrong, full * 1j, full * np.nan, full * np.inf, full * 1e301):
        with pytest.raises(InputError, match="symmetric|square|finite"):
            densest_contrast(network)
    with pytest.raises(InputError, match="2 names"):
        densest_contrast(triangle + triangle.T, names=["a", "b"])
