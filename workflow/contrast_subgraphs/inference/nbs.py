"""Network-based statistic (Zalesky, Fornito and Bullmore, NeuroImage 2010): components of edges.

Edges whose statistic reaches a threshold form components. A component's extent is its number of
edges. Its intensity is the sum by which their statistics exceed the threshold (Zalesky,
Cocchi, Fornito, Murray and Bullmore, NeuroImage 2012), which is sensitive to a few strong edges
too.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

#: The measures of a component.
MEASURES = ("extent", "intensity")


def largest_components(values, pairs, n_vertices, threshold):
    """Return the largest extent and intensity (`MEASURES`) of each row of statistics, (2, n_rows).

    `values` are of shape (n_rows, n_pairs), `pairs` of (n_pairs, 2). 0 without a component.
    """
    row, kept, component = _components(values, pairs, n_vertices, threshold)
    found = np.zeros((2, len(values)))
    if len(row):
        of_row = np.zeros(component.max() + 1, dtype=np.int64)
        of_row[component] = row
        above = values[row, kept] - threshold
        for largest, weights in zip(found, (None, above), strict=True):
            np.maximum.at(largest, of_row, np.bincount(component, weights, len(of_row)))
    return found


def component_edges(values, pairs, n_vertices, threshold):
    """Return the pairs of the largest component by each measure, the first among equal ones."""
    _, kept, component = _components(values[None], pairs, n_vertices, threshold)
    if not len(kept):
        return [kept, kept]
    sizes = [np.bincount(component, weights) for weights in (None, values[kept] - threshold)]
    return [kept[component == np.argmax(size)] for size in sizes]


def _components(values, pairs, n_vertices, threshold):
    """The row, pair and component number of each edge above the threshold."""
    row, kept = np.nonzero(values >= threshold)
    # Rows as disjoint parts of one graph: one call then finds the components of all of them.
    ends = pairs[kept] + n_vertices * row[:, None]
    graph = coo_array((np.ones(len(row)), ends.T), shape=(n_vertices * len(values),) * 2)
    return row, kept, connected_components(graph, directed=False)[1][ends[:, 0]]
