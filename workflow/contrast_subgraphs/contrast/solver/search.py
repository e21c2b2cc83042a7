"""One-flip tabu search: the best sets, quickly and without a proof.

From a set, the best move (put one vertex in, or take one out) is made even if it makes the set
worse; a vertex that has just moved stays put for some moves, unless moving it gives the best set
so far (Glover, ORSA Journal on Computing 1989; Palubeckis, Annals of Operations Research 2004).
On integers the search is exact, the same on every machine, and fast: a maximum is vectorised.
"""

from functools import lru_cache

import numpy as np

from ...core import seeds
from ...core.compiled import kernel
from ...core.pairs import upper_triangle
from ..objective import conditioned_quadratic, surplus

#: Random starts. docs/solver.md says how often this many and fewer miss the best set.
STARTS = 60
#: Random starts, and heaviest pairs to start from, of `search_quick`.
QUICK_STARTS = 8
QUICK_PAIRS = 12
#: Steps from each start: at least LEAST_STEPS, and STEPS for each vertex. Problems whose vertices
#: gain something by themselves are harder, and get QUADRATIC_STEPS for each vertex.
LEAST_STEPS = 150
STEPS = 1
QUADRATIC_STEPS = 20
#: A vertex that moved stays put for TENURE moves and up to TENURE_SPREAD - 1 more.
TENURE = 10
TENURE_SPREAD = 10
#: Share of the vertices that the smallest and the largest random start hold.
START_DENSITY = (0.05, 0.5)

#: A single move of `climb` must gain more than this, in units of the largest weight.
NO_GAIN = 1e-10

#: Penalties that leave less than this of the largest weight are searched one by one.
COARSE = 2.0**-12

_NEVER = -(1 << 62)


def search_sweep(weights, alphas, seed=0, starts=STARTS, candidates=None, chained=False):
    """Search one difference graph (checked weights) at several penalties: sorted nodes for each.

    It starts from `candidates` (masks) too; if `chained`, from the sets of neighbouring penalties.
    """
    n = len(weights)
    if n < 2:
        return [np.zeros(0, dtype=np.int64) for _ in alphas]
    first, tenures = _draws(n, starts, seed)
    steps = max(LEAST_STEPS, STEPS * n)
    if candidates is not None:
        first = np.concatenate([np.asarray(candidates, dtype=bool).reshape(-1, n), first])
    alphas = np.asarray(alphas, dtype=float)
    largest = np.abs(weights).max()
    # Where the weights above alpha are tiny compared to others, the integers would lose them.
    coarse = weights.max() - alphas < COARSE * largest
    members = np.zeros((len(alphas), n), dtype=bool)
    exponent = int(np.frexp(largest)[1]) + 1 if largest > 0 else 0
    fine = np.flatnonzero(~coarse)
    fine = fine[np.argsort(alphas[fine], kind="stable")]
    nothing = np.zeros(n)  # vertices gain nothing by themselves
    scaled = np.ldexp(weights, -exponent), nothing, np.ldexp(alphas[fine], -exponent)
    members[fine] = _search_sweep(*scaled, first, steps, tenures, chained)
    for index in np.flatnonzero(coarse):
        matrix = surplus(weights, alphas[index])
        members[index] = _search_one(matrix, nothing, first, steps, tenures)
    return [np.flatnonzero(row) for row in members]


def search_quadratic(matrix, linear, seed=0, starts=STARTS):
    """Search one matrix whose vertices gain something by themselves: sorted nodes of the best."""
    n = len(matrix)
    first, tenures = _draws(n, starts, seed)
    steps = max(LEAST_STEPS, QUADRATIC_STEPS * n)
    return np.flatnonzero(_search_one(matrix, linear, first, steps, tenures))


def _search_one(matrix, linear, first, steps, tenures):
    """Best set (as a mask) of one matrix, which is conditioned here."""
    matrix, linear, _ = conditioned_quadratic(matrix, linear)
    largest = max(np.abs(matrix).max(initial=0.0), np.abs(linear).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    scaled = np.ldexp(matrix, -exponent), np.ldexp(linear, -exponent), np.zeros(1)
    return _search_sweep(*scaled, first, steps, tenures, False)[0]


def search_quick(differences, alphas, seed=0, candidates=None):
    """Search many difference graphs, at the same penalties, in a third of the time.

    It starts from a few random sets (the same for every graph), the heaviest pairs, `candidates`
    (masks) and the sets of neighbouring penalties. docs/solver.md says how often it misses the best
    set. Arguments are not checked. Returns masks (n_graphs, n_alphas, n), empty where no weight is
    above alpha, and values.
    """
    alphas = np.asarray(alphas, dtype=float)
    members = []
    values = []
    for weights in differences:
        first = _heaviest_pairs(weights, QUICK_PAIRS)
        if candidates is not None:
            first = np.concatenate([first, candidates])
        above = np.flatnonzero(weights.max(initial=0.0) > alphas)
        found = np.zeros((len(alphas), len(weights)), dtype=bool)
        options = {"seed": seed, "starts": QUICK_STARTS, "candidates": first, "chained": True}
        for k, nodes in zip(above, search_sweep(weights, alphas[above], **options), strict=True):
            found[k, nodes] = True
        # f(S) = w(S) - alpha |S| (|S| - 1) / 2
        masks = found.astype(float)
        size = masks.sum(axis=1)
        values.append(
            np.einsum("kv,kv->k", masks @ weights, masks) / 2 - alphas * size * (size - 1) / 2
        )
        members.append(found)
    if not members:
        return np.zeros((0, len(alphas), 0), dtype=bool), np.zeros((0, len(alphas)))
    return np.array(members), np.array(values)


def _heaviest_pairs(weights, count):
    """Masks of the pairs of vertices with the largest weights."""
    n = len(weights)
    u, v = upper_triangle(n)
    count = min(count, len(u))
    heaviest = np.argpartition(-weights[u, v], max(count - 1, 0))[:count] if len(u) else []
    masks = np.zeros((count, n), dtype=bool)
    masks[np.arange(count), u[heaviest]] = masks[np.arange(count), v[heaviest]] = True
    return masks


def climb(matrix, nodes, linear=None):
    """Make the best single moves from a set until none gains; returns sorted nodes."""
    start = np.zeros((1, len(matrix)), dtype=np.bool_)
    start[0, nodes] = True
    return np.flatnonzero(climb_all(matrix, start, linear)[0])


def climb_all(matrix, starts, linear=None):
    """Make the best single moves from each start (masks, in place) until none gains."""
    linear = np.zeros(len(matrix)) if linear is None else linear
    return _climb_all(matrix, linear, starts)


@kernel
def _climb_all(matrix, linear, starts):
    """See `climb_all`."""
    n = len(matrix)
    for s in range(len(starts)):
        inside = starts[s]
        gain = linear.copy()
        for v in range(n):
            if inside[v]:
                gain += matrix[v]
        while True:
            pick = -1
            most = NO_GAIN
            for v in range(n):
                move = -gain[v] if inside[v] else gain[v]
                if move > most:
                    pick = v
                    most = move
            if pick < 0:
                break
            if inside[pick]:
                gain -= matrix[pick]
            else:
                gain += matrix[pick]
            inside[pick] = not inside[pick]
    return starts


@lru_cache(maxsize=4)
def _draws(n, starts, seed):
    """Random sets, and how long a moved vertex stays put."""
    rng = seeds.generator(seed, "search", n)
    density = np.linspace(*START_DENSITY, starts)
    first = rng.random((starts, n)) < density[:, None]
    tenures = TENURE + rng.integers(0, TENURE_SPREAD, size=1009)
    return first, np.minimum(tenures, n // 2)


@kernel
def _search_sweep(weights, linear, alphas, first, steps, tenures, chained):
    """Best set (as a mask) for `weights - alpha`, for each alpha.

    All magnitudes are at most 1. `linear` is what each vertex gains by itself.
    """
    # 1. The unit of the integers.
    n = len(weights)
    bits = 1
    while (1 << bits) < n:
        bits += 1
    # Sums of n numbers, shifted by `bits`, must fit into 62 bits.
    unit = 2.0 ** (61 - 2 * bits)
    members = np.zeros((len(alphas), n), dtype=np.bool_)
    best = np.zeros(len(alphas), dtype=np.int64)
    # Rows are padded to whole vector registers, so that no scalar loop is left over.
    shifted = np.zeros((n, -(-n // 32) * 32), dtype=np.int64)
    own = np.zeros(n, dtype=np.int64)
    for v in range(n):
        own[v] = np.int64(np.rint(linear[v] * unit)) << bits
    # 2. For each alpha, the best set from all starts. If chained, the set of the alpha before is
    # one of them, and in the end the alphas are visited again in reverse.
    for turn in range(2 * len(alphas) - 1 if chained else len(alphas)):
        a = turn if turn < len(alphas) else 2 * len(alphas) - 2 - turn
        # 3. The surplus matrix, in that unit.
        for i in range(n):
            for j in range(n):
                if i != j:
                    shifted[i, j] = np.int64(np.rint((weights[i, j] - alphas[a]) * unit)) << bits
        starts = len(first) if turn < len(alphas) else 0
        for s in range(starts + (chained and turn > 0)):
            start = first[s] if s < starts else members[a - 1 if starts else a + 1]
            value, inside = _tabu(shifted, own, bits, start, steps, tenures)
            if value > best[a]:
                best[a] = value
                for v in range(n):
                    members[a, v] = inside[v] == 1
    return members


@kernel
def _begin(shifted, own, bits, start, inside, gain):
    """Return the value of a start; fill in who is inside, and the gain of moving each vertex."""
    n = len(own)
    for v in range(n):
        gain[v] = own[v]
    for v in range(n):
        if start[v]:
            inside[v] = 1
            for u in range(n):
                gain[u] += shifted[v, u]
    twice = 0
    for v in range(n):
        if inside[v]:
            # Its pairs are met from both ends: twice what it adds.
            twice += (gain[v] + own[v]) >> bits
            gain[v] = -gain[v]
        gain[v] += v
    return twice >> 1


@kernel
def _tabu(shifted, own, bits, start, steps, tenures):
    """Tabu search from one set: value (integer units) and mask of the best set met.

    The low `bits` of ``gain[v]`` hold v itself, and those of the weights are zero. So the largest
    gain also names its vertex, and finding it is a plain maximum.
    """
    # 1. The gain of moving each vertex, and the value of the start.
    n, width = shifted.shape
    inside = np.zeros(width, dtype=np.int64)
    gain = np.zeros(width, dtype=np.int64)  # of moving each vertex
    gain[n:] = _NEVER
    free_at = np.zeros(width, dtype=np.int64)
    still = np.zeros(width, dtype=np.int64)
    index = (1 << bits) - 1
    value = _begin(shifted, own, bits, start, inside, gain)
    best = value
    best_inside = np.empty(width, dtype=np.int64)
    new = True
    row = still
    adding = np.int64(0)
    for step in range(1, steps + 1):
        # 2. Is this the best set?
        if value > best:
            best = value
            new = True
        # 3. The best move of a free vertex; of any vertex if it leads to a new best set.
        free, any_vertex = _best_moves(gain, inside, row, adding, free_at, step)
        move = any_vertex if value + (any_vertex >> bits) > best else free
        if move == _NEVER:
            row = still
            continue
        # 4. Remember the best set when it is left for a worse one.
        if new and move >> bits <= 0:
            for u in range(width):
                best_inside[u] = inside[u]
            new = False
        # 5. Make the move, and keep the vertex in its place for some moves.
        v = move & index
        value += move >> bits
        adding = 1 - inside[v]
        inside[v] = adding
        gain[v] = v - (move - v)
        free_at[v] = step + 1 + tenures[step % len(tenures)]
        row = shifted[v]
    if value > best or new:
        return value, inside
    return best, best_inside


@kernel
def _best_moves(gain, inside, row, adding, free_at, step):
    """Update the gains after a move; largest gain of a free vertex, and of any."""
    free = _NEVER
    any_vertex = _NEVER
    for u in range(len(gain)):
        # The vertex that joined adds its weight to the gain of joining, and takes it from the gain
        # of leaving. For one that left it is the reverse.
        new = gain[u] + row[u] if inside[u] != adding else gain[u] - row[u]
        gain[u] = new
        free = max(free, new if free_at[u] <= step else _NEVER)
        any_vertex = max(any_vertex, new)
    return free, any_vertex
