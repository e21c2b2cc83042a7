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
TOLERANCE = 1e-6


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


def low_rank(lift, seed=0, sweeps=1000, tolerance=TOLERANCE):
    """Solve the relaxation by the mixing method.

    Each vector in turn is set to its best value while the others are held
    (Wang, Chang and Kolter, *The Mixing method*, 2017).

    Parameters
    ----------
    lift : numpy.ndarray of shape (n + 1, n + 1)
        ``P`` above.
    seed : int
        Of the random start.
    sweeps : int
        At most so many passes over the vectors.
    tolerance : float
        Relative gain of a pass below which it stops.

    Returns
    -------
    numpy.ndarray of shape (n + 1, rank)
        Unit vectors, one a row, the reference first.
    """
    n = len(lift)
    vectors = seeds.generator(seed, "relaxation", n).normal(size=(n, rank_for(n)))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    _mix(lift, vectors, sweeps, tolerance)
    return vectors


@njit(cache=True, fastmath=True)
def _mix(lift, vectors, sweeps, tolerance):
    """Coordinate ascent of <P, V V'>, in place; returns the sum of the rows' norms."""
    n, rank = vectors.shape
    direction = np.empty(rank)
    last = -1e300
    for _ in range(sweeps):
        total = 0.0
        for i in range(n):
            direction[:] = 0.0
            for j in range(n):
                weight = lift[i, j]
                for k in range(rank):
                    direction[k] += weight * vectors[j, k]
            norm = 0.0
            for k in range(rank):
                norm += direction[k] * direction[k]
            norm = np.sqrt(norm)
            total += norm
            if norm > 1e-300:
                for k in range(rank):
                    vectors[i, k] = direction[k] / norm
        if total - last < tolerance * abs(total):
            break
        last = total
    return total


def dual_bound(lift, vectors):
    """Return an upper bound of ``max <P, X>`` over the relaxation, from any vectors.

    For every diagonal ``y``, ``<P, X> = sum(y) + <P - diag(y), X>`` and the trace of
    ``X`` is the number of vectors, so that ``sum(y) + n max(0, lambda_max(P - diag(y)))``
    is a bound. At the optimum ``y_i`` is the norm of row i of ``P V``, and the bound is
    tight; elsewhere it is valid all the same.

    Parameters
    ----------
    lift : numpy.ndarray of shape (n, n)
    vectors : numpy.ndarray of shape (n, rank)

    Returns
    -------
    float
        Rounding errors are added on the safe side.
    """
    n = len(lift)
    multipliers = np.linalg.norm(lift @ vectors, axis=1)
    slack = lift - np.diag(multipliers)
    top = scipy.linalg.eigvalsh(slack, subset_by_index=(n - 1, n - 1), check_finite=False)[0]
    margin = 4 * n * np.finfo(float).eps * np.linalg.norm(slack)
    return float(multipliers.sum() + n * max(0.0, top + margin))


def sdp_bound(matrix, seed=0):
    """Return an upper bound of the objective of a surplus matrix, and the vectors."""
    lift, constant = lifted(matrix)
    vectors = low_rank(lift, seed=seed)
    return max(0.0, (constant + dual_bound(lift, vectors)) / 8), vectors
