"""From a subject's time series to its graph."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .errors import InputError
from .files import load_npz, save_npz
from .graphs import check_graphs


@dataclass(frozen=True)
class SubjectGraphs:
    """Graphs of single subjects on the same regions, before any cohort is made.

    Attributes
    ----------
    adjacency : numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        uint8 zeros and ones, symmetric, zero diagonal.
    subject : numpy.ndarray of shape (n_subjects,)
        Names of the subjects (``FILE_ID``), each once.
    roi : numpy.ndarray of shape (n_rois,)
        Names of the regions, in the order of the rows.
    """

    adjacency: np.ndarray
    subject: np.ndarray
    roi: np.ndarray

    def density(self):
        """Return the table ``subject``, ``edges``, ``density`` (edges / pairs of regions)."""
        p = self.adjacency.shape[1]
        edges = self.adjacency.sum(axis=(1, 2), dtype=np.int64) // 2
        return pd.DataFrame(
            {"subject": self.subject, "edges": edges, "density": edges / (p * (p - 1) / 2)}
        )

    def save(self, path):
        """Write to an ``.npz`` file."""
        save_npz(path, adjacency=self.adjacency, subject=self.subject, roi=self.roi)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote, checked.

        Raises
        ------
        InputError
            If the file is missing or damaged, or its arrays do not fit together.
        """
        graphs = cls(**load_npz(path, "adjacency", "subject", "roi"))
        try:
            n, p, _ = check_graphs(graphs.adjacency).shape
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if graphs.subject.shape != (n,) or graphs.roi.shape != (p,):
            raise InputError(f"{path}: its arrays do not fit together")
        return graphs

    @classmethod
    def concatenate(cls, parts):
        """Join the graphs of several files (for example one a site).

        Parameters
        ----------
        parts : iterable of SubjectGraphs
            Parts without subjects are left out.

        Raises
        ------
        InputError
            If there is no graph at all, a subject comes twice or the regions differ.
        """
        parts = [part for part in parts if len(part.subject)]
        if not parts:
            raise InputError("no subject has a usable series: there is no graph to work with")
        if any(not np.array_equal(part.roi, parts[0].roi) for part in parts):
            raise InputError("the graphs of the sites are on different regions")
        subject = np.concatenate([part.subject for part in parts])
        names, counts = np.unique(subject, return_counts=True)
        if (counts > 1).any():
            raise InputError(f"subject {names[counts > 1][0]} has more than one graph")
        return cls(np.concatenate([part.adjacency for part in parts]), subject, parts[0].roi)

    def take(self, subjects):
        """Return the graphs of `subjects`, in their order.

        Raises
        ------
        InputError
            If a subject has no graph.
        """
        rows = {name: row for row, name in enumerate(self.subject.tolist())}
        missing = [name for name in subjects if name not in rows]
        if missing:
            raise InputError(f"no graph for the subject {missing[0]}")
        chosen = [rows[name] for name in subjects]
        return SubjectGraphs(self.adjacency[chosen], self.subject[chosen], self.roi)
