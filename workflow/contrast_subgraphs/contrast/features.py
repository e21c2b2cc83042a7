"""Features of brain networks: contrast subgraphs are extracted, then measured in each graph."""

import numpy as np

from ..core.compiled import kernel
from ..core.graphs import places_of_pairs
from .alpha import penalties_of
from .solver.search import search_quick


def extract(difference, percentiles, seed=0):
    """Return alphas and vertex sets of one contrast at several percentiles, without a proof."""
    alphas = np.array([penalty.alpha for penalty in penalties_of(difference, percentiles)])
    return alphas, [np.flatnonzero(row) for row in search_quick([difference], alphas, seed)[0][0]]


def measure(weights, contrasts, subgraphs, summary):
    """Return the features (n_graphs, n_features): edge counts, or distances for ``symmetric``.

    `weights`: a row of pairs for each graph.
    """
    if contrasts == ("symmetric",):
        return distances(weights, subgraphs, *summary)
    return edge_counts(weights, subgraphs)


def edge_counts(weights, subgraphs):
    """Number (or weight) of the edges that each vertex set induces: (n_graphs, n_subgraphs)."""
    return _edge_counts(np.ascontiguousarray(weights), *_ragged(weights, subgraphs))


def distances(weights, subgraphs, w_first, w_second):
    """L1 distances to the first and the second summary graph on each vertex set (Section 4.1)."""
    ragged = _ragged(weights, subgraphs)
    return _distances(np.ascontiguousarray(weights), *ragged, w_first, w_second)


def _ragged(weights, subgraphs):
    """Vertices of all sets in a row, where each begins, and where each vertex's pairs do."""
    starts = np.cumsum([0, *(len(nodes) for nodes in subgraphs)])
    nodes = np.concatenate([np.zeros(0, np.int64), *(np.sort(np.int64(s)) for s in subgraphs)])
    return nodes, starts, places_of_pairs(weights.shape[1])


@kernel
def _edge_counts(weights, nodes, starts, place):
    counts = np.zeros((len(weights), len(starts) - 1))
    for i in range(len(weights)):
        row = weights[i]
        for s in range(len(starts) - 1):
            total = 0.0
            for a in range(starts[s], starts[s + 1]):
                v = nodes[a]
                for b in range(starts[s], a):
                    total += row[place[nodes[b]] + v]
            counts[i, s] = total
    return counts


@kernel
def _distances(weights, nodes, starts, place, w_first, w_second):
    table = np.zeros((len(weights), 2 * (len(starts) - 1)))
    for i in range(len(weights)):
        row = weights[i]
        for s in range(len(starts) - 1):
            for a in range(starts[s], starts[s + 1]):
                u = nodes[a]
                for b in range(starts[s], a):
                    v = nodes[b]
                    weight = row[place[v] + u]
                    table[i, 2 * s] += abs(weight - w_first[u, v])
                    table[i, 2 * s + 1] += abs(weight - w_second[u, v])
    return table
