"""WL-Kern: equal to a slow reference with dictionaries; exact under relabelling."""

from collections import Counter

import numpy as np
import pytest
from contrast_subgraphs.embeddings.estimators import WLKern
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC


@st.composite
def stacks(draw):
    """A few graphs on up to nine vertices, some without edges."""
    n_graphs, n_vertices = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    density = draw(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]))
    upper = np.triu(random.random((n_graphs, n_vertices, n_vertices)) < density, 1)
    return (upper | upper.transpose(0, 2, 1)).astype(np.uint8)


def reference_histograms(graphs, height):
    """Weisfeiler-Lehman by tuples that hold whole trees: nothing is compressed."""
    histograms = []
    for graph in graphs:
        neighbours = {v: np.flatnonzero(row).tolist() for v, row in enumerate(graph)}
        label = dict.fromkeys(neighbours, 0)
        iterations = [Counter(label.values())]
        for _ in range(height):
            label = {
                v: (label[v], tuple(sorted((label[w] for w in around), key=repr)))
                for v, around in neighbours.items()
            }
            iterations.append(Counter(label.values()))
        histograms.append(iterations)
    return histograms


def reference_gram(graphs, height, features):
    histograms = reference_histograms(graphs, height)
    kept = [h[-1:] if features == "last" else h for h in histograms]
    gram = np.array(
        [
            [
                sum(a[label] * b[label] for a, b in zip(x, y, strict=True) for label in a)
                for y in kept
            ]
            for x in kept
        ],
        dtype=float,
    )
    if features == "cumulative":
        norm = np.sqrt(np.diag(gram))
        gram /= np.outer(norm, norm)
    return gram


@settings(deadline=None, max_examples=40, derandomize=True)
@given(stacks(), st.integers(0, 3), st.sampled_from(["last", "cumulative"]))
def test_gram_is_the_references(graphs, height, features):
    kernel = WLKern(height, features)
    gram = kernel.gram(graphs)
    np.testing.assert_array_equal(gram, reference_gram(graphs, height, features))
    rows = kernel.fit_transform(graphs)
    np.testing.assert_allclose((rows @ rows.T).toarray(), gram, atol=1e-12)
    np.testing.assert_array_equal(kernel.transform(graphs).toarray(), rows.toarray())
    assert len(kernel.get_feature_names_out()) == rows.shape[1]


@settings(deadline=None, max_examples=25, derandomize=True)
@given(stacks(), st.integers(0, 3), st.sampled_from(["last", "cumulative"]), st.integers(0, 99))
def test_relabelled_vertices_give_the_same_gram_bit_for_bit(graphs, height, features, seed):
    random = np.random.default_rng(seed)
    relabelled = np.array([g[np.ix_(p, p)] for g in graphs for p in [random.permutation(len(g))]])
    kernel = WLKern(height, features)
    assert kernel.gram(relabelled).tobytes() == kernel.gram(graphs).tobytes()


def test_height_0_counts_the_vertices():
    graphs = np.zeros((3, 5, 5), np.uint8)
    np.testing.assert_array_equal(WLKern(0).fit_transform(graphs).toarray(), [[5], [5], [5]])


def test_isolated_vertices_count():
    graph = np.zeros((1, 6, 6), np.uint8)
    graph[0, 0, 1] = graph[0, 1, 0] = 1
    counts = WLKern(1).fit_transform(graph).toarray()
    assert sorted(counts[0]) == [2, 4]


def test_labels_that_were_not_seen_do_not_count():
    """A path's vertices meet a triangle's only where their trees are the same."""
    path = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]]], np.uint8)
    triangle = (1 - np.eye(3, dtype=np.uint8))[None]
    kernel = WLKern(2, "last").fit(triangle)
    np.testing.assert_array_equal(kernel.transform(path).toarray(), [[0]])
    kernel = WLKern(1, "last").fit(triangle)
    np.testing.assert_array_equal(kernel.transform(path).toarray(), [[1]])  # the middle one


@pytest.mark.parametrize(
    ("cohort", "majority"),
    [("children", 0.524), ("adolescents", 0.521), ("eyesclosed", 0.542), ("male", 0.500)],
)
def test_last_histogram_predicts_the_majority_of_the_published_cohorts(published, cohort, majority):
    """The paper's row of Table 2, with its zero deviations, for every C."""
    graphs = published(cohort)
    kernel = WLKern(3, "last")
    labels = kernel.fit_transform(graphs.adjacency)
    assert (np.asarray((labels > 0).sum(axis=0)) == 1).mean() > 0.998
    gram = kernel.gram(graphs.adjacency)
    size, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(size, 0))
    for C in (0.01, 10):
        accuracy = [
            LinearSVC(C=C, random_state=0)
            .fit(features[train], graphs.y[train])
            .score(features[test], graphs.y[test])
            for train, test in StratifiedShuffleSplit(5, test_size=0.2, random_state=0).split(
                features, graphs.y
            )
        ]
        np.testing.assert_allclose(accuracy, accuracy[0])
        assert round(accuracy[0], 3) == majority
