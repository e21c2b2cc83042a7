"""Features of brain networks: contrast subgraphs are extracted, then measured in each graph.

The estimator (`estimator`) and the evaluation call the same two functions.
"""

import numpy as np

from ..core.compiled import kernel
from .alpha import penalties_of
from .solver.search import search_quick


def extract(difference, percentiles, seed=0):
    """Extract the contrast subgraphs of one contrast at several percentiles, without a proof.

    Parameters
    ----------
    difference : numpy.ndarray of shape (n_vertices, n_vertices)
        See `difference.directed`.
    percentiles : sequence of float
    seed : int

    Returns
    -------
    alphas : numpy.ndarray
    subgraphs : list of numpy.ndarray of int
        One vertex set for each percentile; a warning for one that is empty or (nearly) the
        whole graph.
    """
    alphas = np.array([penalty.alpha for penalty in penalties_of(difference, percentiles)])
    return alphas, [np.flatnonzero(row) for row in search_quick([difference], alphas, seed)[0][0]]


def measure(graphs, contrasts, subgraphs, summary):
    """Return the features of graphs: edge counts, or distances for ``symmetric``.

    Parameters
    ----------
    graphs : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
    contrasts : tuple of str
        Directions of Problem 1, or ``("symmetric",)``.
    subgraphs : sequence of array_like of int
    summary : sequence of two numpy.ndarray
        Summary graphs of the two groups.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, n_features)
        See `edge_counts` and `distances`.
    """
    if contrasts == ("symmetric",):
        return distances(graphs, subgraphs, *summary)
    return edge_counts(graphs, subgraphs)


def edge_counts(graphs, subgraphs):
    """Number (or weight) of the edges that each vertex set induces in each graph.

    Parameters
    ----------
    graphs : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
        Symmetric.
    subgraphs : sequence of array_like of int
        Vertex sets.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, n_subgraphs), float
    """
    nodes, starts = _ragged(subgraphs)
    return _edge_counts(np.ascontiguousarray(graphs), nodes, starts)


def distances(graphs, subgraphs, w_first, w_second):
    """L1 distances of each graph to the two summary graphs on each vertex set (Section 4.1).

    Parameters
    ----------
    graphs : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
    subgraphs : sequence of array_like of int
        Vertex sets.
    w_first, w_second : numpy.ndarray of shape (n_vertices, n_vertices)
        Summary graphs of the two groups.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, 2 * n_subgraphs), float
        For each set the distance to the first, then to the second, over the unordered pairs.
    """
    nodes, starts = _ragged(subgraphs)
    return _distances(np.ascontiguousarray(graphs), nodes, starts, w_first, w_second)


def _ragged(subgraphs):
    starts = np.cumsum([0, *(len(nodes) for nodes in subgraphs)])
    nodes = np.concatenate([np.zeros(0, np.int64), *(np.asarray(s, np.int64) for s in subgraphs)])
    return nodes, starts


@kernel
def _edge_counts(graphs, nodes, starts):
    counts = np.zeros((len(graphs), len(starts) - 1))
    for i in range(len(graphs)):
        graph = graphs[i]
        for s in range(len(starts) - 1):
            total = 0.0
            for a in range(starts[s], starts[s + 1]):
                row = graph[nodes[a]]
                for b in range(starts[s], a):
                    total += row[nodes[b]]
            counts[i, s] = total
    return counts


@kernel
def _distances(graphs, nodes, starts, w_first, w_second):
    table = np.zeros((len(graphs), 2 * (len(starts) - 1)))
    for i in range(len(graphs)):
        graph = graphs[i]
        for s in range(len(starts) - 1):
            for a in range(starts[s], starts[s + 1]):
                u = nodes[a]
                for b in range(starts[s], a):
                    v = nodes[b]
                    table[i, 2 * s] += abs(graph[u, v] - w_first[u, v])
                    table[i, 2 * s + 1] += abs(graph[u, v] - w_second[u, v])
    return table
