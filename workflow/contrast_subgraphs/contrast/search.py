"""One-flip tabu search: the best sets, quickly and without a proof.

From a set, the best move (put a vertex in, or take one out) is made even if it makes
the set worse; a vertex that has just moved stays put for a few moves, unless moving it
gives the best set so far (Glover, ORSA Journal on Computing 1989; for this kind of
objective Palubeckis, Annals of Operations Research 2004).
"""

import numpy as np
from numba import njit

from .. import seeds
from ..errors import InputError
from .graphs import alphas_of_percentiles, check_percentile, check_weights
from .objective import rescaled

#: Moves that gain less than this, in units of the largest weight, count as no gain.
NO_GAIN = 1e-10
#: A vertex that moved stays put for TENURE moves and up to TENURE_SPREAD - 1 more.
TENURE = 10
TENURE_SPREAD = 10


def search_many(differences, percentiles, seed=0, starts=20, steps=2000):
    """Find the contrast subgraphs of one or many difference graphs, without a proof.

    This is the fast path of the evaluation; nothing but the sets is computed.

    Parameters
    ----------
    differences : array_like of shape (n_vertices, n_vertices) or (m, n_vertices, n_vertices)
        One difference graph, or many.
    percentiles : sequence of float
        Each gives the penalty alpha of one set (see `alpha_from_percentile`).
    seed : int
        Of the random starts. They are the same for every graph, so that an answer does
        not depend on which other graphs are given.
    starts, steps : int
        Random starts, and moves from each.

    Returns
    -------
    list
        For one difference graph a list with one sorted array of nodes for each
        percentile; for many a list of such lists.

    Raises
    ------
    InputError
        If a graph is not square, symmetric and finite, or a percentile is none.
    """
    differences = np.asarray(differences)
    if differences.ndim not in (2, 3):
        raise InputError(
            "differences must be one square matrix or a stack of them, "
            f"not an array of shape {differences.shape}"
        )
    percentiles = [check_percentile(percentile) for percentile in percentiles]
    single = differences.ndim == 2
    answers = []
    for index, difference in enumerate(differences[None] if single else differences):
        weights = check_weights(difference, "the difference graph" if single else f"graph {index}")
        alphas = alphas_of_percentiles(weights, percentiles)
        answers.append(search_sweep(weights, alphas, seed=seed, starts=starts, steps=steps))
    return answers[0] if single else answers


def search_sweep(weights, alphas, seed=0, starts=20, steps=2000):
    """Search one difference graph at several penalties; checked input, arrays of nodes."""
    n = len(weights)
    if n < 2:
        return [np.zeros(0, dtype=np.int64) for _ in alphas]
    scaled, exponent = rescaled(weights)
    first, tenures = _draws(n, starts, seed)
    members = _search_sweep(
        scaled, np.ldexp(np.asarray(alphas, dtype=float), -exponent), first, steps, tenures
    )
    return [np.flatnonzero(row) for row in members]


def search(matrix, seed=0, starts=20, steps=2000):
    """Search one surplus matrix (largest magnitude about 1); returns a boolean mask."""
    n = len(matrix)
    if n < 2:
        return np.zeros(n, dtype=bool)
    first, tenures = _draws(n, starts, seed)
    return _search_sweep(matrix, np.zeros(1), first, steps, tenures)[0]


def _draws(n, starts, seed):
    rng = seeds.generator(seed, "search", n)
    first = rng.integers(0, 2, size=(starts, n), dtype=np.int8).astype(bool)
    tenures = TENURE + rng.integers(0, TENURE_SPREAD, size=1009)
    return first, np.minimum(tenures, max(1, n // 2))


@njit(cache=True)
def _search_sweep(weights, alphas, first, steps, tenures):
    """Best sets (masks) for `weights - alpha`, from random starts and the last answer."""
    n = len(weights)
    members = np.zeros((len(alphas), n), dtype=np.bool_)
    for a in range(len(alphas)):
        matrix = weights - alphas[a]
        for i in range(n):
            matrix[i, i] = 0.0
        best = 0.0
        for s in range(len(first)):
            value, found = _tabu(matrix, first[s], steps, tenures)
            if value > best + NO_GAIN:
                best = value
                members[a] = found
    return members


@njit(cache=True)
def _tabu(matrix, start, steps, tenures):
    """Tabu search from one set: objective and mask of the best set met."""
    n = len(matrix)
    inside = start.copy()
    sign = np.empty(n)  # +1: a move puts the vertex in, -1: takes it out
    gain = np.zeros(n)  # of moving each vertex
    for i in range(n):
        if inside[i]:
            for j in range(n):
                gain[j] += matrix[i, j]
    value = 0.0
    for i in range(n):
        if inside[i]:
            value += gain[i] / 2
        sign[i] = -1.0 if inside[i] else 1.0
        gain[i] *= sign[i]
    best, best_inside = value, inside.copy()
    free_at = np.zeros(n, dtype=np.int64)
    for step in range(1, steps + 1):
        move, most = -1, -np.inf
        for j in range(n):
            if gain[j] > most and (free_at[j] <= step or value + gain[j] > best + NO_GAIN):
                move, most = j, gain[j]
        if move < 0:
            continue
        value += most
        direction = sign[move]
        row = matrix[move]
        for j in range(n):
            gain[j] += sign[j] * direction * row[j]
        gain[move] = -most
        sign[move] = -direction
        inside[move] = direction > 0
        free_at[move] = step + tenures[step % len(tenures)]
        if value > best + NO_GAIN:
            best = value
            best_inside[:] = inside
    return best, best_inside
