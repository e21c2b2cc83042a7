"""How large is the difference? It is measured in people who did not choose the set.

A set that is found and measured in the same people differs too much, even without any effect. So it
is found in some of the people and measured in the others, fold by fold. What covariates explain is
removed with coefficients of the people outside the fold that do not use the group (Robinson,
Econometrica 1988; Chernozhukov et al., Econometrics Journal 2018). Folds share most of the people
who choose, so that the plain error is too small: permuted labels show by how much (`inflation`).
The best of several directions and penalties is again too good, so that its choice is repeated
inside the training parts (`ChosenEffect`). docs/effect_size.md has the recipe and the coverage.
"""

import functools
import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

from ..contrast.alpha import PERCENTILES, alphas_of_percentiles, check_percentile, listed_penalties
from ..contrast.solver.search import search_quick
from ..core.checks import RandomState, check_count, check_number, plural
from ..core.errors import InputError
from ..core.notebook import draw_intervals
from ..core.pairs import blocks_of_pairs
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.covariates import Regression, without, without_in_rows
from ..design.edge_statistic import CHUNK
from .p_values import LEVEL, ROUNDING

#: The number of relabellings that show how much wider the interval must be, and the number of
#: assignments to folds for each.
CALIBRATION = 100
REPEATS = 2
#: The number if direction and penalty are chosen too, which takes three times as long.
CHOICE_CALIBRATION = 50
#: With fewer folds nobody is left for the choice once two folds are out.
FOLDS_TO_CHOOSE = 3
#: The contrast of the table's row in which direction and penalty were chosen.
CHOSEN = "chosen"


@dataclass(frozen=True, repr=False)
class ChosenEffect(Result):
    """A held-out effect whose direction and penalty were chosen without the people measured.

    Attributes
    ----------
    effect, d, low, high, inflation : float
        As in `HeldOutEffectResult`. Each fold is measured in the direction that was chosen for it,
        and d is in units of the standard deviation at that direction and penalty.
    in_sample : float
        The effect in all people, inside their set at the direction and penalty that is chosen most
        often. It is too large.
    size, empty : float
        The mean number of regions in the sets, and the share of folds without a set.
    share : numpy.ndarray of shape (2, K)
        The share of folds for which each direction and penalty is chosen.

    See Also
    --------
    HeldOutEffectResult : Has it as `chosen`.
    """

    effect: float
    d: float
    low: float
    high: float
    inflation: float
    in_sample: float
    size: float
    empty: float
    share: np.ndarray

    def _said(self) -> str:
        return (
            f"effect {self.effect:.3g} ({self.low:.3g} to {self.high:.3g}), d = {self.d:.2f}, "
            "where others choose direction and penalty"
        )


@dataclass(frozen=True, repr=False)
class HeldOutEffectResult(Result):
    """Result of `held_out_effect`, for the two directions and K penalties.

    Attributes
    ----------
    contrasts, percentiles : tuple
        Of length 2 and K. A percentile is None for a penalty that was given as a value.
    effect, d, low, high : numpy.ndarray of shape (2, K)
        The difference of the mean weight inside sets that others chose, Cohen's d, and the 95 %
        interval of the effect, which is NaN if no fold has a set.
    in_sample : numpy.ndarray of shape (2, K)
        The same difference inside the set found in all people, measured in them. It is too large.
    nodes : list of list of numpy.ndarray of int
        The sets found in all people.
    empty : numpy.ndarray of shape (2, K)
        The share of folds without a set. They count as no effect.
    inflation : numpy.ndarray of shape (K,)
        How much wider the interval is than the plain one.
    inside : numpy.ndarray of shape (2, K, n_graphs)
        The mean weight of each of the design's graphs inside the sets that the people outside its
        fold chose, averaged over the repeats.
    n_folds, n_repeats : int
    covariates : tuple of str
    chosen : ChosenEffect or None
        None with two folds, or if the people outside two folds are too few to choose by.

    See Also
    --------
    held_out_effect : Returns it.
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
    chosen: ChosenEffect | None = None

    _columns = ("contrast", "percentile", "size", "effect", "low", "high", "d", "in_sample")

    def _said(self) -> str:
        folds = f"{self.n_folds} folds, {plural(self.n_repeats, 'repeat')}"
        if self.chosen is not None:
            return f"{self.chosen._said()}; {folds}"
        return (
            f"{self.contrasts[0]}: effect {self.effect[0, 0]:.3g} ({self.low[0, 0]:.3g} to "
            f"{self.high[0, 0]:.3g}), d = {self.d[0, 0]:.2f}; {folds}"
        )

    def _draw(self, axes: Any) -> bool:
        table = self.table()
        names = [
            row.contrast if np.isnan(row.percentile) else f"{row.contrast}, {row.percentile:g}"
            for row in table.itertuples()
        ]
        ends = table["low"].to_numpy(), table["high"].to_numpy()
        return draw_intervals(axes, names, table["effect"], *ends, "effect in held-out people")

    def table(self) -> pd.DataFrame:
        """Return one row for each direction and penalty, with the columns `COLUMNS`.

        The last row, whose contrast is called ``chosen``, is the effect at the direction and
        penalty that were chosen without the people measured. ``share_chosen`` of the other rows is
        the share of folds that chose them.
        """
        count = len(self.percentiles)
        columns = {
            "contrast": np.repeat(self.contrasts, count),
            "percentile": np.array([*self.percentiles] * len(self.contrasts), dtype=float),
            "size": [len(nodes) for row in self.nodes for nodes in row],
            "folds": self.n_folds,
            "repeats": self.n_repeats,
        }
        for name in MEASURED:
            columns[name] = getattr(self, name).ravel()
        columns["share_chosen"] = np.nan
        if self.chosen is None:
            return pd.DataFrame(columns)[COLUMNS]
        columns["share_chosen"] = self.chosen.share.ravel()
        row = {name: getattr(self.chosen, name) for name in MEASURED}
        row |= {"contrast": CHOSEN, "percentile": np.nan, "share_chosen": np.nan}
        row |= {"size": round(self.chosen.size), "folds": self.n_folds, "repeats": self.n_repeats}
        return pd.concat([pd.DataFrame(columns), pd.DataFrame([row])], ignore_index=True)[COLUMNS]


#: The columns of the table, and those of them that are measured.
COLUMNS = "contrast percentile effect d low high in_sample size empty folds repeats".split()
COLUMNS.append("share_chosen")
MEASURED = "effect d low high in_sample empty".split()


def held_out_effect(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    percentiles: float | Sequence[float] = PERCENTILES,
    alphas: float | Sequence[float] = (),
    edge_statistic: str = "difference",
    n_folds: int = 5,
    n_repeats: int = 10,
    known: Sequence | None = None,
    labels: Sequence | Mapping | None = None,
    variable: str | None = None,
    ranks: bool = False,
    paired: bool = False,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    modes: int | str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
    name: str = "",
) -> HeldOutEffectResult:
    """Measure the difference inside contrast subgraphs in people who did not choose them.

    Parameters
    ----------
    X, y
        As for `permutation_test`. Folds are spread over blocks, and labels are permuted within
        them for the interval. For an effect *within* blocks, give them as a covariate too.
    percentiles, alphas : float or sequence of float
        The penalties: percentiles of the difference graph of the people outside the fold, and
        plain values.
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair in the search for a set. The effect is in the graphs' own weights.
    n_folds, n_repeats : int
        The number of folds, and of random assignments to them.
    known : sequence, optional
        The sets of all people, in both directions at each penalty, if they are known already:
        several can be equally good.
    labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    HeldOutEffectResult

    Raises
    ------
    InputError
        If there is no penalty, or fewer than two folds.
    NoTest
        If a group is too small for the folds, or if the question has no direction.

    See Also
    --------
    permutation_test : Tests whether there is a difference at all.
    site_effects : Uses sites in place of folds.
    confirm : Uses other people in place of folds.

    References
    ----------
    Robinson: Root-N-consistent semiparametric regression. Econometrica 56, 1988.
    https://doi.org/10.2307/1912705

    Chernozhukov et al.: Double/debiased machine learning. Econometrics Journal 21, 2018.
    https://doi.org/10.1111/ectj.12097

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
    jobs = check_jobs(n_jobs)
    percentiles = [check_percentile(value) for value in listed_penalties(percentiles)]
    alphas = [check_number(value, "alpha") for value in listed_penalties(alphas)]
    if not percentiles + alphas:
        raise InputError("give at least one penalty, as percentiles or as alphas")
    X, design = asked_of(
        X,
        y,
        labels=labels,
        variable=variable,
        ranks=ranks,
        paired=paired,
        blocks=blocks,
        covariates=covariates,
        subjects=subjects,
        exchange=exchange,
        modes=modes,
        random_state=random_state,
        name=name,
    )
    if len(design.contrasts) < 2:
        raise NoTest(f"{design.what} has no direction: there is no effect size of it")
    if (least := design.people_of_strata().min()) <= n_folds:
        raise NoTest(f"a group of {least} is too small for {n_folds} folds: it needs one more")
    measured = functools.partial(
        held_out_numbers, design.statistic(X, edge_statistic), percentiles, alphas
    )

    def chunk(one):
        some, choose = one
        draws, folds = [], []
        for draw, repeat in some:
            one = design.observed() if draw is None else design.random(draw, draw + 1, "effect")
            draws.append(one)
            folds.append(design.folds(n_folds, repeat, one[0]))
        found = measured(np.concatenate(draws), np.array(folds), choose=choose)
        own = sum(draw is None for draw, _ in some)
        return found.numbers, found.inside[:own].sum(axis=0), found.chosen, found.share[:own]

    with threadpool_limits(1, "blas"):
        # One fold of all people: the set that is reported, and its too large effect.
        everybody = np.zeros((1, len(design.rows)), dtype=int)
        whole = measured(design.observed(), everybody, known)
        found, can_choose = _all_chunks(chunk, n_folds, n_repeats, jobs)
        parts, sums, choices, shares = zip(*found, strict=True)
        found = np.concatenate(parts)  # of (draw, number, contrast, penalty)
    effect, error, d, empty = np.moveaxis(found[:n_repeats], 1, 0)
    inflation = np.sqrt(
        # One for both directions, whose null is the same but for skewness.
        np.maximum(1.0, _too_narrow(found[n_repeats:, :2], n_repeats).mean(axis=0))
    )
    freedom = _freedom_of_people(design, n_folds)
    in_sample = whole.numbers[0, 0]
    half = _half(error, inflation, freedom)
    never = empty.mean(axis=0) == 1
    chosen = None
    if can_choose:
        share = np.concatenate(shares).mean(axis=0)
        chosen = _chosen(np.concatenate(choices), n_repeats, freedom, share, in_sample)
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
        in_sample=in_sample,
        nodes=whole.nodes,
        empty=empty.mean(axis=0),
        inflation=inflation,
        inside=sum(sums) / n_repeats,
        n_folds=n_folds,
        n_repeats=n_repeats,
        covariates=design.covariates,
        chosen=chosen,
    )


def _all_chunks(chunk, n_folds, n_repeats, jobs):
    """Return the results of `chunk` for all draws, and whether direction and penalty are chosen."""
    what = "held-out people"
    if n_folds >= FOLDS_TO_CHOOSE:
        try:
            return list(mapped(chunk, _chunks(n_folds, n_repeats, True), jobs, what)), True
        except NoTest:
            # The people outside two folds are too few for the model; those outside one may suffice.
            pass
    return list(mapped(chunk, _chunks(n_folds, n_repeats, False), jobs, what)), False


def _chunks(n_folds, n_repeats, can):
    """Return the chunks of work: draws with their repeats, and whether direction is chosen too.

    The observed labels come first, then the relabellings. `can`: whether there is a choice at all.
    """
    choosing = [(None, repeat) for repeat in range(n_repeats)]
    others = list(itertools.product(range(CALIBRATION), range(REPEATS)))
    count = CHOICE_CALIBRATION * REPEATS
    choosing += others[:count]
    chunks = []
    for some, choose in ((choosing, can), (others[count:], False)):
        parts = n_folds * (n_folds + 1) // 2 if choose else n_folds
        size = max(1, CHUNK // parts)
        for start in range(0, len(some), size):
            chunks.append((some[start : start + size], choose))
    return chunks


def _half(error, inflation, freedom):
    """Half the width of the interval of a mean over repeats."""
    return inflation * stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt((error**2).mean(axis=0))


def _chosen(numbers, n_repeats, freedom, share, in_sample):
    """The `ChosenEffect` from the numbers of each draw, with the observed labels first."""
    effect, error, d, empty, size = numbers[:n_repeats].T
    inflation = float(np.sqrt(max(1.0, _too_narrow(numbers[n_repeats:, :2], n_repeats))))
    half = _half(error, inflation, freedom)
    if empty.mean() == 1:
        half = np.nan
    most = np.unravel_index(share.argmax(), share.shape)
    return ChosenEffect(
        effect=float(effect.mean()),
        d=float(d.mean()),
        low=float(effect.mean() - half),
        high=float(effect.mean() + half),
        inflation=inflation,
        in_sample=float(in_sample[most]),
        size=float(size.mean()),
        empty=float(empty.mean()),
        share=share,
    )


@dataclass
class _Measured:
    """The results of `held_out_numbers` for each draw."""

    numbers: np.ndarray  # effect, error, d and share of empty sets: (draw, 4, 2, K)
    inside: np.ndarray  # of each graph
    nodes: list  # of the last fold
    chosen: np.ndarray  # effect, error, d, share of empty sets and size: (draw, 5), or no draws
    share: np.ndarray  # of the folds, for which each is chosen: (draw, 2, K)


def held_out_numbers(
    statistic, percentiles, alphas, draws, folds, known=None, choose=False, among=None
):
    """Measure each draw of labels on the people of each fold, inside sets of the others.

    With one fold, the people who choose the set are measured too. With `choose`, direction and
    penalty are chosen for each fold too. `among` is a mask of the people to use.
    """
    design = statistic.design
    if among is None:
        among = np.ones(folds.shape[1], dtype=bool)
    count = folds.max() + 1
    # 1. Leave out each fold, and for the choice also each pair of folds.
    pairs = list(itertools.combinations(range(count), 2)) if choose else []
    out = [{fold} for fold in range(count)] + [set(pair) for pair in pairs]
    left = [np.isin(folds, list(some), invert=True) | (count == 1) for some in out]
    train = np.stack(left, axis=1) & among  # (draw, part, graph)
    # 2. The difference graphs of all training parts at once.
    rows = statistic.of_parts(train.reshape(-1, folds.shape[1]), np.repeat(draws, len(out), axis=0))
    rows = rows.reshape(len(draws), len(out), -1)
    n_penalties = len(percentiles) + len(alphas)
    found = _Measured([], np.zeros((len(draws), 2, n_penalties, len(design.rows))), [], [], [])
    for k, value in enumerate(design.relabelled(draws)):
        sums, sizes = [], []
        inner = np.zeros((count, 4, 2, n_penalties))
        for part, (row, rest, some) in enumerate(zip(rows[k], train[k], out, strict=True)):
            nodes = known or [
                sets_at(form, percentiles, alphas, design.random_state)
                for form in statistic.contrasts(row)[:2]
            ]
            values = weights_inside(statistic, [one for sets in nodes for one in sets])
            values = values.reshape(2, -1, len(value))
            if part < count:
                here = (folds[k] == part) & among
                found.inside[k][..., here] = values[..., here]
                sums.append(_sums(design, value, values, here, rest))
                sizes.append([[len(one) for one in sets] for sets in nodes])
                found.nodes = nodes
                continue
            # Two folds are left out: each of them is measured, to choose for the other.
            for fold in some:
                [other] = some - {fold}
                inner[other] += _sums(design, value, values, (folds[k] == fold) & among, rest)
        # 3. Sums over folds give the effect at each direction and penalty.
        sums, sizes = np.array(sums), np.array(sizes)
        estimates = _estimates(design, count, sums.sum(axis=0))
        found.numbers.append([*estimates, (sizes < 2).mean(axis=0)])
        if choose:
            # 4. For each fold the direction and penalty that measure best without it.
            best = [_best(design, count, one) for one in inner]
            of_best = sums[(np.arange(count), slice(None), *np.transpose(best))]
            size = sizes[(np.arange(count), *np.transpose(best))]
            effect, error, _ = _estimates(design, count, of_best.sum(axis=0))
            # Means over few regions vary more: each fold counts in units of its own choice.
            sd = _sd(design, count, sums.sum(axis=0))[tuple(np.transpose(best))]
            product, weight = of_best[:, 0], of_best[:, 1]
            units = np.divide(product, sd, out=np.zeros_like(product), where=product != 0)
            d = units.sum() / weight.sum()
            found.chosen.append([effect, error, d, (size < 2).mean(), size.mean()])
            share = np.zeros((2, n_penalties))
            np.add.at(share, tuple(np.transpose(best)), 1 / count)
            found.share.append(share)
    found.numbers = np.array(found.numbers)
    found.chosen = np.reshape(found.chosen, (-1, 5))
    found.share = np.reshape(found.share, (-1, 2, n_penalties))
    return found


def _sums(design, value, values, here, rest):
    """Sums over some people from which `_estimates` computes effects, (4, 2, K).

    What covariates explain is removed with coefficients of other people, `rest`.
    """
    held = Regression(design.nuisance[rest])
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
    group = group - group.mean()
    values[1] *= -1  # the second direction is the second group minus the first
    product = values @ group
    weight = np.full(values.shape[:2], group @ group)
    # A fold in which the regressor is constant, such as one person's graphs, says nothing.
    slope = np.divide(product, weight, out=np.zeros_like(product), where=weight > 0)
    left = values - slope[..., None] * group
    # Graphs of one person are correlated: only their sums are independent between people.
    scores = sums_of(left * group, design.cluster[here])[0]
    return np.array([product, weight, (left**2).sum(axis=-1), (scores**2).sum(axis=-1)])


def _estimates(design, count, sums):
    """The effect, its plain error and d, from `_sums` over `count` folds."""
    product, weight, _, spread = sums
    few = (design.cluster.max() + 1) / _freedom_of_people(design, count)
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
    levels = n_folds if design.level is None else design.level.max() + 1
    return max(1, len(design.rows) - n_folds - levels)


def _freedom_of_people(design, n_folds):
    """Degrees of freedom of the people: each fold takes a slope, and a mean unless levels do."""
    fitted = 2 if design.level is None else 1
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


def sets_at(weights, percentiles, alphas, seed):
    """The best set at each penalty, empty if no weight is above it."""
    penalties = [*alphas_of_percentiles(weights, percentiles), *alphas]
    return [np.flatnonzero(one) for one in search_quick([weights], penalties, seed=seed)[0][0]]


def weights_inside(statistic, sets):
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


def _too_narrow(permuted, repeats):
    """The ratio of the true variance to the plain one, from permuted effects and errors.

    It is for the mean of `repeats` assignments to folds, from `REPEATS` of each relabelling.
    """
    permuted = permuted.reshape(-1, REPEATS, *permuted.shape[1:])
    effect, error = np.moveaxis(permuted, 2, 0)
    count = len(effect)
    plain = np.sqrt((error**2).mean(axis=1, keepdims=True))
    z = np.divide(effect, plain, out=np.zeros_like(effect), where=plain > 0)
    z -= z.mean(axis=(0, 1))
    between = z.sum(axis=1) ** 2 - (z**2).sum(axis=1)  # of different assignments, all pairs
    # A mean over repeats has the variance that different assignments share, and a part of the rest
    # that falls with the number of repeats.
    shared = between.sum(axis=0) / (count - 1) / (REPEATS * (REPEATS - 1))
    every = (z**2).sum(axis=(0, 1)) / (count - 1) / REPEATS
    return shared + (every - shared) / repeats
