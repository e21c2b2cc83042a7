"""Features of brain networks: contrast subgraphs are extracted, then measured in each graph."""

import numpy as np

from ..core.compiled import kernel
from .alpha import penalties_of
from .solver.search import search_quick


def extract(difference, percentiles, seed=0):
    """Return alphas and vertex sets of one contrast at several percentiles, without a proof."""
    alphas = np.array([penalty.alpha for penalty in penalties_of(difference, percentiles)])
    return alphas, [np.flatnonzero(row) for row in search_quick([difference], alphas, seed)[0][0]]


def measure(graphs, contrasts, subgraphs, summary):
    """Return the features (n_graphs, n_features): edge counts, or distances for ``symmetric``."""
    if contrasts == ("symmetric",):
        return distances(graphs, subgraphs, *summary)
    return edge_counts(graphs, subgraphs)


def edge_counts(graphs, subgraphs):
    """Number (or weight) of the edges that each vertex set induces: (n_graphs, n_subgraphs)."""
    nodes, starts = _ragged(subgraphs)
    return _edge_counts(np.ascontiguousarray(graphs), nodes, starts)


def distances(graphs, subgraphs, w_first, w_second):
    """L1 distances to the first and the second summary graph on each vertex set (Section 4.1)."""
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
