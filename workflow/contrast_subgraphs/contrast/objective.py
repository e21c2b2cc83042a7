"""The objective: the sum of the *surplus* ``W = w - alpha`` over the pairs in a set."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import check_number
from ..core.errors import InputError
from .difference import check_weights


def objective(weights: ArrayLike, nodes: ArrayLike, alpha: float) -> float:
    """Return the objective of a set of vertices.

    Parameters
    ----------
    weights : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    nodes : iterable of int, or array_like of bool and shape (n_vertices,)
        The set, as indices from 0 or as a mask.
    alpha : float
        Penalty of each pair.

    Returns
    -------
    float
        Sum of ``w(u, v) - alpha`` over the unordered pairs in the set, correctly rounded.

    Raises
    ------
    InputError
        If `nodes` are neither different indices nor a mask, or if weights are not symmetric and
        finite.

    See Also
    --------
    contrast_subgraph : The set with the largest objective.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> weights = np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])
    >>> objective(weights, [0, 1, 2], alpha=0.5)
    4.5
    """
    weights = check_weights(weights, "the difference graph")
    alpha = check_number(alpha, "alpha")
    return surplus_of(surplus(weights, alpha), check_nodes(nodes, len(weights)))


def check_nodes(nodes, n):
    """Return a set of vertices, as indices or a mask, as sorted indices, or raise InputError."""
    try:
        given = np.array(list(nodes))
        mask = given.dtype == bool and given.shape == (n,)
        if mask:
            given = np.flatnonzero(given)
        else:
            given = np.sort(given)
        whole = given.dtype.kind in "iu" or given.size == 0
        fine = whole and given.ndim == 1 and ((given >= 0) & (given < n)).all()
    except (TypeError, ValueError):
        fine = False
    if not fine or (given[1:] == given[:-1]).any():
        raise InputError(
            f"nodes must be different indices from 0 to {n - 1}, or a mask of length {n}, "
            f"not {nodes!r}"
        )
    return given.astype(np.int64)


def surplus(weights, alpha):
    """Return ``w - alpha`` with zeros on the diagonal."""
    matrix = weights - alpha
    np.fill_diagonal(matrix, 0.0)
    return matrix


def surplus_of(matrix, nodes, linear=None):
    """Return the sum of a surplus matrix over the unordered pairs of distinct `nodes`.

    What they gain by themselves is added, if that is given.
    """
    inside = matrix[np.ix_(nodes, nodes)]
    terms = inside[np.triu_indices(len(nodes), 1)]
    if linear is not None:
        terms = np.concatenate([terms, linear[nodes]])
    return math.fsum(terms)


def mean_inside(matrix, nodes):
    """Return the mean weight of the pairs of some vertices; NaN if there is none."""
    count = len(nodes) * (len(nodes) - 1) / 2
    if count:
        return surplus_of(matrix, nodes) / count
    return np.nan


def size_bound(matrix, linear=0.0):
    """Bound the value of all sets, of any size."""
    return float(size_bounds(matrix, linear).max(initial=0.0))


def size_bounds(matrix, linear=0.0):
    """Bound the values of the sets of 1, 2, ... vertices by the heaviest pairs they can have.

    In a set of k vertices each vertex has k - 1 pairs, positive or not.
    """
    n = len(matrix)
    off = np.where(np.eye(n, dtype=bool), np.inf, -matrix)
    # 1. The weight of each vertex with its 0, 1, 2, ... heaviest neighbours.
    heaviest = np.zeros((n, n))
    heaviest[:, 1:] = np.cumsum(-np.sort(off, axis=1)[:, :-1], axis=1)
    # 2. Each pair is shared by its two vertices. The best k vertices bound all sets of k.
    shares = heaviest / 2 + np.reshape(linear, (-1, 1))
    total = np.cumsum(-np.sort(-shares, axis=0), axis=0)  # of 1, 2, ... vertices
    return np.diagonal(total)


def conditioned(matrix):
    """Return `conditioned_quadratic` for vertices that gain nothing by themselves."""
    scaled, _, exponent = conditioned_quadratic(matrix, np.zeros(len(matrix)))
    return scaled, exponent


def conditioned_quadratic(matrix, linear):
    """Scale a matrix and linear terms to a range where floating-point sums are reliable.

    Returns both, and the exponent of the scale.


    1. Divide by ``2 ** exponent``, so that the largest number lies in [1/2, 1): exact.
    2. Raise numbers below ``-2 p`` to that, where ``p`` is the most that any vertex gains by itself
       and from all others. A set with such a pair (u, v) is not locally optimal, before or after:
       without u its value is at least ``p`` higher, and next to v the vertex u can gain nothing.
       The same holds for a set with a vertex that loses this much. So the best set and the locally
       optimal ones stay the same, and a weight of -1e16 does not swallow the digits of the others.
    """
    largest = max(matrix.max(initial=0.0), linear.max(initial=0.0))
    exponent = 0
    if largest > 0:
        exponent = int(np.frexp(largest)[1])
    # Large losses may overflow to minus infinity, which is raised to -2 p below.
    with np.errstate(over="ignore"):
        scaled = np.ldexp(matrix, -exponent)
        scaled_linear = np.ldexp(linear, -exponent)
    gains = np.maximum(scaled, 0.0).sum(axis=0) + np.maximum(scaled_linear, 0.0)
    most = gains.max(initial=0.0)
    return np.maximum(scaled, -2 * most), np.maximum(scaled_linear, -2 * most), exponent


#: Values are compared up to this much, in units of the largest weight, on graphs of up to
#: about 150 vertices: far above rounding errors, far below what distinguishes two sets.
LEAST_MARGIN = 1e-9


def margin_of(matrix, linear=0.0, least=LEAST_MARGIN):
    """Return the margin within which values of sets count as equal, for a conditioned matrix.

    The sums of proof A are updated up to ``n`` times and never exceed ``r``, the largest sum of
    magnitudes in a row; values and bounds are sums of ``n`` of them. So none is off by more than
    ``3 n**2 eps r``, and a comparison up to a margin no smaller is right for the exact weights.
    """
    rows = np.abs(matrix).sum(axis=0).max(initial=0.0) + np.abs(linear).max(initial=0.0)
    return max(least, float(3 * len(matrix) ** 2 * np.finfo(float).eps * rows))


def step_of(matrix, linear=0.0):
    """Return a number that divides the value of every set, or 0 if none is known.

    For whole numbers it is their greatest common divisor. It is known only where all sums of the
    numbers are exact, so that rounding errors play no part.
    """
    numbers = np.abs(np.append(matrix, linear))
    total = numbers.sum()
    if not 0 < total < np.inf:
        return 0.0
    # A double has 53 binary digits: sums of multiples of this, up to the total, are exact.
    digit = np.ldexp(1.0, int(np.frexp(total)[1]) - 52)
    whole = np.rint(numbers / digit)
    if (whole * digit != numbers).any():
        return 0.0
    return float(np.gcd.reduce(whole.astype(np.int64)) * digit)


class Margins(NamedTuple):
    """How far a value may be off, the gap that leaves no room for a better set, and the step.

    If the values of sets are multiples of a step, two different ones differ by at least a step: a
    smaller gap ends a proof. The step is 0 where rounding errors could hide it.
    """

    error: float
    gap: float
    step: float

    @classmethod
    def of(cls, matrix, linear=0.0, least=LEAST_MARGIN):
        """Return the margins of a conditioned matrix."""
        error = margin_of(matrix, linear, least)
        step = step_of(matrix, linear)
        if step <= 2 * error:
            return cls(error, error, 0.0)
        return cls(error, step - error, step)
