"""The run-through example of the paper (Figure 2): two small unweighted graphs."""

import numpy as np

#: Edges of the two graphs; vertices are called 1 to 8 as in the paper.
EDGES_A = ((1, 2), (1, 4), (1, 5), (2, 4), (2, 5), (3, 5), (4, 5), (4, 6), (5, 6), (6, 7), (7, 8))
EDGES_B = ((1, 3), (1, 8), (2, 3), (4, 5))


def example_graphs():
    """Return the two graphs A and B of Examples 1 to 4; row k is the vertex called k + 1."""
    graphs = np.zeros((2, 8, 8), dtype=np.uint8)
    for graph, edges in zip(graphs, (EDGES_A, EDGES_B), strict=True):
        for u, v in edges:
            graph[u - 1, v - 1] = graph[v - 1, u - 1] = 1
    return graphs[0], graphs[1]
