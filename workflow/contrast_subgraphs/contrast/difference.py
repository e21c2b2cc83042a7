"""Summary graphs of the two groups and their difference graph (Section 3 of the paper)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.check_graphs import (
    check_graphs,
    condensed_graphs,
    share_of_rounding,
    symmetric_up_to_rounding,
)
from ..core.checks import check_option
from ..core.errors import InputError
from ..core.graphs import GROUPS
from ..core.labels import labels_of_regions, matrix_in_order
from ..core.pairs import square_of
from ..design import two_groups
from ..design.edge_statistic import EDGE_STATISTICS
from ..design.exchange import unsaid
from ..design.question import contrast_names

#: The contrasts of the paper's groups: Problem 1 in its two directions, and Problem 2.
CONTRASTS = contrast_names(GROUPS)
#: Sums of weights above this would leave the range of floating-point numbers.
LARGEST = 1e300


def summary_graph(graphs: ArrayLike) -> np.ndarray:
    """Return the summary graph of a group: the mean of its graphs (Equation 1).

    Parameters
    ----------
    graphs : array_like of shape (n_graphs, n_vertices, n_vertices)
        Adjacency matrices, or symmetric matrices of weights.

    Returns
    -------
    numpy.ndarray of shape (n_vertices, n_vertices)
        For each pair of vertices the fraction of the graphs that have the edge (or
        the mean weight); zeros on the diagonal, whatever the graphs have there.

    Raises
    ------
    InputError
        If there is no graph, or the graphs are not symmetric, finite and alike.

    Examples
    --------
    >>> summary_graph([[[0, 1], [1, 0]], [[0, 0], [0, 0]]])[0, 1]
    np.float64(0.5)
    """
    weights = condensed_graphs(check_graphs(graphs))[0]
    return mean_graph(weights, range(len(weights)))


def mean_graph(weights, members):
    """Return the mean of some graphs, rows of weights, as a matrix."""
    if len(members) == 0:
        raise InputError("a summary graph needs at least one graph: this group is empty")
    total = np.zeros(weights.shape[1])
    if weights.dtype == np.uint8:  # sums of 256 bytes fit into two
        for k in range(0, len(members), 256):
            total += weights[members[k : k + 256]].sum(axis=0, dtype=np.uint16)
    else:
        for member in members:
            total += weights[member]
    return square_of(total / len(members))


def signed_difference(weights, members, means, edge_statistic="difference"):
    """Return the weights of all pairs, first group minus second (`EdgeStatistic`).

    `members` say which graphs are of each group, `means` are their summary graphs.
    """
    check_option("edge_statistic", edge_statistic, EDGE_STATISTICS)
    difference = means[0] - means[1]
    if edge_statistic == "difference":
        return difference
    rows = np.concatenate(members)
    labels = np.repeat([0, 1], [len(of) for of in members])
    with unsaid():
        design = two_groups(labels)
    return design.statistic(weights[rows], edge_statistic).observed()


def directed(difference, contrast, known):
    """Return the weights of a contrast, one of the three `known`, from those of the first."""
    if contrast not in known:
        raise InputError(f"unknown contrast {contrast!r}: choose from {', '.join(known)}")
    forms = difference, 0.0 - difference, np.abs(difference)
    return forms[known.index(contrast)]


def difference_graph(
    w_first: ArrayLike, w_second: ArrayLike, contrast: str, groups: Sequence[str] = GROUPS
) -> np.ndarray:
    """Return the difference graph of two summary graphs (Proposition 1).

    Parameters
    ----------
    w_first, w_second : array_like of shape (n_vertices, n_vertices)
        Summary graphs of the two groups.
    contrast : str
        Of the groups a and b: ``a-b`` for ``w_first - w_second``, ``b-a`` for
        ``w_second - w_first`` (Problem 1), ``symmetric`` for the absolute difference
        (Problem 2).
    groups : sequence of str
        Names of the two groups, those of the paper by default.

    Returns
    -------
    numpy.ndarray of shape (n_vertices, n_vertices)
        Symmetric, zeros on the diagonal.

    Raises
    ------
    InputError
        If the contrast is unknown, the groups' names do not tell the contrasts apart, or a
        graph is not square, symmetric and finite.

    Examples
    --------
    >>> control, patient = np.array([[0, 0.5], [0.5, 0]]), np.array([[0, 0.75], [0.75, 0]])
    >>> difference_graph(control, patient, "patient-control", ("control", "patient"))[0, 1]
    np.float64(0.25)
    """
    first, second = groups
    regions = [labels_of_regions(one) for one in (w_first, w_second)]
    if None not in regions:
        w_second = matrix_in_order(w_second, regions[0], f"w_{second}")
    w_first = check_weights(w_first, f"w_{first}")
    w_second = check_weights(w_second, f"w_{second}")
    if w_first.shape != w_second.shape:
        raise InputError(
            f"the two summary graphs have different sizes: {len(w_first)} and "
            f"{len(w_second)} vertices"
        )
    return directed(w_first - w_second, contrast, contrast_names(groups))


def check_weights(weights, name):
    """Return a weighted graph as a float matrix with a zero diagonal, or raise InputError.

    It may be an array, data frame or sparse matrix, with anything on its diagonal. Each pair gets
    the mean of its two numbers, which may differ by rounding (`core.graphs`).
    """
    if hasattr(weights, "toarray"):
        weights = weights.toarray()
    weights = matrix_in_order(weights, None, name)
    if np.ma.is_masked(weights):
        raise InputError(f"{name} has masked entries: fill them with numbers")
    try:
        given = np.asarray(weights)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"not {given.dtype}")
        weights = np.array(given, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a matrix of numbers ({error})") from error
    if weights.size == 0 and weights.ndim < 3:
        return np.zeros((0, 0))
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(
            f"{name} is not square: its shape is {weights.shape}, "
            "it must be (n_vertices, n_vertices)"
        )
    np.fill_diagonal(weights, 0.0)
    for kind, found in (("NaN", np.isnan(weights)), ("an infinite number", np.isinf(weights))):
        if found.any():
            row, column = np.argwhere(found)[0]
            raise InputError(f"{name} holds {kind} at row {row}, column {column}")
    largest = np.abs(weights).max()
    if largest > LARGEST:
        raise InputError(
            f"{name} holds {largest:.3g}, too large for sums of such numbers: "
            "divide all weights by the same number"
        )
    return symmetric_up_to_rounding(weights, name, share_of_rounding(given.dtype))


def check_linear(linear, n):
    """Return what n vertices add by themselves as an array, or raise InputError."""
    if linear is None:
        return np.zeros(n)
    try:
        given = np.asarray(linear)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"not {given.dtype}")
        own = np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"linear must be a list of numbers ({error})") from error
    if own.shape != (n,):
        raise InputError(f"linear must have one number for each of {n} vertices, not {own.shape}")
    if not np.isfinite(own).all():
        vertex = int(np.flatnonzero(~np.isfinite(own))[0])
        raise InputError(f"linear holds {own[vertex]} at vertex {vertex}: it must be finite")
    if np.abs(own).max(initial=0.0) > LARGEST:
        raise InputError("linear holds a number too large for sums: divide all by the same number")
    return own
