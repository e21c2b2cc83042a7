"""Weights adjusted: nuisance variables regressed out, fitted on the training part."""

import numpy as np

from .nuisance import Nuisance


class Adjustment:
    """Weights with the nuisance variables regressed out, the diagnosis kept.

    Least squares of each weight on the nuisance variables and the diagnosis in the training
    part. What the nuisance variables explain there, with the diagnosis held fixed, is
    subtracted from everybody: so what they share with the diagnosis is not taken for theirs,
    and nobody's diagnosis but the training part's is used.

    Attributes
    ----------
    coefficients_ : numpy.ndarray of shape (n_nuisance, n_pairs)
    """

    def fit(self, subjects, y):
        """Learn the coefficients from the training subjects and their diagnoses."""
        self.nuisance_ = Nuisance().fit(subjects)
        X = self.nuisance_.transform(subjects)
        self.mean_, scale = X.mean(axis=0), X.std(axis=0)
        self.scale_ = np.where(scale > 0, scale, 1.0)
        design = np.column_stack([(X - self.mean_) / self.scale_, y, np.ones(len(X))])
        coefficients, *_ = np.linalg.lstsq(design, subjects.weights, rcond=None)
        self.coefficients_ = coefficients[: X.shape[1]]
        return self

    def transform(self, subjects):
        """Return the adjusted weights, (n_subjects, n_pairs)."""
        X = (self.nuisance_.transform(subjects) - self.mean_) / self.scale_
        return subjects.weights - X @ self.coefficients_


def adjusted_weights(adjust, subjects, y):
    """Return a function that gives subjects' weights, adjusted as `fit` on these learns it."""
    if not adjust:
        return lambda others: others.weights
    return Adjustment().fit(subjects, y).transform
