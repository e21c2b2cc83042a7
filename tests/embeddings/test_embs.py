"""Embs: gradient, Adam, features, and that it knows the vertices."""

import warnings

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings.embs import Autoencoder, Embs, walk_features
from threadpoolctl import threadpool_limits


def random_graphs(n_graphs, n_vertices, density, seed=0):
    upper = np.triu(np.random.default_rng(seed).random((n_graphs, n_vertices, n_vertices)), 1)
    edges = (upper > 1 - density).astype(np.uint8)
    return edges + edges.transpose(0, 2, 1)


def test_features_count_walks_of_three_steps():
    graphs = random_graphs(3, 6, 0.6)
    features = walk_features(graphs)
    assert features.shape == (3, 21)
    for graph, row in zip(graphs, features, strict=True):
        expected = np.linalg.matrix_power(graph.astype(int), 3)
        place = 0
        for i in range(6):
            for j in range(i, 6):
                assert row[place] == expected[i, j]
                place += 1


def test_errors_give_the_numeric_gradient():
    random = np.random.default_rng(0)
    model = Autoencoder(7, 4, random)
    model.weights = [
        (weight + random.normal(0, 0.3, weight.shape)).astype(float) for weight in model.weights
    ]
    visible, target = random.random((5, 7)), random.random((5, 7))
    _, hidden, hidden_error, output_error = model.errors(visible, target)
    gradients = [
        visible.T @ hidden_error,
        hidden_error.sum(axis=0),
        hidden.T @ output_error,
        output_error.sum(axis=0),
    ]
    for weight, gradient in zip(model.weights, gradients, strict=True):
        for place in np.ndindex(weight.shape):
            sides = []
            for shift in (1e-6, -1e-6):
                weight[place] += shift
                sides.append(model.errors(visible, target)[0])
                weight[place] -= shift
            assert gradient[place] == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-8)


def test_step_is_adam_on_that_gradient():
    random = np.random.default_rng(1)
    model = Autoencoder(6, 3, random)
    weights = [weight.astype(float) for weight in model.weights]
    means = [np.zeros_like(weight) for weight in weights]
    squares = [np.zeros_like(weight) for weight in weights]
    for t in range(1, 6):
        visible = random.random((4, 6)).astype(np.float32)
        target = random.random((4, 6)).astype(np.float32)
        _, hidden, hidden_error, output_error = model.errors(visible, target)
        gradients = [
            visible.T @ hidden_error,
            hidden_error.sum(axis=0),
            hidden.T @ output_error,
            output_error.sum(axis=0),
        ]
        model.step(visible, target)
        for k, gradient in enumerate(gradients):
            means[k] = 0.9 * means[k] + 0.1 * gradient
            squares[k] = 0.999 * squares[k] + 0.001 * gradient.astype(float) ** 2
            # Keras' Adam: the bias corrections are in the rate, epsilon is not corrected.
            rate = 0.001 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            weights[k] -= rate * means[k] / (np.sqrt(squares[k]) + 1e-7)
            np.testing.assert_allclose(model.weights[k], weights[k], atol=2e-6)


def test_first_weights_are_glorots():
    model = Autoencoder(300, 100, np.random.default_rng(0))
    limit = np.sqrt(6 / 400)
    for weight in (model.weights[0], model.weights[2]):
        assert 0.99 * limit < np.abs(weight).max() <= limit * (1 + 1e-6)
        assert abs(weight.mean()) < 0.01 * limit
    assert not model.weights[1].any()
    assert not model.weights[3].any()


def test_training_learns_to_reproduce_the_clean_graphs():
    model = Embs(epochs=200, batch_size=4, embedding_size=30, noise=0.3)
    embedding = model.fit_transform(random_graphs(12, 8, 0.4))
    assert model.loss_[-1] < 0.3 * model.loss_[0]
    assert embedding.shape == (12, 30)
    assert np.abs(embedding).max() <= 1


def test_noise_takes_at_most_one_walk_and_is_drawn_once(monkeypatch):
    inputs = []
    step = Autoencoder.step
    monkeypatch.setattr(
        Autoencoder,
        "step",
        lambda self, visible, target: (
            inputs.append((visible, target)) or step(self, visible, target)
        ),
    )
    graphs = random_graphs(6, 8, 0.5)
    model = Embs(epochs=3, batch_size=6, embedding_size=3, noise=0.4).fit(graphs)
    seen = [(pair - model.shift_) / model.scale_ for epoch in inputs for pair in epoch]
    noisy, clean = (np.array([sorted(x.round(3).tolist()) for x in seen[k::2]]) for k in (0, 1))
    for k in range(3):
        np.testing.assert_array_equal(noisy[k], noisy[0])
        np.testing.assert_array_equal(clean[k], clean[0])
    varies = np.ptp(walk_features(graphs), axis=0) > 0
    taken = (seen[1] - seen[0])[:, varies].round(3)
    assert set(np.unique(taken)) == {0, 1}
    assert seen[0][:, varies].min() >= -1e-3
    positive = seen[1][:, varies].round() > 0
    assert taken[positive].mean() == pytest.approx(0.4, abs=0.1)


def test_transform_gives_the_same_embedding_and_that_of_others():
    graphs = random_graphs(9, 8, 0.5)
    model = Embs(epochs=3, batch_size=4, embedding_size=5)
    embedding = model.fit_transform(graphs)
    np.testing.assert_array_equal(model.transform(graphs), embedding)
    assert np.isfinite(model.transform(random_graphs(2, 8, 0.9, seed=1))).all()
    with pytest.raises(InputError, match="another number of vertices"):
        model.transform(random_graphs(2, 7, 0.5))


def test_threads_do_not_change_a_bit():
    graphs = random_graphs(40, 40, 0.3)
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(Embs(epochs=3, batch_size=20, embedding_size=128).fit_transform(graphs))
    assert results[0].tobytes() == results[1].tobytes()


def test_relabelled_graphs_are_strangers():
    """Unlike the other three it is aware of the vertices: their order must be one."""
    graphs = random_graphs(10, 24, 0.4)
    random = np.random.default_rng(1)
    copies = np.array([g[np.ix_(p, p)] for g in graphs for p in [random.permutation(24)]])
    embedding = Embs(100, 8, 32, 0.1).fit_transform(np.concatenate([graphs, copies]))
    embedding -= embedding.mean(axis=0)
    embedding /= np.linalg.norm(embedding, axis=1, keepdims=True)
    cosine = embedding @ embedding.T
    np.fill_diagonal(cosine, -np.inf)
    assert np.mean(cosine.argmax(axis=1) == (np.arange(20) + 10) % 20) < 0.5


def test_too_few_units_are_warned_of():
    graphs = random_graphs(40, 60, 0.2)
    with pytest.warns(UserWarning, match="16 hidden units.*embedding_size"):
        Embs(epochs=100, batch_size=16, embedding_size=16).fit(graphs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Embs(epochs=5, batch_size=16, embedding_size=400).fit(graphs)


def test_graphs_that_are_all_the_same():
    graphs = np.repeat(random_graphs(1, 6, 0.5), 4, axis=0)
    embedding = Embs(epochs=2, batch_size=3, embedding_size=100).fit_transform(graphs)
    assert np.isfinite(embedding).all()
    np.testing.assert_array_equal(embedding, embedding[:1].repeat(4, axis=0))
