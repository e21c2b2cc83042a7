"""Embs: hidden activations of a denoising autoencoder of the cubed adjacency matrix.

Gutierrez-Gomez, Delvenne: Unsupervised network embeddings with node identity awareness.
Applied Network Science 4, 2019. A step takes 1.1 times as long as its five matrix products.
"""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..core import seeds
from ..core.compiled import kernel
from ..core.errors import InputError
from .base import Embedding, simple_graphs
from .parameters import training

#: Adam, with the settings of the authors' code (Keras' defaults).
LEARNING_RATE = 1e-3
BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-7

#: Hidden units that are on average closer to -1 or 1 than this hardly distinguish graphs.
SATURATED = 1e-4

# Vector instructions for the square root and the division; NaN and infinity stay.
FAST = {"reassoc", "contract", "nsz", "arcp"}


def walk_features(graphs):
    """Return how many walks of three steps join two vertices: cubed adjacency, upper triangles."""
    upper = np.triu_indices(graphs.shape[1])
    features = np.empty((len(graphs), len(upper[0])))
    for row, graph in zip(features, graphs, strict=True):
        adjacency = graph.astype(float)
        row[:] = (adjacency @ adjacency @ adjacency)[upper]
    return features


@kernel(fastmath=FAST, error_model="numpy")
def _adam(weights, gradient, mean, square, rate):
    """One step of Adam, in place (Kingma, Ba, 2015)."""
    decay_1 = np.float32(BETA_1)
    decay_2 = np.float32(BETA_2)
    new_1 = np.float32(1 - BETA_1)
    new_2 = np.float32(1 - BETA_2)
    epsilon = np.float32(EPSILON)
    rate = np.float32(rate)
    for i in range(weights.size):
        g = gradient[i]
        m = decay_1 * mean[i] + new_1 * g
        v = decay_2 * square[i] + new_2 * g * g
        mean[i] = m
        square[i] = v
        weights[i] -= rate * m / (np.sqrt(v) + epsilon)


class Autoencoder:
    """A tanh layer and a sigmoid output, float32; initial weights of Glorot and Bengio (2010)."""

    def __init__(self, n_visible, n_hidden, random):
        limit = np.float32(np.sqrt(6 / (n_visible + n_hidden)))
        encoder, decoder = (
            (2 * random.random(shape, dtype=np.float32) - 1) * limit
            for shape in ((n_visible, n_hidden), (n_hidden, n_visible))
        )
        self.weights = [
            encoder,
            np.zeros(n_hidden, np.float32),
            decoder,
            np.zeros(n_visible, np.float32),
        ]
        self._means = [np.zeros_like(weight) for weight in self.weights]
        self._squares = [np.zeros_like(weight) for weight in self.weights]
        self._steps = 0

    def encode(self, visible):
        """Return the hidden activations, (n_samples, n_hidden)."""
        return np.tanh(visible @ self.weights[0] + self.weights[1])

    def decode(self, hidden):
        """Return the output, (n_samples, n_visible)."""
        return 1 / (1 + np.exp(-(hidden @ self.weights[2] + self.weights[3])))

    def errors(self, visible, target):
        """Return the loss, the hidden activations, and the loss's derivatives for both layers.

        The derivatives are by what enters each layer's nonlinearity.
        """
        hidden = self.encode(visible)
        output = self.decode(hidden)
        difference = output - target
        loss = float(np.mean(difference**2))
        # Backpropagation: the derivatives of the sigmoid, then of the tanh.
        output_error = difference * output * (1 - output) * np.float32(2 / difference.size)
        hidden_error = (output_error @ self.weights[2].T) * (1 - hidden**2)
        return loss, hidden, hidden_error, output_error

    def step(self, visible, target):
        """Take one step of Adam on a batch; return the loss before it."""
        loss, hidden, hidden_error, output_error = self.errors(visible, target)
        self._steps += 1
        # Both means start at 0: this corrects the bias of the first steps (Kingma, Ba, Algorithm
        # 1).
        rate = LEARNING_RATE
        rate *= np.sqrt(1 - BETA_2**self._steps) / (1 - BETA_1**self._steps)
        self._layer_step(0, visible, hidden_error, rate)
        self._layer_step(2, hidden, output_error, rate)
        return loss

    def _layer_step(self, k, incoming, error, rate):
        for weight, gradient in ((k, incoming.T @ error), (k + 1, error.sum(axis=0))):
            state = self.weights[weight], gradient, self._means[weight], self._squares[weight]
            _adam(*(array.ravel() for array in state), rate)


@dataclass(eq=False, repr=False)
class Embs(Embedding):
    """Hidden activations of a denoising autoencoder; aware of the vertices' identity.

    Graphs are read `epochs` times, in batches. `noise` is the probability that a number of walks in
    the input is lowered by one (drawn once). `loss_` is the mean loss of each epoch. `snapshots_`
    holds the embedding after each epoch in `snapshots`, which is what a training of this length
    gives. The vertices of all graphs must be in the same order. Runs on one BLAS thread, since the
    order of a sum, and with it the last bits of the result, depends on the number of threads.
    """

    method: ClassVar[str] = "embs"

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
        # The draws do not depend on `epochs`, so that a longer training begins as a shorter one.
        random = seeds.generator(self.random_state, "embs", *training(tuned).values())
        noisy = np.maximum(counts - (random.random(counts.shape) < self.noise), 0)
        span = np.ptp(counts, axis=0)
        # Inputs are scaled to 0 to 1, the range of the sigmoid output; constant ones become 0.
        self.scale_ = 1 / np.where(span > 0, span, 1)
        self.shift_ = -counts.min(axis=0) * self.scale_
        clean = self._scaled(counts)
        noisy = self._scaled(noisy)
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
        self._check_fitted()
        counts = walk_features(simple_graphs(graphs))
        if counts.shape[1] != len(self.scale_):
            raise InputError("embs: these graphs have another number of vertices than those of fit")
        with threadpool_limits(1, "blas"):
            return self._encode(self._scaled(counts))

    def _scaled(self, counts):
        return (counts * self.scale_ + self.shift_).astype(np.float32)

    def _encode(self, visible):
        return self.autoencoder_.encode(visible).astype(float)
