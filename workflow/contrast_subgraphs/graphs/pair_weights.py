"""Weights of all pairs of regions, for methods that do not start from graphs of ones."""

import numpy as np

from ..core.errors import InputError
from ..core.graphs import SubjectGraphs
from .correlation import connectivity, fisher_z
from .threshold import transformed


def cohort_edges(graphs, sites, measure="correlation", transform=None):
    """Return the weights of all pairs of regions of a cohort's subjects, (n_subjects, n_pairs).

    Of the subjects of `graphs`, from one site at a time: Fisher's z of correlations that are not
    rounded, or the (transformed) weights of the user's matrices; float32.
    """
    upper = np.triu_indices(len(graphs.roi), 1)

    def weights(site, data):
        if isinstance(site, SubjectGraphs):
            return transformed(data, transform)[upper]
        values = connectivity(data, measure)[upper]
        return fisher_z(values) if measure in ("correlation", "partial") else values

    return _collected(graphs, sites, weights, len(upper[0]))


def cohort_covariances(graphs, sites):
    """Return covariances of standardised series as `cohort_edges` does, with the diagonal.

    Ledoit-Wolf, so that each can be inverted however short its series.
    """
    upper = np.triu_indices(len(graphs.roi))

    def covariances(_, series):
        standardised = (series - series.mean(axis=0)) / series.std(axis=0)
        return connectivity(standardised, "covariance")[upper]

    return _collected(graphs, sites, covariances, len(upper[0]))


def _collected(graphs, sites, numbers, count):
    """What `numbers` returns of each subject's data, in the order of the graphs."""
    row = {name: index for index, name in enumerate(graphs.subject.tolist())}
    found = np.full((len(row), count), np.nan, dtype=np.float32)
    for site in sites:
        for subject, data in site:
            if subject in row:
                found[row[subject]] = numbers(site, data)
    without = np.isnan(found).any(axis=1)
    if without.any():
        raise InputError(f"there are no series of {graphs.subject[without][0]}")
    return found
