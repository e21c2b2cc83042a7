"""Sets that some people choose, measured in the others, fold by fold.

What covariates explain is removed with coefficients of the people outside the fold that do not use
the group (Robinson, Econometrica 1988; Chernozhukov et al., Econometrics Journal 2018). Direction
and penalty are chosen inside the training parts where that is asked for.
"""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..contrast.solver.search import search_quick
from ..core.pairs import blocks_of_pairs
from ..design.covariates import Regression, without, without_in_rows
from .p_values import ROUNDING


@dataclass
class _Measured:
    """The results of `held_out_numbers` for each draw."""

    numbers: np.ndarray  # effect, error, d and share of empty sets: (draw, 4, 2, K)
    inside: np.ndarray  # of each graph
    nodes: list  # of the last fold
    chosen: np.ndarray  # effect, error, d, share of empty sets and size: (draw, 5), or no draws
    share: np.ndarray  # of the folds, for which each is chosen: (draw, 2, K)


def held_out_numbers(statistic, penalties, draws, folds, known=None, choose=False, among=None):
    """Measure each draw of labels on the people of each fold, inside sets of the others.

    With one fold, the people who choose the set are measured too. With `choose`, direction and
    penalty are chosen for each fold too. `among` is a mask of the people to use.
    """
    design = statistic.design
    if among is None:
        among = np.ones(folds.shape[1], dtype=bool)
    # The same for all draws, so that their training parts form one array.
    count = folds.max() + 1
    # 1. Leave out each fold, and for the choice also each pair of folds.
    out = [{fold} for fold in range(count)]
    if choose:
        out += [set(pair) for pair in itertools.combinations(range(count), 2)]
    left = [np.isin(folds, list(some), invert=True) | (count == 1) for some in out]
    train = np.stack(left, axis=1) & among  # (draw, part, graph)
    # 2. The difference graphs of all training parts at once.
    rows = statistic.of_parts(train.reshape(-1, folds.shape[1]), np.repeat(draws, len(out), axis=0))
    rows = rows.reshape(len(draws), len(out), -1)
    n_penalties = len(penalties)
    found = _Measured([], np.zeros((len(draws), 2, n_penalties, len(design.rows))), [], [], [])
    for k, value in enumerate(design.relabelled(draws)):
        fitted = _Fitted([], [], np.zeros((count, 4, 2, n_penalties)))
        for part, (row, rest, some) in enumerate(zip(rows[k], train[k], out, strict=True)):
            nodes = known or both_directions(statistic, row, penalties)
            values = weights_inside(statistic, [one for sets in nodes for one in sets])
            values = values.reshape(2, -1, len(value))
            # One fold is left out: its people are measured.
            if part < count:
                here = (folds[k] == part) & among
                found.inside[k][..., here] = values[..., here]
                fitted.sums.append(_sums(design, value, values, here, rest))
                fitted.sizes.append([[len(one) for one in sets] for sets in nodes])
                found.nodes = nodes
                continue
            # Two folds are left out: each of them is measured, to choose for the other.
            for fold in some:
                [other] = some - {fold}
                here = (folds[k] == fold) & among
                fitted.inner[other] += _sums(design, value, values, here, rest)
        # 3. Sums over folds give the effect at each direction and penalty.
        estimates = _estimates(design, count, np.sum(fitted.sums, axis=0))
        empty = (np.array(fitted.sizes) < 2).mean(axis=0)
        found.numbers.append([*estimates, empty])
        if choose:
            # 4. For each fold the direction and penalty that measure best without it.
            chosen, share = _of_best(design, count, fitted)
            found.chosen.append(chosen)
            found.share.append(share)
    found.numbers = np.array(found.numbers)
    found.chosen = np.reshape(found.chosen, (-1, 5))
    found.share = np.reshape(found.share, (-1, 2, n_penalties))
    return found


class _Fitted(NamedTuple):
    """What one draw gives: the sums of each fold, and those that choose for it."""

    sums: list  # `_sums` of each fold
    sizes: list  # of the sets that are chosen without each fold, (2, K)
    inner: np.ndarray  # `_sums` of all other folds, inside sets of neither, (fold, 4, 2, K)


def _of_best(design, count, fitted):
    """The numbers of one draw where others choose, and the share of folds with each choice.

    The numbers are effect, error, d, the share of empty sets, and their mean size.
    """
    best = [_best(design, count, one) for one in fitted.inner]
    choice = tuple(np.transpose(best))
    sums = np.array(fitted.sums)
    of_best = sums[(np.arange(count), slice(None), *choice)]
    size = np.array(fitted.sizes)[(np.arange(count), *choice)]
    effect, error, _ = _estimates(design, count, of_best.sum(axis=0))
    # Means over few regions vary more: each fold counts in units of its own choice.
    sd = _sd(design, count, sums.sum(axis=0))[choice]
    product = of_best[:, 0]
    weight = of_best[:, 1]
    units = np.divide(product, sd, out=np.zeros_like(product), where=product != 0)
    d = units.sum() / weight.sum()
    share = np.zeros(fitted.inner.shape[2:])
    np.add.at(share, choice, 1 / count)
    return [effect, error, d, (size < 2).mean(), size.mean()], share


def _sums(design, value, values, here, rest):
    """Sums over some people from which `_estimates` computes effects, (4, 2, K).

    What covariates explain is removed with coefficients of other people, `rest`.
    """
    held = Regression(design.nuisance[rest])
    values, group = left_over(design, value, values, here, rest, held)
    product = values @ group
    weight = np.full(values.shape[:2], group @ group)
    # A fold in which the regressor is constant, such as one person's graphs, says nothing.
    slope = np.divide(product, weight, out=np.zeros_like(product), where=weight > 0)
    left = values - slope[..., None] * group
    # Graphs of one person are correlated: only their sums are independent between people.
    scores = sums_of(left * group, design.cluster[here])[0]
    return np.array([product, weight, (left**2).sum(axis=-1), (scores**2).sum(axis=-1)])


def left_over(design, value, values, here, rest, held):
    """Return mean weights, (2, K, n), and the regressor of some people, without what is not asked.

    What covariates explain is removed with coefficients of other people, `rest`, whose `Regression`
    is `held`; then people's own levels, if the question is about changes within them, and the mean.
    The weights are in the directions of the contrasts.
    """
    columns = design.nuisance[here]
    # Both the weights and the regressor without what covariates explain (Robinson 1988).
    of_weights = held.coefficients_of_rows(values[..., rest])
    values = without_in_rows(values[..., here], columns, of_weights)
    group = without(value[here], columns, held.coefficients(value[rest]))
    # Within people: how they differ from each other is not part of the question.
    if design.level is not None:
        values = within_people(values, design.level[here])
        group = within_people(group, design.level[here])
    values = values - values.mean(axis=-1, keepdims=True)
    # The second direction is the second group minus the first.
    values[1] *= -1
    return values, group - group.mean()


def _estimates(design, count, sums):
    """The effect, its plain error and d, from `_sums` over `count` folds."""
    product, weight, _, spread = sums
    few = (design.cluster.max() + 1) / freedom_of_people(design, count)
    effect = product / weight
    error = np.sqrt(np.maximum(spread / weight**2 * few, _floor(design, count, sums) / weight))
    sd = _sd(design, count, sums)
    d = np.divide(effect, sd, out=np.zeros_like(effect), where=effect != 0)
    return effect, error, d


def _sd(design, count, sums):
    """The standard deviation within groups and folds."""
    squares = sums[2]
    return np.sqrt(np.maximum(squares / _freedom(design, count), _floor(design, count, sums)))


def _floor(design, count, sums):
    """The least variance if nobody varies within groups: one person who deviates by the effect."""
    product, weight, squares, _ = sums
    effect = product / weight
    return np.where(squares > ROUNDING * effect**2, 0.0, effect**2 / _freedom(design, count))


def _best(design, count, sums):
    """The direction and penalty with the largest d, the first among equal ones."""
    d = _estimates(design, count, sums)[2]
    slack = ROUNDING * np.abs(d).max()
    return np.unravel_index((d >= d.max() - slack).argmax(), d.shape)


def _freedom(design, n_folds):
    """Degrees of freedom of the graphs that slopes, means and people's levels leave."""
    levels = n_folds
    if design.level is not None:
        levels = design.level.max() + 1
    return max(1, len(design.rows) - n_folds - levels)


def freedom_of_people(design, n_folds):
    """Degrees of freedom of the people: each fold takes a slope, and a mean unless levels do."""
    fitted = 2
    if design.level is not None:
        fitted = 1
    return max(1, design.cluster.max() + 1 - fitted * n_folds)


def sums_of(numbers, people):
    """Return numbers, (..., n_graphs), summed over each person's graphs, and each graph's person.

    People are numbered from 0.
    """
    code = np.unique(people, return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    return np.add.reduceat(numbers[..., order], starts, axis=-1), code


def within_people(numbers, people):
    """Return numbers, (..., n_graphs), as deviations from each person's mean."""
    total, code = sums_of(numbers, people)
    mean = total / np.bincount(code)
    return numbers - mean[..., code]


def both_directions(statistic, row, penalties):
    """Return the best set in each direction at each penalty, empty if no weight is above it.

    `row` are the signed weights of all pairs, `penalties` are `Penalties`.
    """
    seed = statistic.design.random_state
    found = []
    for form in statistic.contrasts(row)[:2]:
        masks = search_quick([form], penalties.at(form), seed=seed)[0][0]
        found.append([np.flatnonzero(mask) for mask in masks])
    return found


def weights_inside(statistic, sets):
    """Mean weight of the pairs inside each set in each person; 0 if there are none."""
    members = np.zeros((statistic.n_vertices, len(sets)), dtype=bool)
    for k, nodes in enumerate(sets):
        members[nodes, k] = True
    inside = members[statistic.pairs[:, 0]] & members[statistic.pairs[:, 1]]
    count = np.maximum(1, inside.sum(axis=0))
    total = 0.0
    for block in blocks_of_pairs(statistic.edges):
        some = block.start + np.flatnonzero(inside[block].any(axis=1))
        weights = statistic.weights[:, some].astype(float, order="F")
        total = total + weights @ inside[some].astype(float)
    return (total / count).T
