"""Permuted residuals of a regressor beside nuisance variables.

The residuals of the regressor are permuted, or their signs flipped (`Design.moved`), and the
nuisance variables projected out of them again (Freedman and Lane, Journal of Business and Economic
Statistics 1983; Winkler et al., NeuroImage 2014).
"""

import numpy as np

from .covariates import NOTHING, unexplained


def permuted_residuals(design, draws, as_fitted=False):
    """Return each draw's residuals, (n_draws, n), of the length of the observed by default.

    Permuted residuals are in part explained by the nuisance variables again, so that permuted
    coefficients would vary less than the observed one, by about the nuisance variables' share of
    the people. Weights of one length make up for it.
    """
    rows = unexplained(design.moved(design.residual, draws), design.nuisance)
    if not as_fitted:
        length, observed = (rows**2).sum(axis=1), float(design.residual @ design.residual)
        kept = length > NOTHING * observed
        scale = np.sqrt(observed / np.where(kept, length, 1.0))
        rows *= np.where(kept, scale, 0.0)[:, None]
    return rows


def explained_again(design, draws, sums):
    """Return what the nuisance variables explain of the permuted residuals of each pair.

    `sums`: weighted sums of the graphs, for rows of weights.
    """
    if design.alike:
        return 0.0
    rows = (
        unexplained(design.moved(column, draws), design.nuisance) for column in design.nuisance.T
    )
    return sum(sums(one) ** 2 for one in rows)
