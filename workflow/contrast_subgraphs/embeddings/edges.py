"""All edges of a graph as features: the plain reference."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..core.graphs import check_graphs


class EdgeFeatures(TransformerMixin, BaseEstimator):
    """All edges of a graph as features: the plain reference (method ``edges``).

    Attributes
    ----------
    n_vertices_in_ : int
    """

    def fit(self, graphs, y=None):
        """Learn the number of vertices; `graphs` as in `transform`, `y` is not used."""
        self.n_vertices_in_ = check_graphs(graphs).shape[1]
        return self

    def transform(self, graphs):
        """Return the weights of the unordered pairs of vertices.

        Parameters
        ----------
        graphs : array_like of shape (n_graphs, n_vertices, n_vertices)

        Returns
        -------
        numpy.ndarray of shape (n_graphs, n_vertices * (n_vertices - 1) / 2), float
            Row by row of the upper triangle; 6670 columns for 116 vertices.
        """
        check_is_fitted(self)
        graphs = check_graphs(graphs, self.n_vertices_in_)
        u, v = np.triu_indices(self.n_vertices_in_, 1)
        return graphs[:, u, v].astype(float, order="C")

    def get_feature_names_out(self, input_features=None):
        """Names of the features: ``edge_<u>_<v>`` with vertices counted from 0."""
        check_is_fitted(self)
        u, v = np.triu_indices(self.n_vertices_in_, 1)
        return np.array([f"edge_{a}_{b}" for a, b in zip(u, v, strict=True)], dtype=object)
