"""graph2vec: gradient, noise words, documents, and what the vectors must know."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings import graph2vec
from contrast_subgraphs.embeddings.graph2vec import Graph2Vec
from hypothesis import given, settings
from hypothesis import strategies as st


def random_graphs(n_graphs, n_vertices, density, seed=0):
    upper = np.triu(np.random.default_rng(seed).random((n_graphs, n_vertices, n_vertices)), 1)
    edges = (upper > 1 - density).astype(np.uint8)
    return edges + edges.transpose(0, 2, 1)


def reference_loss(words, graphs, negatives, tries, q, vectors, weights, biases):
    """TensorFlow's `nce_loss`, averaged, written out with one term a pair."""

    def softplus(x):
        return np.logaddexp(0, x)

    expected = len(negatives) * q if tries == len(negatives) else -np.expm1(tries * np.log1p(-q))
    total = 0.0
    for word, graph in zip(words, graphs, strict=True):
        total += softplus(-(vectors[graph] @ weights[word] + biases[word] - np.log(expected[word])))
        for noise in negatives:
            logit = vectors[graph] @ weights[noise] + biases[noise] - np.log(expected[noise])
            total += softplus(logit)
    return total / len(words)


@pytest.mark.parametrize("tries", [3, 4, 9])
def test_step_follows_the_numeric_gradient(tries):
    """Also with a word twice, a noise word that is in the batch, a graph that comes back."""
    random = np.random.default_rng(tries)
    graphs = np.array([2, 2, 2, 0, 1, 1, 2, 2], np.int32)
    words = np.array([3, 5, 3, 3, 8, 0, 5, 1], np.int32)
    negatives = np.array([5, 7, 2], np.int64)
    q = random.dirichlet(np.ones(9))
    model = [random.normal(size=shape) for shape in ((3, 4), (9, 4), 9)]
    rate = 0.5

    changed = [array.astype(np.float32) for array in model]
    work = np.empty((5, 4), np.float32)
    noise = np.log(q), np.log1p(-q)
    loss = graph2vec.nce_step(words, graphs, negatives, tries, *noise, *changed, rate, work)
    expected = reference_loss(words, graphs, negatives, tries, q, *model)
    assert loss == pytest.approx(expected, rel=1e-5)

    for array, after in zip(model, changed, strict=True):
        gradient = np.empty_like(array)
        for place in np.ndindex(array.shape):
            sides = []
            for shift in (1e-5, -1e-5):
                array[place] += shift
                sides.append(reference_loss(words, graphs, negatives, tries, q, *model))
                array[place] -= shift
            gradient[place] = (sides[0] - sides[1]) / 2e-5
        np.testing.assert_allclose((array - after) / rate, gradient, atol=2e-5)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30))
def test_alias_table_holds_the_distribution(weights):
    probability = np.array(weights) / sum(weights)
    share, alias = graph2vec._alias(probability)
    again = share + np.bincount(alias, 1 - share, minlength=len(share))
    np.testing.assert_allclose(again / len(share), probability, atol=1e-12)


def test_noise_words_are_different_and_follow_the_distribution():
    probability = np.array([0.4, 0.3, 0.2, 0.1])
    state = np.array([7], np.uint64)
    drawn = np.empty(2, np.int64)
    pairs = np.zeros((4, 4))
    tries = []
    for _ in range(20_000):
        tries.append(graph2vec._draw_distinct(state, *graph2vec._alias(probability), drawn))
        pairs[tuple(drawn)] += 1
    assert np.trace(pairs) == 0
    assert min(tries) == 2
    expected = probability[:, None] * probability / (1 - probability[:, None])
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(pairs / pairs.sum(), expected, atol=0.015)


def test_documents_list_each_vertex_with_all_its_trees():
    graphs = random_graphs(4, 6, 0.5)
    documents, frequency = graph2vec._documents(graphs, 2)
    assert documents.shape == (4, 18)
    assert (documents[:, ::3] == 0).all()  # no labels given: one word at height 0
    degree = graphs.sum(axis=2)
    for value in np.unique(degree):
        assert len(np.unique(documents[:, 1::3][degree == value])) == 1
    np.testing.assert_array_equal(np.bincount(documents.ravel()), frequency)
    assert frequency.sum() == 4 * 18
    assert frequency.min() >= 1


@pytest.mark.parametrize(("batch_size", "height"), [(1, 1), (7, 2), (18, 2), (100, 2), (500, 0)])
def test_epochs_read_every_word_whatever_the_batch(batch_size, height):
    """Batches run on over the end of a graph and of an epoch, as the authors' do."""
    graphs = random_graphs(4, 6, 0.5)
    graphs[0] = 0
    documents, frequency = graph2vec._documents(graphs, height)
    q = frequency / frequency.sum() if len(frequency) > 1 else np.array([0.5])
    noise = np.log(q), np.log1p(-q), *graph2vec._alias(q)
    model = tuple(np.zeros(shape, np.float32) for shape in ((4, 3), (len(q), 3), len(q)))
    cursor, state = np.zeros(3, np.int64), np.array([1], np.uint64)
    order = np.arange(4, dtype=np.int32)
    for epoch in range(1, 4):
        loss = graph2vec._train_epoch(documents, cursor, order, state, noise, model, 1, batch_size)
        assert np.isfinite(loss)
        read = cursor[2] * batch_size
        assert epoch * documents.size <= read
        if batch_size <= documents.size:
            assert read < epoch * documents.size + batch_size
    assert sorted(order) == [0, 1, 2, 3]


def test_loss_falls_and_rows_have_unit_mean_square():
    model = Graph2Vec(batch_size=16, embedding_size=24, negatives=5, height=2, epochs=60)
    embedding = model.fit_transform(random_graphs(10, 12, 0.4))
    assert model.loss_[-1] < 0.5 * model.loss_[0]
    np.testing.assert_allclose((embedding**2).mean(axis=1), 1)


def test_a_relabelled_graph_is_its_originals_nearest_neighbour():
    graphs = random_graphs(10, 24, 0.4)
    random = np.random.default_rng(1)
    copies = np.array([g[np.ix_(p, p)] for g in graphs for p in [random.permutation(24)]])
    model = Graph2Vec(batch_size=32, embedding_size=32, negatives=5, height=2, epochs=60)
    embedding = model.fit_transform(np.concatenate([graphs, copies]))
    cosine = embedding @ embedding.T
    np.fill_diagonal(cosine, -np.inf)
    np.testing.assert_array_equal(cosine.argmax(axis=1), (np.arange(20) + 10) % 20)


def test_truncated_normal_stays_within_two_deviations():
    numbers = graph2vec._truncated_normal(np.random.default_rng(0), (300, 100), 0.5)
    assert np.abs(numbers).max() <= 1
    assert numbers.std() == pytest.approx(0.88 * 0.5, rel=0.02)  # of the truncated normal


def test_more_noise_words_than_words_is_an_error_with_the_way_out():
    empty = np.zeros((3, 5, 5), np.uint8)
    with pytest.raises(InputError, match="negatives is 1, .* only 1 different words at height 0"):
        Graph2Vec(negatives=1, height=0).fit(empty)
    with pytest.raises(InputError, match="lower negatives or raise height"):
        Graph2Vec(negatives=30, height=1).fit(random_graphs(3, 5, 0.5))


def test_embedding_larger_than_the_vocabulary():
    model = Graph2Vec(embedding_size=64, negatives=2, height=1, epochs=2)
    assert np.isfinite(model.fit_transform(random_graphs(3, 5, 0.5))).all()
