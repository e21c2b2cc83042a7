"""Weights of all pairs of regions, for methods that do not start from graphs of ones."""

import numpy as np

from ..core.errors import InputError
from ..data.matrices import SubjectMatrices
from .correlation import connectivity, fisher_z


def cohort_edges(graphs, sites, measure="correlation"):
    """Return the weights of all pairs of regions of a cohort's subjects.

    `graphs`: whose subjects, and in which order; `sites`: one after the other, so that one is in
    memory at a time; `measure`: see `connectivity`. Correlations become Fisher's z, and are not
    rounded. Returns: (n_subjects, n_rois (n_rois - 1): float32, in the order of the cohort's
    graphs. Fisher's z of correlations, or the weights of the user's matrices; the upper triangle,
    row by row (`numpy.triu_indices`).
    """
    upper = np.triu_indices(len(graphs.roi), 1)

    def weights(site, data):
        if isinstance(site, SubjectMatrices):
            return data[upper]
        values = connectivity(data, measure)[upper]
        return fisher_z(values) if measure in ("correlation", "partial") else values

    return _collected(graphs, sites, weights, len(upper[0]))


def cohort_covariances(graphs, sites):
    """Return the covariances of the standardised series of a cohort's subjects.

    `graphs`: whose subjects, and in which order; `sites`: one after the other, so that one is in
    memory at a time. Returns: (n_subjects, n_rois (n_rois + 1): float32; Ledoit-Wolf, so that each
    can be inverted however short its series; the upper triangle with the diagonal, row by row
    (`numpy.triu_indices`).
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
