"""Weights of all pairs of regions, for methods that do not start from graphs of ones."""

import numpy as np

from ..core.errors import InputError
from ..core.graphs import SubjectGraphs
from ..core.large_arrays import stacked_rows
from .correlation import connectivity, edge_weights
from .threshold import transformed


def cohort_edges(graphs, sites, measure="correlation", transform=None):
    """Return the weights of all pairs of regions of a cohort's subjects, (n_subjects, n_pairs).

    The subjects of `graphs` are read one site at a time. Weights are Fisher's z of correlations
    that are not rounded, in single precision, or the (transformed) weights of the user's matrices.
    """
    upper = np.triu_indices(len(graphs.roi), 1)

    def weights(site, data):
        if isinstance(site, SubjectGraphs):
            return transformed(data, transform)[upper]
        values = connectivity(data, measure)[upper]
        return edge_weights(values, measure)

    return _collected(graphs, sites, weights)


def cohort_covariances(graphs, sites):
    """Return covariances of standardized series as `cohort_edges` does, with the diagonal.

    They are Ledoit-Wolf estimates, which can be inverted however short the series are.
    """
    upper = np.triu_indices(len(graphs.roi))

    def covariances(_, series):
        standardized = (series - series.mean(axis=0)) / series.std(axis=0)
        return np.float32(connectivity(standardized, "covariance")[upper])

    return _collected(graphs, sites, covariances)


def _collected(graphs, sites, numbers):
    """Return what `numbers` makes of each subject's data, in the order of the graphs."""
    found = dict.fromkeys(graphs.subject.tolist())
    for site in sites:
        for subject, data in site:
            if subject in found:
                found[subject] = numbers(site, data)
    for subject, row in found.items():
        if row is None:
            raise InputError(f"there are no series of {subject}")
    # Each row is let go once it is copied, so that there is little more than one copy in memory.
    return stacked_rows((found.pop(name) for name in list(found)), len(found))
