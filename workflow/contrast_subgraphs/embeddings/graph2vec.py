"""graph2vec: paragraph vectors with graphs as documents and rooted subgraphs as words.

Narayanan et al.: graph2vec: Learning distributed representations of graphs. MLG 2017. The
words are Weisfeiler-Lehman labels, and the model is PV-DBOW, as in the implementations in
common use; docs/paper.md says why the authors' own code is not followed.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core import seeds
from .base import Embedding, simple_graphs
from .paragraphs import Paragraphs
from .wl_kern import UNSEEN, wl_labels

#: Rarer words are not read (gensim's default): with them two seeds would hardly agree.
MIN_COUNT = 5


@dataclass(eq=False, repr=False)
class Graph2Vec(Embedding):
    """Vectors of graphs, trained to predict the graphs' rooted subgraphs.

    The vectors belong to the graphs of the training. `transform` finds vectors for other graphs,
    with those of the words held fixed. In the workflow all graphs are embedded together.

    `negatives`: noise words for each word; `height`: Weisfeiler-Lehman iterations; `epochs`: how
    often each graph is read.
    """

    method: ClassVar[str] = "graph2vec"

    embedding_size: int = 1024
    negatives: int = 10
    height: int = 3
    epochs: int = 100
    random_state: int = 0
    verbose: int = 0

    def _embed(self, graphs):
        random = seeds.generator(self.random_state, "graph2vec", *self.tuned().values())
        documents, self.dictionaries_ = wl_documents(graphs, self.height)
        self.model_ = Paragraphs(self.embedding_size, self.negatives, self.epochs, MIN_COUNT)
        self.embedding_ = self.model_.fit(documents, random, progress=self.verbose and "graph2vec")
        return self.embedding_

    def transform(self, graphs):
        """Return vectors of any graphs; rooted subgraphs that `fit` did not see do not count."""
        self._check_fitted()
        documents, _ = wl_documents(simple_graphs(graphs), self.height, self.dictionaries_)
        return self.model_.vectors_of_others(
            documents, seeds.integer(self.random_state, "graph2vec")
        )


def wl_documents(graphs, height, dictionaries=None):
    """Return the words of each graph: the labels of all vertices in all iterations.

    Each iteration has its own words: a label plus the number of labels of earlier iterations.
    Labels that are not in the `dictionaries` given (see `wl_labels`) are `UNSEEN`.
    """
    labels, dictionaries = wl_labels(graphs, height, dictionaries)
    sizes = [len(dictionary) for dictionary in dictionaries]
    offset = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int32)
    # UNSEEN is negative: shifted by the offset it would be a word of another iteration.
    documents = np.where(labels == UNSEEN, UNSEEN, labels + offset)
    return documents.reshape(len(graphs), -1), dictionaries
