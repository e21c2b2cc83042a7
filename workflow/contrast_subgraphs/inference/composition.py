"""Is a direction the other side of the opposite one? For graphs of one density.

Where each graph keeps its strongest pairs, a group that has more connections in one place has fewer
of them in all other places. So a difference in one direction makes a difference in the other, which
the permutation test finds: it is there, but says nothing new.

The control takes that away, from observed and relabelled data alike:

1. The best set of the *opposite* direction is found, at the smallest penalty (the largest set).
2. All pairs are moved by one number, so that those outside this set differ by 0 on average.
3. The best set of the direction is searched again, and p is over its penalties, as in the test.

Nothing is taken away but one number for each relabelling, and it is found without a look at which
labels are the observed ones. So the control is valid wherever the test is.
"""

import numpy as np

from ..contrast.alpha import PERCENTILES, alphas_of_percentiles
from ..contrast.solver.search import search_quick
from ..core.pairs import upper_triangle
from ..design.edge_statistic import CHUNK
from .p_values import min_p_scores, p_value

#: Relabellings of the control: p <= .05 is known well enough.
RELABELLINGS = 200
#: Other relabellings, of which the penalties are means.
PENALTY_RELABELLINGS = 50
#: Graphs are of one density if their numbers of connections differ by less (sd over the mean).
ALIKE = 0.02


def of_one_density(weights):
    """Do all graphs have the same number of connections, and not all that there can be?

    Parameters
    ----------
    weights : array_like of shape (n_graphs, n_vertices, n_vertices) or (n_graphs, n_pairs)

    Returns
    -------
    bool
        Pairs of weight 0 are no connections.

    Examples
    --------
    >>> graphs = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
    >>> of_one_density(graphs), of_one_density(graphs + 1)
    (True, False)
    """
    weights = np.asarray(weights)
    count = np.array([np.count_nonzero(one) for one in weights], dtype=float)
    possible = weights[0].size
    if weights.ndim > 2:
        possible -= weights.shape[-1]
    mean = count.mean()
    return bool(0 < mean < possible * (1 - ALIKE) and count.std() <= ALIKE * mean)


def other_side(
    design,
    X,
    percentiles=PERCENTILES,
    *,
    edge_statistic="difference",
    n_permutations=RELABELLINGS,
):
    """Return p of each of two directions without what the opposite one brings with it.

    Parameters
    ----------
    design : Design
        With two directions, as `permutation_test` takes it.
    X : array_like of shape (n_graphs, n_vertices, n_vertices) or (n_graphs, n_pairs)
        Of these graphs.
    percentiles : sequence of float
        The penalties: percentiles of the difference graph, means over relabellings.
    edge_statistic : str
        As for `permutation_test`.
    n_permutations : int
        Relabellings of the control.

    Returns
    -------
    dict of str to float
        Contrast -> p over the penalties; empty where there are no two directions.

    See Also
    --------
    of_one_density : Where it is needed.
    permutation_test : The test without this control.

    Examples
    --------
    >>> from contrast_subgraphs import two_groups
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 8, 8)) < 0.3, 1)
    >>> design = two_groups(np.repeat(["a", "b"], 20))
    >>> sorted(other_side(design, graphs | graphs.transpose(0, 2, 1), [80]))
    ['a-b', 'b-a']
    """
    statistic = design.statistic(X, edge_statistic)
    observed = statistic.values(design.observed())
    forms = statistic.contrasts(observed[0])
    if len(forms) < 2 or not np.array_equal(forms[1], -forms[0]):
        return {}
    draws, count, exact = design.draws(n_permutations)
    rows = [observed]
    for start in range(0, count, CHUNK):
        rows.append(statistic.values(draws(start, min(start + CHUNK, count))))
    values = np.concatenate(rows)
    other = statistic.values(design.random(0, PENALTY_RELABELLINGS, "alpha"))
    found = {}
    for name, sign in zip(design.contrasts, (1, -1), strict=False):
        best = _best(statistic, sign * values, sign * other, percentiles)
        scores = min_p_scores(best)
        p = p_value(scores[0].max(), scores[1:].max(axis=1), exact).p
        found[name] = float(p)
    return found


def _best(statistic, values, other, percentiles):
    """Best surplus of each row of `values` at each penalty, once the opposite set is left out."""
    largest = _penalties(statistic, -other, [min(percentiles)])
    values = _without_opposite(statistic, values, largest)
    other = _without_opposite(statistic, other, largest)
    alphas = _penalties(statistic, other, percentiles)
    return np.array([search_quick([statistic.matrix(row)], alphas)[1][0] for row in values])


def _penalties(statistic, rows, percentiles):
    """Means over relabellings of the percentiles of a direction's weights."""
    return np.mean([alphas_of_percentiles(statistic.matrix(row), percentiles) for row in rows], 0)


def _without_opposite(statistic, values, alphas):
    """Rows moved by one number each: 0 is the mean of the pairs outside the opposite set."""
    first, second = upper_triangle(statistic.n_vertices)
    moved = np.empty_like(values)
    for row, out in zip(values, moved, strict=True):
        [[inside]], _ = search_quick([statistic.matrix(-row)], alphas)
        inside = np.asarray(inside, dtype=bool)
        outside = ~(inside[first] & inside[second])
        out[:] = row
        if outside.any():
            out -= row[outside].mean()
    return moved
