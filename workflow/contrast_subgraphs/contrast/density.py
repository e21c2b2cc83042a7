"""The densest set of a signed network, such as a difference of two: ``w(S) / |S| ** exponent``.

With an exponent of 1 it is half the average degree (Lanciano, Savino et al., GigaScience 2023).
With a larger exponent smaller sets win (Wu et al., Biometrics 2021). These authors peel vertices
greedily; here a proof follows. A set S is denser than lambda if and only if
``w(S) - lambda |S| ** exponent`` is above 0 (Dinkelbach 1967).

That is a binary quadratic problem where ``|S| ** (exponent - 1)`` is replaced by its chord between
two sizes: the penalty is then ``lambda |S| (c + d |S|)``, one of vertices and one of pairs. Since
the power is concave, the chord is below it between the two sizes and above it elsewhere. So if no
set has more than 0, no set of these sizes is denser than lambda. A set may have more than 0 and
still be no denser: then its size lies between the two, and the range is divided there. For the
exponents 1 and 2 chords are exact.
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from numpy.typing import ArrayLike

from ..core import seeds
from ..core.checks import RandomState, check_number, check_seed
from ..core.compiled import kernel
from ..core.errors import InputError
from ..core.labels import names_of_regions
from .difference import LARGEST, check_weights
from .instance import MATRICES, one_thread, rounded_up
from .objective import conditioned_quadratic, margin_of, size_bounds, surplus_of
from .proof.tree import prove
from .result import ContrastSubgraphResult
from .solve import named_nodes
from .solver.limits import Budget, Limits
from .solver.search import search_quadratic

#: Factors of positive weights in peeling (that of negative weights is 1). The best set is kept.
PEELED = (0.5, 0.8, 1.0, 1.4, 2.0)
#: Tabu searches for each lambda, and rounds of the bound that ignores negative weights.
SEARCHES = 8
ROUNDS = 300
#: A set is called optimal if no other has more than ``1 + TOLERANCE`` times its average degree.
TOLERANCE = 1e-6
#: A set counts as denser than another one if it is denser by more than this, relatively.
LEAST_GAIN = 1e-12


def densest_contrast(
    difference: ArrayLike,
    *,
    exponent: float = 1.0,
    random_state: RandomState = 0,
    limits: Mapping | Limits | None = None,
    names: Sequence[str] | None = None,
) -> ContrastSubgraphResult:
    """Find the set of vertices with the largest density, such as average degree, and prove it.

    Parameters
    ----------
    difference : array_like or scipy.sparse array of shape (n_vertices, n_vertices)
        Signed weights of the pairs; the weight of a pair that is not stored is 0.
    exponent : float
        From 1 to 2: the density is ``2 w(S) / |S| ** exponent``, where w(S) is the sum of the
        weights inside. With 1 it is the average degree. Towards 2 smaller sets win: with 2 the
        density of a pair is half its weight.
    random_state, limits, names
        As for `contrast_subgraph`.

    Returns
    -------
    ContrastSubgraphResult
        `objective` is the density; `alpha` is 0.

    Raises
    ------
    InputError
        If the difference graph is not square, finite and symmetric.

    See Also
    --------
    contrast_subgraph : The surplus above a penalty instead of a density.

    References
    ----------
    Dinkelbach: On nonlinear fractional programming. Management Science 13, 1967.
    https://doi.org/10.1287/mnsc.13.7.492

    Examples
    --------
    >>> triangle = [[0, 1, 1, 1], [1, 0, 1, -1], [1, 1, 0, -1], [1, -1, -1, 0]]
    >>> found = densest_contrast(triangle)
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([0, 1, 2], 2.0, True)
    """
    begin = time.process_time()
    seed = check_seed(random_state)
    limits = Limits.of(limits)
    exponent = check_number(exponent, "exponent", 1, 2)
    network, unit = _network(difference)
    names = names_of_regions(difference, names, "names")
    if names is not None and len(names) != network.shape[0]:
        raise InputError(f"there are {len(names)} names and {network.shape[0]} vertices")
    budget = Budget(limits)
    with one_thread():
        nodes, bound = Densest(network, exponent, seed, limits, budget).solve()
    found = float(np.ldexp(2 * density_of(network, nodes, exponent), unit))
    bound = float(np.ldexp(2 * bound, unit))
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
        weights=np.ldexp(network[nodes][:, nodes].toarray(), unit),
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


def density_of(network, nodes, exponent=1.0):
    """Return ``w(S) / |S| ** exponent``; 0 for the empty set."""
    if len(nodes) == 0:
        return 0.0
    return float(network[nodes][:, nodes].sum()) / 2 / len(nodes) ** exponent


class Densest:
    """The search for the densest set of a network: the best one known, and a bound of all."""

    def __init__(self, network, exponent, seed, limits, budget):
        self.network = network
        self.exponent = exponent
        self.seed = seed
        self.limits = limits
        self.budget = budget
        self.nodes = np.zeros(0, dtype=np.int64)
        self.value = 0.0

    def solve(self):
        """Return the best set known, and a bound of the density of all sets."""
        network = self.network
        if network.nnz == 0 or network.max() <= 0:
            return self.nodes, 0.0
        self.search()
        bound = self.value
        positive = network.maximum(0)
        for part in _parts(positive, self.value):
            here = self.bound_of(part, positive)
            bound = max(bound, here)
        return np.sort(self.nodes), max(bound, self.value)

    def keep(self, nodes):
        """Keep a set if it is denser than the one known."""
        value = density_of(self.network, nodes, self.exponent)
        if value > self.value * (1 + LEAST_GAIN):
            self.nodes = nodes
            self.value = value

    def search(self):
        """Peel greedily, and search from what that leaves as long as it finds denser sets."""
        network = self.network
        n = network.shape[0]
        arrays = arrays_of(network)
        # 1. Peel with several factors: negative weights mislead the plain degree.
        peeled = [np.flatnonzero(_peel(*arrays, share, self.exponent)) for share in PEELED]
        heaviest = network.data.argmax()
        row = np.searchsorted(network.indptr, heaviest, side="right") - 1
        peeled.append(np.array([row, network.indices[heaviest]]))
        for nodes in peeled:
            self.keep(nodes)
        # 2. Tabu search at lambda = the best density known: whatever it finds above 0 is denser.
        rng = seeds.generator(self.seed, "density", n)
        before = -np.inf
        while self.value > before:
            before = self.value
            starts = [self.nodes, *peeled]
            starts += [np.flatnonzero(rng.random(n) < 0.1) for _ in range(SEARCHES)]
            for start in starts:
                inside = np.isin(np.arange(n), start)
                asked = self.value, self.exponent, inside, min(20 * n, 20_000), self.seed
                self.keep(np.flatnonzero(_tabu(*arrays, *asked)))

    def bound_of(self, part, positive):
        """Bound the density of the sets within a part of the vertices; a denser one is kept."""
        # 1. Without negative weights. In a set of k vertices w(S) is at most that of k (k - 1) / 2
        #    pairs of the heaviest weight, so that a denser set has at least `least` vertices.
        heaviest = self.network.max()
        least = int(max(2.0, np.ceil((2 * self.value / heaviest + 1) * (1 - 1e-9))))
        loads = _load_bound(positive[part][:, part])
        bound = loads * least ** (1 - self.exponent)
        memory = self.limits.memory_mb
        small = memory is None or 8e-6 * MATRICES * len(part) ** 2 <= memory
        if not small or bound <= self.value * (1 + TOLERANCE / 4):
            return bound
        # 2. With them, for the sizes that a denser set can have.
        matrix = self.network[part][:, part].toarray()
        return min(bound, self.bound_by_chords(part, matrix, least))

    def bound_by_chords(self, part, matrix, least):
        """Bound the density of the sets within a part that have at least `least` vertices."""
        bound = self.value
        ranges = [(least, max(least, len(part)))]
        while ranges:
            # Sizes that the heaviest pairs alone exclude need no proof.
            sizes = self.open_sizes(matrix, *ranges.pop())
            if sizes is None:
                continue
            chord = Chord.between(*sizes, matrix, self.value, self.exponent)
            nodes, rest = self.most_above(chord)
            size = len(nodes)
            before = self.value
            self.keep(part[nodes])
            # A denser set raises lambda: the same sizes are asked about again. A set that is no
            # denser has a size at which the chord is below the power: there the range is divided.
            # Otherwise the bound of the quadratic problem bounds the density at these sizes.
            if self.value > before:
                ranges.append(sizes)
            elif sizes[0] < size < sizes[1]:
                ranges += [(sizes[0], size), (size, sizes[1])]
            else:
                bound = max(bound, before + rest / sizes[0] ** self.exponent)
        return max(bound, self.value)

    def open_sizes(self, matrix, low, high):
        """The smallest and largest size in a range at which a set could be denser, or None."""
        sizes = np.arange(low, high + 1)
        most = size_bounds(matrix)[low - 1 : high]
        possible = sizes[most > self.value * sizes**self.exponent]
        if possible.size == 0:
            return None
        return int(possible[0]), int(possible[-1])

    def most_above(self, chord):
        """Return a set above a chord, or an empty one, and a bound for all sets."""
        matrix, linear, exponent = conditioned_quadratic(chord.matrix, chord.linear)
        margin = margin_of(matrix, linear)
        nodes = search_quadratic(matrix, linear, self.seed)
        if surplus_of(matrix, nodes, linear) > margin:
            return nodes, np.inf
        base = np.ldexp(chord.base, -exponent)
        proof = prove(matrix, 0.0, self.budget, seed=self.seed, linear=linear, base=base)
        nodes = np.flatnonzero(proof.inside) if proof.inside is not None else nodes[:0]
        return nodes, float(np.ldexp(proof.bound + margin, exponent))


class Chord(NamedTuple):
    """The quadratic problem for sets in a range of sizes; `base` is the weight that a set needs."""

    matrix: np.ndarray
    linear: np.ndarray
    base: float

    @classmethod
    def between(cls, low, high, matrix, value, exponent):
        """Return the problem of being denser than some value, at sizes from `low` to `high`."""
        power = exponent - 1
        slope = power * low ** (power - 1)
        if high > low:
            slope = (high**power - low**power) / (high - low)
        at_none = low**power - slope * low
        penalised = matrix - 2 * value * slope
        np.fill_diagonal(penalised, 0.0)
        linear = np.full(len(matrix), -value * (at_none + slope))
        return cls(penalised, linear, value * low**exponent)


def arrays_of(network):
    """Return the arrays of a sparse network that compiled functions take."""
    return network.indptr.astype(np.int64), network.indices.astype(np.int64), network.data


def _parts(positive, value):
    """Take out vertices with too little positive weight; return the connected parts of the rest."""
    left = np.arange(positive.shape[0])
    while True:
        # A vertex whose positive weights sum to less than lambda only lowers the density of a set
        # that is denser. Others then lose neighbours, so that this is repeated.
        kept = positive[left][:, left].sum(axis=1) >= value * (1 - 1e-9)
        if kept.all():
            break
        left = left[kept]
    _, part = scipy.sparse.csgraph.connected_components(positive[left][:, left], directed=False)
    return [left[part == k] for k in np.unique(part)]


def _load_bound(positive):
    """Bound ``w(S) / |S|`` of positive weights by sharing out edges to vertices.

    The vertices of S get all edges inside S, so that one of them has at least the mean, which is
    ``w(S) / |S|``. Each round gives every edge to the vertex that has less (Boob et al., WWW 2020).
    """
    upper = scipy.sparse.coo_array(scipy.sparse.triu(positive, 1))
    u, v = (one.astype(np.int64) for one in upper.coords)
    loads = _share_out(u, v, upper.data, positive.shape[0], ROUNDS)
    return float(loads.max(initial=0.0) * (1 + 1e-9))


@kernel
def _share_out(u, v, weights, n, rounds):
    """Return what each vertex gets, averaged over rounds, where the largest share was lowest."""
    total = np.zeros(n)
    best = np.full(n, np.inf)
    for turn in range(1, rounds + 1):
        for e in range(len(u)):
            total[u[e] if total[u[e]] <= total[v[e]] else v[e]] += weights[e]
        if total.max() / turn < best.max():
            best = total / turn
    return best


@kernel
def _peel(indptr, indices, weights, share, exponent):
    """Take out the vertex of the lowest degree again and again; return the densest set met."""
    n = len(indptr) - 1
    degree = np.zeros(n)
    rank = np.zeros(n)
    value = 0.0
    for v in range(n):
        for e in range(indptr[v], indptr[v + 1]):
            degree[v] += weights[e]
            rank[v] += weights[e] * (share if weights[e] > 0 else 1.0)
        value += degree[v] / 2
    left = np.ones(n, dtype=np.bool_)
    best = np.ones(n, dtype=np.bool_)
    most = value / n**exponent
    for size in range(n - 1, 1, -1):
        pick = -1
        least = np.inf
        for v in range(n):
            if left[v] and rank[v] < least:
                pick = v
                least = rank[v]
        left[pick] = False
        value -= degree[pick]
        for e in range(indptr[pick], indptr[pick + 1]):
            degree[indices[e]] -= weights[e]
            rank[indices[e]] -= weights[e] * (share if weights[e] > 0 else 1.0)
        if value / size**exponent > most:
            best = left.copy()
            most = value / size**exponent
    return best


@kernel
def _weigh(indptr, indices, weights, inside, gain):
    """Return the weight inside a set and its size; `gain` becomes each vertex's weight to it."""
    for v in range(len(inside)):
        if inside[v]:
            for e in range(indptr[v], indptr[v + 1]):
                gain[indices[e]] += weights[e]
    value = 0.0
    size = 0
    for v in range(len(inside)):
        if inside[v]:
            value += gain[v] / 2
            size += 1
    return value, size


@kernel
def _tabu(indptr, indices, weights, penalty, exponent, inside, steps, seed):
    """Tabu search for the largest ``w(S) - penalty |S| ** exponent``, on a sparse network.

    As in `search`.
    """
    n = len(inside)
    gain = np.zeros(n)
    free_at = np.zeros(n, dtype=np.int64)
    value, size = _weigh(indptr, indices, weights, inside, gain)
    value -= penalty * size**exponent
    best = inside.copy()
    most = value
    last = 0
    for step in range(steps):
        # The penalty depends on the size alone, so that each move changes it by one of two numbers.
        joining = penalty * ((size + 1) ** exponent - size**exponent)
        leaving = penalty * (size**exponent - max(0, size - 1) ** exponent)
        pick = -1
        move = -np.inf
        for v in range(n):
            change = leaving - gain[v] if inside[v] else gain[v] - joining
            if change > move and (free_at[v] <= step or value + change > most + 1e-12):
                pick = v
                move = change
        if pick < 0:
            continue
        if step - last > 10 * n**0.5 + 200:
            break
        sign = -1.0 if inside[pick] else 1.0
        inside[pick] = not inside[pick]
        size += 1 if inside[pick] else -1
        value += move
        free_at[pick] = step + 10 + (step * 7 + seed) % 10
        for e in range(indptr[pick], indptr[pick + 1]):
            gain[indices[e]] += sign * weights[e]
        if value > most + 1e-12:
            best = inside.copy()
            most = value
            last = step
    return best
