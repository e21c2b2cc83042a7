"""Weisfeiler-Lehman subtree features (WL-Kern).

Shervashidze et al.: Weisfeiler-Lehman graph kernels. JMLR 12, 2011.
"""

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from ..core.compiled import kernel
from .base import Embedding, neighbour_lists, simple_graphs
from .parameters import check_parameters

#: Label of a vertex whose neighbourhood did not occur when the dictionary was made.
UNSEEN = -1


@kernel
def _signatures(labels, start, neighbour):
    """Write each vertex's label and its neighbours' sorted labels, one after the other."""
    signature = np.empty(len(neighbour) + len(labels), np.int32)
    for i in range(len(labels)):
        first = start[i] + i
        last = start[i + 1] + i + 1
        signature[first] = labels[i]
        for k in range(start[i], start[i + 1]):
            signature[k + i + 1] = labels[neighbour[k]]
        signature[first + 1 : last].sort()
    return signature


def _relabel(labels, start, neighbour, dictionary, grow):
    """Give each vertex the number of its signature in `dictionary` (exact, no hashing)."""
    signature = _signatures(labels, start, neighbour).tobytes()
    bounds = (4 * (start + np.arange(len(start)))).tolist()
    keys = (signature[first:last] for first, last in itertools.pairwise(bounds))
    if grow:
        numbers = (dictionary.setdefault(key, len(dictionary)) for key in keys)
    else:
        numbers = (dictionary.get(key, UNSEEN) for key in keys)
    return np.fromiter(numbers, np.int32, len(labels))


def wl_labels(graphs, height, dictionaries=None):
    """Return Weisfeiler-Lehman labels, (n_graphs, n_vertices, height + 1), and their dictionaries.

    In each iteration labels are numbers from 0, shared by all graphs. Neighbourhoods that are not
    in the `dictionaries` of an earlier call are labelled `UNSEEN`.
    """
    n_graphs, n_vertices, _ = graphs.shape
    grow = dictionaries is None
    if grow:
        dictionaries = [{} for _ in range(height + 1)]
    begin, neighbour = neighbour_lists(graphs)
    labels = np.empty((height + 1, n_graphs * n_vertices), np.int32)
    # Iteration 0 is a relabelling without neighbours, so that each iteration has a dictionary.
    alone = np.zeros_like(begin), np.zeros(0, np.int32)
    labels[0] = _relabel(np.zeros_like(labels[0]), *alone, dictionaries[0], grow)
    for iteration in range(1, height + 1):
        labels[iteration] = _relabel(
            labels[iteration - 1], begin, neighbour, dictionaries[iteration], grow
        )
    labels = labels.reshape(height + 1, n_graphs, n_vertices).transpose(1, 2, 0)
    return np.ascontiguousarray(labels), dictionaries


@dataclass(eq=False, repr=False)
class WLKern(Embedding):
    """Histograms of Weisfeiler-Lehman labels.

    `features` is ``last`` or ``cumulative``. ``last`` is the histogram of iteration `height` alone,
    which is what the reference code leaves in its feature map. On brain networks nearly all labels
    are then unique, the kernel is nearly the identity, and a classifier can only predict the
    majority. ``cumulative`` has those of all iterations (the subtree kernel), divided by their
    norm.
    """

    method: ClassVar[str] = "wl-kern"

    height: int = 3
    features: str = "last"

    def _embed(self, graphs):
        labels, self.dictionaries_ = wl_labels(graphs, self.height)
        return self._features(self._counts(labels))

    def transform(self, graphs):
        """Return the features of any graphs; labels that `fit` did not see are ignored."""
        self._check_fitted()
        labels, _ = wl_labels(simple_graphs(graphs), self.height, self.dictionaries_)
        return self._features(self._counts(labels))

    def gram(self, graphs):
        """Fit on `graphs` and return their kernel matrix, (n_graphs, n_graphs).

        Made from whole numbers, so that it is exactly the same for any order of the vertices.
        """
        check_parameters(self.method, self.tuned())
        labels, self.dictionaries_ = wl_labels(simple_graphs(graphs), self.height)
        self._n_features_out = sum(map(len, self._kept(self.dictionaries_)))
        counts = self._counts(labels)
        gram = (counts @ counts.T).toarray().astype(float)
        if self.features == "cumulative":
            norm = np.sqrt(np.diag(gram))
            gram /= np.outer(norm, norm)
        return gram

    def _kept(self, per_iteration):
        if self.features == "last":
            return per_iteration[-1:]
        return per_iteration

    def _counts(self, labels):
        """Return label counts, (n_graphs, n_labels) sparse int64."""
        n_graphs, n_vertices, _ = labels.shape
        sizes = [len(dictionary) for dictionary in self._kept(self.dictionaries_)]
        offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = labels[:, :, -len(sizes) :]
        seen = labels != UNSEEN
        column = (labels + offset[:-1])[seen]
        row = np.broadcast_to(np.arange(n_graphs)[:, None, None], labels.shape)[seen]
        ones = np.ones(len(column), np.int64)
        counts = sparse.csr_array((ones, (row, column)), shape=(n_graphs, int(offset[-1])))
        counts.sum_duplicates()
        return counts

    def _features(self, counts):
        features = counts.astype(float)
        if self.features == "cumulative":
            norm = np.sqrt(features.multiply(features).sum(axis=1))
            features = sparse.csr_array(sparse.diags_array(1 / norm) @ features)
        return features
