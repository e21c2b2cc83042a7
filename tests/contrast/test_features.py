"""Features of graphs: counted right, and good citizens of scikit-learn."""

import pickle

import numpy as np
import pytest
from contrast_subgraphs.contrast.features import ContrastSubgraphFeatures, distances, edge_counts
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings.edges import EdgeFeatures
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC


def two_groups(n=40, p=20, planted=8, effect=0.5, seed=0, weighted=False):
    """Random graphs; ASD has more edges in the first vertices, TD in the last."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    chance = np.full((n, p, p), 0.3)
    chance[y == 1, :planted, :planted] += effect
    chance[y == 0, p - planted :, p - planted :] += effect
    upper = np.triu(rng.random((n, p, p)) < chance, 1)
    graphs = (upper | upper.transpose(0, 2, 1)).astype(np.uint8)
    if weighted:
        weights = rng.random((p, p))
        graphs = graphs * (weights + weights.T)
    return graphs, y


graphs_and_sets = st.tuples(
    st.integers(0, 10**6),
    st.integers(2, 9),
    st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=3),
    st.booleans(),
)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(graphs_and_sets)
def test_counts_and_distances_are_those_of_the_definition(case):
    seed, p, sets, weighted = case
    graphs, y = two_groups(6, p, p // 2, seed=seed, weighted=weighted)
    sets = [sorted(v for v in nodes if v < p) for nodes in sets]
    w_td, w_asd = graphs[y == 0].mean(0), graphs[y == 1].mean(0)
    counts, table = edge_counts(graphs, sets), distances(graphs, sets, w_td, w_asd)
    assert counts.shape == (6, len(sets)) and table.shape == (6, 2 * len(sets))
    for i, graph in enumerate(graphs):
        for k, nodes in enumerate(sets):
            pairs = [(u, v) for u in nodes for v in nodes if u < v]
            assert counts[i, k] == pytest.approx(sum(graph[u, v] for u, v in pairs))
            for column, w in enumerate((w_td, w_asd)):
                expected = sum(abs(float(graph[u, v]) - w[u, v]) for u, v in pairs)
                assert table[i, 2 * k + column] == pytest.approx(expected)


def test_planted_sets_are_found_and_tell_the_groups_apart():
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures(1, 80).fit(graphs, y)
    td, asd = features.subgraphs_
    assert set(td) == set(range(12, 20)) and set(asd) == set(range(8))
    X = features.transform(graphs)
    assert X[y == 0, 0].min() > X[y == 1, 0].max()
    assert X[y == 1, 1].min() > X[y == 0, 1].max()
    nearer_td = np.subtract(*ContrastSubgraphFeatures(2, 80).fit(graphs, y).transform(graphs).T) < 0
    np.testing.assert_array_equal(nearer_td, y == 0)


def test_the_diagonal_of_a_graph_does_not_count():
    graphs, y = two_groups()
    ones = graphs.copy()
    ones[:, np.arange(20), np.arange(20)] = 1
    for problem in (1, 2):
        features = ContrastSubgraphFeatures(problem)
        np.testing.assert_array_equal(
            features.fit_transform(ones, y), features.fit_transform(graphs, y)
        )


def test_labels_may_be_anything_that_sorts():
    graphs, y = two_groups()
    named = np.where(y == 1, "patient", "control")
    a = ContrastSubgraphFeatures().fit(graphs, y)
    b = ContrastSubgraphFeatures().fit(graphs, named)
    assert b.classes_.tolist() == ["control", "patient"]
    np.testing.assert_array_equal(a.transform(graphs), b.transform(graphs))


def test_percentile_and_alpha_say_the_same():
    graphs, y = two_groups()
    by_percentile = ContrastSubgraphFeatures(1, {"td-asd": 75, "asd-td": 90}).fit(graphs, y)
    alphas = dict(zip(("td-asd", "asd-td"), by_percentile.alphas_, strict=True))
    by_alpha = ContrastSubgraphFeatures(1, percentile=None, alpha=alphas).fit(graphs, y)
    for one, other in zip(by_percentile.subgraphs_, by_alpha.subgraphs_, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("solver", ["search", "exact", "densdp"])
def test_every_solver_can_be_used(solver):
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures(2, 80, solver=solver).fit(graphs, y)
    found = set(features.subgraphs_[0].tolist())
    # One rounding of the paper's algorithm may stop at a smaller set.
    assert len(found) >= (3 if solver == "densdp" else 6)
    assert found <= {*range(8), *range(12, 20)}


def test_one_direction_gives_one_feature():
    graphs, y = two_groups()
    both = ContrastSubgraphFeatures().fit_transform(graphs, y)
    one = ContrastSubgraphFeatures(directions=["asd-td"]).fit_transform(graphs, y)
    np.testing.assert_array_equal(one, both[:, 1:])


@pytest.mark.parametrize(
    "features, names",
    [
        (ContrastSubgraphFeatures(1), ["edges_td-asd", "edges_asd-td"]),
        (ContrastSubgraphFeatures(1, directions=["asd-td"]), ["edges_asd-td"]),
        (ContrastSubgraphFeatures(2), ["distance_td", "distance_asd"]),
        (EdgeFeatures(), ["edge_0_1", "edge_0_2"]),
    ],
)
def test_scikit_learn_conventions(features, names):
    graphs, y = two_groups()
    copy = clone(features)
    assert copy.get_params() == features.get_params()
    assert not hasattr(copy, "n_vertices_in_")
    X = copy.fit_transform(graphs, y)
    again = pickle.loads(pickle.dumps(copy))
    np.testing.assert_array_equal(again.transform(graphs), X)
    out = copy.get_feature_names_out()
    assert len(out) == X.shape[1] and list(out[: len(names)]) == names
    table = clone(features).set_output(transform="pandas").fit_transform(graphs, y)
    assert list(table.columns) == list(out)
    if isinstance(features, ContrastSubgraphFeatures):
        assert copy.set_params(percentile=90).get_params()["percentile"] == 90


def test_in_a_pipeline_with_cross_validation():
    graphs, y = two_groups()
    pipeline = make_pipeline(ContrastSubgraphFeatures(), StandardScaler(), LinearSVC())
    assert cross_val_score(pipeline, graphs, y, cv=4).mean() > 0.95


def test_edges_are_the_upper_triangle():
    graphs, _ = two_groups(5, 4, 2)
    X = EdgeFeatures().fit_transform(graphs)
    assert X.shape == (5, 6)
    np.testing.assert_array_equal(X[:, 3], graphs[:, 1, 2])


def test_an_empty_contrast_subgraph_gives_constant_features_and_a_warning():
    graphs, y = two_groups()
    same = np.repeat(graphs[:1], len(y), axis=0)
    with pytest.warns(UserWarning, match="empty"):
        X = ContrastSubgraphFeatures(1).fit_transform(same, y)
    assert (X == 0).all()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"problem": 3}, "1 or 2"),
        ({"percentile": None}, "either percentile or alpha"),
        ({"alpha": 0.1}, "either percentile or alpha"),
        ({"percentile": {"td-asd": 80}}, "asd-td"),
        ({"percentile": "high"}, "high"),
        ({"percentile": 120}, "0 to 100"),
        ({"percentile": None, "alpha": 5.0}, "largest weight"),
        ({"directions": ["up"]}, "directions"),
        ({"solver": "magic"}, "magic"),
    ],
)
def test_wrong_parameters_are_named(options, words):
    graphs, y = two_groups()
    with pytest.raises(InputError, match=words):
        ContrastSubgraphFeatures(**options).fit(graphs, y)


def test_wrong_graphs_and_labels_are_named():
    graphs, y = two_groups()
    with pytest.raises(InputError, match="two different labels"):
        ContrastSubgraphFeatures().fit(graphs, np.zeros(len(y)))
    with pytest.raises(InputError, match="one label for each of 40"):
        ContrastSubgraphFeatures().fit(graphs, y[:-1])
    with pytest.raises(InputError, match="not symmetric"):
        ContrastSubgraphFeatures().fit(np.triu(graphs), y)
    for features in (ContrastSubgraphFeatures(), EdgeFeatures()):
        features.fit(graphs, y)
        with pytest.raises(InputError, match="19 vertices"):
            features.transform(graphs[:, 1:, 1:])


def test_children_have_the_subgraphs_of_the_paper_s_figure(published):
    """Figure 1: more than 62 edges in the 15 vertices of ASD-TD: 11 ASD, 1 TD (FACTS)."""
    children = published("children")
    features = ContrastSubgraphFeatures(1, {"td-asd": 70, "asd-td": 85})
    X = features.fit_transform(children.adjacency, children.y)
    assert [len(nodes) for nodes in features.subgraphs_] == [23, 15]
    many = X[:, 1] > 62
    assert (many & (children.y == 1)).sum() == 11 and (many & (children.y == 0)).sum() == 1


def test_td_and_asd_take_their_own_parts():
    rng = np.random.default_rng(0)
    graphs = np.triu(rng.random((40, 20, 20)) < 0.2, 1).astype(int)
    graphs[:20, :6, :6] |= np.triu(np.ones((6, 6), int), 1)
    graphs += graphs.transpose(0, 2, 1)
    y = np.repeat(["TD", "ASD"], 20)
    found = ContrastSubgraphFeatures(problem=1, percentile=90).fit(graphs, y)
    assert found.classes_.tolist() == ["TD", "ASD"]
    assert set(range(6)) <= set(found.subgraphs_[0].tolist())
    with pytest.raises(InputError, match="y holds NaN"):
        found.fit(graphs, np.where(y == "TD", np.nan, 1.0))
