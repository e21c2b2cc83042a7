"""sub2vec: paragraph vectors of random walks.

Adhikari et al.: Sub2Vec: Feature learning for subgraphs. PAKDD 2018. The authors' code
uses gensim's paragraph vectors; the settings are the same here.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core import seeds
from ..core.compiled import kernel
from ..core.errors import InputError
from .base import Embedding, neighbour_lists
from .paragraphs import Paragraphs

#: Upper bounds of the buckets of degree / n_vertices (S), lower bounds excluded.
BUCKETS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 1.0)

#: Settings of the authors' code that the paper did not tune: gensim's defaults, except window.
WINDOW = 2
MIN_COUNT = 5
SAMPLE = 1e-3
NEGATIVES = 5


@kernel
def random_walks(start, neighbour, begin, length, random):
    """Return uniform random walks, (n_walks, length), from the vertices `begin`.

    `start`, `neighbour`: see `neighbour_lists`. Every vertex that is reached has neighbours, since
    edges have no direction.
    """
    walks = np.empty((len(begin), length), np.int32)
    for i in range(len(begin)):
        vertex = begin[i]
        walks[i, 0] = vertex
        for step in range(1, length):
            first = start[vertex]
            last = start[vertex + 1]
            # Uniform up to rounding: a double has 53 random bits.
            vertex = neighbour[first + np.int64(random.random() * (last - first))]
            walks[i, step] = vertex
    return walks


def walk_documents(graphs, structural, length, random):
    """Return the words of each graph's random walk, (n_graphs, length).

    Words are the vertices (N, one walk), or if `structural` the buckets of their degrees (S, two
    walks of half the length joined). A walk starts at any vertex with neighbours: an isolated one
    can neither be left nor reached. It still counts in ``degree / n_vertices``.
    """
    n_graphs, n_vertices, _ = graphs.shape
    degree = np.count_nonzero(graphs, axis=2)
    word = np.broadcast_to(np.arange(n_vertices), degree.shape)
    halves = [length]
    if structural:
        word = np.searchsorted(BUCKETS, degree / n_vertices)
        halves = [length // 2, length - length // 2]
    # The type of graph2vec's words, so that the training is compiled only once.
    word = word.astype(np.int32)
    documents = np.empty((n_graphs, length), word.dtype)
    for i in range(n_graphs):
        start, neighbour = neighbour_lists(graphs[i : i + 1])
        begin = random.choice(np.flatnonzero(degree[i]), len(halves))
        walks = random_walks(start, neighbour, begin, max(halves), random)
        parts = [walk[:half] for walk, half in zip(walks, halves, strict=True)]
        documents[i] = word[i][np.concatenate(parts)]
    return documents


@dataclass(eq=False, repr=False)
class Sub2Vec(Embedding):
    """Paragraph vectors of random walks on the graphs.

    The vectors belong to the graphs of the training; there is no `transform` for others.

    `property`: N (neighbourhood, words are vertices) or S (structural, degree buckets);
    `walk_length`: words of a graph; `model`: DBON (PV-DBOW) or DM (PV-DM); `document_order`:
    ``random``, or ``given``, the order of the graphs. The latter demonstrates a trap: vectors carry
    traces of the position in the training, so that the class leaks if graphs are sorted by it.
    """

    method: ClassVar[str] = "sub2vec"

    property: str = "N"
    walk_length: int = 100_000
    embedding_size: int = 128
    model: str = "DM"
    epochs: int = 20
    document_order: str = "random"
    random_state: int = 0
    verbose: int = 0

    def _embed(self, graphs):
        empty = ~graphs.any(axis=(1, 2))
        if empty.any():
            raise InputError(
                f"sub2vec: graph {int(np.argmax(empty))} has no edge to walk along: leave it out"
            )
        random = seeds.generator(self.random_state, "sub2vec", *self.tuned().values())
        documents = walk_documents(graphs, self.property == "S", self.walk_length, random)
        window = 0
        if self.model == "DM":
            window = WINDOW
        model = Paragraphs(self.embedding_size, NEGATIVES, self.epochs, MIN_COUNT, window, SAMPLE)
        order = None
        if self.document_order != "random":
            order = np.arange(len(graphs))
        self.embedding_ = model.fit(
            documents, random, order=order, progress=self.verbose and "sub2vec"
        )
        return self.embedding_
