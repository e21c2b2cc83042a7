"""Matrices of weights of several subjects, in one file."""

from dataclasses import dataclass

import numpy as np

from ..core.atomic_files import ArrayFile, in_single


@dataclass(frozen=True)
class SubjectMatrices(ArrayFile):
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

    compressed = False

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

    def to_write(self):
        """The weights are in single precision if that changes nothing."""
        return super().to_write() | {"weights": in_single(self.weights)}

    def check(self):
        p = len(self.roi)
        return self.weights.shape == (len(self.subject), p * (p - 1) // 2)
