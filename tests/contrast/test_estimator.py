"""Features of graphs: counted right, and good citizens of scikit-learn."""

import pickle

import numpy as np
import pytest
from contrast_subgraphs.contrast.estimator import ContrastSubgraphFeatures
from contrast_subgraphs.contrast.features import distances, edge_counts
from contrast_subgraphs.core.check_graphs import condensed_graphs
from contrast_subgraphs.core.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data


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


NAMES = {0: "td", 1: "asd"}
P1 = ContrastSubgraphFeatures(labels=NAMES)


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
    weights = condensed_graphs(graphs)[0]
    counts, table = edge_counts(weights, sets), distances(weights, sets, w_td, w_asd)
    assert counts.shape == (6, len(sets)) and table.shape == (6, 2 * len(sets))
    by_pair = np.asfortranarray(weights)
    np.testing.assert_array_equal(counts, edge_counts(by_pair, sets))
    np.testing.assert_array_equal(table, distances(by_pair, sets, w_td, w_asd))
    for i, graph in enumerate(graphs):
        for k, nodes in enumerate(sets):
            pairs = [(u, v) for u in nodes for v in nodes if u < v]
            assert counts[i, k] == pytest.approx(sum(graph[u, v] for u, v in pairs))
            for column, w in enumerate((w_td, w_asd)):
                expected = sum(abs(float(graph[u, v]) - w[u, v]) for u, v in pairs)
                assert table[i, 2 * k + column] == pytest.approx(expected)


def test_nobody_has_no_features_and_bytes_do_not_wrap():
    nobody, zeros, ones = np.zeros((0, 3)), np.zeros((2, 3), np.uint8), np.ones((3, 3), np.uint8)
    assert edge_counts(nobody, [np.arange(2)]).shape == (0, 1)
    assert distances(nobody, [np.arange(2)], ones, ones).shape == (0, 2)
    np.testing.assert_array_equal(distances(zeros, [np.arange(3)], ones, ones), np.full((2, 2), 3))


def test_planted_sets_are_found_and_tell_the_groups_apart():
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures(1, percentile=80).fit(graphs, y)
    td, asd = features.subgraphs_
    assert set(td) == set(range(12, 20)) and set(asd) == set(range(8))
    X = features.transform(graphs)
    assert X[y == 0, 0].min() > X[y == 1, 0].max()
    assert X[y == 1, 1].min() > X[y == 0, 1].max()
    nearer_td = (
        np.subtract(*ContrastSubgraphFeatures(2, percentile=80).fit(graphs, y).transform(graphs).T)
        < 0
    )
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
    by_percentile = ContrastSubgraphFeatures(
        1, percentile={"td-asd": 75, "asd-td": 90}, labels=NAMES
    ).fit(graphs, y)
    alphas = dict(zip(("td-asd", "asd-td"), by_percentile.alphas_, strict=True))
    by_alpha = ContrastSubgraphFeatures(1, percentile=None, alpha=alphas, labels=NAMES).fit(
        graphs, y
    )
    for one, other in zip(by_percentile.subgraphs_, by_alpha.subgraphs_, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("solver", ["search", "exact", "densdp"])
def test_every_solver_can_be_used(solver):
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures(2, percentile=80, solver=solver).fit(graphs, y)
    found = set(features.subgraphs_[0].tolist())
    # One rounding of the paper's algorithm may stop at a smaller set.
    assert len(found) >= (3 if solver == "densdp" else 6)
    assert found <= {*range(8), *range(12, 20)}


def test_one_direction_gives_one_feature():
    graphs, y = two_groups()
    both = ContrastSubgraphFeatures().fit_transform(graphs, y)
    one = ContrastSubgraphFeatures(directions=["asd-td"], labels=NAMES).fit_transform(graphs, y)
    np.testing.assert_array_equal(one, both[:, 1:])


@pytest.mark.parametrize(
    "features, names",
    [
        (P1, ["edges_td-asd", "edges_asd-td"]),
        (ContrastSubgraphFeatures(directions=["asd-td"], labels=NAMES), ["edges_asd-td"]),
        (ContrastSubgraphFeatures(2, labels=NAMES), ["distance_td", "distance_asd"]),
        (ContrastSubgraphFeatures(), ["edges_0-1", "edges_1-0"]),
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
        ({"percentile": {"0-1": 80}}, "'1-0'"),
        ({"percentile": {"td-asd": 70, "asd-td": 80}}, "lacks the entry '0-1'.*labels="),
        ({"percentile": 0.8}, "did you mean 80"),
        ({"percentile": True}, "True"),
        ({"alpha": 0.0, "percentile": None}, "above 0"),
        ({"labels": ("control", "patient")}, "control and patient; it holds 0 and 1"),
        ({"labels": (0, 1, 2)}, "it holds 0 and 1"),
        ({"labels": {0: "a", 1: "a"}}, "called 'a' and 'a'"),
        ({"directions": ["td-asd"]}, "among 0-1, 1-0.*labels="),
        ({"directions": ["0-1", "0-1"]}, "different ones"),
        ({"percentile": "high"}, "high"),
        ({"percentile": 120}, "0 to 100"),
        ({"percentile": None, "alpha": 5.0}, "largest weight"),
        ({"directions": ["up"]}, "directions"),
        ({"random_state": 1.5}, "random_state"),
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
        ContrastSubgraphFeatures().fit(graphs + np.triu(np.ones_like(graphs), 1), y)
    features = ContrastSubgraphFeatures().fit(graphs, y)
    with pytest.raises(InputError, match="19 vertices"):
        features.transform(graphs[:, 1:, 1:])


def test_children_have_the_subgraphs_of_the_paper_s_figure(published):
    """Figure 1: more than 62 edges in the 15 vertices of ASD-TD: 11 ASD, 1 TD (FACTS)."""
    children = published("children")
    features = ContrastSubgraphFeatures(1, percentile={"td-asd": 70, "asd-td": 85}, labels=NAMES)
    X = features.fit_transform(children.adjacency, children.y)
    assert [len(nodes) for nodes in features.subgraphs_] == [23, 15]
    many = X[:, 1] > 62
    assert (many & (children.y == 1)).sum() == 11 and (many & (children.y == 0)).sum() == 1


@pytest.mark.parametrize(
    ("labels", "groups", "names"),
    [
        ([2, 1], None, ["1-2", "2-1"]),  # DX_GROUP of ABIDE: 1 is autism
        ([2, 1], (2, 1), ["2-1", "1-2"]),
        ([2, 1], {2: "control", 1: "autism"}, ["control-autism", "autism-control"]),
        (["Control", "ASD"], None, ["ASD-Control", "Control-ASD"]),
        (["TD", "ASD"], ("TD", "ASD"), ["TD-ASD", "ASD-TD"]),
        ([False, True], None, ["False-True", "True-False"]),
    ],
)
def test_a_direction_is_called_after_its_labels(labels, groups, names):
    """Graphs of the first label have the planted block in the last vertices."""
    graphs, y = two_groups()
    first, second = labels
    found = ContrastSubgraphFeatures(labels=groups).fit(graphs, np.array(labels)[y])
    assert list(found.contrasts_) == names
    assert list(found.get_feature_names_out()) == [f"edges_{name}" for name in names]
    blocks = {str(first): set(range(12, 20)), str(second): set(range(8))}
    if isinstance(groups, dict):
        blocks = {groups[label]: blocks[str(label)] for label in labels}
    for name, nodes in zip(names, found.subgraphs_, strict=True):
        assert set(nodes.tolist()) == blocks[name.split("-")[0]]
    assert [label for label in found.classes_] == sorted(labels) or groups is not None


def test_percentiles_and_directions_follow_the_names():
    graphs, y = two_groups()
    patient = np.array(["control", "patient"])[y]
    options = {"percentile": {"patient-control": 90, "control-patient": 75}}
    one = ContrastSubgraphFeatures(**options).fit(graphs, patient)
    other = ContrastSubgraphFeatures(**options, labels=("patient", "control")).fit(graphs, patient)
    assert other.contrasts_ == ("patient-control", "control-patient")
    np.testing.assert_array_equal(one.alphas_, other.alphas_[::-1])
    np.testing.assert_array_equal(one.transform(graphs), other.transform(graphs)[:, ::-1])


def test_a_parameter_that_is_set_after_fit_waits_for_the_next_fit():
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures().fit(graphs, y)
    X = features.transform(graphs)
    features.set_params(problem=2, directions=["1-0"])
    np.testing.assert_array_equal(features.transform(graphs), X)
    assert len(features.get_feature_names_out()) == X.shape[1] == 2


def test_scikit_learn_is_told_what_it_takes():
    tags = get_tags(ContrastSubgraphFeatures())
    assert tags.input_tags.three_d_array and not tags.input_tags.two_d_array
    assert tags.target_tags.required and tags.requires_fit and not tags.no_validation


class _OnTables(ContrastSubgraphFeatures):
    """Takes the rows of a table for graphs, so that scikit-learn's checks can run."""

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        return super().fit(self._graphs(X), y == y[0])  # some of their tables have more classes

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._graphs(validate_data(self, X, reset=False)))

    def _graphs(self, X):
        n = X.shape[1] + 1
        graphs = np.zeros((len(X), n, n))
        graphs[:, 0, 1:] = X
        return graphs + graphs.transpose(0, 2, 1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


#: Checks of scikit-learn's that cannot apply, and why.
NOT_FOR_GRAPHS = {
    "check_array_api_input": "graphs are counted by compiled functions, which take numpy arrays",
}


@pytest.mark.filterwarnings("ignore:percentile|no pair:UserWarning")
def test_the_checks_of_scikit_learn_pass():
    results = check_estimator(
        _OnTables(), expected_failed_checks=NOT_FOR_GRAPHS, on_fail=None, on_skip=None
    )
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    skipped = {r["check_name"] for r in results if r["status"] != "passed"}
    assert skipped <= set(NOT_FOR_GRAPHS)
    assert sum(r["status"] == "passed" for r in results) > 20


@pytest.mark.parametrize(
    ("y", "complaint"),
    [
        ([None] + [0, 1] * 19 + [0], "NaN or None"),
        ([float("nan")] + [0, 1] * 19 + [0], "NaN or None"),
        (["a", float("nan")] * 20, "NaN or None"),
        (["a", None] * 20, "NaN or None"),
        ([[0], [0, 1]], "one label for each"),
        ([[0, 1]] * 40, "one label for each of 40"),
        ([0, 1, 2, 3] * 10, "two different labels; it holds 0, 1, 2 and 3"),
        ([0, "a"] * 20, "cannot be sorted|two different"),
    ],
)
def test_labels_that_cannot_be_used_are_named(y, complaint):
    graphs, _ = two_groups()
    if y == [0, "a"] * 20:
        y = np.array(y, dtype=object)
    with pytest.raises(InputError, match=complaint):
        ContrastSubgraphFeatures().fit(graphs, y)


def test_graphs_as_people_have_them():
    rng = np.random.default_rng(0)
    series = rng.normal(size=(20, 30, 12))
    series[:10, :, :5] += rng.normal(size=(10, 30, 1))
    y = np.repeat(["a", "b"], 10)
    graphs = np.stack([np.corrcoef(one.T) for one in series])
    graphs[:, 2, 3] += 1e-12
    with np.errstate(divide="ignore"):
        z = np.arctanh(graphs)  # infinite, or nearly so, on the diagonal
    z[0, 0, 0], z[1, 1, 1] = np.nan, np.inf
    X = ContrastSubgraphFeatures().fit_transform(z, y)
    assert np.isfinite(X).all()
    for bad, complaint in (
        ([np.zeros((3, 3)), np.zeros((2, 2))], "one array, each graph of the same size"),
        ([], "shape"),
        (np.where(np.eye(12) == 1, z, np.nan), "graph 0 holds a number that is not finite"),
        (graphs + np.triu(graphs, 1), "graph 0 is not symmetric: row 0"),
    ):
        with pytest.raises(InputError, match=complaint):
            ContrastSubgraphFeatures().fit(bad, y)


def test_a_percentile_that_penalises_nothing_is_warned_of():
    graphs, y = two_groups()
    with pytest.warns(UserWarning, match="percentile 5 .*penalises no pair"):
        ContrastSubgraphFeatures(percentile=5).fit(graphs, y)


def test_a_fit_that_fails_leaves_the_earlier_one_whole():
    graphs, y = two_groups()
    features = ContrastSubgraphFeatures().fit(graphs, y)
    before, names = features.transform(graphs), features.get_feature_names_out().tolist()
    features.set_params(percentile=180)
    with pytest.raises(InputError, match="from 0 to 100"):
        features.fit(graphs[:, :5, :5], y)
    np.testing.assert_array_equal(features.transform(graphs), before)
    assert features.get_feature_names_out().tolist() == names
