"""Connectome-based predictive modelling (CPM)."""

import numpy as np

from ...core.pairs import blocks_of_pairs
from ...design.question import holds_numbers


class ConnectomeSums:
    """Connectome-based predictive modelling: two sums (``cpm``; Shen et al., Nat. Protoc. 2017).

    The pairs are those that differ between the groups of the training part (Welch t, normal p-value
    below `p`), or depend on a variable. One sum is over pairs that are larger, one over smaller
    ones.
    """

    def __init__(self, p=0.01):
        self.p = p

    def fit(self, subjects, y):
        """Choose the pairs; the weights are those of the subjects, or of their graphs."""
        from scipy.special import ndtri

        def t_of(w):
            if holds_numbers(y):
                return correlation_t(w, y)
            return welch_t(w[y == 1], w[y == 0])

        t = np.concatenate([t_of(weights) for _, weights in _weights(subjects)])
        limit = -ndtri(self.p / 2)
        self.pairs_ = np.stack([t > limit, t < -limit]).astype(float)
        return self

    def transform(self, subjects):
        """Return the two sums, (n_subjects, 2)."""
        return sum(weights @ self.pairs_[:, part].T for part, weights in _weights(subjects))


def _weights(subjects):
    """Yield blocks of pairs and their weights, for subjects or rows of graphs."""
    weights = getattr(subjects, "weights", subjects)
    for part in blocks_of_pairs(weights):
        yield part, weights[:, part].astype(float)


def welch_t(first, second):
    """Return Welch's t of the columns of two groups; 0 where neither varies."""
    error = first.var(axis=0, ddof=1) / len(first) + second.var(axis=0, ddof=1) / len(second)
    difference = first.mean(axis=0) - second.mean(axis=0)
    return np.divide(difference, np.sqrt(error), out=np.zeros_like(difference), where=error > 0)


def correlation_t(numbers, values):
    """Return Student's t of the correlation of each column with a variable; 0 for a constant."""
    numbers = numbers - numbers.mean(axis=0)
    values = values - values.mean()
    size = np.sqrt((numbers**2).sum(axis=0) * (values @ values))
    r = np.divide(values @ numbers, size, out=np.zeros(numbers.shape[1]), where=size > 0)
    return r * np.sqrt((len(values) - 2) / np.maximum(1 - r**2, 1e-12))
