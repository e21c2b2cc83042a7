"""The set with the largest average degree of a signed network, such as a difference of two.

After Lanciano, Savino et al. (GigaScience 2023), who peel vertices greedily. Some S has more than
lambda if and only if ``w(S) - lambda / 2 |S|`` is above 0 for it: the same search and proof as for
contrast subgraphs, with a penalty of vertices instead of pairs (Dinkelbach 1967).
"""

import time
from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from numpy.typing import ArrayLike

from ..core import seeds
from ..core.checks import check_seed
from ..core.compiled import kernel
from ..core.errors import InputError
from .difference import LARGEST, check_weights
from .instance import MATRICES, one_thread, rounded_up
from .objective import conditioned, margin_of
from .proof.tree import prove
from .result import ContrastSubgraphResult
from .solve import named_nodes
from .solver.limits import Budget, Limits

#: What a positive weight counts in peeling, negative ones being 1; the best of all is kept.
PEELED = (0.5, 0.8, 1.0, 1.4, 2.0)
#: Tabu searches for each lambda, and rounds of the bound that ignores negative weights.
SEARCHES, ROUNDS = 8, 300
#: A set is called optimal if no other has more than ``1 + TOLERANCE`` times its average degree.
TOLERANCE = 1e-6


def densest_contrast(
    difference: ArrayLike,
    *,
    random_state: int = 0,
    limits: Mapping | Limits | None = None,
    names: Sequence[str] | None = None,
) -> ContrastSubgraphResult:
    """Find the set of vertices with the largest average degree, and prove it.

    Parameters
    ----------
    difference : array_like or scipy.sparse array of shape (n_vertices, n_vertices)
        Signed weights of the pairs; those that are not there weigh 0.
    random_state, limits, names
        As for `contrast_subgraph`.

    Returns
    -------
    ContrastSubgraphResult
        `objective` is the average degree, twice the sum of the weights inside over the number
        of vertices; `alpha` is 0.

    Examples
    --------
    >>> triangle = [[0, 1, 1, 1], [1, 0, 1, -1], [1, 1, 0, -1], [1, -1, -1, 0]]
    >>> found = densest_contrast(triangle)
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([0, 1, 2], 2.0, True)
    """
    begin, seed, limits = time.process_time(), check_seed(random_state), Limits.of(limits)
    network, exponent = _network(difference)
    if names is not None and len(names) != network.shape[0]:
        raise InputError(f"there are {len(names)} names and {network.shape[0]} vertices")
    budget = Budget(limits)
    with one_thread():
        nodes, bound = _solve(network, seed, limits, budget)
    found, bound = (float(np.ldexp(2 * one, exponent)) for one in (_density(network, nodes), bound))
    optimal = bound <= found * (1 + TOLERANCE)
    positive = network.maximum(0)
    inside = positive[nodes][:, nodes].sum()
    return ContrastSubgraphResult(
        nodes=nodes,
        objective=found,
        upper_bound=found if optimal else rounded_up(bound),
        optimal=optimal,
        alpha=0.0,
        seconds=time.process_time() - begin,
        explored=budget.explored,
        explained=float(inside / positive.sum()) if inside else 0.0,
        regions=named_nodes(names, nodes),
    )


def _network(difference):
    """A symmetric sparse array with weights of at most 1 and no diagonal, and their exponent."""
    if not scipy.sparse.issparse(difference):
        difference = check_weights(difference, "the difference graph")
    pairs = scipy.sparse.coo_array(difference)
    (rows, columns), n = pairs.coords, pairs.shape[0]
    kept = (rows != columns) & (pairs.data != 0)
    if pairs.shape != (n, n) or pairs.dtype.kind not in "biuf":
        raise InputError("the difference graph must be a square matrix of real numbers")
    network = scipy.sparse.csr_array((pairs.data[kept] * 1.0, (rows[kept], columns[kept])), (n, n))
    largest = abs(network.data).max(initial=0.0)
    if not largest < LARGEST or abs(network - network.T).sum() > 1e-9 * largest:
        raise InputError("the difference graph must be finite and symmetric")
    exponent = int(np.frexp(largest)[1])
    network.data = np.ldexp(network.data, -exponent)  # exact: the unit changes no answer
    return scipy.sparse.csr_array((network + network.T) / 2), exponent


def _density(network, nodes):
    """``w(S) / |S|``, 0 of no vertices."""
    return float(network[nodes][:, nodes].sum()) / 2 / len(nodes) if len(nodes) else 0.0


def _solve(network, seed, limits, budget):
    """The best set known, and a bound of ``w(S) / |S|`` of all sets."""
    n = network.shape[0]
    if network.nnz == 0 or network.max() <= 0:
        return np.zeros(0, dtype=np.int64), 0.0
    arrays = network.indptr.astype(np.int64), network.indices.astype(np.int64), network.data
    # 1. Greedy peeling, and tabu searches while they find more.
    peeled = [np.flatnonzero(_peel(*arrays, share)) for share in PEELED]
    heaviest = network.data.argmax()
    row = np.searchsorted(network.indptr, heaviest, side="right") - 1
    peeled.append(np.array([row, network.indices[heaviest]]))
    best = max(peeled, key=lambda nodes: _density(network, nodes))
    rng = seeds.generator(seed, "density", n)
    while True:
        before = value = _density(network, best)
        starts = [best, *peeled]
        starts += [np.flatnonzero(rng.random(n) < 0.1) for _ in range(SEARCHES)]
        for start in starts:
            inside = np.isin(np.arange(n), start)
            found = np.flatnonzero(_tabu(*arrays, value, inside, min(20 * n, 20_000), seed))
            if _density(network, found) > value * (1 + 1e-12):
                best, value = found, _density(network, found)
        if value <= before:
            break
    # 2. What a best set can hold: vertices of enough positive weight, connected by it.
    bound = value
    positive = network.maximum(0)
    for part in _parts(positive, value):
        # 3. A bound without negative weights, and a proof that may find a better set.
        here = _load_bound(positive[part][:, part])
        small = limits.memory_mb is None or 8e-6 * MATRICES * len(part) ** 2 <= limits.memory_mb
        while here > value * (1 + TOLERANCE / 4) and small:
            matrix, exponent = conditioned(network[part][:, part].toarray())
            linear = np.full(len(part), np.ldexp(-value, -exponent))
            base = np.ldexp(value * len(best), -exponent)
            proof = prove(matrix, 0.0, budget, seed=seed, linear=linear, base=base)
            if proof.inside is None:
                # A set of more than `value` has at least so many vertices.
                least = max(2.0, 2 * value / network.max() + 1)
                rest = np.ldexp(proof.bound + margin_of(matrix, linear), exponent)
                here = min(here, value + float(rest) / least)
                break
            best = part[proof.inside]
            value = _density(network, best)
        bound = max(bound, value, here)
    return np.sort(best), max(bound, value)


def _parts(positive, value):
    """The connected parts of what is left when vertices of less positive weight are taken out."""
    left = np.arange(positive.shape[0])
    while True:
        kept = positive[left][:, left].sum(axis=1) >= value * (1 - 1e-9)
        if kept.all():
            break
        left = left[kept]
    _, part = scipy.sparse.csgraph.connected_components(positive[left][:, left], directed=False)
    return [left[part == k] for k in np.unique(part)]


def _load_bound(positive):
    """Bound ``w(S) / |S|`` of positive weights by what S gets if edges are shared out to vertices.

    Each round gives every edge to the vertex that has less (Boob et al., WWW 2020).
    """
    upper = scipy.sparse.coo_array(scipy.sparse.triu(positive, 1))
    u, v = (one.astype(np.int64) for one in upper.coords)
    loads = _share_out(u, v, upper.data, positive.shape[0], ROUNDS)
    return float(loads.max(initial=0.0) * (1 + 1e-9))


@kernel
def _share_out(u, v, weights, n, rounds):
    """What each vertex gets, on average over the rounds; the least maximum met."""
    total, best = np.zeros(n), np.full(n, np.inf)
    for turn in range(1, rounds + 1):
        for e in range(len(u)):
            total[u[e] if total[u[e]] <= total[v[e]] else v[e]] += weights[e]
        if total.max() / turn < best.max():
            best = total / turn
    return best


@kernel
def _peel(indptr, indices, weights, share):
    """Take out the vertex of the least degree, again and again; the best set on the way."""
    n = len(indptr) - 1
    degree, rank, value = np.zeros(n), np.zeros(n), 0.0
    for v in range(n):
        for e in range(indptr[v], indptr[v + 1]):
            degree[v] += weights[e]
            rank[v] += weights[e] * (share if weights[e] > 0 else 1.0)
        value += degree[v] / 2
    left, best, most = np.ones(n, dtype=np.bool_), np.ones(n, dtype=np.bool_), value / n
    for size in range(n - 1, 1, -1):
        pick, least = -1, np.inf
        for v in range(n):
            if left[v] and rank[v] < least:
                pick, least = v, rank[v]
        left[pick] = False
        value -= degree[pick]
        for e in range(indptr[pick], indptr[pick + 1]):
            degree[indices[e]] -= weights[e]
            rank[indices[e]] -= weights[e] * (share if weights[e] > 0 else 1.0)
        if value / size > most:
            best, most = left.copy(), value / size
    return best


@kernel
def _tabu(indptr, indices, weights, penalty, inside, steps, seed):
    """Tabu search for the largest ``w(S) - penalty |S|``; as in `search`, on a sparse network."""
    n = len(inside)
    gain, free_at, value = np.full(n, -penalty), np.zeros(n, dtype=np.int64), 0.0
    for v in range(n):
        if inside[v]:
            for e in range(indptr[v], indptr[v + 1]):
                gain[indices[e]] += weights[e]
    for v in range(n):
        if inside[v]:
            value += (gain[v] - penalty) / 2
    best, most, last = inside.copy(), value, 0
    for step in range(steps):
        pick, move = -1, -np.inf
        for v in range(n):
            change = -gain[v] if inside[v] else gain[v]
            if change > move and (free_at[v] <= step or value + change > most + 1e-12):
                pick, move = v, change
        if pick < 0:
            continue
        if step - last > 10 * n**0.5 + 200:
            break
        sign = -1.0 if inside[pick] else 1.0
        inside[pick] = not inside[pick]
        value += move
        free_at[pick] = step + 10 + (step * 7 + seed) % 10
        for e in range(indptr[pick], indptr[pick + 1]):
            gain[indices[e]] += sign * weights[e]
        if value > most + 1e-12:
            best, most, last = inside.copy(), value, step
    return best
