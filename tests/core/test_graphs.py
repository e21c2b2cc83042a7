import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import contrast_subgraph
from contrast_subgraphs.contrast.difference import difference_of_summaries
from contrast_subgraphs.core import check_graphs as graphs_module
from contrast_subgraphs.core import large_arrays
from contrast_subgraphs.core.check_graphs import (
    check_graphs,
    check_labels,
    condensed_graphs,
    symmetric_up_to_rounding,
)
from contrast_subgraphs.core.columns import missing_entries
from contrast_subgraphs.core.doubts import warn_of_strength
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.large_arrays import let_go, stacked_rows
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.design import CohortGraphs, contrast_names
from contrast_subgraphs.inference.permutation import permutation_test
from scipy.sparse import csr_array


@pytest.mark.parametrize(
    "groups",
    [("a-a", "a"), ("a", "a"), ("a", "a "), (" a", "a"), (1, "1"), ("a", "a-a"), ("x-x-x", "x")],
)
def test_groups_whose_names_do_not_tell_the_contrasts_apart_are_refused(groups):
    with pytest.raises(InputError, match="names"):
        contrast_names(groups)
    pair = np.array([[0, 1.0], [1, 0]])
    with pytest.raises(InputError, match="names"):
        difference_of_summaries(pair, 0 * pair, "a-a-a", groups)


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


PLAIN = np.array([[0, 1, 2.0], [1, 0, 3], [2, 3, 0]])


@pytest.mark.parametrize("dtype", [">f8", "<f4", "f2", "g", ">i4", "u2", "i8"])
def test_any_type_and_byte_order_of_numbers_is_native_afterwards(dtype):
    graphs = check_graphs(PLAIN.astype(dtype)[None])
    assert graphs.dtype.isnative and graphs.dtype.itemsize <= 8 and graphs.dtype.str[1:] != "f2"
    assert np.array_equal(graphs[0], PLAIN)


def test_labels_put_tables_in_one_order_or_they_are_refused():
    one = pd.DataFrame(PLAIN, list("abc"), list("abc"))
    shuffled = one.loc[list("cab"), list("bca")]
    assert np.array_equal(check_graphs([one, shuffled]), [PLAIN, PLAIN])
    twice = one.set_axis(list("aab"), axis=1).set_axis(list("aab"), axis=0)
    rows = one.set_axis(list("abd"), axis=0)
    other = one.rename(columns={"c": "d"}, index={"c": "d"})
    for bad in ([one, other], [one, rows], [twice], [one, PLAIN], [PLAIN, one]):
        with pytest.raises(InputError, match="labels"):
            check_graphs(bad)


def test_sparse_triangular_and_masked_matrices():
    assert np.array_equal(check_graphs([csr_array(PLAIN)]), [PLAIN])
    for half in (np.triu(PLAIN), np.tril(PLAIN)):
        assert np.array_equal(check_graphs(half[None]), [PLAIN])
    on_diagonal = np.ma.masked_array(PLAIN, np.eye(3))
    assert np.array_equal(check_graphs([on_diagonal]), [PLAIN])
    with pytest.raises(InputError, match="masked"):
        check_graphs(np.ma.masked_equal(PLAIN, 3)[None])
    with pytest.raises(InputError, match="NaN or None"):
        check_labels(np.ma.masked_equal([0, 1], 1), 2)


def test_networks_are_in_the_order_of_the_first_one_s_nodes():
    networkx = pytest.importorskip("networkx")
    frame = pd.DataFrame(PLAIN, list("abc"), list("abc"))
    one = networkx.from_pandas_adjacency(frame)
    other = networkx.from_pandas_adjacency(frame.loc[list("cab"), list("cab")])
    assert np.array_equal(check_graphs([one, other]), [PLAIN, PLAIN])


@pytest.mark.parametrize("y", [np.arange(40) % 4 == 0, np.arange(40.0)])
def test_a_total_that_goes_with_the_groups_or_the_variable_is_said(y):
    graphs = np.random.default_rng(0).random((40, 15))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_strength(graphs, y, ("low", "high"))
        warn_of_strength(graphs - 3 * y[:, None], y, ("low", "high"))
    with pytest.warns(UserWarning, match=r"cohort x: .*\d % larger in high than in low"):
        warn_of_strength(graphs + y[:, None] / y.max() / 4, y, ("low", "high"), "x")
    with pytest.warns(UserWarning, match="larger in low than in high"):
        warn_of_strength(graphs - y[:, None] / y.max() / 4 + 0.5, y, ("low", "high"))


def test_an_entry_is_missing_but_not_its_name():
    assert missing_entries(["nan", np.nan, None, "a"]).tolist() == [False, True, True, False]


@pytest.mark.parametrize("kind", [int, float, bool, np.float16])
def test_graphs_and_their_condensed_rows_are_the_same(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(graphs_module, "AT_ONCE", 3)
    upper = np.triu(np.random.default_rng(0).integers(0, 2, (10, 5, 5)), 1).astype(kind)
    stack = upper | upper.transpose(0, 2, 1) if kind is bool else upper + upper.transpose(0, 2, 1)
    i, j = np.triu_indices(5, 1)
    edges, n = condensed_graphs(stack)
    assert n == 5 and np.array_equal(edges, upper[:, i, j])
    assert edges.dtype == (np.uint8 if np.dtype(kind).kind in "ib" else float)
    np.save(tmp_path / "rows.npy", upper[:, i, j])
    for rows in (upper[:, i, j], np.load(tmp_path / "rows.npy", mmap_mode="r")):
        again, n = condensed_graphs(rows)
        assert n == 5 and np.array_equal(again, edges) and again.dtype == edges.dtype


def test_condensed_rows_that_cannot_be_used_and_graphs_beyond_the_first_are_named(monkeypatch):
    monkeypatch.setattr(graphs_module, "AT_ONCE", 2)
    square = np.ones((10, 10))
    for bad in (np.ones((4, 5)), square, np.ones((2, 3), dtype=complex), np.ones(3)):
        with pytest.raises(InputError, match="graphs must"):
            condensed_graphs(bad)
    rows = np.ones((5, 3))
    rows[3, 1] = np.nan
    with pytest.raises(InputError, match="graphs 2 to 3 hold a number that is not finite"):
        condensed_graphs(rows)
    stack = np.zeros((5, 3, 3))
    stack[4] = [[0, 1, 1], [2, 0, 0], [1, 0, 0]]
    with pytest.raises(InputError, match="graph 4 is not symmetric"):
        condensed_graphs(stack)


def test_rows_are_single_as_long_as_that_changes_nothing_and_in_a_file_if_large(monkeypatch):
    rows = [np.array([0.5, 1, 2]), np.array([0.1, 3, 4]), np.array([7, 8, 9])]
    assert stacked_rows(rows[::2], 2).dtype == np.float32
    for share, kind in ((1, np.ndarray), (0, np.memmap)):
        monkeypatch.setattr(large_arrays, "SHARE", share)
        stack = stacked_rows(iter(rows), 3)
        assert type(stack) is kind and stack.dtype == float and np.array_equal(stack, rows)
        let_go(stack)
        assert np.array_equal(stack, rows)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, float])
def test_a_cohort_keeps_each_pair_once_and_gives_matrices(tmp_path, dtype):
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 2, (4, 10)).astype(dtype)
    given = [square_of(weights), np.arange(4) % 2, np.array(list("abcd")), np.array(list("vwxyz"))]
    cohort = CohortGraphs(*given)
    assert np.array_equal(cohort.weights, weights) and cohort.weights.dtype == dtype
    assert np.array_equal(cohort.adjacency, given[0])
    assert cohort.adjacency.dtype == (np.uint8 if dtype == np.uint8 else float)
    cohort.save(tmp_path / "a.npz")
    again = CohortGraphs.load(tmp_path / "a.npz")
    assert np.array_equal(again.weights, weights) and again.weights.dtype == dtype
    given[0][0, 1, 2] += 1
    with pytest.raises(InputError, match="not symmetric"):
        CohortGraphs(*given)
