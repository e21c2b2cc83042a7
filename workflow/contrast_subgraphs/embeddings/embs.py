"""Embs: hidden activations of a denoising autoencoder of the cubed adjacency matrix.

Gutierrez-Gomez, Delvenne: Unsupervised network embeddings with node identity awareness.
Applied Network Science 4, 2019. Own code: one hidden layer with Adam is short, torch or
TensorFlow would be the largest packages of the environment, and scikit-learn's network
has no sigmoid output.
"""

import warnings

import numpy as np
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..core import seeds
from ..core.compiled import kernel
from ..core.errors import InputError
from .checks import simple_graphs
from .parameters import training

#: Adam, with the settings of the authors' code (Keras' defaults).
LEARNING_RATE = 1e-3
BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-7

#: Hidden units nearer to -1 or 1 than this, on average, hardly distinguish the graphs.
SATURATED = 1e-4

# Vector instructions for the square root and the division; NaN and infinity stay.
FAST = {"reassoc", "contract", "nsz", "arcp"}


def walk_features(graphs):
    """Return the upper triangles, with diagonal, of the cubed adjacency matrices.

    Parameters
    ----------
    graphs : ndarray of shape (n_graphs, p, p)
        Simple graphs.

    Returns
    -------
    ndarray of float64, shape (n_graphs, p (p + 1) / 2)
        Numbers of walks of three steps between two vertices.
    """
    upper = np.triu_indices(graphs.shape[1])
    features = np.empty((len(graphs), len(upper[0])))
    for row, graph in zip(features, graphs, strict=True):
        adjacency = graph.astype(float)
        row[:] = (adjacency @ adjacency @ adjacency)[upper]
    return features


@kernel(fastmath=FAST, error_model="numpy")
def _adam(weights, gradient, mean, square, rate):
    """One step of Adam, in place (Kingma, Ba, 2015)."""
    decay_1, decay_2 = np.float32(BETA_1), np.float32(BETA_2)
    new_1, new_2 = np.float32(1 - BETA_1), np.float32(1 - BETA_2)
    epsilon, rate = np.float32(EPSILON), np.float32(rate)
    for i in range(weights.size):
        g = gradient[i]
        m = decay_1 * mean[i] + new_1 * g
        v = decay_2 * square[i] + new_2 * g * g
        mean[i] = m
        square[i] = v
        weights[i] -= rate * m / (np.sqrt(v) + epsilon)


class Autoencoder:
    """A tanh layer and a sigmoid output with mean squared error, in float32.

    Parameters
    ----------
    n_visible, n_hidden : int
    random : numpy.random.Generator
        For the first weights (Glorot, Bengio, 2010: uniform).

    Attributes
    ----------
    weights : list of ndarray
        Encoder weights (n_visible, n_hidden) and biases, decoder weights (n_hidden,
        n_visible) and biases.
    """

    epochs: int = 15
    batch_size: int = 128
    embedding_size: int = 800
    noise: float = 0.05
    snapshots: tuple = ()
    random_state: int = 0
    verbose: int = 0

    def _embed(self, graphs):
        tuned = self.tuned()
        late = [epoch for epoch in self.snapshots if not 1 <= epoch <= self.epochs]
        if late:
            raise InputError(f"embs: no snapshot after epoch {late[0]}: it trains {self.epochs}")
        counts = walk_features(graphs)
        # Not of `epochs`: a longer training goes through a shorter one.
        random = seeds.generator(self.random_state, "embs", *training("embs", tuned).values())
        noisy = np.maximum(counts - (random.random(counts.shape) < self.noise), 0)
        self.scaler_ = MinMaxScaler().fit(counts)
        clean = self.scaler_.transform(counts).astype(np.float32)
        noisy = self.scaler_.transform(noisy).astype(np.float32)
        self.autoencoder_ = Autoencoder(clean.shape[1], self.embedding_size, random)
        self.loss_ = np.zeros(self.epochs)
        self.snapshots_ = {}
        with threadpool_limits(1, "blas"):
            for epoch in tqdm(range(self.epochs), "embs epochs", disable=not self.verbose):
                order = random.permutation(len(clean))
                for first in range(0, len(order), self.batch_size):
                    batch = order[first : first + self.batch_size]
                    loss = self.autoencoder_.step(noisy[batch], clean[batch])
                    self.loss_[epoch] += loss * len(batch) / len(order)
                if epoch + 1 in self.snapshots:
                    self.snapshots_[epoch + 1] = self._encode(clean)
            self.embedding_ = self._encode(clean)
        if (1 - np.abs(self.embedding_)).mean() < SATURATED:
            warnings.warn(
                f"embs: with {self.embedding_size} hidden units nearly all are at -1 or 1 for "
                "every graph, so there is little to classify by: take more (embedding_size)",
                stacklevel=2,
            )
        return self.embedding_

    def transform(self, graphs):
        """Return the embedding of any graphs on the same vertices."""
        check_is_fitted(self)
        counts = walk_features(simple_graphs(graphs))
        if counts.shape[1] != self.scaler_.n_features_in_:
            raise InputError("embs: these graphs have another number of vertices than those of fit")
        with threadpool_limits(1, "blas"):
            return self._encode(self.scaler_.transform(counts).astype(np.float32))

    def _encode(self, visible):
        return self.autoencoder_.encode(visible).astype(float)
