"""sub2vec: walks, words, and the order of the documents."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings.base import neighbour_lists
from contrast_subgraphs.embeddings.paragraphs import Paragraphs
from contrast_subgraphs.embeddings.sub2vec import Sub2Vec, random_walks, walk_documents
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.svm import SVC


def random_graphs(n_vertices, densities, seed=0):
    random = np.random.default_rng(seed)
    upper = [np.triu(random.random((n_vertices, n_vertices)) < d, 1) for d in densities]
    return np.array([edges | edges.T for edges in upper]).astype(np.uint8)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(2, 12), st.floats(0.05, 1), st.integers(2, 50), st.integers(0, 999))
def test_documents_are_walks_on_the_graph(n_vertices, density, length, seed):
    graphs = random_graphs(n_vertices, [density] * 3, seed)
    graphs[:, 0, 1] = graphs[:, 1, 0] = 1
    walks = walk_documents(graphs, False, length, np.random.default_rng(seed))
    assert walks.shape == (3, length)
    for graph, walk in zip(graphs, walks, strict=True):
        assert graph[walk[:-1], walk[1:]].all()
        assert graph.any(axis=1)[walk].all()  # isolated vertices are never met


def test_steps_are_uniform_over_neighbours():
    """Of a vertex with three neighbours, and of the others with theirs."""
    graph = np.array([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], np.uint8)
    start, neighbour = neighbour_lists(graph[None])
    begin, random = np.zeros(1, np.int64), np.random.default_rng(3)
    walk = random_walks(start, neighbour, begin, 200_000, random)[0]
    steps = np.zeros((4, 4))
    np.add.at(steps, (walk[:-1], walk[1:]), 1)
    frequency = steps / steps.sum(axis=1, keepdims=True)
    expected = graph / graph.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(frequency, expected, atol=0.01)
    # In the long run a vertex is met in proportion to its degree.
    np.testing.assert_allclose(steps.sum(axis=1) / len(walk), graph.sum(axis=1) / 8, atol=0.01)


@pytest.mark.parametrize(
    ("degree", "n_vertices", "bucket"),
    [(1, 20, 0), (1, 10, 1), (3, 20, 2), (4, 20, 3), (5, 20, 4), (6, 20, 5), (9, 10, 7)],
)
def test_structural_words_are_buckets_of_degree_over_n(degree, n_vertices, bucket):
    """Upper bounds belong to their bucket; a ring lattice has one degree (or a pair, for 1)."""
    graph = np.zeros((n_vertices, n_vertices), np.uint8)
    for vertex in range(n_vertices):
        for step in range(1, degree // 2 + 1):
            graph[vertex, (vertex + step) % n_vertices] = 1
            graph[(vertex + step) % n_vertices, vertex] = 1
    if degree % 2:
        opposite = (np.arange(n_vertices) + n_vertices // 2) % n_vertices
        graph[np.arange(n_vertices), opposite] = 1
    assert (graph.sum(axis=1) == degree).all()
    words = walk_documents(graph[None], True, 31, np.random.default_rng(0))
    assert words.shape == (1, 31)
    assert (words == bucket).all()


def test_isolated_vertices_count_in_the_fraction_of_neighbours():
    graph = np.zeros((1, 8, 8), np.uint8)
    graph[0, 0, 1] = graph[0, 1, 0] = 1
    words = walk_documents(graph, True, 10, np.random.default_rng(0))
    assert (words == 2).all()  # 1/8, in (0.1, 0.15]; 1/2 if the others had vanished


def test_documents_come_in_a_random_order_that_ignores_the_graphs(monkeypatch):
    orders = []

    fit = Paragraphs.fit

    def spy(self, documents, random, order=None, **options):
        order = random.permutation(len(documents)) if order is None else order
        orders.append(order.tolist())
        return fit(self, documents, random, order=order, **options)

    monkeypatch.setattr(Paragraphs, "fit", spy)
    settings = {"walk_length": 50, "embedding_size": 4, "epochs": 1}
    graphs = random_graphs(8, np.linspace(0.3, 0.9, 20))
    Sub2Vec(**settings, random_state=1).fit(graphs)
    Sub2Vec(**settings, random_state=1).fit(graphs[::-1])
    Sub2Vec(**settings, random_state=2).fit(graphs)
    Sub2Vec(**settings, document_order="given").fit(graphs)
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == orders[3] == list(range(20))
    assert orders[0] != orders[3]


def test_a_relabelled_graph_is_its_originals_nearest_neighbour_in_structure():
    """Under S, whatever the vertices are called; under N the names are the words."""
    graphs = random_graphs(30, np.linspace(0.08, 0.7, 12))
    random = np.random.default_rng(5)
    copies = np.array([g[np.ix_(p, p)] for g in graphs for p in [random.permutation(30)]])
    both = np.concatenate([graphs, copies])
    found = {}
    for property in ("S", "N"):
        model = Sub2Vec(property, 4000, 16, "DBON", 20)
        embedding = model.fit_transform(both)
        embedding /= np.linalg.norm(embedding, axis=1, keepdims=True)
        cosine = embedding @ embedding.T
        np.fill_diagonal(cosine, -np.inf)
        found[property] = np.mean(cosine.argmax(axis=1) == (np.arange(24) + 12) % 24)
    assert found["S"] > 0.9
    assert found["N"] < 0.5


def test_a_graph_without_edges_is_named():
    graphs = random_graphs(6, [0.8, 0.8, 0])
    with pytest.raises(InputError, match="graph 2 has no edge"):
        Sub2Vec(walk_length=100).fit(graphs)
    with pytest.raises(InputError, match="graph 0 has no edge"):
        Sub2Vec(walk_length=100).fit(np.zeros((2, 1, 1)))


def test_walks_that_are_too_short_are_an_error_with_the_way_out():
    with pytest.raises(InputError, match="raise walk_length"):
        Sub2Vec(walk_length=2).fit(random_graphs(6, [0.8]))


def test_documents_in_the_order_of_the_classes_leak_the_class():
    """Graphs and classes drawn independently: a classifier can only know the position."""
    random = np.random.default_rng(0)
    graphs = random_graphs(60, random.uniform(0.15, 0.35, 120))
    y = np.arange(120) >= 60
    accuracy = {}
    for order in ("given", "random"):
        model = Sub2Vec("S", 60_000, 16, "DBON", 1, document_order=order)
        splits = StratifiedShuffleSplit(10, test_size=0.2, random_state=0)
        embedding = model.fit_transform(graphs)
        accuracy[order] = cross_val_score(SVC(C=100), embedding, y, cv=splits).mean()
    assert accuracy["given"] > 0.75
    assert abs(accuracy["random"] - 0.5) < 0.12


@pytest.mark.parametrize("model", ["DBON", "DM"])
def test_embedding_larger_than_the_vocabulary(model):
    embedding = Sub2Vec("S", 200, 50, model, 2).fit_transform(random_graphs(6, [0.5, 0.8]))
    assert embedding.shape == (2, 50)
    assert np.isfinite(embedding).all()
