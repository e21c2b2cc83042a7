"""Paragraph vectors: each step, the fewer coordinates, what is dropped and what is noise."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.embeddings import paragraphs
from contrast_subgraphs.embeddings.paragraphs import RATES, Paragraphs
from threadpoolctl import threadpool_limits


def documents(number=12, length=60, words=7, seed=0):
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(words), number)
    return np.array([random.choice(words, length, p=share) for share in shares])


def in_plain_python(given, window, negatives, size, epochs, sample, seed):
    """The same training in double precision, word by word, by the book of word2vec."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(given))

    def start(number):
        uniform = random.random((number, size), dtype=np.float32)
        return (2 * uniform.astype(float) - 1) / size

    count = np.bincount(given.ravel())
    vectors, inputs = start(len(given)), start(len(count) if window else 0)
    outputs = np.zeros((len(count), size))
    state = int(random.integers(2**64, dtype=np.uint64))
    share = count / count.sum()
    keep = np.minimum(1, (np.sqrt(share / sample) + 1) * sample / share if sample else share + 1)
    bounds = np.cumsum(count**0.75) / np.sum(count**0.75)

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return state / 2**64

    rates = iter(np.linspace(*RATES, epochs * len(given)))
    for _ in range(epochs):
        for document in order:
            rate = next(rates)
            read = [word for word in given[document] if draw() < keep[word]]
            for i, word in enumerate(read):
                around = []
                if window:
                    reach = 1 + int(draw() * window)
                    around = read[max(i - reach, 0) : i] + read[i + 1 : i + reach + 1]
                hidden = np.mean([vectors[document], *inputs[around]], axis=0)
                change = np.zeros(size)
                for sample_number in range(negatives + 1):
                    other = word
                    if sample_number:
                        middle = (int(draw() * 2**16) + 0.5) / 2**16
                        other = np.searchsorted(bounds, middle)
                        if other == word:
                            continue
                    expected = 1 / (1 + np.exp(-hidden @ outputs[other]))
                    step = rate * ((sample_number == 0) - expected)
                    change += step * outputs[other]
                    outputs[other] += step * hidden
                vectors[document] += change
                np.add.at(inputs, around, change)
    return vectors


@pytest.mark.parametrize("window", [0, 2])
@pytest.mark.parametrize("size", [20, 150])
def test_training_is_word2vecs(window, size):
    """With and without the detour over coordinates of the vectors' span (150 and 20)."""
    given = documents()
    model = Paragraphs(size, 3, 30, 1, window, 0.1)
    found = model.fit(given, np.random.default_rng(5))
    expected = in_plain_python(given, window, 3, size, 30, 0.1, 5)
    moved = np.linalg.norm(expected, axis=1)
    assert moved.min() > 3 / size  # what is compared is not the start
    # The sigmoid is read from a table.
    assert np.abs(found - expected).max() < 0.02 * moved.mean()


def test_coordinates_of_the_span_change_nothing(monkeypatch):
    given = documents(40)
    model = Paragraphs(300, 5, 10, 1)
    short = model.fit(given, np.random.default_rng(1))
    monkeypatch.setattr(paragraphs, "LANES", 1000)
    long = model.fit(given, np.random.default_rng(1))
    np.testing.assert_allclose(short, long, atol=2e-4 * np.abs(long).max())
    assert not np.array_equal(short, long)


def test_threads_do_not_change_a_bit():
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            model = Paragraphs(300, 5, 3, 1)
            results.append(model.fit(documents(40), np.random.default_rng(1)).tobytes())
    assert results[0] == results[1]


def test_noise_is_the_frequency_to_the_power_of_three_quarters():
    count = np.array([1000, 300, 20, 5])
    part = np.bincount(paragraphs._noise(count)) / paragraphs.NOISE_TABLE
    np.testing.assert_allclose(part, count**0.75 / np.sum(count**0.75), atol=1 / 2**16)


def test_frequent_words_are_dropped_at_random_and_rare_ones_always():
    count = np.array([4000, 900, 94, 6])
    keep = paragraphs._thresholds(count, 1e-3) / 2**32
    share = count / 5000
    np.testing.assert_allclose(keep, np.minimum(1, (np.sqrt(share / 1e-3) + 1) * 1e-3 / share))
    assert (paragraphs._thresholds(count, 0) == 2**32).all()

    document = np.tile([0, 1, 2], 5000)
    number, kept = np.array([1, -1, 0, -1], np.int32), np.zeros(9000, np.int64)
    keep = np.array([2**32, 2**30], np.uint64)
    n, state = paragraphs._surviving(document, number, keep, np.uint64(3), kept)
    words = np.bincount(kept[:n])
    assert words[0] == 5000 and words[1] == pytest.approx(1250, abs=100)
    again, _ = paragraphs._surviving(document, number, keep, np.uint64(state), kept)
    assert again != n  # drawn anew each time
    assert paragraphs._surviving(document, number, keep, np.uint64(3), kept[:10])[0] == 10


def test_order_is_random_unless_given():
    given, seen = documents(), []
    for order in (None, np.arange(12), np.arange(12)[::-1]):
        model = Paragraphs(8, 2, 2, 1)
        seen.append(model.fit(given, np.random.default_rng(2), order=order))
    assert not np.allclose(seen[0], seen[1]) and not np.allclose(seen[1], seen[2])


def test_words_that_come_too_rarely_are_refused():
    with pytest.raises(InputError, match="no word appears 100 times"):
        Paragraphs(4, 2, 2, 100).fit(np.arange(20).reshape(2, 10), np.random.default_rng(0))
