"""Weights of all pairs of regions, for methods that do not start from graphs of ones."""

import numpy as np

from ..core.errors import InputError
from ..data.matrices import SubjectMatrices
from .correlation import connectivity, fisher_z


def cohort_edges(graphs, sites, measure="correlation"):
    """Return the weights of all pairs of regions of a cohort's subjects.

    Parameters
    ----------
    graphs : CohortGraphs
        Whose subjects, and in which order.
    sites : iterable of data.series.SiteSeries or data.matrices.SubjectMatrices
        One after the other, so that one is in memory at a time.
    measure : str
        See `connectivity`. Correlations become Fisher's z, and are not rounded.

    Returns
    -------
    numpy.ndarray of shape (n_subjects, n_rois (n_rois - 1) / 2)
        float32, in the order of the cohort's graphs. Fisher's z of correlations, or the
        weights of the user's matrices; the upper triangle, row by row (`numpy.triu_indices`).

    Raises
    ------
    InputError
        If a subject's series are not there.
    """
    p = len(graphs.roi)
    upper = np.triu_indices(p, 1)
    row = {name: index for index, name in enumerate(graphs.subject.tolist())}
    z = np.full((len(row), len(upper[0])), np.nan, dtype=np.float32)
    for site in sites:
        for subject, data in site:
            if subject not in row:
                continue
            if isinstance(site, SubjectMatrices):
                z[row[subject]] = data[upper]
                continue
            weights = connectivity(data, measure)[upper]
            z[row[subject]] = (
                fisher_z(weights) if measure in ("correlation", "partial") else weights
            )
    without = np.isnan(z).any(axis=1)
    if without.any():
        raise InputError(f"there are no series of {graphs.subject[without][0]}")
    return z
