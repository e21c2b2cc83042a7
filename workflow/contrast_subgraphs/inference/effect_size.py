"""How large is the difference? It is measured in people who did not choose the set.

A set that is found and measured in the same people differs too much, even without any effect. So it
is found in some of the people and measured in the others, fold by fold. What covariates explain is
removed with coefficients of the people outside the fold that do not use the group (Robinson,
Econometrica 1988; Chernozhukov et al., Econometrics Journal 2018). Folds share most of the people
who choose, so that the plain error is too small: permuted labels show by how much (`inflation`).
The best of several directions and penalties is again too good, so that its choice is repeated
inside the training parts (`ChosenEffect`). docs/effect_size.md has the recipe and the coverage.
"""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from ..contrast.alpha import PERCENTILES, Penalties
from ..core.checks import RandomState, check_count, plural
from ..core.notebook import draw_intervals
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.edge_statistic import CHUNK, EdgeStatistic
from .corrected_interval import REPEATS, half_width, variance_ratio
from .cross_fitting import freedom_of_people, held_out_numbers

#: The number of relabellings that show how much wider the interval must be.
CALIBRATION = 100
#: The number if direction and penalty are chosen too, which takes three times as long.
CHOICE_CALIBRATION = 50
#: With fewer folds no one is left for the choice once two folds are out.
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

    Examples
    --------
    >>> share = np.array([[1.0], [0.0]])
    >>> ChosenEffect(0.2, 0.8, 0.1, 0.3, 1.2, 0.4, 5.0, 0.0, share)
    <ChosenEffect: effect 0.2 (0.1 to 0.3), d = 0.80, where others choose direction and penalty>
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

    Examples
    --------
    >>> both = np.array([[0.2], [-0.2]])
    >>> found = HeldOutEffectResult(
    ...     contrasts=("a-b", "b-a"),
    ...     percentiles=(80.0,),
    ...     effect=both,
    ...     d=4 * both,
    ...     low=both - 0.1,
    ...     high=both + 0.1,
    ...     in_sample=np.array([[0.4], [0.3]]),
    ...     nodes=[[np.arange(5)], [np.arange(2)]],
    ...     empty=np.zeros((2, 1)),
    ...     inflation=np.ones(1),
    ...     inside=np.zeros((2, 1, 20)),
    ...     n_folds=5,
    ...     n_repeats=10,
    ... )
    >>> found
    <HeldOutEffectResult: a-b: effect 0.2 (0.1 to 0.3), d = 0.80; 5 folds, 10 repeats>
    >>> found.table()[["contrast", "effect", "size"]].values.tolist()
    [['a-b', 0.2, 5], ['b-a', -0.2, 2]]
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
        names = []
        for row in table.itertuples():
            # Neither a plain penalty nor the row of the choice has a percentile.
            name = row.contrast
            if not np.isnan(row.percentile):
                name = f"{name}, {row.percentile:g}"
            names.append(name)
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
    penalties = Penalties.of(percentiles, alphas)
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
    work = _Work(design.statistic(X, edge_statistic), penalties, n_folds, n_repeats)
    with threadpool_limits(1, "blas"):
        whole = work.in_sample(known)
        found = work.held_out(jobs)
    result = _result(work, whole, found)
    if (result.empty == 1).any():
        warnings.warn(
            "at some penalties no fold has a set of two regions or more: there the effect is 0 and "
            "has no interval",
            stacklevel=2,
        )
    return result


class _Work(NamedTuple):
    """What is measured: the observed labels and relabellings, each in several sets of folds."""

    statistic: EdgeStatistic
    penalties: Penalties
    n_folds: int
    n_repeats: int

    def in_sample(self, known):
        """The set that is reported, and its too large effect: one fold of all people."""
        design = self.statistic.design
        one_fold = np.zeros((1, len(design.rows)), dtype=int)
        return held_out_numbers(self.statistic, self.penalties, design.observed(), one_fold, known)

    def held_out(self, jobs):
        """The numbers of all draws; direction and penalty are chosen too where that is possible."""
        if self.n_folds >= FOLDS_TO_CHOOSE:
            try:
                return self._all_chunks(jobs, can_choose=True)
            except NoTest:
                # The people outside two folds are too few for the model; those outside one may
                # suffice.
                pass
        return self._all_chunks(jobs, can_choose=False)

    def _all_chunks(self, jobs, can_choose):
        chunks = _chunks(self.n_folds, self.n_repeats, can_choose)
        parts = list(mapped(self._chunk, chunks, jobs, "held-out people"))
        numbers, sums, chosen, shares = zip(*parts, strict=True)
        inside = sum(sums) / self.n_repeats
        if not can_choose:
            return _HeldOut(np.concatenate(numbers), inside)
        share = np.concatenate(shares).mean(axis=0)
        return _HeldOut(np.concatenate(numbers), inside, np.concatenate(chosen), share)

    def _chunk(self, one):
        """Measure some draws; of the observed labels also the weights inside, and the choices."""
        some, choose = one
        design = self.statistic.design
        draws = []
        folds = []
        for draw, repeat in some:
            # Folds are drawn for the labels of the draw: each has its share of both groups.
            if draw is None:
                labels = design.observed()
            else:
                labels = design.random(draw, draw + 1, "effect")
            draws.append(labels)
            folds.append(design.folds(self.n_folds, repeat, labels[0]))
        found = held_out_numbers(
            self.statistic, self.penalties, np.concatenate(draws), np.array(folds), choose=choose
        )
        own = sum(draw is None for draw, _ in some)
        return found.numbers, found.inside[:own].sum(axis=0), found.chosen, found.share[:own]


class _HeldOut(NamedTuple):
    """The numbers of all draws, with the observed labels first."""

    #: Effect, error, d and share of empty sets: (draw, 4, 2, K).
    numbers: np.ndarray
    #: The mean weight inside the sets in each graph, over the repeats.
    inside: np.ndarray
    #: Effect, error, d, share of empty sets and size where others choose; None if they cannot.
    chosen: np.ndarray | None = None
    #: The share of folds for which each direction and penalty is chosen.
    share: np.ndarray | None = None


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
        parts = n_folds
        if choose:
            parts = n_folds * (n_folds + 1) // 2
        size = max(1, CHUNK // parts)
        for start in range(0, len(some), size):
            chunks.append((some[start : start + size], choose))
    return chunks


def _result(work, whole, found):
    """Return the `HeldOutEffectResult` of the numbers of all draws."""
    design = work.statistic.design
    repeats = work.n_repeats
    effect, error, d, empty = np.moveaxis(found.numbers[:repeats], 1, 0)
    # One factor for both directions, whose null is the same but for skewness.
    ratio = variance_ratio(found.numbers[repeats:, :2], repeats).mean(axis=0)
    inflation = np.sqrt(np.maximum(1.0, ratio))
    freedom = freedom_of_people(design, work.n_folds)
    half = half_width(error, inflation, freedom)
    # An effect of sets that are never there is 0 by definition, and not by measurement.
    half = np.where(empty.mean(axis=0) == 1, np.nan, half)
    effect = effect.mean(axis=0)
    in_sample = whole.numbers[0, 0]
    chosen = None
    if found.chosen is not None:
        chosen = _chosen(found.chosen, repeats, freedom, found.share, in_sample)
    return HeldOutEffectResult(
        contrasts=design.contrasts[:2],
        percentiles=work.penalties.labels,
        effect=effect,
        d=d.mean(axis=0),
        low=effect - half,
        high=effect + half,
        in_sample=in_sample,
        nodes=whole.nodes,
        empty=empty.mean(axis=0),
        inflation=inflation,
        inside=found.inside,
        n_folds=work.n_folds,
        n_repeats=repeats,
        covariates=design.covariates,
        chosen=chosen,
    )


def _chosen(numbers, repeats, freedom, share, in_sample):
    """The `ChosenEffect` from the numbers of each draw, with the observed labels first."""
    effect, error, d, empty, size = numbers[:repeats].T
    inflation = float(np.sqrt(max(1.0, variance_ratio(numbers[repeats:, :2], repeats))))
    half = half_width(error, inflation, freedom)
    if empty.mean() == 1:
        half = np.nan
    # What a reader sees in all people is the set at the choice that most folds make.
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
