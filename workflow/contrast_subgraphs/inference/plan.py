"""How many people would it take? To confirm a set that a pilot found, and to find one anew.

To confirm is one test of one number for each person: how many people it takes follows from the
effect in people who did not choose the set, by the power of a t test. To find is a search over all
sets, whose p has no such formula: it is measured in parts of the pilot and extrapolated. The normal
score of p grows with the square root of the number of people where a difference is there, which is
all that is assumed, and what the parts of the pilot can be held against.
"""

import contextlib
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import nctdtr, ndtr, ndtri, stdtrit
from threadpoolctl import threadpool_limits

from ..contrast.alpha import alphas_of_percentiles, check_percentile, listed_penalties
from ..core import seeds
from ..core.checks import RandomState, check_count, check_number
from ..core.errors import InputError
from ..core.holm import LEVEL
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.covariates import unexplained
from ..design.edge_statistic import CHUNK
from .effect_size import FOLDS_TO_CHOOSE, held_out_effect, held_out_numbers
from .p_values import LEVEL as CONFIDENCE
from .p_values import min_p_scores, p_value
from .permutation import best_surpluses

#: Share of the cases in which the difference is found, or confirmed.
SHARE = 0.8
#: Parts of the pilot in which a set is searched for, and how many of each.
PARTS = (0.25, 0.5, 0.75, 1.0)
N_PARTS = 8
#: Relabellings of each part.
PERMUTATIONS = 199
#: Draws of the folds of a held-out effect: of the pilot, and of each part.
REPEATS, FEW_REPEATS = 10, 1
#: People are drawn with replacement this often, to see what a t test takes for granted.
RESAMPLED = 1000
#: No plan is made for more people.
MOST = 10**7
#: Numbers of people in the table, in pilots.
MULTIPLES = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)


@dataclass(frozen=True)
class Confirming:
    """How many people confirm the pilot's set.

    Attributes
    ----------
    d, d_low : float
        Cohen's d in people who did not choose the set, and at the lower end of its 95 % interval.
    people, people_low : float
        How many people it takes with either; infinite where the effect is not above 0.
    resampled : float
        With `people` drawn from the pilot with replacement: the share confirmed. NaN if infinite.
    """

    d: float
    d_low: float
    people: float
    people_low: float
    resampled: float


@dataclass(frozen=True, repr=False)
class PlanResult(Result):
    """Result of `plan`.

    Attributes
    ----------
    pilot : int
        The number of people.
    confirm : Confirming
    score : float
        The normal score of the pilot's p over all contrasts and penalties.
    discover, discover_low, discover_high : float
        How many people find a set, extrapolated from the pilot's p, and the 95 % interval. Infinite
        where the pilot gives no sign of a difference, or where its interval does not.
    parts : pandas.DataFrame
        Of each part of the pilot: ``people, number, p, score, effect`` (in held-out people).
    share, level : float
        The share of the cases, and the level of both tests.

    See Also
    --------
    plan : What gives it.
    """

    pilot: int
    confirm: Confirming
    score: float
    discover: float
    discover_low: float
    discover_high: float
    parts: pd.DataFrame
    share: float
    level: float
    spread: float
    fitted: int

    def power_to_confirm(self, people: ArrayLike, *, cautious: bool = False) -> np.ndarray:
        """Return the share of cases in which so many people confirm the set.

        Parameters
        ----------
        people : array_like of int
        cautious : bool
            With the lower end of the interval of d.

        Returns
        -------
        numpy.ndarray
        """
        d = self.confirm.d_low if cautious else self.confirm.d
        return t_power(d, people, self.spread, self.fitted, self.level)

    def power_to_discover(self, people: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the share of cases in which so many people find a set, and its 95 % interval.

        Parameters
        ----------
        people : array_like of int

        Returns
        -------
        tuple of numpy.ndarray
            The share, its lower and its upper end. Beyond the pilot they are extrapolated.
        """
        growth = np.sqrt(np.asarray(people, dtype=float) / self.pilot)
        half = ndtri((1 + CONFIDENCE) / 2)
        found = [
            ndtr((self.score + shift) * growth + ndtri(self.level)) for shift in (0, -half, half)
        ]
        return found[0], found[1], found[2]

    def table(self) -> pd.DataFrame:
        """Return the power of both tests for several numbers of people."""
        people = np.unique([max(4, round(one * self.pilot)) for one in MULTIPLES])
        discover, low, high = self.power_to_discover(people)
        return pd.DataFrame(
            {
                "people": people,
                "confirm": self.power_to_confirm(people),
                "confirm_low": self.power_to_confirm(people, cautious=True),
                "discover": discover,
                "discover_low": low,
                "discover_high": high,
                "extrapolated": people > self.pilot,
            }
        )

    def plot(self, axes: Any) -> None:
        """Draw the power against the number of people, and p in the parts of the pilot.

        Parameters
        ----------
        axes : matplotlib.axes.Axes
        """
        self._draw(axes)

    def _said(self) -> str:
        return (
            f"{self.share:.0%} of cases: {_people(self.confirm.people)} confirm the set, "
            f"{_people(self.discover)} find one (pilot: {self.pilot})"
        )

    def _draw(self, axes: Any) -> bool:
        people = np.linspace(4, max(MULTIPLES) / 2 * self.pilot, 200)
        found, low, high = self.power_to_discover(people)
        axes.fill_between(people, low, high, color="#c9d8ea", label="95 % interval")
        axes.plot(people, found, color="#1f4e79", label="find a set (extrapolated)")
        axes.plot(people, self.power_to_confirm(people), color="#a4540a", label="confirm the set")
        axes.axvline(self.pilot, color="#7a7a7a", linewidth=0.8, linestyle=":")
        # The share of the parts with a small p, which the curve did not see.
        there = self.parts.dropna(subset="p")
        seen = (there["p"] <= self.level).groupby(there["people"]).mean()
        axes.plot(seen.index, seen, "o", color="#1f4e79", label="parts of the pilot")
        axes.axhline(self.share, color="#7a7a7a", linewidth=0.8, linestyle=":")
        axes.set(xlabel="people", ylabel="share of cases", ylim=(0, 1.02), xlim=(0, people[-1]))
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        return True


def plan(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    percentiles: float | Sequence[float] = 80,
    share: float = SHARE,
    level: float = LEVEL,
    edge_statistic: str = "difference",
    n_permutations: int = PERMUTATIONS,
    n_parts: int = N_PARTS,
    n_folds: int = 5,
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
) -> PlanResult:
    """Say how many people it takes to confirm what a pilot study found, and to find it anew.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    percentiles : float or sequence of float
        The penalties, as percentiles of relabelled difference graphs.
    share : float
        In which share of the cases it is found.
    level : float
        The level of the tests: of `confirm` one-sided, of a search over all contrasts and
        penalties.
    n_permutations : int
        Relabellings of the pilot and of each of its parts.
    n_parts : int
        How many parts of each size: 25, 50 and 75 % of each group in each block.
    n_folds : int
        Folds of the held-out effects.
    edge_statistic, labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    PlanResult

    Raises
    ------
    InputError
        If the pilot is too small for held-out effects, or has no direction.

    See Also
    --------
    would_find : The smallest difference that the people at hand would have shown.
    confirm : The test that is planned for.

    Notes
    -----
    All numbers beyond the pilot are extrapolated, from one p and one effect, and as uncertain as
    these: `discover_low` and `discover_high` say how much. A pilot that was chosen because its p
    is small promises too much.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu((rng.random((40, 10, 10)) < 0.3).astype(int), 1)
    >>> graphs[:20, :5, :5] |= np.triu((rng.random((20, 5, 5)) < 0.35).astype(int), 1)
    >>> y = np.repeat(["a", "b"], 20)
    >>> planned = plan(graphs + graphs.transpose(0, 2, 1), y, n_permutations=99, n_parts=2)
    >>> planned.pilot, bool(planned.confirm.people < 40)
    (40, True)
    """
    share = check_number(share, "share", 0, 1)
    level = check_number(level, "level", 0, 1)
    check_count(n_permutations, "n_permutations")
    check_count(n_parts, "n_parts")
    check_count(n_folds, "n_folds", FOLDS_TO_CHOOSE)
    jobs = check_jobs(n_jobs)
    percentiles = [check_percentile(one) for one in listed_penalties(percentiles)]
    if not percentiles:
        raise InputError("give at least one percentile")
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
    effects = held_out_effect(
        X,
        design,
        percentiles=percentiles,
        edge_statistic=edge_statistic,
        n_folds=n_folds,
        n_repeats=REPEATS,
        n_jobs=n_jobs,
    )
    if effects.chosen is None:
        raise NoTest("the people are too few to choose a set by some and measure it in the others")
    spread, fitted = _of_people(design)
    confirming = _confirming(design, effects, spread, fitted, share, level)
    statistic = design.statistic(X, edge_statistic)
    measured = functools.partial(_of_part, statistic, percentiles, n_permutations, n_folds)
    parts = _numbered(n_parts)
    with threadpool_limits(1, "blas"):
        rows = list(mapped(measured, parts, jobs, "parts of the pilot"))
    table = pd.DataFrame(rows)
    score = float(table["score"].iloc[-1])
    discover = [_people_for(score + shift, _people_of(design), share, level) for shift in _INTERVAL]
    return PlanResult(
        pilot=_people_of(design),
        confirm=confirming,
        score=score,
        discover=discover[0],
        discover_low=discover[2],
        discover_high=discover[1],
        parts=table,
        share=share,
        level=level,
        spread=spread,
        fitted=fitted,
    )


#: Of a normal score: itself, and both ends of its interval.
_INTERVAL = (0.0, -float(ndtri((1 + CONFIDENCE) / 2)), float(ndtri((1 + CONFIDENCE) / 2)))


# --- to confirm -----------------------------------------------------------------------------


def t_power(d, people, spread, fitted, level):
    """Return the power of a one-sided t test of a slope.

    Parameters
    ----------
    d : float
        The slope in standard deviations within groups.
    people : array_like of int
    spread : float
        What each person adds to the squares of the regressor: 1/4 for two groups of one size.
    fitted : int
        Degrees of freedom that the model takes.
    level : float

    Examples
    --------
    Two groups of 51 for d = 0.5 (Cohen 1988):

    >>> round(float(t_power(0.5, 102, 0.25, 2, 0.05)), 3)
    0.806
    """
    people = np.asarray(people, dtype=float)
    freedom = np.maximum(people - fitted, 1.0)
    shift = d * np.sqrt(people * spread)
    power = 1 - nctdtr(freedom, shift, stdtrit(freedom, 1 - level))
    # Far out the distribution function has no number: there the power is 1, or 0.
    return np.where(np.isnan(power), (shift > 0).astype(float), power)


def people_to_confirm(d, share, spread, fitted, level):
    """Return the smallest number of people for a power of `share`; infinite for none."""
    if not d > 0 or t_power(d, MOST, spread, fitted, level) < share:
        return math.inf
    low = fitted + 1
    high = MOST
    while low < high:
        middle = (low + high) // 2
        if t_power(d, middle, spread, fitted, level) < share:
            low = middle + 1
        else:
            high = middle
    return float(low)


def _people_of(design):
    """How many people, or what else is independent, there are."""
    return int(design.cluster.max()) + 1


def _of_people(design):
    """Return what each person adds to the squares of the regressor, and what the model takes."""
    fitted = design.nuisance.shape[1] + 1
    if design.level is not None:  # each person's own level is out: one number for each is left
        fitted = 1
    return float(design.residual @ design.residual) / _people_of(design), fitted


def _confirming(design, effects, spread, fitted, share, level):
    """Return `Confirming` of a held-out effect."""
    chosen = effects.chosen
    values, squares, sd, together = _scores(design, effects)
    # Graphs of one person that go together say less than as many people.
    d = chosen.d / math.sqrt(together)
    low = d
    if chosen.effect > 0:
        low = d * chosen.low / chosen.effect
    people = people_to_confirm(d, share, spread, fitted, level)
    cautious = people_to_confirm(low, share, spread, fitted, level)
    resampled = math.nan
    if math.isfinite(people):
        rng = seeds.generator(design.random_state, "plan", design.name, "resampled")
        resampled = _resampled(
            values + chosen.d * sd * squares, squares, int(people), fitted, level, rng
        )
    return Confirming(d, low, people, cautious, resampled)


def _scores(design, effects):
    """Return what each person adds to slopes and to their squares, the sd, and the design effect.

    Of the mean weight inside the sets that others chose, without its slope; the design effect is
    how much larger the variance of the slope is than that of as many independent graphs.
    """
    place = np.unravel_index(effects.chosen.share.argmax(), effects.chosen.share.shape)
    sign = 1 - 2 * place[0]
    inside = sign * effects.inside[place]
    value = design.residual
    left = unexplained(inside[None], np.column_stack([design.nuisance, design.tested]))[0]
    people = _people_of(design)
    values = np.bincount(design.cluster, left * value, minlength=people)
    squares = np.bincount(design.cluster, value**2, minlength=people)
    plain = (left**2).mean() * (value**2).sum()
    graphs = len(value) / people
    # The graphs' own, by which d is measured: persons' levels are out where they are held.
    freedom = max(1, len(value) - design.nuisance.shape[1] - 1)
    sd = math.sqrt(left @ left / freedom)
    together = 1.0
    if graphs > 1 and design.level is None and plain > 0:
        together = max(1.0, float((values**2).sum() / plain))
    return values, squares, sd, together


def _resampled(values, squares, people, fitted, level, rng):
    """Return the share of t that are beyond the level, of people drawn with replacement."""
    beyond = 0
    critical = stdtrit(max(1, people - fitted), 1 - level)
    for _ in range(RESAMPLED):
        drawn = rng.integers(len(values), size=people)
        weight = squares[drawn].sum()
        if weight <= 0:
            continue
        slope = values[drawn].sum() / weight
        scores = values[drawn] - slope * squares[drawn]
        error = math.sqrt((scores**2).sum() * people / max(1, people - fitted)) / weight
        beyond += slope > critical * error
    return beyond / RESAMPLED


# --- to find --------------------------------------------------------------------------------


def _numbered(n_parts):
    """Return the parts of the pilot with their numbers; there is one whole."""
    parts = []
    for part in PARTS:
        count = n_parts if part < 1 else 1
        parts += [(part, number) for number in range(count)]
    return parts


def _people_for(score, people, share, level):
    """Return how many people find a set, from the normal score that a pilot's p has."""
    if score <= 0:
        return math.inf
    needed = people * ((ndtri(share) - ndtri(level)) / score) ** 2
    if needed > MOST:
        return math.inf
    return float(math.ceil(needed))


def _of_part(statistic, percentiles, n_permutations, n_folds, one):
    """Return p and the held-out effect of a part of the pilot; NaN where it is too small."""
    part, number = one
    design = statistic.design
    among = design.part(part, number)
    people = len(np.unique(design.cluster[among]))
    row = {"people": people, "number": number, "p": math.nan, "score": math.nan}
    row["effect"] = math.nan
    # A part may hold too few people for the covariates, or for folds.
    with contextlib.suppress(NoTest):
        row["p"] = _p_of_part(statistic, percentiles, n_permutations, among)
        # p of 1 has no score: half a relabelling less.
        row["score"] = -float(ndtri(min(row["p"], 1 - 0.5 / (n_permutations + 1))))
    with contextlib.suppress(NoTest):
        row["effect"] = _effect_of_part(statistic, percentiles, n_folds, among)
    return row


def _p_of_part(statistic, percentiles, n_permutations, among):
    """Return p over all contrasts and penalties, of some people, by the fitted tail if small.

    Labels are permuted among all people: in the part they are as random.
    """
    design = statistic.design
    rows = [statistic.of_parts(among[None], design.observed())]
    for start in range(0, n_permutations, CHUNK):
        draws = design.random(start, min(start + CHUNK, n_permutations), "plan")
        rows.append(statistic.of_parts(np.repeat(among[None], len(draws), axis=0), draws))
    forms = [statistic.contrasts(row) for row in np.concatenate(rows)]
    alphas = np.zeros((len(design.contrasts), len(percentiles)))
    for form in forms[1:]:
        alphas += [alphas_of_percentiles(matrix, percentiles) for matrix in form]
    alphas /= n_permutations
    best = [best_surpluses(form, alphas, design.random_state) for form in forms]
    scores = min_p_scores(np.array(best)).reshape(len(best), -1).max(axis=1)
    return float(p_value(scores[0], scores[1:], tail=True).tail)


def _effect_of_part(statistic, percentiles, n_folds, among):
    """Return the effect in held-out people of some people, direction and penalty chosen too."""
    design = statistic.design
    effects = []
    for repeat in range(FEW_REPEATS):
        folds = _folds_of_part(design, n_folds, repeat, among)[None]
        found = held_out_numbers(
            statistic, percentiles, [], design.observed(), folds, choose=True, among=among
        )
        effects.append(found.chosen[0, 0])
    return float(np.mean(effects))


def _folds_of_part(design, n_folds, repeat, among):
    """Return the fold of each graph of a part, with like shares of each group."""
    people = np.column_stack([design.strata, design.cluster])[among]
    least = np.bincount(np.unique(people, axis=0)[:, 0]).min()
    count = min(n_folds, int(least) - 1)
    if count < FOLDS_TO_CHOOSE:
        raise NoTest("the part is too small for folds")
    # Everybody's turn, group by group: who is not of the part is passed over.
    turn = design.folds(_people_of(design), repeat)
    folds = np.zeros(len(among), dtype=np.int64)
    folds[among] = np.unique(turn[among], return_inverse=True)[1] % count
    return folds


def _people(count):
    """Return a number of people as text."""
    if math.isinf(count):
        return "no number of people"
    return f"{count:.0f} people"
