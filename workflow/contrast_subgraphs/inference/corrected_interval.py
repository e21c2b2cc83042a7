"""The width of the interval of a held-out effect, corrected by permuted labels.

Folds share most of the people who choose the sets. So their effects are correlated, and the plain
interval is too narrow. Permuted labels show by how much. (Sites vary together too: `within_sites`
estimates their covariance.)
"""

import numpy as np
from scipy.special import stdtrit

from .p_values import CONFIDENCE

#: The number of assignments to folds for each relabelling.
REPEATS = 2


def half_width(error, inflation, freedom):
    """Return half the width of the interval of a mean over repeats, from the error of each.

    Parameters
    ----------
    error : array_like of shape (n_repeats, ...)
        Plain standard errors.
    inflation : float or array_like of shape (...)
        How much wider the interval is than the plain one.
    freedom : float
        Degrees of freedom of Student's t.

    Examples
    --------
    >>> round(float(half_width(np.array([1.0, 1.0]), 1.0, 1e6)), 2)
    1.96
    """
    critical = stdtrit(freedom, (1 + CONFIDENCE) / 2)
    return inflation * critical * np.sqrt((error**2).mean(axis=0))


def variance_ratio(permuted, repeats):
    """Return the ratio of the true variance to the plain one, from permuted effects and errors.

    It is for the mean of `repeats` assignments to folds, from `REPEATS` of each relabelling.

    Parameters
    ----------
    permuted : ndarray of shape (n_relabellings * REPEATS, 2, ...)
        Effects and their plain errors.
    repeats : int

    Examples
    --------
    Effects of independent folds vary as their errors say:

    >>> effects = np.random.default_rng(0).normal(size=20_000)
    >>> numbers = np.column_stack([np.repeat(effects, REPEATS), np.ones(20_000 * REPEATS)])
    >>> round(float(variance_ratio(numbers, 10)), 1)
    1.0
    """
    permuted = permuted.reshape(-1, REPEATS, *permuted.shape[1:])
    effect, error = np.moveaxis(permuted, 2, 0)
    count = len(effect)
    plain = np.sqrt((error**2).mean(axis=1, keepdims=True))
    z = np.divide(effect, plain, out=np.zeros_like(effect), where=plain > 0)
    z -= z.mean(axis=(0, 1))
    between = z.sum(axis=1) ** 2 - (z**2).sum(axis=1)  # of different assignments, all pairs
    # A mean over repeats has the variance that different assignments share, and a part of the rest
    # that falls with the number of repeats.
    shared = between.sum(axis=0) / (count - 1) / (REPEATS * (REPEATS - 1))
    every = (z**2).sum(axis=(0, 1)) / (count - 1) / REPEATS
    return shared + (every - shared) / repeats
