"""All pairs of regions as features: the edges of the graphs, or the weights behind them."""

from .adjustment import adjusted_weights


class EdgeFeatures:
    """All edges of a graph as features: the plain reference (method ``edges``).

    There is nothing to fit: the rows of pairs are the features, whatever the training part.
    """


class WeightedEdges:
    """The weights of all pairs (``edges-weighted``), adjusted if asked (``edges-adjusted``)."""

    def __init__(self, adjust=False):
        self.adjust = adjust

    def fit(self, subjects, y):
        """Learn the adjustment, if any, from the training subjects."""
        self.weights_ = adjusted_weights(self.adjust, subjects)
        return self

    def transform(self, subjects):
        """Return the weights, (n_subjects, n_pairs)."""
        return self.weights_(subjects)
