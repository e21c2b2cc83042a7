"""The contrast-subgraph objective (Problems 1 and 2 of the paper).

All solvers work on the *surplus* matrix ``W = w - alpha`` (zero diagonal) and maximise
``f(S)``, the sum of ``W`` over the unordered pairs of vertices in ``S``.
"""

import math

import numpy as np

from ..core.errors import InputError
from .difference import check_weights


def objective(weights, nodes, alpha):
    """Return the objective of a set of vertices.

    Parameters
    ----------
    weights : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    nodes : iterable of int
        The set, as indices from 0.
    alpha : float
        Penalty of each pair.

    Returns
    -------
    float
        Sum of ``w(u, v) - alpha`` over the unordered pairs in the set (Problem 1, or
        Problem 2 if `weights` are absolute differences), correctly rounded.
    """
    weights = check_weights(weights, "the difference graph")
    nodes = np.asarray(list(nodes), dtype=np.int64)
    if nodes.size and (nodes.min() < 0 or nodes.max() >= len(weights)):
        raise InputError(f"nodes must be indices from 0 to {len(weights) - 1}")
    if np.unique(nodes).size != nodes.size:
        raise InputError("nodes must be a set: a vertex is given twice")
    return surplus_of(surplus(weights, float(alpha)), nodes)


def surplus(weights, alpha):
    """Return ``w - alpha`` with zeros on the diagonal."""
    matrix = weights - alpha
    np.fill_diagonal(matrix, 0.0)
    return matrix


def surplus_of(matrix, nodes):
    """Return the sum of a surplus matrix over the unordered pairs of distinct `nodes`."""
    inside = matrix[np.ix_(nodes, nodes)]
    return math.fsum(inside[np.triu_indices(len(nodes), 1)])


def rescaled(matrix):
    """Divide a matrix by a power of two so that its largest magnitude lies in [1/2, 1).

    Returns
    -------
    matrix : numpy.ndarray
    exponent : int
        The result times ``2 ** exponent`` is the matrix given. Powers of two make this
        exact, so that an answer does not depend on the unit of the weights.
    """
    largest = np.abs(matrix).max(initial=0.0)
    exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
    return np.ldexp(matrix, -exponent), exponent
