"""What the four baselines share."""

from typing import ClassVar

import numpy as np

from ..core.check_graphs import check_graphs
from ..core.errors import InputError
from .parameters import PARAMETERS, check_parameters


class Embedding:
    """A label-free embedding; subclasses define `_embed`.

    `estimators` adds the interface of scikit-learn, which is slow to import.
    """

    #: The name in `parameters.PARAMETERS`, by which tuned parameters are checked.
    method: ClassVar[str]

    def fit(self, graphs, y=None):
        """Embed the graphs. See `fit_transform`."""
        self.fit_transform(graphs)
        return self

    def fit_transform(self, graphs, y=None):
        """Learn from the graphs and return their features.

        Graphs are symmetric and hold zeros and ones. Diagonals are ignored, and so is `y`.
        """
        check_parameters(self.method, self.tuned())
        features = self._embed(simple_graphs(graphs))
        self._n_features_out = features.shape[1]
        return features

    def _check_fitted(self):
        if not hasattr(self, "_n_features_out"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{self.method} is not fitted yet: call fit first")

    def tuned(self):
        """Return the parameters that the paper tunes, in the registry's order."""
        return {name: getattr(self, name) for name in PARAMETERS[self.method]}


def simple_graphs(graphs):
    """Return a stack of graphs as zeros and ones without self-loops, or raise InputError."""
    graphs = check_graphs(graphs)
    if graphs.size == 0:
        raise InputError(f"there is nothing to embed in graphs of shape {graphs.shape}")
    vertices = np.arange(graphs.shape[1])
    # The cast would turn a weight such as 0.5 into 0 and 257 into 1: compare before using it.
    simple = graphs.astype(np.uint8)
    weighted = (simple != graphs) | (simple > 1)
    weighted[:, vertices, vertices] = False
    if weighted.any():
        bad = int(np.argmax(weighted.any(axis=(1, 2))))
        raise InputError(f"graph {bad} is weighted: the baselines need graphs of zeros and ones")
    simple[:, vertices, vertices] = 0
    return simple


def neighbour_lists(graphs):
    """Return the neighbours of all vertices of all graphs, one list after the other.

    The neighbours of vertex v of graph g are ``neighbour[start[i]:start[i + 1]]`` with
    ``i = g n_vertices + v``. They are numbered through all graphs, as i is.
    """
    n_graphs, n_vertices, _ = graphs.shape
    degree = np.count_nonzero(graphs, axis=2).ravel()
    start = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    # In row-major order: by graph, then by vertex, as `start` counts them.
    graph, _, neighbour = np.nonzero(graphs)
    return start, (graph * n_vertices + neighbour).astype(np.int32)
