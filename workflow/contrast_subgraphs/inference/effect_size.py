"""How large is the difference? Measured on people who did not choose the set.

A set that is found and measured in the same people differs too much, and without any effect. So it
is found on some of the people and measured on the others, fold by fold. What covariates explain is
taken off by coefficients of the people outside the fold that do not use the group (Robinson,
Econometrica 1988; Chernozhukov et al., Econometrics Journal 2018). Folds share the people who
choose, so the plain error is too small: how much is measured on permuted labels (`inflation`).
docs/effect_size.md has the recipe and the coverage.
"""

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

from ..contrast.alpha import PERCENTILES, alphas_of_percentiles, check_percentile, listed_penalties
from ..contrast.solver.search import search_quick
from ..core.checks import check_count, check_number
from ..core.errors import InputError
from ..core.pairs import blocks_of_pairs
from ..core.processes import mapped
from ..design import Design, NoTest, make_design
from ..design.asked import Asked
from ..design.edge_statistic import CHUNK
from .p_values import LEVEL, ROUNDING

#: Relabellings that say how much wider the interval must be, and assignments to folds of each.
CALIBRATION, REPEATS = 100, 2


@dataclass(frozen=True)
class HeldOutEffectResult:
    """Result of `held_out_effect`, for the two directions and K penalties.

    Attributes
    ----------
    contrasts, percentiles : tuple
        Length 2, and K: None for a penalty that was given as a value.
    effect, d, low, high : numpy.ndarray of shape (2, K)
        Difference of mean weight inside sets that others chose, Cohen's d, and the 95 % interval
        of the effect, which is NaN if no fold has a set.
    in_sample : numpy.ndarray of shape (2, K)
        The same difference inside the set of everybody, in these people: too large.
    nodes : list of list of numpy.ndarray of int
        The sets of everybody.
    empty : numpy.ndarray of shape (2, K)
        Share of the folds without a set. They count as no effect.
    inflation : numpy.ndarray of shape (K,)
        How much wider the interval is than the plain one.
    inside : numpy.ndarray of shape (2, K, n_graphs)
        Mean weight of each of the design's graphs inside the sets that the people outside its fold
        chose, averaged over the repeats.
    n_folds, n_repeats : int
    covariates : tuple of str
    """

    contrasts: tuple
    percentiles: tuple
    effect: np.ndarray
    d: np.ndarray
    low: np.ndarray
    high: np.ndarray
    in_sample: np.ndarray
    nodes: list
    empty: np.ndarray
    inflation: np.ndarray
    inside: np.ndarray
    n_folds: int
    n_repeats: int
    covariates: tuple = ()

    def table(self) -> pd.DataFrame:
        """Return one row for each direction and penalty, with the columns `COLUMNS`."""
        count = len(self.percentiles)
        columns = {
            "contrast": np.repeat(self.contrasts, count),
            "percentile": np.array([*self.percentiles] * len(self.contrasts), dtype=float),
            "size": [len(nodes) for row in self.nodes for nodes in row],
            "folds": self.n_folds,
            "repeats": self.n_repeats,
        }
        columns |= {name: getattr(self, name).ravel() for name in COLUMNS if name not in columns}
        return pd.DataFrame(columns)[COLUMNS]


#: Of the table.
COLUMNS = "contrast percentile effect d low high in_sample size empty folds repeats".split()


def held_out_effect(
    X: ArrayLike,
    y: ArrayLike | Design,
    *,
    percentiles: float | Sequence[float] = PERCENTILES,
    alphas: float | Sequence[float] = (),
    edge_statistic: str = "difference",
    n_folds: int = 5,
    n_repeats: int = 10,
    known: Sequence | None = None,
    n_jobs: int | None = None,
    **question: Unpack[Asked],
) -> HeldOutEffectResult:
    """Measure the difference inside contrast subgraphs on people who did not choose them.

    Parameters
    ----------
    X, y, n_jobs, **question
        As for `permutation_test`. Folds are spread over blocks, and labels are permuted within
        them for the interval: for an effect *within* blocks give them as a covariate too.
    percentiles, alphas : float or sequence of float
        The penalties: percentiles of the difference graph of the people outside the fold, and
        plain values.
    edge_statistic : {"difference", "t", "welch"}
        What pairs weigh when a set is searched for. The effect is in the graphs' own weights.
    n_folds, n_repeats : int
        Folds, and draws of them.
    known : sequence, optional
        Everybody's sets, in both directions at each penalty, of which several can be equally good.

    Returns
    -------
    HeldOutEffectResult

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 8, 8)) < 0.3, 1).astype(int)
    >>> graphs[:20, :4, :4] = np.triu(rng.random((20, 4, 4)) < 0.8, 1)
    >>> y = np.repeat(["a", "b"], 20)
    >>> found = held_out_effect(graphs + graphs.transpose(0, 2, 1), y, percentiles=80)
    >>> found.contrasts, found.nodes[0][0].tolist()
    (('a-b', 'b-a'), [0, 1, 2, 3])
    >>> bool(0.4 < found.effect[0, 0] < 0.6), bool(found.low[0, 0] > 0 > found.low[1, 0])
    (True, True)
    """
    check_count(n_folds, "n_folds", 2)
    check_count(n_repeats, "n_repeats")
    jobs = 1 if n_jobs is None else check_count(n_jobs, "n_jobs")
    percentiles = [check_percentile(value) for value in listed_penalties(percentiles)]
    alphas = [check_number(value, "alpha") for value in listed_penalties(alphas)]
    if not percentiles + alphas:
        raise InputError("give at least one penalty, as percentiles or as alphas")
    design = make_design(X, y, **question)
    if len(design.contrasts) < 2:
        raise NoTest(f"{design.what} has no direction: there is no effect size of it")
    if (least := design.people_of_strata().min()) <= n_folds:
        raise NoTest(f"a group of {least} is too small for {n_folds} folds: it needs one more")
    measured = functools.partial(
        _measured, design.statistic(X, edge_statistic), percentiles, alphas
    )
    drawn: list = [(None, repeat) for repeat in range(n_repeats)]
    drawn += [(draw, repeat) for draw in range(CALIBRATION) for repeat in range(REPEATS)]
    size = max(1, CHUNK // n_folds)

    def chunk(start):
        draws, folds = [], []
        for draw, repeat in drawn[start : start + size]:
            one = design.observed() if draw is None else design.random(draw, draw + 1, "effect")
            draws.append(one)
            folds.append(design.folds(n_folds, repeat, one[0]))
        one, _, inside = measured(np.concatenate(draws), np.array(folds))
        return one, inside[: max(0, n_repeats - start)].sum(axis=0)

    with threadpool_limits(1, "blas"):
        everybody = np.zeros((1, len(design.rows)), dtype=int)
        whole, nodes, _ = measured(design.observed(), everybody, known)
        parts, sums = zip(
            *mapped(chunk, range(0, len(drawn), size), jobs, "held-out people"), strict=True
        )
        found = np.concatenate(parts)  # of (draw, number, contrast, penalty)
    effect, error, d, empty = np.moveaxis(found[:n_repeats], 1, 0)
    inflation = _inflation(found[n_repeats:, :2], n_repeats)
    freedom = _freedom_of_people(design, n_folds)
    half = inflation * stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt((error**2).mean(axis=0))
    never = empty.mean(axis=0) == 1
    if never.any():
        warnings.warn(
            "at some penalties no fold has a set of two regions or more: there the effect is 0 and "
            "has no interval",
            stacklevel=2,
        )
    effect, half = effect.mean(axis=0), np.where(never, np.nan, half)
    return HeldOutEffectResult(
        contrasts=design.contrasts[:2],
        percentiles=(*percentiles, *[None] * len(alphas)),
        effect=effect,
        d=d.mean(axis=0),
        low=effect - half,
        high=effect + half,
        in_sample=whole[0, 0],
        nodes=nodes,
        empty=empty.mean(axis=0),
        inflation=inflation,
        inside=sum(sums) / n_repeats,
        n_folds=n_folds,
        n_repeats=n_repeats,
        covariates=design.covariates,
    )


def _measured(statistic, percentiles, alphas, draws, folds, known=None):
    """Effect, error, d and share of empty sets of each draw; the last fold's sets; weights inside.

    With one fold the people are measured who choose the set.
    """
    design, count = statistic.design, folds.max() + 1
    freedom = _freedom(design, count)
    people = design.cluster.max() + 1
    few = people / _freedom_of_people(design, count)
    held = folds[:, None] == np.arange(count)[:, None]
    train = ~held | (count == 1)
    parts = train.reshape(-1, folds.shape[1])
    rows = statistic.of_parts(parts, np.repeat(draws, count, axis=0))
    found, inside = [], np.zeros((len(draws), 2, len(percentiles) + len(alphas), len(design.rows)))
    for k, value in enumerate(design.relabelled(draws)):
        sums, empty = [], []
        for row, here, rest in zip(rows[k * count :], held[k], train[k], strict=False):
            nodes = known or [
                _sets(form, percentiles, alphas, design.random_state)
                for form in statistic.contrasts(row)[:2]
            ]
            empty.append([[len(one) < 2 for one in sets] for sets in nodes])
            values = _inside(statistic, [one for sets in nodes for one in sets])
            values = values.reshape(2, -1, len(value))
            inside[k][..., here] = values[..., here]
            # What covariates explain, by coefficients of the people outside the fold.
            inverse = np.linalg.pinv(design.nuisance[rest], rcond=1e-10)
            values = values[..., here] - values[..., rest] @ inverse.T @ design.nuisance[here].T
            group = value[here] - design.nuisance[here] @ (inverse @ value[rest])
            if design.level is not None:  # how these people differ from each other is not asked
                person = design.level[here]
                values, group = (_within_people(of, person) for of in (values, group))
            values, group = (of - of.mean(axis=-1, keepdims=True) for of in (values, group))
            values[1] *= -1  # the second direction is the second group minus the first
            product, weight = values @ group, np.full(values.shape[:2], group @ group)
            # People who are all alike in what is asked, such as one person's graphs, say nothing.
            slope = np.divide(product, weight, out=np.zeros_like(product), where=weight > 0)
            left = values - slope[..., None] * group
            # A person's graphs go together: their sum is what is independent of the others'.
            scores = _sums_of(left * group, design.cluster[here])[0]
            sums.append([product, weight, (left**2).sum(axis=-1), (scores**2).sum(axis=-1)])
        product, weight, squares, spread = np.sum(sums, axis=0)
        effect = product / weight
        # Where nobody differs within the groups: the squares of one person off by the effect.
        floor = np.where(squares > ROUNDING * effect**2, 0.0, effect**2 / freedom)
        error = np.sqrt(np.maximum(spread / weight**2 * few, floor / weight))
        sd = np.sqrt(np.maximum(squares / freedom, floor))
        d = np.divide(effect, sd, out=np.zeros_like(effect), where=effect != 0)
        found.append([effect, error, d, np.mean(empty, axis=0)])
    return np.array(found), nodes, inside


def _freedom(design, n_folds):
    """Degrees of freedom that slopes, means and persons' levels leave of the graphs."""
    levels = n_folds if design.level is None else design.level.max() + 1
    return max(1, len(design.rows) - n_folds - levels)


def _freedom_of_people(design, n_folds):
    """Degrees of freedom of the people: of each fold a slope, and a mean unless levels are out."""
    fitted = 2 if design.level is None else 1
    return max(1, design.cluster.max() + 1 - fitted * n_folds)


def _sums_of(numbers, people):
    """Return numbers, (..., n_graphs), summed over the graphs of each person; each graph's person.

    The persons are numbered from 0.
    """
    code = np.unique(people, return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    return np.add.reduceat(numbers[..., order], starts, axis=-1), code


def _within_people(numbers, people):
    """Return numbers, (..., n_graphs), as deviations from the mean of each person's."""
    total, code = _sums_of(numbers, people)
    mean = total / np.bincount(code)
    return numbers - mean[..., code]


def _sets(weights, percentiles, alphas, seed):
    """The best set at each penalty, empty where nothing weighs more."""
    penalties = [*alphas_of_percentiles(weights, percentiles), *alphas]
    return [np.flatnonzero(one) for one in search_quick([weights], penalties, seed=seed)[0][0]]


def _inside(statistic, sets):
    """Mean weight of the pairs inside each set in each person; 0 if there are none."""
    members = np.zeros((statistic.n_vertices, len(sets)), dtype=bool)
    for k, nodes in enumerate(sets):
        members[nodes, k] = True
    inside = members[statistic.pairs[:, 0]] & members[statistic.pairs[:, 1]]
    total, count = 0.0, np.maximum(1, inside.sum(axis=0))
    for block in blocks_of_pairs(statistic.edges):
        some = block.start + np.flatnonzero(inside[block].any(axis=1))
        weights = statistic.weights[:, some].astype(float, order="F")
        total = total + weights @ inside[some].astype(float)
    return (total / count).T


def _inflation(permuted, repeats):
    """How much wider than the plain interval, from effects and errors of permuted labels.

    Of the mean of `repeats` assignments to folds, from `REPEATS` of each relabelling.
    """
    effect, error = np.moveaxis(permuted.reshape(CALIBRATION, REPEATS, *permuted.shape[1:]), 2, 0)
    plain = np.sqrt((error**2).mean(axis=1, keepdims=True))
    z = np.divide(effect, plain, out=np.zeros_like(effect), where=plain > 0)
    z -= z.mean(axis=(0, 1))
    between = z.sum(axis=1) ** 2 - (z**2).sum(axis=1)  # of different assignments, all pairs
    shared = between.sum(axis=0) / (CALIBRATION - 1) / (REPEATS * (REPEATS - 1))
    every = (z**2).sum(axis=(0, 1)) / (CALIBRATION - 1) / REPEATS
    # One for both directions, whose null is the same but for skewness.
    return np.sqrt(np.maximum(1.0, (shared + (every - shared) / repeats).mean(axis=0)))
