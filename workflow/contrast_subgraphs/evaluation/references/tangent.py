"""Tangent space: covariances as deviations from their geometric mean."""

import numpy as np

#: The mean is found when the mean deviation from it is this small compared with the deviations.
NEAR = 2e-3
MOST_STEPS = 50
#: Share of the mean deviation by which a step moves: whole steps overshoot.
STEP = 0.9


class Tangent:
    """Covariances projected to the tangent space at their geometric mean (method ``tangent``).

    As nilearn's ``ConnectivityMeasure`` (Varoquaux et al., MICCAI 2010), which takes longer since
    it finds the mean to more digits than a classifier can use.
    """

    def fit(self, subjects, y=None):
        """Learn the geometric mean; `y` is not used."""
        # 1. Start from the arithmetic mean.
        mean = _symmetric(subjects.covariances.mean(axis=0))
        for _ in range(MOST_STEPS):
            # 2. Deviations from it; at the geometric mean their mean is 0.
            self.whitener_ = _function(mean, lambda values: values**-0.5)
            deviations = self._deviations(subjects.covariances)
            rest = deviations.mean(axis=0)
            if rest @ rest <= NEAR**2 * (deviations**2).sum(axis=1).mean():
                break
            # 3. Go along their mean.
            root = _function(mean, np.sqrt)
            mean = root @ _function(STEP * _symmetric(rest), np.exp) @ root
        return self

    def transform(self, subjects):
        """Return the deviations, (n_subjects, n_regions (n_regions + 1) / 2).

        Diagonals are divided by the root of 2: inner products are half those of the matrices.
        """
        deviations = self._deviations(subjects.covariances)
        rows, columns = np.triu_indices(len(self.whitener_))
        deviations[:, rows == columns] /= np.sqrt(2)
        return deviations

    def _deviations(self, covariances):
        upper = np.triu_indices(len(self.whitener_))
        deviations = np.empty_like(covariances)
        for row, matrix in zip(deviations, _symmetric(covariances), strict=True):
            row[:] = _function(self.whitener_ @ matrix @ self.whitener_, np.log)[upper]
        return deviations


def _symmetric(triangles):
    """The symmetric matrices of upper triangles with their diagonals."""
    n = int(np.sqrt(2 * triangles.shape[-1]))
    matrices = np.zeros((*triangles.shape[:-1], n, n))
    u, v = np.triu_indices(n)
    matrices[..., u, v] = matrices[..., v, u] = triangles
    return matrices


def _function(matrix, function):
    """A function of a symmetric matrix, by its eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * function(values)) @ vectors.T
