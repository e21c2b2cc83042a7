"""The largest average degree of sparse signed networks: answer, bound, time, and peeling.

python -m benchmarks.density
"""

import time

import numpy as np
import scipy.sparse
from contrast_subgraphs import densest_contrast
from contrast_subgraphs.contrast.density import PEELED, _peel, arrays_of, density_of

#: Vertices, mean number of edges of a vertex, and size of a planted module.
NETWORKS = (
    (300, 10, 0),
    (1000, 20, 0),
    (2000, 6, 0),
    (5000, 10, 0),
    (5000, 10, 30),
    (5000, 40, 0),
    (5000, 40, 60),
)


def network(n, degree, planted, seed=1):
    """Return normal weights of random pairs; half of the pairs of a module weigh up to 1 more."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, n * degree // 2))
    weights = rng.normal(size=len(u)) * (u != v)
    drawn = scipy.sparse.coo_array((weights, (u, v)), shape=(n, n)).tocsr()
    module = rng.choice(n, planted, replace=False)
    a, b = np.triu_indices(planted, 1)
    more = (rng.random(len(a)) < 0.5) * rng.random(len(a))
    drawn = drawn + scipy.sparse.coo_array((more, (module[a], module[b])), shape=(n, n)).tocsr()
    return drawn + drawn.T


def main():
    """Print one line for each network."""
    densest_contrast(network(50, 6, 0))  # compiles
    for n, degree, planted in NETWORKS:
        drawn = network(n, degree, planted)
        begin = time.process_time()
        found = densest_contrast(drawn)
        seconds = time.process_time() - begin
        arrays = arrays_of(drawn)
        sets = [np.flatnonzero(_peel(*arrays, share, 1.0)) for share in PEELED]
        peeled = 2 * max(density_of(drawn, nodes) for nodes in sets)
        print(
            f"{n} vertices, {degree} edges, {planted} planted: peeling {peeled:.4f}, found "
            f"{found.objective:.4f} ({len(found.nodes)} vertices), bound {found.upper_bound:.4f}, "
            f"{'proved' if found.optimal else 'not proved'}, {seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
