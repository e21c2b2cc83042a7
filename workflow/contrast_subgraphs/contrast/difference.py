"""Summary graphs of the two groups and their difference graph (Section 3 of the paper)."""

import numpy as np

from ..core.errors import InputError
from ..core.graphs import check_graphs

#: Which difference graph: Problem 1 in its two directions, and Problem 2.
CONTRASTS = ("td-asd", "asd-td", "symmetric")


def summary_graph(graphs):
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
    """
    graphs = check_graphs(graphs)
    if len(graphs) == 0:
        raise InputError("a summary graph needs at least one graph: this group is empty")
    summary = graphs.mean(axis=0, dtype=float)
    np.fill_diagonal(summary, 0.0)
    return summary


def difference_graph(w_td, w_asd, contrast):
    """Return the difference graph of two summary graphs (Proposition 1).

    Parameters
    ----------
    w_td, w_asd : array_like of shape (n_vertices, n_vertices)
        Summary graphs of the two groups.
    contrast : {"td-asd", "asd-td", "symmetric"}
        ``w_td - w_asd``, ``w_asd - w_td`` (Problem 1) or ``|w_td - w_asd|`` (Problem 2).

    Returns
    -------
    numpy.ndarray of shape (n_vertices, n_vertices)
        Symmetric, zeros on the diagonal.

    Raises
    ------
    InputError
        If the contrast is unknown, or a graph is not square, symmetric and finite.
    """
    if contrast not in CONTRASTS:
        raise InputError(f"unknown contrast {contrast!r}: choose from {', '.join(CONTRASTS)}")
    w_td, w_asd = check_weights(w_td, "w_td"), check_weights(w_asd, "w_asd")
    if w_td.shape != w_asd.shape:
        raise InputError(
            f"the two summary graphs have different sizes: {len(w_td)} and {len(w_asd)} vertices"
        )
    difference = w_td - w_asd
    if contrast == "asd-td":
        difference = 0.0 - difference
    elif contrast == "symmetric":
        difference = np.abs(difference)
    return difference


def alpha_from_percentile(difference, percentile):
    """Return the penalty alpha that is a percentile of a difference graph's weights.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    percentile : float
        In ``[0, 100]``; the paper's appendix uses 70 to 97.

    Returns
    -------
    float
        The percentile, linearly interpolated, of the weights of all the pairs of
        vertices, zeros included. A graph without pairs has 0.

    Raises
    ------
    InputError
        If the percentile is not in ``[0, 100]`` or the graph cannot be used.
    """
    weights = check_weights(difference, "the difference graph")
    return float(alphas_of_percentiles(weights, [check_percentile(percentile)])[0])


def alphas_of_percentiles(weights, percentiles):
    """Return `alpha_from_percentile` for several percentiles of checked weights."""
    pairs = weights[np.triu_indices(len(weights), 1)]
    if pairs.size == 0:
        return np.zeros(len(percentiles))
    return np.percentile(pairs, percentiles)


def check_percentile(percentile):
    """Return a percentile as a float, or say that it is none."""
    try:
        value = float(percentile)
    except (TypeError, ValueError):
        value = np.nan
    if not 0 <= value <= 100:
        raise InputError(f"percentile must be a number from 0 to 100, not {percentile!r}")
    return value


def check_weights(weights, name):
    """Return a weighted graph as a float matrix with a zero diagonal, or say what is wrong.

    Parameters
    ----------
    weights : array_like of shape (n_vertices, n_vertices)
        Weights of the pairs of vertices. The diagonal is ignored.
    name : str
        What to call it in an error.

    Returns
    -------
    numpy.ndarray of shape (n_vertices, n_vertices)
        A C-contiguous copy.

    Raises
    ------
    InputError
        If it is not square, holds something else than finite numbers, or is not symmetric.
    """
    try:
        weights = np.array(weights, dtype=float, order="C")
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
    if not np.array_equal(weights, weights.T):
        row, column = np.argwhere(weights != weights.T)[0]
        raise InputError(
            f"{name} is not symmetric: row {row}, column {column} has {weights[row, column]} "
            f"but row {column}, column {row} has {weights[column, row]}"
        )
    return weights
