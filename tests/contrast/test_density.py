"""The largest average degree: exact on small networks, no worse than peeling on large ones."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from contrast_subgraphs.contrast.density import PEELED, _density, _peel, densest_contrast
from contrast_subgraphs.core.errors import InputError
from contrast_tools import subsets, surplus_matrices
from hypothesis import given, settings

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


def test_a_network_of_the_usual_size_is_proved_and_beats_peeling():
    network = sparse_network(100, 10, seed=3)
    found = densest_contrast(network)
    arrays = network.indptr.astype(np.int64), network.indices.astype(np.int64), network.data
    peeled = [np.flatnonzero(_peel(*arrays, share)) for share in PEELED]
    assert found.optimal
    assert found.objective >= 2 * max(_density(network, nodes) for nodes in peeled)
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
