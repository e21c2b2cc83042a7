"""The pairs of vertices: each is kept once, in the order of `numpy.triu_indices`."""

import functools

import numpy as np

#: Weights that are turned into floats at a time (64 MB).
FLOATS = 1 << 23


@functools.lru_cache(maxsize=2)
def upper_triangle(p):
    """Return `numpy.triu_indices` without the diagonal, kept: they are slow for large matrices."""
    return np.triu_indices(p, 1)


def n_vertices_of(n_pairs):
    """Return how many vertices have this number of pairs."""
    return round((1 + (1 + 8 * n_pairs) ** 0.5) / 2)


def places_of_pairs(n_pairs):
    """Return an offset for each vertex u: a row holds the pair (u, v), u < v, at offset + v."""
    u = np.arange(n_vertices_of(n_pairs))
    # Before row u come p - 1, p - 2, ... pairs; within it the first one is (u, u + 1).
    return u * (2 * len(u) - u - 1) // 2 - u - 1


def square_of(weights):
    """Return the symmetric matrices with a zero diagonal that have these upper triangles."""
    p = n_vertices_of(weights.shape[-1])
    matrices = np.zeros((*weights.shape[:-1], p, p), weights.dtype)
    i, j = upper_triangle(p)
    matrices[..., i, j] = matrices[..., j, i] = weights
    return matrices


def blocks_of_pairs(weights):
    """Return the pairs as slices, small enough that all people's weights fit in little memory."""
    people, pairs = weights.shape
    step = max(1, FLOATS // max(1, people))
    return [slice(start, start + step) for start in range(0, max(1, pairs), step)]
