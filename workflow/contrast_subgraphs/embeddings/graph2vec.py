"""graph2vec: a skip-gram model with graphs as documents and rooted subgraphs as words.

Narayanan et al.: graph2vec: Learning distributed representations of graphs. MLG 2017.
Own code, since the authors' needs Python 2 and TensorFlow 1, and the maintained library
(karateclub) trains another model (gensim's PV-DBOW, all iterations in one dictionary).
"""

import math

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from tqdm import tqdm

from ..core import seeds
from ..core.compiled import kernel
from ..core.errors import InputError
from .checks import simple_graphs
from .parameters import PARAMETERS, check_parameters
from .random_bits import below, unit
from .wl_kern import wl_labels

#: Settings of the authors' code that the paper did not tune.
LEARNING_RATE = 0.3
LEARNING_RATE_FLOOR = 0.001
DECAY = 0.96
DECAY_STEPS = 100_000
DISTORTION = 0.75

# Sums may be reordered, so that inner loops use vector instructions; NaN and infinity
# keep their meaning.
FAST = {"reassoc", "contract", "nsz", "arcp"}


@kernel(fastmath=FAST)
def _dot(a, i, b, j):
    total = np.float32(0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[j, k]
    return total


@kernel(fastmath=FAST)
def _add(target, i, factor, source, j):
    for k in range(target.shape[1]):
        target[i, k] += factor * source[j, k]


@kernel
def _log_expected(log_q, log_rest, n, tries):
    """Log of a word's expected count among n different words, as TensorFlow has it."""
    if tries == n:
        return log_q + math.log(n)
    return math.log(-math.expm1(tries * log_rest))


@kernel
def _sigmoid(x):
    return np.float32(1.0 / (1.0 + math.exp(-x)))


@kernel
def _alias(probability):
    """Return Walker's alias table of a distribution, for draws in constant time."""
    n = len(probability)
    share = probability * n
    alias = np.arange(n).astype(np.int32)
    small = np.empty(n, np.int32)
    large = np.empty(n, np.int32)
    n_small = n_large = 0
    for i in range(n):
        if share[i] < 1:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small and n_large:
        i, j = small[n_small - 1], large[n_large - 1]
        alias[i] = j
        share[j] -= 1 - share[i]
        if share[j] < 1:
            small[n_small - 1] = j
            n_large -= 1
        else:
            n_small -= 1
    # What is left is 1 up to rounding.
    for i in range(n_small):
        share[small[i]] = 1
    for i in range(n_large):
        share[large[i]] = 1
    return share, alias


@kernel
def _draw_distinct(state, share, alias, drawn):
    """Fill `drawn` with different words and return the number of draws it took."""
    tries = 0
    n = 0
    while n < len(drawn):
        tries += 1
        word = below(state, len(share))
        if unit(state) >= share[word]:
            word = np.int64(alias[word])
        known = False
        for k in range(n):
            known |= drawn[k] == word
        if not known:
            drawn[n] = word
            n += 1
    return tries


@kernel
def nce_step(
    words, graphs, negatives, tries, log_q, log_rest, vectors, weights, biases, rate, gradient
):
    """One gradient step of the noise-contrastive loss, in place.

    Parameters
    ----------
    words : ndarray of int32, shape (batch,)
        The words of the batch.
    graphs : ndarray of int32, shape (batch,)
        Their graphs; consecutive words of a graph are one segment.
    negatives : ndarray of int64, shape (K,)
        Noise words, shared by the batch.
    tries : int
        Draws that it took to have K different ones.
    log_q, log_rest : ndarray of float64, shape (n_words,)
        Logs of q and 1 - q, q the noise distribution.
    vectors, weights, biases : ndarray of float32, (n_graphs, d), (n_words, d), (n_words,)
        The model, changed.
    rate : float
        Learning rate.
    gradient : ndarray of float32, shape (>= segments, d)
        Work space.

    Returns
    -------
    float
        Mean loss of the batch before the step.

    Notes
    -----
    As TensorFlow's ``nce_loss`` averaged over the batch: logits less the log of the
    word's expected count among the noise words; accidental hits are kept. All words of a
    segment have the same graph, so the noise words' part is computed once a segment.
    """
    batch = len(words)
    loss = 0.0
    error = np.empty(batch, np.float32)
    log_noise = np.empty(len(negatives))
    for k in range(len(negatives)):
        word = negatives[k]
        log_noise[k] = _log_expected(log_q[word], log_rest[word], len(negatives), tries)
    noise_error = np.empty((len(gradient), len(negatives)), np.float32)
    first = np.empty(len(gradient) + 1, np.int64)
    step = np.float32(-rate / batch)

    # All gradients are taken at the old model: errors and the graphs' gradients first.
    n_segments = 0
    for i in range(batch):
        graph = graphs[i]
        if i == 0 or graph != graphs[i - 1]:
            first[n_segments] = i
            gradient[n_segments] = 0
            n_segments += 1
        word = words[i]
        logit = _dot(weights, word, vectors, graph) + biases[word]
        logit -= _log_expected(log_q[word], log_rest[word], len(negatives), tries)
        error[i] = _sigmoid(logit) - np.float32(1)
        loss += math.log1p(math.exp(-abs(logit))) + max(-logit, 0.0)
        _add(gradient, n_segments - 1, error[i], weights, word)
    first[n_segments] = batch
    for s in range(n_segments):
        graph = graphs[first[s]]
        size = first[s + 1] - first[s]
        for k in range(len(negatives)):
            word = negatives[k]
            logit = _dot(weights, word, vectors, graph) + biases[word] - log_noise[k]
            noise_error[s, k] = size * _sigmoid(logit)
            loss += size * (math.log1p(math.exp(-abs(logit))) + max(logit, 0.0))
            _add(gradient, s, noise_error[s, k], weights, word)

    for i in range(batch):
        _add(weights, words[i], step * error[i], vectors, graphs[i])
        biases[words[i]] += step * error[i]
    for s in range(n_segments):
        for k in range(len(negatives)):
            _add(weights, negatives[k], step * noise_error[s, k], vectors, graphs[first[s]])
            biases[negatives[k]] += step * noise_error[s, k]
    for s in range(n_segments):
        _add(vectors, graphs[first[s]], step, gradient, s)
    return loss / batch


@kernel
def _shuffle(state, order):
    for i in range(len(order) - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]


@kernel
def _train_epoch(documents, cursor, order, state, noise, model, n_negatives, batch_size):
    """Train until every graph has been read once more; return the mean loss.

    `cursor` (graph's place in `order`, word's place in its document, steps so far) is
    kept: a batch that begins with the last words of an epoch ends in the next.
    """
    log_q, log_rest, share, alias = noise
    vectors, weights, biases = model
    n_graphs, length = documents.shape
    words = np.empty(batch_size, np.int32)
    graphs = np.empty(batch_size, np.int32)
    negatives = np.empty(n_negatives, np.int64)
    gradient = np.empty((batch_size // length + 2, vectors.shape[1]), np.float32)
    loss = 0.0
    steps = 0
    over = False
    while not over:
        for i in range(batch_size):
            graphs[i] = order[cursor[0]]
            words[i] = documents[graphs[i], cursor[1]]
            cursor[1] += 1
            if cursor[1] == length:
                cursor[1] = 0
                cursor[0] += 1
                if cursor[0] == n_graphs:
                    cursor[0] = 0
                    _shuffle(state, order)
                    over = True
        tries = _draw_distinct(state, share, alias, negatives)
        rate = LEARNING_RATE * DECAY ** (cursor[2] // DECAY_STEPS)
        loss += nce_step(
            words,
            graphs,
            negatives,
            tries,
            log_q,
            log_rest,
            vectors,
            weights,
            biases,
            max(rate, LEARNING_RATE_FLOOR),
            gradient,
        )
        cursor[2] += 1
        steps += 1
    return loss / steps


def _truncated_normal(random, shape, scale):
    """Return float32 normal numbers within two standard deviations."""
    numbers = random.standard_normal(shape, dtype=np.float32)
    for block in np.array_split(numbers, max(1, numbers.size // 4_000_000)):
        while (outside := np.abs(block) > 2).any():
            block[outside] = random.standard_normal(np.count_nonzero(outside), dtype=np.float32)
        block *= np.float32(scale)
    return numbers


class Graph2Vec(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Vectors of graphs, trained to predict the graphs' rooted subgraphs.

    The vectors belong to the graphs of the training; there is no `transform` for others.

    Parameters
    ----------
    batch_size : int
        Words of a batch.
    embedding_size : int
        Length d of the vectors.
    negatives : int
        Noise words of a batch.
    height : int
        Weisfeiler-Lehman iterations.
    epochs : int
        Times that each graph is read.
    seed : int
    progress : bool
        Show a progress bar on stderr.

    Attributes
    ----------
    embedding_ : ndarray of float64, shape (n_graphs, embedding_size)
        Each row divided by its root mean square.
    loss_ : ndarray of shape (epochs,)
        Mean loss of each epoch.
    """

    def __init__(
        self,
        batch_size=128,
        embedding_size=1024,
        negatives=10,
        height=3,
        epochs=100,
        seed=0,
        progress=False,
    ):
        self.batch_size = batch_size
        self.embedding_size = embedding_size
        self.negatives = negatives
        self.height = height
        self.epochs = epochs
        self.seed = seed
        self.progress = progress

    def fit(self, graphs, y=None):
        """Train. See `fit_transform`."""
        self.fit_transform(graphs)
        return self

    def fit_transform(self, graphs, y=None):
        """Train on the graphs and return their vectors.

        Parameters
        ----------
        graphs : array_like of shape (n_graphs, n_vertices, n_vertices)
            Zeros and ones, symmetric; the diagonal is ignored.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_graphs, embedding_size)

        Raises
        ------
        InputError
            If a parameter or a graph cannot be used, or there are fewer different words
            than noise words.
        """
        tuned = {name: getattr(self, name) for name in PARAMETERS["graph2vec"]}
        check_parameters("graph2vec", tuned)
        documents, frequency = _documents(simple_graphs(graphs), self.height)
        n_words = len(frequency)
        if n_words <= self.negatives:
            raise InputError(
                f"graph2vec: negatives is {self.negatives}, but the graphs have only {n_words} "
                f"different words at height {self.height}: lower negatives or raise height"
            )
        random = seeds.generator(self.seed, "graph2vec", *tuned.values())
        probability = frequency**DISTORTION
        probability /= probability.sum()
        noise = np.log(probability), np.log1p(-probability), *_alias(probability)
        size = self.embedding_size
        vectors = random.uniform(-0.5 / size, 0.5 / size, (len(documents), size))
        model = (
            vectors.astype(np.float32),
            _truncated_normal(random, (n_words, size), 1 / math.sqrt(size)),
            np.zeros(n_words, np.float32),
        )
        state = random.integers(2**64, size=1, dtype=np.uint64)
        order = random.permutation(len(documents)).astype(np.int32)
        cursor = np.zeros(3, np.int64)
        self.loss_ = np.empty(self.epochs)
        for epoch in tqdm(range(self.epochs), "graph2vec epochs", disable=not self.progress):
            self.loss_[epoch] = _train_epoch(
                documents, cursor, order, state, noise, model, self.negatives, self.batch_size
            )
        embedding = model[0].astype(float)
        self.embedding_ = embedding / np.sqrt((embedding**2).mean(axis=1, keepdims=True))
        self._n_features_out = size
        return self.embedding_


def _documents(graphs, height):
    """Return the words of each graph, vertex by vertex, and the words' frequencies.

    Each iteration has its own words: label plus the number of earlier iterations' labels.
    """
    labels, dictionaries = wl_labels(graphs, height)
    sizes = [len(dictionary) for dictionary in dictionaries]
    labels += np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int32)
    documents = labels.reshape(len(graphs), -1)
    return documents, np.bincount(documents.ravel(), minlength=sum(sizes)).astype(float)
