"""graph2vec: paragraph vectors with graphs as documents and rooted subgraphs as words.

Narayanan et al.: graph2vec: Learning distributed representations of graphs. MLG 2017. The
words are Weisfeiler-Lehman labels, the vectors gensim's PV-DBOW, which the implementations
that people use train as well. The authors' own TensorFlow code starts and steps so that on
these graphs two seeds have nothing in common (docs/paper.md), so it is not followed.
"""

import numpy as np

from ..core import seeds
from .base import Embedding
from .paragraphs import paragraph_vectors
from .wl_kern import wl_labels

#: Words that come less often are not read, as is gensim's default: nearly all labels of later
#: iterations come once, and with them two seeds hardly agree (rank correlation of the cosines
#: on Children 0.4 instead of 0.96).
MIN_COUNT = 5


class Graph2Vec(Embedding):
    """Vectors of graphs, trained to predict the graphs' rooted subgraphs.

    The vectors belong to the graphs of the training; there is no `transform` for others.

    Parameters
    ----------
    embedding_size : int
        Length of the vectors.
    negatives : int
        Noise words for each word.
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

    Examples
    --------
    >>> graphs = np.array([np.eye(8)[::-1], np.ones((8, 8))])
    >>> Graph2Vec(embedding_size=8, height=1, epochs=2).fit_transform(graphs).shape
    (2, 8)
    """

    method = "graph2vec"

    def __init__(
        self, embedding_size=1024, negatives=10, height=3, epochs=100, seed=0, progress=False
    ):
        self.embedding_size = embedding_size
        self.negatives = negatives
        self.height = height
        self.epochs = epochs
        self.seed = seed
        self.progress = progress

    def _embed(self, graphs):
        random = seeds.generator(self.seed, "graph2vec", *self.tuned().values())
        documents = wl_documents(graphs, self.height)
        self.embedding_ = paragraph_vectors(
            documents,
            random,
            progress=self.progress and "graph2vec",
            min_count=MIN_COUNT,
            vector_size=self.embedding_size,
            negative=self.negatives,
            epochs=self.epochs,
            dm=0,
        )
        return self.embedding_


def wl_documents(graphs, height):
    """Return the words of each graph: the labels of all vertices in all iterations.

    Each iteration has words of its own: the label plus the number of labels before.

    Parameters
    ----------
    graphs : ndarray of shape (n_graphs, n_vertices, n_vertices)
        Simple graphs.
    height : int
        Weisfeiler-Lehman iterations.

    Returns
    -------
    ndarray of int32, shape (n_graphs, n_vertices * (height + 1))
    """
    labels, dictionaries = wl_labels(graphs, height)
    sizes = [len(dictionary) for dictionary in dictionaries]
    labels += np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int32)
    return labels.reshape(len(graphs), -1)
