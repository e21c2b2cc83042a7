"""Features of brain networks: find contrast subgraphs, then measure them in each graph."""

import numpy as np

from ..core.compiled import kernel
from ..core.pairs import places_of_pairs
from .alpha import alphas_of_percentiles
from .solver.search import search_quick


def extract(difference, percentiles, seed=0):
    """Return the alphas and vertex sets of a contrast at several percentiles, without a proof."""
    alphas = alphas_of_percentiles(difference, percentiles)
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
    return _edge_counts(weights.T, _together(weights), *_ragged(weights, subgraphs))


def mean_weights(weights, subgraphs, empty=0.0):
    """Mean weight of the pairs inside each vertex set: (n_graphs, n_subgraphs).

    It is `empty` in sets without a pair. (Of one matrix: `objective.mean_inside`, of all graphs
    together: `density`.)
    """
    sizes = np.array([len(nodes) for nodes in subgraphs])
    pairs = sizes * (sizes - 1) // 2
    return np.where(pairs > 0, edge_counts(weights, subgraphs) / np.maximum(pairs, 1), empty)


def density(weights, nodes):
    """Mean weight of the pairs inside one vertex set, over all graphs; NaN without a pair."""
    if len(nodes) < 2:
        return np.nan
    # By indices: for one set this takes no longer, and compiles nothing.
    u, v = (np.sort(nodes)[of] for of in np.triu_indices(len(nodes), 1))
    return float(weights[:, places_of_pairs(weights.shape[1])[u] + v].mean(dtype=float))


def distances(weights, subgraphs, w_first, w_second):
    """L1 distances to the first and the second summary graph on each vertex set (Section 4.1)."""
    means = np.asarray(w_first, dtype=float), np.asarray(w_second, dtype=float)
    return _distances(weights.T, _together(weights), *_ragged(weights, subgraphs), *means)


def _together(weights):
    """How many graphs to read at a time."""
    # All of them if the weights of a pair lie next to each other in memory: the inner loop then
    # reads in order. Otherwise a few, whose rows stay in the cache while all sets are measured.
    if weights.flags.f_contiguous:
        return max(1, len(weights))
    return 8


def _ragged(weights, subgraphs):
    """Return the vertices of all sets in a row, where each set begins, and where pairs begin."""
    # Compiled functions take no lists of arrays of different lengths. Sorted, since the place of a
    # pair is that of its smaller vertex.
    starts = np.cumsum([0, *(len(nodes) for nodes in subgraphs)])
    nodes = np.concatenate([np.zeros(0, np.int64), *(np.sort(np.int64(s)) for s in subgraphs)])
    return nodes, starts, places_of_pairs(weights.shape[1])


@kernel
def _edge_counts(pairs, together, nodes, starts, place):
    counts = np.zeros((len(starts) - 1, pairs.shape[1]))
    for first in range(0, pairs.shape[1], together):
        some = slice(first, first + together)
        for s in range(len(starts) - 1):
            total = counts[s, some]
            for a in range(starts[s], starts[s + 1]):
                for b in range(starts[s], a):
                    weights = pairs[place[nodes[b]] + nodes[a], some]
                    for i in range(len(total)):
                        total[i] += weights[i]
    return counts.T


@kernel
def _distances(pairs, together, nodes, starts, place, w_first, w_second):
    table = np.zeros((2 * (len(starts) - 1), pairs.shape[1]))
    for first in range(0, pairs.shape[1], together):
        some = slice(first, first + together)
        for s in range(len(starts) - 1):
            total = table[2 * s : 2 * s + 2, some]
            for a in range(starts[s], starts[s + 1]):
                u = nodes[a]
                for b in range(starts[s], a):
                    v = nodes[b]
                    weights = pairs[place[v] + u, some]
                    for i in range(len(weights)):
                        total[0, i] += abs(weights[i] - w_first[u, v])
                        total[1, i] += abs(weights[i] - w_second[u, v])
    return table.T
