"""Matrices of weights of several subjects, in one file."""

from dataclasses import dataclass

import numpy as np

from ..core.errors import InputError
from ..core.files import load_npz, written_whole


@dataclass(frozen=True)
class SubjectMatrices:
    """Symmetric matrices of weights on the same regions.

    Attributes
    ----------
    subject : numpy.ndarray of shape (n_subjects,)
        Names.
    weights : numpy.ndarray of shape (n_subjects, n_rois (n_rois - 1) / 2)
        The upper triangle, row by row (`numpy.triu_indices`).
    roi : numpy.ndarray of shape (n_rois,)
        Names of the regions.
    """

    subject: np.ndarray
    weights: np.ndarray
    roi: np.ndarray

    @property
    def roi_code(self):
        """Names of the regions, as series have them."""
        return self.roi

    def __len__(self):
        return len(self.subject)

    def __iter__(self):
        """Yield ``(subject, matrix of shape (n_rois, n_rois))``."""
        upper = np.triu_indices(len(self.roi), 1)
        for name, weights in zip(self.subject.tolist(), self.weights, strict=True):
            matrix = np.zeros((len(self.roi), len(self.roi)))
            matrix[upper] = weights
            yield name, matrix + matrix.T

    def save(self, path):
        """Write to an ``.npz`` file, in single precision if that changes nothing."""
        with np.errstate(over="ignore"):
            single = self.weights.astype(np.float32)
        same = np.array_equal(single, self.weights)
        with written_whole(path) as beside:
            np.savez(
                beside,
                subject=self.subject,
                weights=single if same else self.weights,
                roi=self.roi,
            )

    @classmethod
    def load(cls, path):
        """Read what `save` wrote.

        Raises
        ------
        InputError
            If the file is missing or damaged, or its arrays do not fit together.
        """
        matrices = cls(**load_npz(path, "subject", "weights", "roi"))
        p = len(matrices.roi)
        if matrices.weights.shape != (len(matrices.subject), p * (p - 1) // 2):
            raise InputError(f"{path}: its arrays do not fit together")
        return matrices
