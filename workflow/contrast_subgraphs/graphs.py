"""The graphs of one cohort: a stack of adjacency matrices with labels and names."""

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .files import load_npz, save_npz

#: Labels of the two groups: `y` is 0 for TD (typically developed), 1 for ASD.
GROUPS = ("td", "asd")


@dataclass(frozen=True)
class CohortGraphs:
    """Graphs of one cohort, all on the same vertices.

    Attributes
    ----------
    adjacency : numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        Symmetric, zero diagonal; uint8 zeros and ones for unweighted graphs.
    y : numpy.ndarray of shape (n_subjects,)
        0 = TD, 1 = ASD.
    subject : numpy.ndarray of shape (n_subjects,)
        Names of the subjects (``FILE_ID``), each once.
    roi : numpy.ndarray of shape (n_rois,)
        Names of the regions, in the order of the rows.
    """

    adjacency: np.ndarray
    y: np.ndarray
    subject: np.ndarray
    roi: np.ndarray

    def save(self, path):
        """Write to an ``.npz`` file."""
        save_npz(path, adjacency=self.adjacency, y=self.y, subject=self.subject, roi=self.roi)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote, checked.

        Raises
        ------
        InputError
            If the file is missing or damaged, or its arrays do not fit together.
        """
        graphs = cls(**load_npz(path, "adjacency", "y", "subject", "roi"))
        try:
            check_graphs(graphs.adjacency)
            n, p, _ = graphs.adjacency.shape
            if (
                graphs.y.shape != (n,)
                or graphs.subject.shape != (n,)
                or graphs.roi.shape != (p,)
                or not np.isin(graphs.y, (0, 1)).all()
            ):
                raise InputError("its arrays do not fit together")
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        return graphs


def check_graphs(graphs):
    """Return a stack of graphs as an array, or say what is wrong with it.

    Parameters
    ----------
    graphs : array_like of shape (n_graphs, n_vertices, n_vertices)
        Adjacency or weight matrices.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
        The same numbers; booleans become uint8. A diagonal is left as it is.

    Raises
    ------
    InputError
        If the shape is wrong, a matrix is not symmetric or a number is not finite.
    """
    graphs = np.asarray(graphs)
    if graphs.ndim != 3 or graphs.shape[1] != graphs.shape[2]:
        raise InputError(
            f"graphs must have the shape (n_graphs, n_vertices, n_vertices), not {graphs.shape}"
        )
    if graphs.dtype == bool:
        graphs = graphs.astype(np.uint8)
    if graphs.dtype.kind not in "iuf":
        raise InputError(f"graphs must hold numbers, not {graphs.dtype}")
    if graphs.dtype.kind == "f" and not np.isfinite(graphs).all():
        bad = int(np.argmin(np.isfinite(graphs).all(axis=(1, 2))))
        raise InputError(f"graph {bad} holds a number that is not finite")
    symmetric = (graphs == graphs.transpose(0, 2, 1)).all(axis=(1, 2))
    if not symmetric.all():
        raise InputError(f"graph {int(np.argmin(symmetric))} is not symmetric")
    return graphs
