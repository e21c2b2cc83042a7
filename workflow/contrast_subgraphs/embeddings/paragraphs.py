"""Paragraph vectors of documents of numbered words, by gensim."""

import numpy as np
from tqdm import tqdm

from ..core.errors import InputError
from ..core.extras import optional


def paragraph_vectors(
    documents, random, *, order=None, min_count=1, words_of=None, progress=False, **model
):
    """Train gensim's Doc2Vec and return the documents' vectors.

    The vectors carry the documents' position in the training, so their order must not tell
    anything: it is random where none is given.

    Parameters
    ----------
    documents : ndarray of int, shape (n_documents, n_words)
        Numbers of the words.
    random : numpy.random.Generator
    order : ndarray of int, optional
        In which the documents are read.
    min_count : int
        Words that come less often are not read.
    words_of : callable, optional
        Which words of a document are read, drawn again each time: ``words_of(document, count)``,
        with the number of times that each word comes. All of them by default.
    progress : str or False
        Name for a progress bar on stderr.
    **model
        For `gensim.models.doc2vec.Doc2Vec`: ``vector_size``, ``epochs``, ``dm`` and others.

    Returns
    -------
    ndarray of float64, shape (n_documents, vector_size)

    Raises
    ------
    InputError
        If no word comes often enough.
    """
    doc2vec = optional("gensim.models.doc2vec", "baselines")
    count = np.bincount(documents.ravel())
    if count.max() < min_count:
        raise InputError(
            f"no word appears {min_count} times: take more graphs or, for sub2vec, "
            "raise walk_length"
        )
    order = random.permutation(len(documents)) if order is None else order
    trained = doc2vec.Doc2Vec(
        **model,
        min_count=min_count,
        sample=0,
        workers=1,  # several would make the result differ from run to run
        seed=int(random.integers(2**31)),
    )
    # Tags first, then the words' frequencies: gensim's own scan is a Python loop.
    tagged = doc2vec.TaggedDocument
    trained.build_vocab([tagged([], [tag]) for tag in range(len(documents))])
    names = np.array([f"{word:08d}" for word in range(len(count))], dtype=object)
    frequency = {names[word]: int(count[word]) for word in np.flatnonzero(count)}
    trained.build_vocab_from_freq(frequency, corpus_count=len(documents))
    bar = tqdm(
        desc=f"{progress} documents",
        total=model["epochs"] * len(documents),
        disable=not progress,
        mininterval=1,
    )

    class Corpus:
        """The documents in their order, again each time."""

        def __iter__(self):
            for i in order:
                words = documents[i] if words_of is None else words_of(documents[i], count)
                yield tagged(names[words].tolist(), [int(i)])
                bar.update()

    trained.train(Corpus(), total_examples=len(documents), epochs=model["epochs"])
    bar.close()
    return trained.dv.vectors[: len(documents)].astype(float)
