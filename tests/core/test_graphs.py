import numpy as np
import pytest
from contrast_subgraphs.contrast import contrast_subgraph, difference_graph
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import check_graphs, contrast_names, symmetric_up_to_rounding
from contrast_subgraphs.inference.permutation import permutation_test


@pytest.mark.parametrize(
    "groups",
    [("a-a", "a"), ("a", "a"), ("a", "a "), (" a", "a"), (1, "1"), ("a", "a-a"), ("x-x-x", "x")],
)
def test_groups_whose_names_do_not_tell_the_contrasts_apart_are_refused(groups):
    with pytest.raises(InputError, match="names"):
        contrast_names(groups)
    pair = np.array([[0, 1.0], [1, 0]])
    with pytest.raises(InputError, match="names"):
        difference_graph(pair, 0 * pair, "a-a-a", groups)


def test_a_permutation_test_refuses_groups_with_colliding_contrasts():
    graphs = np.zeros((8, 3, 3))
    with pytest.raises(InputError, match="three different names"):
        permutation_test(graphs, ["a"] * 4 + ["a-a"] * 4, n_permutations=9)


def lopsided(dtype=float, huge=1e10):
    weights = np.full((5, 5), 0.5, dtype=dtype)
    weights[0, 1] = weights[1, 0] = huge
    weights[2, 3] = 0.75
    np.fill_diagonal(weights, 0)
    return weights


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_huge_weight_does_not_hide_that_a_matrix_is_not_symmetric(dtype):
    with pytest.raises(InputError, match="row 2, column 3 has 0.75 but row 3, column 2 has 0.5"):
        contrast_subgraph(lopsided(dtype), alpha=0.1)
    with pytest.raises(InputError, match="graph 0 is not symmetric: row 2, column 3"):
        check_graphs(lopsided(dtype)[None])


def test_rounding_errors_are_taken_for_what_they_are():
    weights = lopsided()
    weights[2, 3] = 0.5 * (1 + 1e-15)
    weights[0, 4], weights[4, 0] = 1e-17, -2e-17  # a difference of numbers near 0.5
    mean = symmetric_up_to_rounding(weights, "w")
    assert np.array_equal(mean, mean.T) and np.allclose(mean, weights)
    single = np.array([[0, 0.3], [0.3, 0]], dtype=np.float32)
    single[0, 1] *= 1 + 2e-7
    assert symmetric_up_to_rounding(single, "w").dtype == np.float32
    with pytest.raises(InputError, match="w is not symmetric"):
        symmetric_up_to_rounding(single.astype(float), "w")
    assert contrast_subgraph(single, alpha=0.1).nodes.tolist() == [0, 1]
