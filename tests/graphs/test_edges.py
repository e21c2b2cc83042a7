"""Weights of all pairs of regions."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import CohortGraphs
from contrast_subgraphs.data.series import SiteSeries
from contrast_subgraphs.graphs.edges import cohort_edges


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
    edges = cohort_edges(graphs, sites)
    upper = np.triu_indices(5, 1)
    for name, z in zip("bad", edges, strict=True):
        r = np.corrcoef(series[name], rowvar=False)[upper]
        assert np.array_equal(z, np.arctanh(r).astype(np.float32))
    with pytest.raises(InputError, match="no series of b"):
        cohort_edges(graphs, sites[:2])
