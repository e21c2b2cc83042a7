"""From the vectors of the relaxation to sets of vertices."""

import numpy as np


def hyperplanes(vectors, count, rng):
    """Round by random hyperplanes (Goemans and Williamson, Journal of the ACM 1995): masks (count, n)."""
    sides = rng.normal(size=(count, len(vectors))) @ vectors > 0
    return sides[:, 1:] == sides[:, :1]


def scaled_rounding(vectors, rng):
    """Round as the paper does (Algorithm 3, lines 2 to 8; Cadena et al. 2016).

    Each vertex is put inside with probability ``(1 + y) / 2``, where ``y`` is its
    vector's product with a random direction over ``sqrt(4 log n)``, cut to [-1, 1].
    As in the pseudocode, the reference vector plays no part.
    """
    n = vectors.shape[1] - 1
    scale = np.sqrt(4 * np.log(n)) if n > 1 else 1.0
    y = np.clip(rng.normal(size=len(vectors)) @ vectors[:, 1:] / scale, -1, 1)
    return rng.random(n) < (1 + y) / 2


def values(matrix, masks):
    """Return the objective of many sets given as masks, shape (count, n)."""
    masks = masks.astype(float)
    return np.einsum("sv,sv->s", masks @ matrix, masks) / 2
