"""Several contrast subgraphs of weights at several percentiles, adjusted or not."""

import numpy as np
from scipy.spatial.distance import squareform

from ...contrast.alpha import alphas_of_percentiles
from ...contrast.features import mean_weights
from ...contrast.several_sets import one_after_another, pairs_inside
from ...contrast.solver.search import search_sweep
from .adjustment import adjusted_weights
from .cpm import welch_t


class WeightedContrasts:
    """Mean weights inside several contrast subgraphs (``cs-weighted``, ``cs-adjusted``).

    For each direction of Welch's t and each percentile, `k` sets one after the other; if `adjust`,
    the nuisance variables are regressed out first (`adjustment.Adjustment`).
    """

    def __init__(self, adjust=False, percentiles=(80, 90, 95), k=3, seed=0):
        self.adjust = adjust
        self.percentiles = percentiles
        self.k = k
        self.seed = seed

    def fit(self, subjects, y):
        """Extract the subgraphs from the training subjects."""
        self.weights_ = adjusted_weights(self.adjust, subjects)
        weights = self.weights_(subjects)
        contrast = squareform(welch_t(weights[y == 0], weights[y == 1]))
        self.subgraphs_ = []
        for sign in (1.0, -1.0):
            alphas = alphas_of_percentiles(sign * contrast, self.percentiles)
            for alpha in alphas:

                def find(left, _, alpha=alpha):
                    nodes = search_sweep(left, [alpha], seed=self.seed)[0]
                    return nodes, pairs_inside(nodes, len(left))

                found = one_after_another(sign * contrast, alpha, self.k, find)
                sets = [nodes for nodes, _ in found]
                # Empty sets fill up to k, so that all training parts have the same number of
                # features.
                self.subgraphs_ += sets + [np.zeros(0, dtype=np.int64)] * (self.k - len(sets))
        return self

    def transform(self, subjects):
        """Return the mean weights, (n_subjects, 2 * n_percentiles * k); 0 for an empty set."""
        return mean_weights(self.weights_(subjects), self.subgraphs_)
