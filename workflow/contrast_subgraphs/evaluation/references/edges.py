"""Plain methods on the weights of all pairs of regions."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from .adjustment import adjusted_weights


class WeightedEdges(TransformerMixin, BaseEstimator):
    """The weights of all pairs (``edges-weighted``), adjusted (``edges-adjusted``).

    Parameters
    ----------
    adjust : bool
        Regress the nuisance variables out (`adjustment.Adjustment`).
    """

    #: Deviations of the weights are informative: the SVM gets them as they are.
    standardise = False
    #: The inner folds share what their training part gave.
    uses_labels = False

    def __init__(self, adjust=False):
        self.adjust = adjust

    def fit(self, subjects, y):
        """Learn the adjustment, if any, from the training subjects."""
        self.weights_ = adjusted_weights(self.adjust, subjects)
        return self

    def transform(self, subjects):
        """Return the weights, (n_subjects, n_pairs)."""
        return self.weights_(subjects)


class ConnectomeSums(TransformerMixin, BaseEstimator):
    """Connectome-based predictive modelling: two sums (method ``cpm``).

    Pairs whose weight differs between the groups of the training part (Welch t, normal
    p-value below `p`) are summed, those that are larger in the second group apart from those
    that are smaller (Shen et al., Nature Protocols 2017).

    Parameters
    ----------
    p : float
    """

    def __init__(self, p=0.01):
        self.p = p

    def fit(self, subjects, y):
        """Choose the pairs."""
        from scipy.stats import norm

        t = welch_t(subjects.weights[y == 1], subjects.weights[y == 0])
        limit = norm.isf(self.p / 2)
        self.pairs_ = np.stack([t > limit, t < -limit]).astype(float)
        return self

    def transform(self, subjects):
        """Return the two sums, (n_subjects, 2)."""
        return subjects.weights @ self.pairs_.T


class SystemMeans(TransformerMixin, BaseEstimator):
    """Mean weight inside each system and between each two (method ``system-means``).

    With `edges`, beside all weights: each of the two parts is divided by the root of its total
    variance in the training part, so that both have the same say (method ``two-scale``).

    Parameters
    ----------
    edges : bool
    """

    standardise = False
    uses_labels = False

    def __init__(self, edges=False):
        self.edges = edges

    def fit(self, subjects, y=None):
        """Learn the scales of the training part."""
        means = _system_means(subjects)
        deviation = means.std(axis=0)
        self.scale_ = np.where(deviation > 0, deviation, 1.0)
        if self.edges:
            self.total_ = np.sqrt(subjects.weights.var(axis=0).sum())
        return self

    def transform(self, subjects):
        """Return the means, or weights and means."""
        means = _system_means(subjects) / self.scale_
        if not self.edges:
            return means
        return np.hstack([subjects.weights / self.total_, means / np.sqrt(means.shape[1])])


def _system_means(subjects):
    systems = sorted(set(subjects.systems) - {""})
    number = np.array([systems.index(s) if s else -1 for s in subjects.systems])
    u, v = np.triu_indices(len(number), 1)
    low, high = np.minimum(number[u], number[v]), np.maximum(number[u], number[v])
    columns = []
    for a in range(len(systems)):
        for b in range(a, len(systems)):
            pairs = np.flatnonzero((low == a) & (high == b))
            if len(pairs):
                columns.append(subjects.weights[:, pairs].mean(axis=1))
    return np.column_stack(columns)


def welch_t(first, second):
    """Return Welch's t of the columns of two groups; 0 where neither varies.

    Examples
    --------
    >>> welch_t(np.array([[1.0], [3.0]]), np.array([[0.0], [0.0]])).tolist()
    [2.0]
    """
    error = first.var(axis=0, ddof=1) / len(first) + second.var(axis=0, ddof=1) / len(second)
    difference = first.mean(axis=0) - second.mean(axis=0)
    return np.divide(difference, np.sqrt(error), out=np.zeros_like(difference), where=error > 0)
