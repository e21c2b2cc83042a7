"""Mean weights inside the regions' systems and between them."""

import numpy as np


class SystemMeans:
    """Mean weight inside each system and between each two (method ``system-means``).

    With `edges`, all weights are features too: each of the two parts is divided by the root of its
    total variance in the training part, so that both count equally (method ``two-scale``).
    """

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
    number_of = {name: number for number, name in enumerate(systems)}
    # Regions without a system have -1, which no pair of systems below asks for.
    number = np.array([number_of.get(name, -1) for name in subjects.systems])
    u, v = np.triu_indices(len(number), 1)
    low = np.minimum(number[u], number[v])
    high = np.maximum(number[u], number[v])
    columns = []
    for a in range(len(systems)):
        for b in range(a, len(systems)):
            pairs = np.flatnonzero((low == a) & (high == b))
            if len(pairs):
                columns.append(subjects.weights[:, pairs].mean(axis=1))
    return np.column_stack(columns)
