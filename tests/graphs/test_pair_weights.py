"""Weights of all pairs of regions."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data.series import SiteSeries
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.graphs.pair_weights import cohort_covariances, cohort_edges
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import scale


def test_edges_follow_the_graphs_order():
    rng = np.random.default_rng(0)
    series = {name: rng.standard_normal((30, 5)) for name in "abcd"}
    sites = [
        SiteSeries.stack(list(names), [series[name] for name in names], range(5))
        for names in ("da", "", "cb")
    ]
    graphs = CohortGraphs(
        np.zeros((3, 5, 5)), np.array([0, 1, 1]), np.array(list("bad")), np.arange(5)
    )
    edges, covariances = cohort_edges(graphs, sites), cohort_covariances(graphs, sites)
    upper = np.triu_indices(5, 1)
    for name, z, covariance in zip("bad", edges, covariances, strict=True):
        r = np.corrcoef(series[name], rowvar=False)[upper]
        assert np.array_equal(z, np.arctanh(r).astype(np.float32))
        expected = ledoit_wolf(scale(series[name]))[0][np.triu_indices(5)]
        np.testing.assert_allclose(covariance, expected, rtol=1e-6)
    assert covariances.dtype == np.float32
    with pytest.raises(InputError, match="no series of b"):
        cohort_edges(graphs, sites[:2])


@pytest.mark.parametrize("most, kind", [(2**24, np.float32), (2**24 + 1, np.float64)])
def test_own_weights_are_not_rounded(most, kind):
    counts = np.array([[1, most, 3], [4, 5, 6]])
    site = SubjectGraphs(counts, np.array(["a", "b"]), np.array(list("uvw")))
    graphs = CohortGraphs(counts[::-1], np.array([0, 1]), np.array(["b", "a"]), site.roi)
    edges = cohort_edges(graphs, [site])
    assert edges.dtype == kind
    np.testing.assert_array_equal(edges, counts[::-1])
