"""graph2vec: documents, and what the vectors must know."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings.graph2vec import Graph2Vec, wl_documents
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC


def random_graphs(n_graphs, n_vertices, density, seed=0):
    upper = np.triu(np.random.default_rng(seed).random((n_graphs, n_vertices, n_vertices)), 1)
    edges = (upper > 1 - density).astype(np.uint8)
    return edges + edges.transpose(0, 2, 1)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(1, 4), st.integers(2, 9), st.integers(0, 3), st.integers(0, 99))
def test_documents_have_a_word_for_each_vertex_and_iteration(n_graphs, n, height, seed):
    graphs = random_graphs(n_graphs, n, 0.5, seed)
    words = wl_documents(graphs, height)[0].reshape(n_graphs, n, height + 1)
    for iteration in range(height):  # no word belongs to two iterations
        assert words[..., iteration].max() < words[..., iteration + 1].min()
    if height:
        degree = graphs.sum(axis=2)
        pairs = set(zip(degree.ravel(), words[..., 1].ravel(), strict=True))
        assert len(pairs) == len(np.unique(degree)) == len(np.unique(words[..., 1]))


def test_documents_do_not_depend_on_the_order_of_the_vertices():
    graphs = random_graphs(3, 12, 0.4)
    order = np.random.default_rng(1).permutation(12)
    turned = graphs[:, order][:, :, order]
    both, _ = wl_documents(np.concatenate([graphs, turned]), 3)
    for first, second in zip(both[:3], both[3:], strict=True):
        np.testing.assert_array_equal(np.sort(first), np.sort(second))


def sparse_and_dense():
    graphs = np.concatenate([random_graphs(20, 30, 0.15), random_graphs(20, 30, 0.3, 1)])
    return graphs, np.repeat([0, 1], 20)


def test_vectors_know_the_density():
    graphs, y = sparse_and_dense()
    vectors = Graph2Vec(embedding_size=16, height=1, epochs=30).fit_transform(graphs)
    assert cross_val_score(SVC(), vectors, y, cv=5).mean() > 0.9


def test_vectors_of_others_lie_where_the_training_puts_them():
    """Each by itself, the same bytes in any company; a graph without a known word has a vector."""
    graphs, y = sparse_and_dense()
    model = Graph2Vec(embedding_size=16, height=1, epochs=30).fit(graphs[::2])
    vectors = model.transform(graphs)
    classifier = SVC().fit(vectors[::2], y[::2])
    assert classifier.score(vectors[1::2], y[1::2]) > 0.9
    np.testing.assert_array_equal(model.transform(graphs[5:6])[0], vectors[5])
    assert np.isfinite(model.transform(np.ones((1, 200, 200)))).all()


def test_two_seeds_agree():
    """As far as the graphs' degrees differ; the reading of TensorFlow's code gave 0."""
    graphs, _ = sparse_and_dense()
    pairs = np.triu_indices(len(graphs), 1)
    cosines = []
    for seed in (0, 1):
        vectors = Graph2Vec(
            embedding_size=32, height=2, epochs=40, random_state=seed
        ).fit_transform(graphs)
        vectors -= vectors.mean(axis=0)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines.append((vectors @ vectors.T)[pairs])
    assert spearmanr(*cosines).statistic > 0.8


def test_the_same_seed_gives_the_same_bytes():
    graphs, _ = sparse_and_dense()
    one, two, other = (
        Graph2Vec(embedding_size=8, epochs=3, random_state=seed).fit_transform(graphs)
        for seed in (0, 0, 1)
    )
    assert one.tobytes() == two.tobytes() and not np.allclose(one, other)


def test_graphs_in_which_no_label_comes_often_are_refused():
    with pytest.raises(InputError, match="no word appears 5 times: take more graphs"):
        Graph2Vec(embedding_size=4, height=0).fit(np.zeros((2, 2, 2)))
