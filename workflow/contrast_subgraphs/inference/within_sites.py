"""The effect within each site, inside the set that the people of the others choose.

The sets of two sites come from nearly the same people, and each site helps to choose the set of
the other. So the effects of two sites vary together. Their covariance can be estimated: let e(i) be
the effect of site i, and e(i, j) the same inside the set that people of neither i nor j choose.
Without an effect, e(i) has a mean of 0 given everyone outside site i, and so has e(i, j), which
does not depend on site j at all. Hence

    cov[e(i), e(j)] = E{[e(i) - e(i, j)] [e(j) - e(j, i)]},

and the product inside is the estimate. With an effect that is strong enough to lead everyone to the
same set it is nearly 0. Labels that are permuted to calibrate an interval cannot show this: they
always describe data without an effect.
"""

import itertools
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ..core.processes import mapped
from ..design.covariates import Regression
from ..design.edge_statistic import CHUNK, NoTest
from .cross_fitting import both_directions, left_over, sums_of, weights_inside


class WithinSites(NamedTuple):
    """The effects within S sites, for the two directions and K penalties."""

    effect: np.ndarray  # (2, K, S), NaN for a site with one group
    error: np.ndarray  # (2, K, S)
    nodes: list  # the set for each direction, penalty and site


class _Chosen(NamedTuple):
    """What some people choose, with which others are measured."""

    people: np.ndarray  # those who choose
    held: Regression  # theirs, on what is held constant
    sets: list  # for each direction and penalty
    inside: np.ndarray  # the mean weight of each graph inside them, (2, K, n_graphs)


def effects_within(statistic, penalties, here):
    """Return the effect within each site inside the set that the other sites choose.

    Parameters
    ----------
    statistic : EdgeStatistic
    penalties : Penalties
    here : ndarray of bool, shape (S, n_graphs)
        The graphs of each site.

    Returns
    -------
    WithinSites

    Raises
    ------
    NoTest
        If the people outside a site have one group only.
    """
    design = statistic.design
    shape = (2, len(penalties), len(here))
    effect = np.full(shape, np.nan)
    error = np.full(shape, np.nan)
    nodes = [[[] for _ in range(shape[1])] for _ in range(2)]
    with threadpool_limits(1, "blas"):
        outside = [_outside(design, own) for own in here]
        for number, chosen in enumerate(_choices(statistic, penalties, outside)):
            slope, spread = _within(design, here[number], chosen)
            effect[..., number] = slope
            error[..., number] = spread
            for direction, sets in zip(nodes, chosen.sets, strict=True):
                for at_penalty, one in zip(direction, sets, strict=True):
                    at_penalty.append(one)
    return WithinSites(effect, _usable_errors(effect, error), nodes)


def covariance_within(statistic, penalties, here, found, used, jobs):
    """Return the estimated covariance of the effects of any two sites, (2, K, S, S).

    The diagonal is 0, and so are the rows of sites that are not used. Two sites without which
    nobody can choose are taken to be as dependent as can be.

    Parameters
    ----------
    statistic, penalties, here
        As for `effects_within`.
    found : WithinSites
    used : ndarray of bool, shape (S,)
    jobs : int
    """
    design = statistic.design
    pairs = list(itertools.combinations(np.flatnonzero(used), 2))

    def chunk(start):
        some = pairs[start : start + CHUNK]
        outside = [_outside(design, here[i] | here[j]) for i, j in some]
        changes = []
        for (i, j), chosen in zip(
            some, _possible_choices(statistic, penalties, outside), strict=True
        ):
            if chosen is None:
                changes.append((found.error[..., i], found.error[..., j]))
                continue
            changes.append(
                [found.effect[..., k] - _within(design, here[k], chosen)[0] for k in (i, j)]
            )
        return changes

    products = np.zeros((*found.effect.shape, len(here)))
    with threadpool_limits(1, "blas"):
        parts = list(mapped(chunk, range(0, len(pairs), CHUNK), jobs, "pairs of sites"))
    changes = itertools.chain.from_iterable(parts)
    for (i, j), (of_first, of_second) in zip(pairs, changes, strict=True):
        products[..., i, j] = of_first * of_second
        products[..., j, i] = of_first * of_second
    return products


def _outside(design, own):
    """Return who is at none of some sites: people who were measured at two choose for neither."""
    return ~np.isin(design.cluster, design.cluster[own])


def _choices(statistic, penalties, outside):
    """Yield the `_Chosen` of each group of people."""
    design = statistic.design
    observed = np.repeat(design.observed(), len(outside), axis=0)
    rows = statistic.of_parts(np.array(outside), observed)
    for people, row in zip(outside, rows, strict=True):
        sets = both_directions(statistic, row, penalties)
        inside = weights_inside(statistic, [one for each in sets for one in each])
        held = Regression(design.nuisance[people])
        yield _Chosen(people, held, sets, inside.reshape(2, -1, inside.shape[-1]))


def _possible_choices(statistic, penalties, outside):
    """Return what `_choices` yields, with None for people who cannot choose."""
    try:
        return list(_choices(statistic, penalties, outside))
    except NoTest:
        # One at a time tells who cannot.
        if len(outside) == 1:
            return [None]
        return [_possible_choices(statistic, penalties, [one])[0] for one in outside]


def _within(design, own, chosen):
    """Return the slope of mean weights within a site, in the contrasts' directions, and its error.

    What covariates explain is removed with coefficients of those who choose.
    """
    value = design.relabelled(design.observed()[0])
    people, held, _, values = chosen
    left, group = left_over(design, value, values, own, people, held)
    weight = group @ group
    if weight <= 1e-12 * max(1.0, value @ value):
        return np.nan, np.nan
    slope = left @ group / weight
    scores = (left - slope[..., None] * group) * group
    people = len(np.unique(design.cluster[own]))
    if design.level is None:
        # Leverages, as for Welch's t (HC2: MacKinnon and White, Journal of Econometrics 1985).
        leverage = np.minimum(1 / len(group) + group**2 / weight, 1 - 1 / len(group))
        scores = scores / np.sqrt(1 - leverage)
    else:
        # The levels of people are projected out, and each person is one observation.
        scores = scores * np.sqrt(people / max(1, people - 1))
    # Graphs of one person are correlated: only their sums are independent between people.
    summed, _ = sums_of(scores, design.cluster[own])
    return slope, np.sqrt((summed**2).sum(axis=-1)) / weight


def _usable_errors(effect, error):
    """Return positive errors, also for sites in which nothing varies within the groups.

    Such a site, or one for which the others choose no set, would have all the weight in the mean.
    It is given the median error of the sites that vary.
    """
    usable = np.full(error.shape, np.finfo(float).tiny)
    for place in np.ndindex(error.shape[:-1]):
        own = error[place]
        varies = own > 1e-9 * np.nanmax(np.abs(effect[place]), initial=0.0)
        usual = np.median(own[varies]) if varies.any() else np.finfo(float).tiny
        usable[place] = np.where(varies | np.isnan(own), own, usual)
    return usable
