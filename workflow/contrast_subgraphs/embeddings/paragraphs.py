"""Paragraph vectors of documents of numbered words, by gensim."""

import numpy as np
from tqdm import tqdm

from ..core.errors import InputError
from ..core.extras import optional

#: What a numbered word is called.
NAME = "{:08d}"


def paragraph_vectors(
    documents, random, *, order=None, min_count=1, words_of=None, progress=False, **model
):
    """Train gensim's Doc2Vec on numbers of words; return the documents' vectors and the model.

    The vectors carry the documents' position in the training, so their `order` must not tell
    anything: it is random where none is given. Words that come fewer than `min_count` times are not
    read; ``words_of(document, count)``, with the number of times that each word comes, says which
    are, drawn again each time. `model`: parameters of Doc2Vec.
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
    names = np.array([NAME.format(word) for word in range(len(count))], dtype=object)
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
    return trained.dv.vectors[: len(documents)].astype(float), trained


def vectors_of_others(trained, documents, seed):
    """Return vectors of documents that a PV-DBOW training did not see, the words' held fixed.

    Words that the training did not read, and negative numbers, do not count. Each document's draws
    are the same, of `seed`: its vector does not depend on the others.
    """
    train_document = optional("gensim.models.doc2vec", "baselines").train_document_dbow
    vectors = np.empty((len(documents), trained.vector_size))
    for row, words in zip(vectors, documents, strict=True):
        # gensim's infer_vector starts from Python's hash of the words, which is another in each
        # process; this is the rest of it.
        trained.random = np.random.RandomState(seed)
        start = trained.random.uniform(-0.5, 0.5, trained.vector_size) / trained.vector_size
        vector = start.astype(np.float32)[None]
        names = [NAME.format(word) for word in words if word >= 0]
        for rate in np.linspace(trained.alpha, trained.min_alpha, trained.epochs):
            train_document(
                *(trained, names, [0], rate, np.zeros(trained.layer1_size, dtype=np.float32)),
                learn_words=False,
                learn_hidden=False,
                doctag_vectors=vector,
                doctags_lockf=np.ones(1, dtype=np.float32),
            )
        row[:] = vector[0]
    return vectors
