"""The semidefinite relaxation (appendix of the paper) and its upper bound.

With ``x_u = 1`` for a vertex inside and ``-1`` outside, and a reference ``x_0 = 1``,

    f(S) = (c + x' P x) / 8,   P = [[0, r'], [r, W]],  r = W 1,  c = 1' W 1.

The relaxation replaces ``x x'`` by a positive semidefinite matrix with a unit diagonal,
the Gram matrix of unit vectors ``v_0, v_1, ..., v_n``.
"""

import numpy as np
import scipy.linalg
from numba import njit

from .. import seeds

#: The coordinate ascent stops when a sweep gains less than this, relatively.
TOLERANCE = 1e-8


def lifted(matrix):
    """Return ``(P, c)`` of a surplus matrix."""
    n = len(matrix)
    border = matrix.sum(axis=0)
    lift = np.zeros((n + 1, n + 1))
    lift[1:, 1:] = matrix
    lift[0, 1:] = lift[1:, 0] = border
    return lift, float(border.sum())


def rank_for(n):
    """Rank from which the low-rank problem has no bad local optima, ``sqrt(2 n)``."""
    return int(np.ceil(np.sqrt(2 * (n + 1)))) + 1


def low_rank(lift, seed=0, rank=None, sweeps=1000, tolerance=TOLERANCE):
    """Solve the relaxation by the mixing method.

    Each vector in turn is set to its best value while the others are held
    (Wang, Chang and Kolter, *The Mixing method*, 2017).

    Parameters
    ----------
    lift : numpy.ndarray of shape (n + 1, n + 1)
        ``P`` above.
    seed : int
        Of the random start.
    rank : int, optional
        Length of the vectors, `rank_for(n)` by default.
    sweeps : int
        At most so many passes over the vectors.
    tolerance : float
        Relative gain of a pass at which it stops.

    Returns
    -------
    numpy.ndarray of shape (rank, n + 1)
        Unit vectors, one a column, the reference first.
    """
    n = len(lift)
    shape = (rank_for(n - 1) if rank is None else rank, n)
    vectors = seeds.generator(seed, "relaxation", n).normal(size=shape)
    vectors /= np.linalg.norm(vectors, axis=0)
    mix(lift, vectors, sweeps, tolerance)
    return vectors


@njit(cache=True, fastmath=True)
def mix(lift, vectors, sweeps, tolerance):
    """Coordinate ascent of <P, V'V>, in place; returns the number of sweeps."""
    rank, n = vectors.shape
    direction = np.empty(rank)
    for sweep in range(sweeps):
        total, gain = 0.0, 0.0
        for i in range(n):
            square, before = 0.0, 0.0
            for k in range(rank):
                entry = 0.0
                for j in range(n):
                    entry += lift[i, j] * vectors[k, j]
                direction[k] = entry
                square += entry * entry
                before += entry * vectors[k, i]
            norm = np.sqrt(square)
            total += norm
            gain += norm - before
            if norm > 0.0:
                for k in range(rank):
                    vectors[k, i] = direction[k] / norm
        if gain <= tolerance * total:
            return sweep + 1
    return sweeps


def dual_bound(lift, vectors):
    """Return an upper bound of ``max <P, X>`` over the relaxation, from any vectors.

    For every diagonal ``y``, ``<P, X> = sum(y) + <P - diag(y), X>`` and the trace of
    ``X`` is the number of vectors, so that ``sum(y) + n max(0, lambda_max(P - diag(y)))``
    is a bound. At the optimum ``y_i`` is the norm of column i of ``V P``, and the bound
    is tight; elsewhere it is valid all the same.

    Parameters
    ----------
    lift : numpy.ndarray of shape (n, n)
    vectors : numpy.ndarray of shape (rank, n)

    Returns
    -------
    float
        Rounding errors are added on the safe side.
    """
    n = len(lift)
    multipliers = np.linalg.norm(vectors @ lift, axis=0)
    slack = lift - np.diag(multipliers)
    top = scipy.linalg.eigvalsh(slack, subset_by_index=(n - 1, n - 1), check_finite=False)[0]
    margin = 4 * n * np.finfo(float).eps * np.linalg.norm(slack)
    return float(multipliers.sum() + n * max(0.0, top + margin))


def sdp_bound(matrix, seed=0):
    """Return an upper bound of the objective of a surplus matrix, and the vectors."""
    lift, constant = lifted(matrix)
    vectors = low_rank(lift, seed=seed)
    return max(0.0, (constant + dual_bound(lift, vectors)) / 8), vectors
