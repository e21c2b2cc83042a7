"""Weights of all pairs of regions, for methods that do not start from graphs of ones."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import InputError
from ..core.files import load_npz, written_whole
from ..data.matrices import SubjectMatrices
from .correlation import connectivity, fisher_z


@dataclass(frozen=True)
class CohortEdges:
    """Weights of all pairs of regions of a cohort's subjects.

    Attributes
    ----------
    z : numpy.ndarray of shape (n_subjects, n_rois (n_rois - 1) / 2)
        float32. Fisher's z of correlations, or the weights of the user's matrices; the
        upper triangle, row by row (`numpy.triu_indices`).
    subject : numpy.ndarray of shape (n_subjects,)
        In the order of the cohort's graphs.
    """

    z: np.ndarray
    subject: np.ndarray

    def save(self, path):
        """Write to an ``.npz`` file, uncompressed: weights do not compress."""
        with written_whole(path) as beside:
            np.savez(beside, z=self.z, subject=self.subject)

    @classmethod
    def load(cls, path, graphs):
        """Read what `save` wrote, which must be of the subjects of the `graphs`.

        Raises
        ------
        InputError
            If the file is missing or damaged, or of others.
        """
        edges = cls(**load_npz(path, "z", "subject"))
        p = len(graphs.roi)
        if edges.z.shape != (len(graphs.subject), p * (p - 1) // 2) or not np.array_equal(
            edges.subject, graphs.subject
        ):
            raise InputError(f"{path} is not of the subjects of the graphs: delete it")
        return edges


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
    CohortEdges

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
    return CohortEdges(z, graphs.subject)
