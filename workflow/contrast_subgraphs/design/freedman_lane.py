"""Permuted residuals of a regressor, given nuisance variables.

The residuals of the regressor are permuted, or their signs flipped (`Design.moved`). Then the
nuisance variables are projected out of them again (Freedman and Lane, Journal of Business and
Economic Statistics 1983; Winkler et al., NeuroImage 2014).
"""

import numpy as np

from .covariates import NOTHING, unexplained


def permuted_residuals(design, draws, as_fitted=False):
    """Return each draw's residuals, (n_draws, n), by default as long as the observed ones.

    The nuisance variables explain part of the permuted residuals, so that permuted coefficients
    would vary less than the observed one, by about the ratio of nuisance variables to people.
    Scaling all residuals to one length makes up for this.
    """
    rows = unexplained(design.moved(design.residual, draws), design.nuisance)
    if not as_fitted:
        length = (rows**2).sum(axis=1)
        observed = float(design.residual @ design.residual)
        # A draw that the nuisance variables explain has no direction left: it counts as 0.
        kept = length > NOTHING * observed
        scale = np.sqrt(observed / np.where(kept, length, 1.0))
        rows *= np.where(kept, scale, 0.0)[:, None]
    return rows


def explained_again(design, draws, sums):
    """Return the squares of each pair's permuted residuals that the nuisance variables explain.

    `sums` is a function that returns weighted sums of the graphs for rows of weights.
    """
    # Draws that keep the space of the nuisance variables leave their residuals orthogonal to it.
    if design.alike:
        return 0.0
    rows = (
        unexplained(design.moved(column, draws), design.nuisance) for column in design.nuisance.T
    )
    return sum(sums(one) ** 2 for one in rows)
