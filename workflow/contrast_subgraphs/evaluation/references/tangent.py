"""Tangent space: covariances as deviations from their geometric mean."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from ...core.extras import optional


class Tangent(TransformerMixin, BaseEstimator):
    """Covariances projected to the tangent space at their geometric mean (method ``tangent``).

    Nilearn's ``ConnectivityMeasure(kind="tangent")`` (Varoquaux et al., MICCAI 2010; the
    recommendation of Dadi et al., NeuroImage 2019): the mean is that of the training part.
    """

    #: Deviations are informative: the SVM gets them as they are.
    standardise = False
    #: The mean takes seconds and needs no diagnosis: the inner folds share their training part's.
    uses_labels = False

    def fit(self, subjects, y=None):
        """Learn the geometric mean; `y` is not used."""
        connectome = optional("nilearn.connectome", "workflow")
        self.measure_ = connectome.ConnectivityMeasure(
            kind="tangent", cov_estimator=_Given(), vectorize=True, standardize=False
        ).fit(_matrices(subjects))
        return self

    def transform(self, subjects):
        """Return the deviations, (n_subjects, n_regions (n_regions + 1) / 2)."""
        return self.measure_.transform(_matrices(subjects))


class _Given(BaseEstimator):
    """Takes what it is given for the covariance: the series are not kept."""

    def fit(self, X):
        self.covariance_ = X
        return self


def _matrices(subjects):
    """Covariances as a list of symmetric matrices, which is what nilearn takes."""
    n_regions = subjects.adjacency.shape[1]
    u, v = np.triu_indices(n_regions)
    matrices = np.zeros((len(subjects), n_regions, n_regions))
    matrices[:, u, v] = matrices[:, v, u] = subjects.covariances
    return list(matrices)
