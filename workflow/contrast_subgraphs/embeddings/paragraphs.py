"""Paragraph vectors of documents of numbered words, trained by negative sampling.

Le, Mikolov: Distributed representations of sentences and documents. ICML 2014. The settings are
those of word2vec and gensim. Vocabularies are small here (8 buckets, or 40 frequent labels), and
a step only adds multiples of vectors to each other, so that all of them stay in a small span.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr  # in single precision, unlike numpy's
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..core.compiled import kernel
from ..core.errors import InputError

#: Learning rate of the first and of the last document.
RATES = 0.025, 0.0001
#: At most this many words of a document are read, after frequent ones were dropped at random.
DOCUMENT_LIMIT = 10_000
#: Noise words are drawn in proportion to this power of their frequency, from a table of this size.
NOISE_POWER = 0.75
NOISE_TABLE = 2**16
#: A pair whose product is not between -`LARGEST` and `LARGEST` makes no step, as in word2vec.
LARGEST = 6
SIGMOID = (1 / (1 + np.exp(-LARGEST * (np.arange(1000) / 500 - 1)))).astype(np.float32)
#: Vectors are padded to multiples of this length, for the processor's vector instructions.
LANES = 32


@kernel
def _next(state):
    """Return the next state of a linear congruential generator (Knuth's MMIX).

    Only its high bits are random enough to be used.
    """
    return state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)


@kernel
def _surviving(document, number, keep, state, kept):
    """Write the numbers of the words that survive to `kept`; return their count, and a state."""
    n = 0
    for word in document:
        word = number[word]
        state = _next(state)
        if word >= 0 and (state >> np.uint64(32)) < keep[word]:
            kept[n] = word
            n += 1
            if n == len(kept):
                break
    return n, state


# All in one loop: with calls in it, training takes 6 to 25 % longer.
@kernel(fastmath={"reassoc", "contract", "nsz"})
def _read(  # noqa: C901
    documents, rates, words, window, negatives, vectors, inputs, outputs, learn, state
):
    """Read documents once, one after the other: one step for each word. Return the last state.

    A document's vector (or its mean with the inputs of the words around, within `window`) learns to
    tell the word's output from those of noise words. `words`: see `Paragraphs.fit`; `learn`:
    whether the words' vectors move too.
    """
    number, keep, noise = words
    size = vectors.shape[1]
    kept = np.empty(DOCUMENT_LIMIT, np.int64)
    hidden = np.empty(size, np.float32)
    change = np.empty(size, np.float32)
    for document in range(len(documents)):
        n, state = _surviving(documents[document], number, keep, state, kept)
        rate = np.float32(rates[document])
        for i in range(n):
            first = last = i
            for c in range(size):
                hidden[c] = vectors[document, c]
                change[c] = 0
            if window:
                state = _next(state)
                reach = 1 + np.int64(state >> np.uint64(48)) * window // 2**16
                first = max(i - reach, 0)
                last = min(i + reach, n - 1)
                for j in range(first, last + 1):
                    if j != i:
                        hidden += inputs[kept[j]]
                hidden *= np.float32(1) / np.float32(last - first + 1)
            # Sample 0 is the word itself, the others are noise (skip-gram with negative sampling).
            for sample in range(negatives + 1):
                word = kept[i]
                label = np.float32(1)
                if sample:
                    state = _next(state)
                    word = np.int64(noise[state >> np.uint64(48)])
                    label = np.float32(0)
                    if word == kept[i]:
                        continue
                product = np.float32(0)
                for c in range(size):
                    product += hidden[c] * outputs[word, c]
                if not -LARGEST < product < LARGEST:
                    continue
                place = np.int64((product + LARGEST) * np.float32(len(SIGMOID) / LARGEST / 2))
                step = (label - SIGMOID[place]) * rate
                for c in range(size):
                    change[c] += step * outputs[word, c]
                    if learn:
                        outputs[word, c] += step * hidden[c]
            for c in range(size):
                vectors[document, c] += change[c]
            for j in range(first, last + 1):
                if j != i:
                    inputs[kept[j]] += change
    return state


@dataclass(eq=False)
class Paragraphs:
    """A training: its settings, then what it has learned.

    `sample`: more frequent words than this share are dropped at random, the more often the more
    frequent they are; `window`: the number of words on either side whose vectors are averaged with
    the document's (PV-DM), or 0 for none (PV-DBOW). Words that occur fewer than `min_count` times
    are not read.
    """

    size: int
    negatives: int
    epochs: int
    min_count: int
    window: int = 0
    sample: float = 0

    def fit(self, documents, random, *, order=None, progress=False):
        """Train on the documents; return their vectors.

        Vectors carry traces of the position in the `order`, which is random unless it is given.
        """
        known = documents.max() + 1
        count = sum(np.bincount(words, minlength=known) for words in documents)
        read = np.flatnonzero(count >= self.min_count)
        if not len(read):
            raise InputError(
                f"no word appears {self.min_count} times: take more graphs or, for sub2vec, "
                "raise walk_length"
            )
        # One entry more, the last: unknown words are negative numbers, which index it.
        number = np.full(len(count) + 1, -1, np.int32)
        number[read] = np.arange(len(read))
        self.words = number, _thresholds(count[read], self.sample), _noise(count[read])
        if order is None:
            order = random.permutation(len(documents))
        vectors = self._start(len(documents), random)
        context_words = 0
        if self.window:
            context_words = len(read)
        inputs = self._start(context_words, random)
        outputs = np.zeros((len(read), self.size), np.float32)
        rates = np.linspace(*RATES, self.epochs * len(order)).reshape(self.epochs, -1)
        state = random.integers(2**64, dtype=np.uint64)
        # All vectors of a step stay in the span of those of the words and documents. Where that
        # has fewer dimensions, some documents at a time are read in coordinates of it.
        words = len(inputs) + len(outputs)
        width = -(-2 * words // LANES) * LANES
        if width < self.size:
            together = width - words
        else:
            together = len(order)
        bar = tqdm(rates, f"{progress} epochs", disable=not progress, mininterval=1)
        with threadpool_limits(1, "blas"):
            for rate in bar:
                for first in range(0, len(order), together):
                    some = order[first : first + together]
                    stacked = np.concatenate([inputs, outputs, vectors[some]])
                    basis = None
                    if width < self.size:
                        # Orthonormal coordinates: products of vectors, all that a step uses, stay
                        # the same.
                        basis, triangle = qr(stacked.T, mode="economic", check_finite=False)
                        stacked = np.zeros((len(stacked), width), np.float32)
                        stacked[:, : len(triangle)] = triangle.T
                    parts = stacked[words:], stacked[: len(inputs)], stacked[len(inputs) : words]
                    state = self._read(documents[some], rate[first:], *parts, True, state)
                    if basis is not None:
                        stacked = stacked[:, : basis.shape[1]] @ basis.T
                    inputs, outputs, vectors[some] = np.split(stacked, [len(inputs), words])
        self.inputs = inputs
        self.outputs = outputs
        return vectors.astype(float)

    def vectors_of_others(self, documents, seed):
        """Return vectors for documents that a PV-DBOW did not see, with words' vectors fixed.

        Negative numbers are ignored. All documents get the same draws, from `seed`, so that a
        vector does not depend on the other documents.
        """
        vectors = np.empty((len(documents), self.size), np.float32)
        for i in range(len(documents)):
            random = np.random.default_rng(seed)
            vectors[i] = self._start(1, random)
            state = random.integers(2**64, dtype=np.uint64)
            for rate in np.linspace(*RATES, self.epochs):
                only = documents[i : i + 1], np.array([rate]), vectors[i : i + 1]
                state = self._read(*only, self.inputs, self.outputs, False, state)
        return vectors.astype(float)

    def _read(self, documents, rates, vectors, inputs, outputs, learn, state):
        settings = self.words, self.window, self.negatives
        # numba returns a Python integer, and would take it for a signed one in the next call.
        return np.uint64(_read(documents, rates, *settings, vectors, inputs, outputs, learn, state))

    def _start(self, number, random):
        uniform = random.random((number, self.size), dtype=np.float32)
        return (2 * uniform - 1) / np.float32(self.size)


def _thresholds(count, sample):
    """Return word2vec's probability to keep an occurrence of each word, times 2**32."""
    share = count / count.sum()
    if sample:
        keep = np.sqrt(sample / share) + sample / share
    else:
        keep = np.ones(len(count))
    return np.ceil(np.minimum(keep, 1) * 2**32).astype(np.uint64)


def _noise(count):
    """Return a table in which each word's part is its probability as noise."""
    share = np.cumsum(count.astype(float) ** NOISE_POWER)
    middle = (np.arange(NOISE_TABLE) + 0.5) / NOISE_TABLE
    return np.searchsorted(share / share[-1], middle).astype(np.int32)
