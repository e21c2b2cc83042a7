"""What a pair of regions weighs in a difference graph: a difference of means, or its t."""

import numpy as np

#: The difference of the groups' means, or that over its standard error.
EDGE_STATISTICS = ("difference", "t")
#: Share of its squares that a constant pair may vary by, from rounding.
CONSTANT = 1e-24


def t_statistic(difference, within, share, freedom):
    """Return Student's t of differences of two groups, never infinite.

    The standard error is the pooled one, as in the field's t tests of edges, and as a linear
    model with covariates has it (for groups of one size Welch's is the same). Where all of one
    group have a connection and none of the other, nothing varies within the groups and t would be
    infinite: one such pair would outweigh all others. The squares within the groups are therefore
    taken to be those of one person who deviates by the whole difference, at least. So no t is
    larger than ``sqrt(freedom * share)``, and a pair that is constant in both groups has this t,
    or 0 if it is the same in both. Graphs without weights reach the bound in no other case.

    Parameters
    ----------
    difference : numpy.ndarray
        Of the groups' means, or coefficients of the group in a linear model.
    within : numpy.ndarray
        Sum of squares within the groups, or of the model's residuals.
    share : float or numpy.ndarray
        ``n_first n_second / n``; in a model what the covariates leave of the group.
    freedom : float or numpy.ndarray
        Degrees of freedom.

    Returns
    -------
    numpy.ndarray
    """
    scale = np.sqrt(np.maximum(within, difference**2) / freedom / share)
    t = np.divide(difference, scale, out=np.zeros_like(difference), where=difference != 0)
    # At the bound to the last digit: two pairs that differ by rounding are no contrast.
    largest = np.sqrt(freedom * share)
    at_bound = (difference != 0) & (difference**2 >= within * (1 - CONSTANT))
    return np.where(at_bound, np.copysign(largest, difference), t)
