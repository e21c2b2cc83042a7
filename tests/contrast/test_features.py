"""What each graph has inside vertex sets, and that the ways to measure it agree."""

import numpy as np
import pytest
from contrast_subgraphs.contrast.features import density, edge_counts, mean_weights
from contrast_subgraphs.contrast.objective import mean_inside
from contrast_subgraphs.core.pairs import square_of

SETS = [[4, 1, 2], [0, 3], [5], []]


@pytest.mark.parametrize("kind", [np.uint8, np.float32, float])
def test_means_inside_sets_agree(kind):
    weights = np.random.default_rng(0).integers(0, 2, size=(7, 15)).astype(kind)
    means = mean_weights(weights, SETS)
    assert (means[:, 2:] == 0).all()
    assert np.isnan(mean_weights(weights, SETS, empty=np.nan)[:, 2:]).all()
    for column, nodes in enumerate(SETS[:2]):
        own = [mean_inside(one, nodes) for one in square_of(weights.astype(float))]
        np.testing.assert_allclose(means[:, column], own, rtol=1e-15)
        np.testing.assert_allclose(density(weights, nodes), np.mean(own), rtol=1e-15)
        pairs = len(nodes) * (len(nodes) - 1) / 2
        np.testing.assert_allclose(edge_counts(weights, [nodes])[:, 0], means[:, column] * pairs)
    assert np.isnan(density(weights, [5])) and np.isnan(mean_inside(np.zeros((6, 6)), [5]))
