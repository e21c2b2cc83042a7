"""Summary and difference graphs, the penalty, the objective, the paper's example."""

import contrast_subgraphs
import numpy as np
import pytest
from contrast_subgraphs.contrast import (
    CONTRASTS,
    alpha_from_percentile,
    difference_graph,
    objective,
    sweep,
)
from contrast_subgraphs.contrast.cohort import found_sentence, sweep_cohort
from contrast_subgraphs.contrast.difference import (
    check_weights,
    difference_of_summaries,
    mean_graph,
    summary_of,
)
from contrast_subgraphs.contrast.example import example_graphs
from contrast_subgraphs.contrast.objective import conditioned, surplus
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import CohortGraphs, of_variable, two_groups
from contrast_tools import brute_force, subsets
from scipy import stats

TRIANGLE = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])


def test_summary_is_the_fraction_of_graphs_with_the_edge():
    graphs = np.stack([TRIANGLE, np.ones((3, 3), int), np.zeros((3, 3), int)])
    summary = summary_of(graphs)
    assert summary == pytest.approx(np.array([[0, 2, 2], [2, 0, 1], [2, 1, 0]]) / 3)


def test_summary_of_weighted_graphs_is_the_mean_weight():
    weights = np.array([[[0, 0.5], [0.5, 0]], [[9, -1.5], [-1.5, 9]]])
    assert summary_of(weights).tolist() == [[0, -0.5], [-0.5, 0]]


def test_summary_of_nothing_is_refused():
    with pytest.raises(InputError, match="at least one graph"):
        summary_of(np.zeros((0, 3, 3)))


@pytest.fixture
def groups():
    """Six graphs of two groups, of which the first in the alphabet has more."""
    rng = np.random.default_rng(2)
    graphs = rng.random((6, 4, 4))
    graphs = graphs + graphs.transpose(0, 2, 1)
    for graph in graphs:
        np.fill_diagonal(graph, 0)
    return graphs, np.array(["ill", "well"] * 3)


def test_graphs_with_labels_and_people_give_the_same(groups):
    graphs, y = groups
    expected = graphs[1::2].mean(axis=0) - graphs[::2].mean(axis=0)
    np.testing.assert_allclose(difference_graph(graphs, y, "well-ill"), expected)
    np.testing.assert_allclose(difference_graph(graphs, y, "ill-well"), -expected)
    np.testing.assert_allclose(difference_graph(graphs, y, "symmetric"), np.abs(expected))
    for labels in (["ill", "well"], ["well", "ill"]):
        np.testing.assert_allclose(difference_graph(graphs, y, "well-ill", labels), expected)
    named = difference_graph(graphs, y, "b-a", {"ill": "a", "well": "b"})
    np.testing.assert_allclose(named, expected)
    with pytest.raises(InputError, match=r"one label for each of 6 graphs, not \(6, 1\)"):
        difference_graph(graphs, np.array(y)[:, None], "well-ill")
    pairs = graphs[:, *np.triu_indices(4, 1)]
    np.testing.assert_allclose(difference_graph(pairs, y, "well-ill"), expected)
    names = np.array([f"s{k}" for k in range(6)])
    people = CohortGraphs(graphs, np.array([1, 0] * 3), names, names[:4], ("well", "ill"))
    np.testing.assert_allclose(difference_graph(people, "well-ill"), expected)
    np.testing.assert_allclose(difference_graph(people, contrast="ill-well"), -expected)
    design = two_groups(people)
    np.testing.assert_allclose(difference_graph(people, design, "well-ill"), expected)
    t = difference_graph(people, "well-ill", edge_statistic="t")
    np.testing.assert_allclose(t, difference_graph(graphs, y, "well-ill", edge_statistic="t"))
    assert not np.allclose(t, expected)


def test_a_variable_has_slopes(groups):
    graphs, _ = groups
    age = np.arange(6.0) ** 2 / 7
    slopes = difference_graph(graphs, of_variable(age, called="age"), "more-with-age")
    z = (age - age.mean()) / age.std()
    assert slopes[0, 1] == pytest.approx((graphs[:, 0, 1] * z).mean())


def test_the_direction_must_be_said(groups):
    graphs, y = groups
    with pytest.raises(InputError, match="say which contrast: ill-well, well-ill or symmetric"):
        difference_graph(graphs, y)
    with pytest.raises(InputError, match="y must hold the group of each graph, not 'well-ill'"):
        difference_graph(graphs, "well-ill")
    with pytest.raises(InputError, match="unknown contrast 'td-asd'"):
        difference_graph(graphs, y, "td-asd")
    with pytest.raises(InputError, match="two different labels"):
        difference_graph(graphs, ["ill"] * 6, "ill-well", ["ill", "well"])


def test_old_names_work_and_say_the_new_one(groups):
    graphs, y = groups
    sides = []
    for group in ("ill", "well"):
        with pytest.warns(DeprecationWarning, match="summary_graph is deprecated: use diff"):
            sides.append(contrast_subgraphs.summary_graph(graphs[y == group]))
    with pytest.warns(DeprecationWarning, match="two summary graphs is deprecated"):
        old = difference_graph(*sides, "ill-well", ("ill", "well"))
    np.testing.assert_allclose(old, difference_graph(graphs, y, "ill-well"))
    people = cohort(np.arange(12).reshape(4, 3), [0, 0, 1, 1])
    with pytest.warns(DeprecationWarning, match="cohort_difference is deprecated: use diff"):
        old = contrast_subgraphs.cohort_difference(people, "td-asd")
    assert np.array_equal(old, difference_graph(people, "td-asd"))


def test_difference_in_both_directions_and_absolute():
    a, b = np.array([[0, 0.5], [0.5, 0]]), np.array([[0, 0.75], [0.75, 0]])
    values = [difference_of_summaries(a, b, contrast)[0, 1] for contrast in CONTRASTS]
    assert values == [-0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.zeros((2, 3)), "not square"),
        (np.zeros(4), "not square"),
        ([[0, 1], [2, 0]], "not symmetric: row 0, column 1"),
        ([[0, np.nan], [np.nan, 0]], "NaN at row 0, column 1"),
        ([[0, 1, 1], [1, 0, -np.inf], [1, -np.inf, 0]], "infinite number at row 1, column 2"),
        ([["a", "b"], ["b", "a"]], "matrix of numbers"),
        ([[0, 1], [1]], "matrix of numbers"),
    ],
)
def test_bad_matrices_are_refused_by_name(matrix, complaint):
    with pytest.raises(InputError, match=f"w_asd.*{complaint}"):
        difference_of_summaries(np.zeros((2, 2)), matrix, "td-asd")
    with pytest.raises(InputError, match=f"difference graph.*{complaint}"):
        alpha_from_percentile(matrix, 80)


def test_other_wrong_arguments_are_refused():
    with pytest.raises(InputError, match="td-asd, asd-td, symmetric"):
        difference_of_summaries(TRIANGLE, TRIANGLE, "td")
    with pytest.raises(InputError, match="3 and 2 vertices"):
        difference_of_summaries(TRIANGLE, np.zeros((2, 2)), "td-asd")
    for percentile in (-1, 101, np.nan, "high", None):
        with pytest.raises(InputError, match="percentile"):
            alpha_from_percentile(TRIANGLE, percentile)
    for nodes in ([3], [-1], [0, 0], [0.5], [True], np.ones((3, 3), bool), 3, ["a"], [[0], [1, 2]]):
        with pytest.raises(InputError, match="nodes"):
            objective(TRIANGLE, nodes, 0.5)


def test_alpha_interpolates_over_the_pairs_and_ignores_the_diagonal():
    weights = np.array([[7.0, 1, 2], [1, 7, 4], [2, 4, 7]])
    assert alpha_from_percentile(weights, 75) == 3.0
    assert alpha_from_percentile(np.zeros((1, 1)), 75) == 0.0


def test_objective_counts_each_pair_once():
    weights = np.array([[0, 1.0, 2], [1, 0, 4], [2, 4, 0]])
    assert objective(weights, [0, 1, 2], 0.5) == 5.5
    assert objective(weights, [2, 1], 0.5) == 3.5
    assert objective(weights, [1], 0.5) == objective(weights, [], 0.5) == 0.0


def test_rescaling_is_exact():
    matrix = np.array([[0, 3e-290], [3e-290, 0]])
    scaled, exponent = conditioned(matrix)
    assert 0.5 <= scaled.max() < 1
    assert np.array_equal(np.ldexp(scaled, exponent), matrix)
    assert conditioned(np.zeros((2, 2)))[1] == 0


@pytest.mark.parametrize(
    ("contrast", "alpha", "best", "value"),
    [
        # S_3 = {1, 2, 4}; {1, 2, 5} ties with it, as the other examples force it to.
        ("td-asd", 0.8, [{1, 2, 4}, {1, 2, 5}], 0.6),
        ("td-asd", 0.5, [{1, 2, 4, 5}, {1, 2, 4, 5, 6}], 2.0),
        ("asd-td", 0.8, [{1, 8}, {1, 3}, {2, 3}], 0.2),
        # Vertex 4 adds two edges of A and two pairs without a difference: a tie.
        ("symmetric", 0.5, [{1, 2, 3, 5}, {1, 2, 3, 4, 5}], 3.0),
    ],
)
def test_the_best_sets_of_the_papers_examples(contrast, alpha, best, value):
    difference = difference_of_summaries(*example_graphs(), contrast)
    values = brute_force(surplus(difference, alpha))
    assert values.max() == pytest.approx(value)
    rows = subsets(8)[values > values.max() - 1e-9]
    found = [{int(v) + 1 for v in np.flatnonzero(row)} for row in rows]
    assert sorted(map(sorted, found)) == sorted(map(sorted, best))


def test_what_the_papers_examples_say_of_the_graphs():
    a, b = (graph.astype(float) for graph in example_graphs())

    def inside(graph, *vertices):
        chosen = np.array(vertices) - 1
        return graph[np.ix_(chosen, chosen)].sum() / 2

    # Example 1: S_3 is a clique in A and independent in B; S_4 has one edge in B.
    assert inside(a, 1, 2, 4) == 3 and inside(b, 1, 2, 4) == 0
    assert inside(a, 1, 2, 4, 5) == 6 and inside(b, 1, 2, 4, 5) == 1
    assert objective(a - b, [0, 1, 3, 4], 0.8) == pytest.approx(0.2)
    # Example 2: in S_5 seven edges only in A, one in both, none only in B, two in neither.
    s5 = [1, 2, 4, 5, 6]
    assert inside(a * (1 - b), *s5) == 7 and inside(a * b, *s5) == 1
    assert inside((1 - a) * b, *s5) == 0
    # Example 4: every pair of {1, 2, 3, 5} is an edge of exactly one graph; 3-5 is one of A.
    assert inside(np.abs(a - b), 1, 2, 3, 5) == 6
    assert a[2, 4] == 1 and (a * b).sum() == 2 and (a * b)[3, 4] == 1


def cohort(values, y):
    """A cohort of graphs with the pairs' weights `values` (n, 3)."""
    adjacency = np.zeros((len(y), 3, 3), dtype=np.asarray(values).dtype)
    for column, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        adjacency[:, i, j] = adjacency[:, j, i] = np.asarray(values)[:, column]
    names = np.array([f"s{i}" for i in range(len(y))])
    return CohortGraphs(adjacency, np.asarray(y), names, np.array(["a", "b", "c"]))


@pytest.mark.parametrize("binary", [True, False])
def test_weights_t_are_student_s_t(binary):
    rng = np.random.default_rng(0)
    values = rng.random((25, 3)) * 1e3 + 1e6
    if binary:
        values = (rng.random((25, 3)) < 0.4).astype(np.uint8)
    y = np.repeat([0, 1], [10, 15])
    expected = stats.ttest_ind(values[:10].astype(float), values[10:].astype(float)).statistic
    found = [difference_graph(cohort(values, y), name, edge_statistic="t") for name in CONTRASTS]
    for matrix, t in zip(found, (expected, -expected, np.abs(expected)), strict=True):
        assert matrix[np.triu_indices(3, 1)] == pytest.approx(t, rel=1e-6)
        assert np.array_equal(matrix, matrix.T) and not matrix.diagonal().any()


def test_t_of_what_does_not_vary_is_finite_and_said():
    """All of one group and none of the other: at the bound; one exception is just below it."""
    y = np.repeat([0, 1], [10, 15])
    values = np.zeros((25, 3))
    values[:10] = 1, 1, 0.1  # the last is 0.1 in everybody, of which the means differ by rounding
    values[10:, 2] = 0.1
    values[0, 1] = 0
    graphs = cohort(values, y)
    t = difference_graph(graphs, "td-asd", edge_statistic="t")
    bound = np.sqrt(23 * 10 * 15 / 25)
    assert t[0, 1] == pytest.approx(bound, rel=1e-14) and t[1, 2] == 0
    assert 0.9 * bound < t[0, 2] < bound
    with pytest.warns(UserWarning, match=r"1 pairs of regions .* taken to be 11\.7"):
        sweep_cohort(graphs, "td-asd", 0, {"percentiles": [50], "edge_statistic": "t"})
    with pytest.raises(InputError, match="at least two in each group"):
        difference_graph(cohort(np.ones((2, 3)), [0, 1]), "td-asd", edge_statistic="t")
    with pytest.raises(InputError, match="edge_statistic must be difference, t or welch"):
        difference_graph(graphs, "td-asd", edge_statistic="z")


def test_diagonals_are_not_looked_at_and_rounding_is_forgiven():
    found = check_weights([[np.nan, 1.0], [1.0 + 1e-16, np.nan]], "w")
    assert found.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_means_of_many_bytes_do_not_overflow():
    weights = np.full((600, 3), 255, np.uint8)
    for members in (range(600), np.arange(0, 600, 2)):
        np.testing.assert_array_equal(mean_graph(weights, members)[0], [0, 255, 255])


def test_what_was_found_is_said_in_one_line():
    said = found_sentence("men", {"td-asd": sweep([[0, 2], [2, 0]], alphas=[1.0])})
    assert said == "found in men: td-asd 2 regions; 1 of 1 proved"
