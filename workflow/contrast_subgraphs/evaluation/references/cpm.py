"""Connectome-based predictive modelling (CPM)."""

import numpy as np


class ConnectomeSums:
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
        from scipy.special import ndtri

        t = welch_t(subjects.weights[y == 1], subjects.weights[y == 0])
        limit = -ndtri(self.p / 2)
        self.pairs_ = np.stack([t > limit, t < -limit]).astype(float)
        return self

    def transform(self, subjects):
        """Return the two sums, (n_subjects, 2)."""
        return subjects.weights @ self.pairs_.T


def welch_t(first, second):
    """Return Welch's t of the columns of two groups; 0 where neither varies.

    >>> welch_t(np.array([[1.0], [3.0]]), np.array([[0.0], [0.0]])).tolist()
    [2.0]
    """
    error = first.var(axis=0, ddof=1) / len(first) + second.var(axis=0, ddof=1) / len(second)
    difference = first.mean(axis=0) - second.mean(axis=0)
    return np.divide(difference, np.sqrt(error), out=np.zeros_like(difference), where=error > 0)
