"""Matrices of weights of several subjects, in one file."""

import functools
from dataclasses import dataclass

import numpy as np

from ..core.atomic_files import ArrayFile, in_single


@functools.lru_cache(maxsize=2)
def upper_triangle(p):
    """Return `numpy.triu_indices` without the diagonal, kept: they are slow for large matrices."""
    return np.triu_indices(p, 1)


def square_of(weights, p):
    """Return the symmetric matrix with a zero diagonal that has an upper triangle."""
    matrix = np.zeros((p, p))
    matrix[upper_triangle(p)] = weights
    return matrix + matrix.T


@dataclass(frozen=True)
class SubjectMatrices(ArrayFile):
    """Symmetric matrices of weights on the same regions."""

    subject: np.ndarray  # names
    weights: np.ndarray  # of each the upper triangle, row by row (`numpy.triu_indices`)
    roi: np.ndarray  # names of the regions

    compressed = False

    @property
    def roi_code(self):
        """Names of the regions, as series have them."""
        return self.roi

    def __len__(self):
        return len(self.subject)

    def __iter__(self):
        """Yield ``(subject, matrix of shape (n_rois, n_rois))``."""
        for name, weights in zip(self.subject.tolist(), self.weights, strict=True):
            yield name, square_of(weights, len(self.roi))

    def to_write(self):
        """The weights are in single precision if that changes nothing."""
        return super().to_write() | {"weights": in_single(self.weights)}
