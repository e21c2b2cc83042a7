"""Several sets, one after the other: no set can explain again what an earlier one explained."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .objective import surplus

#: What several sets may share: vertices, with each pair counted once, or nothing.
OVERLAPS = ("pairs", "none")
#: A penalty below this share of the largest weight is almost none.
TINY = 1e-6


def one_after_another(
    weights: np.ndarray,
    alpha: float,
    count: int,
    find: Callable[[np.ndarray, np.ndarray], tuple[Any, np.ndarray]],
    overlap: str = "pairs",
) -> Iterator[tuple[Any, float]]:
    """Find a set, spend its pairs, and find again in what is left, at most `count` times.

    `find` gets the weights that are left and their surplus. It returns what it found, and a
    symmetric mask of the pairs that this uses up. Each result is yielded with its share of the
    whole surplus.
    """
    left = weights
    positive = np.maximum(surplus(weights, alpha), 0.0)
    for turn in range(count):
        matrix = surplus(left, alpha)
        # The first set is always yielded, even if it is empty: callers rely on one.
        if turn and not (matrix > 0).any():
            return
        found, pairs = find(left, matrix)
        # Pairs that earlier sets have spent are negative here, and are not counted again.
        gained = positive[pairs & (matrix > 0)].sum()
        yield found, float(gained / positive.sum()) if gained else 0.0
        # All pairs of a vertex that was used are spent, so that no later set gains by having it.
        if overlap == "none":
            touched = np.flatnonzero(pairs.any(axis=0))
            pairs = pairs_between(touched, np.arange(len(pairs)), len(pairs))
        pairs = pairs & ~np.eye(len(pairs), dtype=bool)
        left = np.where(pairs, np.minimum(left, spent_weight(weights, alpha)), left)


def pairs_inside(nodes, n):
    """Return the pairs of vertices of a set as a mask of shape (n, n)."""
    return pairs_between(nodes, nodes, n)


def pairs_between(first, second, n):
    """Return the pairs with a vertex in either of two sets as a mask of shape (n, n)."""
    mask = np.zeros((n, n), dtype=bool)
    mask[np.ix_(first, second)] = mask[np.ix_(second, first)] = True
    return mask


def spent_weight(weights, alpha):
    """Return the largest weight that a pair may keep after an earlier set has used it up.

    Its surplus must be clearly negative: otherwise a later set could take its vertices again at no
    cost.
    """
    largest = float(np.abs(weights).max(initial=0.0))
    return -alpha if alpha > TINY * largest else alpha - largest
