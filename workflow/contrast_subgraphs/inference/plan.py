"""How many people would it take to confirm a set that a pilot found, and to find one anew?

To confirm takes one test of one number for each person. The number of people follows from the
effect in people who did not choose the set, by the power of a t test. To find takes a search over
all sets, and its p has no such formula: it is measured in parts of the pilot and extrapolated. The
only assumption is that the normal score of p grows with the square root of the number of people if
there is a difference. The parts of the pilot show whether it does.
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
from scipy.special import ndtr, ndtri, stdtrit
from threadpoolctl import threadpool_limits

from ..contrast.alpha import Penalties
from ..core import seeds
from ..core.checks import RandomState, check_count, check_number, check_option
from ..core.holm import LEVEL
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.covariates import unexplained
from ..design.edge_statistic import CHUNK
from .cross_fitting import held_out_numbers
from .effect_size import FOLDS_TO_CHOOSE, held_out_effect
from .p_values import CONFIDENCE, min_p_scores, p_value
from .permutation import best_surpluses
from .t_power import MOST, people_of, people_to_confirm, regressor_of, t_power
from .tail import FEWEST, REACHED, fitted_tail

#: The share of cases in which the difference is found, or confirmed.
SHARE = 0.8
#: Parts of the pilot in which a set is searched for, and the number of parts of each size.
PARTS = (0.25, 0.5, 0.75, 1.0)
N_PARTS = 8
#: The number of relabellings of each part: with fewer, no tail can be fitted.
PERMUTATIONS = FEWEST
#: No fitted tail is followed further than to this p.
SMALLEST = 1e-16
#: The number of assignments to folds for a held-out effect, in the pilot and in each part.
REPEATS = 10
FEW_REPEATS = 1
#: People are drawn with replacement this often, to check the assumptions of the t test.
RESAMPLED = 1000
#: Numbers of people in the table, as multiples of the pilot.
MULTIPLES = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)


@dataclass(frozen=True)
class Confirming:
    """The number of people needed to confirm the pilot's set.

    Attributes
    ----------
    d, d_low, d_high : float
        Cohen's d in people who did not choose the set, and its 95 % interval.
    people, people_low : float
        The number of people needed for either d; infinite if the effect is not positive.
    resampled : float
        The share confirmed when `people` are drawn from the pilot with replacement; NaN if that
        number is infinite.

    See Also
    --------
    PlanResult : Has it as `confirm`.
    """

    d: float
    d_low: float
    d_high: float
    people: float
    people_low: float
    resampled: float


@dataclass(frozen=True, repr=False)
class PlanResult(Result):
    """Result of `plan`.

    Attributes
    ----------
    pilot : int
        The number of people in the pilot.
    confirm : Confirming
    score : float
        The normal score of the pilot's p over all contrasts and penalties.
    discover, discover_low, discover_high : float
        The number of people needed to find a set, extrapolated from the pilot's p, and its 95 %
        interval. Infinite if the pilot, or the end of its interval, shows no sign of a difference.
    parts : pandas.DataFrame
        For each part of the pilot: ``people, number, p, score, effect`` (in held-out people).
    share, level : float
        The share of cases, and the level of both tests.

    See Also
    --------
    plan : Returns it.

    Examples
    --------
    >>> parts = pd.DataFrame({"people": [40], "number": [0], "p": [0.04], "effect": [0.1]})
    >>> planned = PlanResult(
    ...     pilot=40,
    ...     confirm=Confirming(0.8, 0.2, 1.4, 41, 622, 0.8),
    ...     score=1.75,
    ...     discover=81,
    ...     discover_low=25,
    ...     discover_high=np.inf,
    ...     parts=parts,
    ...     share=0.8,
    ...     level=0.05,
    ...     spread=0.25,
    ...     fitted=2,
    ... )
    >>> planned.power_to_confirm([41, 622], at="d_low").round(2).tolist()
    [0.15, 0.8]
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

    def power_to_confirm(self, people: ArrayLike, *, at: str = "d") -> np.ndarray:
        """Return the share of cases in which this number of people confirms the set.

        Parameters
        ----------
        people : array_like of int
        at : {"d", "d_low", "d_high"}
            The d that is taken for true: the pilot's, or an end of its interval.

        Returns
        -------
        numpy.ndarray
        """
        check_option("at", at, ("d", "d_low", "d_high"))
        d = getattr(self.confirm, at)
        return t_power(d, people, self.spread, self.fitted, self.level)

    def power_to_discover(self, people: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the share of cases in which this number of people finds a set, with interval.

        Parameters
        ----------
        people : array_like of int

        Returns
        -------
        tuple of numpy.ndarray
            The share, and the ends of its 95 % interval. Beyond the pilot these are extrapolated.
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
                "confirm_low": self.power_to_confirm(people, at="d_low"),
                "confirm_high": self.power_to_confirm(people, at="d_high"),
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
        # The share of parts with a small p, which the curve was not fitted to.
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
    """Estimate how many people it takes to confirm what a pilot found, and to find it anew.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    percentiles : float or sequence of float
        The penalties, as percentiles of relabelled difference graphs.
    share : float
        The share of cases in which the difference is to be found.
    level : float
        The level of the tests: one-sided for `confirm`, and over all contrasts and penalties for a
        search.
    n_permutations : int
        The number of relabellings for the pilot and for each of its parts.
    n_parts : int
        The number of parts of each size: 25, 50 and 75 % of each group in each block.
    n_folds : int
        The number of folds for held-out effects.
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
        If the pilot is too small for held-out effects, or if its question has no direction.

    See Also
    --------
    would_find : The smallest difference that the people at hand would have shown.
    confirm : The test that is planned.

    Notes
    -----
    All numbers beyond the pilot are extrapolated from one p and one effect, and are as uncertain as
    these: `discover_low` and `discover_high` say how uncertain. A pilot that was chosen because of
    its small p promises too much.

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
    penalties = Penalties.of(percentiles)
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
        percentiles=penalties.percentiles,
        edge_statistic=edge_statistic,
        n_folds=n_folds,
        n_repeats=REPEATS,
        n_jobs=n_jobs,
    )
    if effects.chosen is None:
        raise NoTest("the people are too few to choose a set by some and measure it in the others")
    statistic = design.statistic(X, edge_statistic)
    measured = functools.partial(_of_part, statistic, penalties, n_permutations, n_folds)
    with threadpool_limits(1, "blas"):
        rows = list(mapped(measured, _numbered(n_parts), jobs, "parts of the pilot"))
    return _planned(design, effects, pd.DataFrame(rows), share, level)


def _planned(design, effects, parts, share, level):
    """Return the `PlanResult` that follows from the effect and the parts of a pilot."""
    spread, fitted = regressor_of(design)
    people = people_of(design)
    # The last part is the whole pilot.
    score = float(parts["score"].iloc[-1])
    # A larger score takes fewer people.
    discover, high, low = [_people_for(score + shift, people, share, level) for shift in _INTERVAL]
    return PlanResult(
        pilot=people,
        confirm=_confirming(design, effects, spread, fitted, share, level),
        score=score,
        discover=discover,
        discover_low=low,
        discover_high=high,
        parts=parts,
        share=share,
        level=level,
        spread=spread,
        fitted=fitted,
    )


#: Shifts of a normal score: none, and to both ends of its interval.
_INTERVAL = (0.0, -float(ndtri((1 + CONFIDENCE) / 2)), float(ndtri((1 + CONFIDENCE) / 2)))


# --- to confirm -----------------------------------------------------------------------------


def _confirming(design, effects, spread, fitted, share, level):
    """Return the `Confirming` that follows from a held-out effect."""
    chosen = effects.chosen
    values, squares, sd, together = _scores(design, effects)
    # Correlated graphs of one person say less than the same number of people.
    d = chosen.d / math.sqrt(together)
    # The interval of the effect, in the units of d; near 0 the two may differ in sign.
    unit = sd * math.sqrt(together)
    if chosen.effect * d > 0:
        unit = chosen.effect / d
    half = (chosen.high - chosen.low) / 2 / unit
    low = d - half
    high = d + half
    people = people_to_confirm(d, share, spread, fitted, level)
    cautious = people_to_confirm(low, share, spread, fitted, level)
    resampled = math.nan
    if math.isfinite(people):
        rng = seeds.generator(design.random_state, "plan", design.name, "resampled")
        resampled = _resampled(
            values + chosen.d * sd * squares, squares, int(people), fitted, level, rng
        )
    return Confirming(d, low, high, people, cautious, resampled)


def _scores(design, effects):
    """Return each person's part in slopes and their squares, the sd, and the design effect.

    They are for the mean weight inside the sets that others chose, without its slope. The design
    effect is the variance of the slope relative to that of equally many independent graphs.
    """
    place = np.unravel_index(effects.chosen.share.argmax(), effects.chosen.share.shape)
    sign = 1 - 2 * place[0]
    inside = sign * effects.inside[place]
    value = design.residual
    left = unexplained(inside[None], np.column_stack([design.nuisance, design.tested]))[0]
    people = people_of(design)
    values = np.bincount(design.cluster, left * value, minlength=people)
    squares = np.bincount(design.cluster, value**2, minlength=people)
    plain = (left**2).mean() * (value**2).sum()
    graphs = len(value) / people
    # The standard deviation of graphs, in units of which d is measured.
    freedom = max(1, len(value) - design.nuisance.shape[1] - 1)
    sd = math.sqrt(left @ left / freedom)
    together = 1.0
    if graphs > 1 and design.level is None and plain > 0:
        together = max(1.0, float((values**2).sum() / plain))
    return values, squares, sd, together


def _resampled(values, squares, people, fitted, level, rng):
    """Return the share of significant t tests, with people drawn with replacement."""
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
    """Return the parts of the pilot with their numbers; the whole pilot comes once."""
    parts = []
    for part in PARTS:
        count = n_parts if part < 1 else 1
        parts += [(part, number) for number in range(count)]
    return parts


def _people_for(score, people, share, level):
    """Return how many people find a set, from the normal score of a pilot's p."""
    if score <= 0:
        return math.inf
    # The score grows with the root of the number of people: it must reach the sum of the normal
    # quantiles of level and power.
    needed = people * ((ndtri(share) - ndtri(level)) / score) ** 2
    if needed > MOST:
        return math.inf
    return float(math.ceil(needed))


def _of_part(statistic, penalties, n_permutations, n_folds, one):
    """Return p and the held-out effect of a part of the pilot; NaN if it is too small."""
    part, number = one
    design = statistic.design
    among = design.part(part, number)
    people = len(np.unique(design.cluster[among]))
    row = {"people": people, "number": number, "p": math.nan, "score": math.nan}
    row["effect"] = math.nan
    # A part may hold too few people for the covariates, or for folds.
    with contextlib.suppress(NoTest):
        row["p"], row["score"] = p_and_score(statistic, penalties, n_permutations, among)
    with contextlib.suppress(NoTest):
        row["effect"] = _effect_of_part(statistic, penalties, n_folds, among)
    return row


def p_and_score(statistic, penalties, n_permutations, among):
    """Return p over all contrasts and penalties for some people, and its normal score.

    Labels are permuted among all people: inside the part they are just as random.

    Parameters
    ----------
    statistic : EdgeStatistic
    penalties : Penalties
    n_permutations : int
    among : ndarray of bool, shape (n_graphs,)

    Returns
    -------
    tuple of float
    """
    design = statistic.design
    rows = [statistic.of_parts(among[None], design.observed())]
    for start in range(0, n_permutations, CHUNK):
        draws = design.random(start, min(start + CHUNK, n_permutations), "plan")
        rows.append(statistic.of_parts(np.repeat(among[None], len(draws), axis=0), draws))
    forms = [statistic.contrasts(row) for row in np.concatenate(rows)]
    alphas = np.zeros((len(design.contrasts), len(penalties)))
    for form in forms[1:]:
        alphas += [penalties.at(matrix) for matrix in form]
    # Penalties from relabellings of the same part, as in the test (`hold: null`).
    alphas /= n_permutations
    best = [best_surpluses(form, alphas, design.random_state) for form in forms]
    scores = min_p_scores(np.array(best)).reshape(len(best), -1).max(axis=1)
    p = float(p_value(scores[0], scores[1:], tail=True).tail)
    return p, _normal_score(p, scores[0], scores[1:])


def _normal_score(p, observed, null):
    """Return the normal score of a p-value, from the fitted tail if p is small.

    A test never claims a p that is much smaller than its relabellings can show. But then all strong
    pilots would have the same score, and would plan the same number of people.
    """
    if p < REACHED / len(null) and len(null) >= FEWEST:
        survival = fitted_tail(np.sort(null))
        if survival is not None:
            p = max(min(p, float(survival(observed))), SMALLEST)
    # p = 1 has no finite score: half a relabelling is taken off.
    return -float(ndtri(min(p, 1 - 0.5 / (len(null) + 1))))


def _effect_of_part(statistic, penalties, n_folds, among):
    """Return the held-out effect within some people, with direction and penalty chosen too."""
    design = statistic.design
    effects = []
    for repeat in range(FEW_REPEATS):
        folds = _folds_of_part(design, n_folds, repeat, among)[None]
        found = held_out_numbers(
            statistic, penalties, design.observed(), folds, choose=True, among=among
        )
        effects.append(found.chosen[0, 0])
    return float(np.mean(effects))


def _folds_of_part(design, n_folds, repeat, among):
    """Return the fold of each graph of a part, with equal shares of each group."""
    people = np.column_stack([design.strata, design.cluster])[among]
    least = np.bincount(np.unique(people, axis=0)[:, 0]).min()
    count = min(n_folds, int(least) - 1)
    if count < FOLDS_TO_CHOOSE:
        raise NoTest("the part is too small for folds")
    # All people in turn, group by group; those who are not in the part are skipped.
    turn = design.folds(people_of(design), repeat)
    folds = np.zeros(len(among), dtype=np.int64)
    folds[among] = np.unique(turn[among], return_inverse=True)[1] % count
    return folds


def _people(count):
    """Return a number of people as text."""
    if math.isinf(count):
        return "no number of people"
    return f"{count:.0f} people"
