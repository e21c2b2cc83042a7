"""What would have been found? The smallest difference that a study finds in most cases.

A test that finds nothing says little unless one knows what it could have found. So a difference is
planted inside random sets of regions of the study's own graphs, under relabellings that do not
depend on the observed labels, and tested against the study's own null distribution.

The best surplus grows with the planted difference: at any penalty it is the largest of straight
lines, one for each set. So each planted set has one smallest difference that is found. A few steps
along these lines lead to it, and the answer is a quantile of these differences.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import bdtrik
from threadpoolctl import threadpool_limits

from ..contrast.solver.search import search_sweep
from ..core import seeds
from ..core.checks import RandomState, check_count, check_number, in_words
from ..core.errors import InputError
from ..core.holm import LEVEL
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.covariates import unexplained
from ..design.edge_statistic import CHUNK, EdgeStatistic
from .p_values import CONFIDENCE
from .permutation import PermutationTestResult

#: Numbers of regions that a difference is planted in, if the graphs have at least twice as many.
SIZES = (5, 10, 20)
#: Planted sets of each size: the quantile of their differences is known to a few percent.
PLANTED = 200
#: The share of cases in which the difference is found.
SHARE = 0.8
#: The number of random starts of a search that also begins at the planted set.
_STARTS = 2
#: The most steps along the lines; two or three usually suffice.
_STEPS = 8
#: A step that gains less than this share is the last.
_LEAST_GAIN = 1e-3
#: Weights are changed by this share of the largest one to see how they grow.
_LITTLE = 1e-6
#: The first guess, in standard errors of a pair's difference.
_GUESS = 3.0
#: The columns of the table.
COLUMNS = "regions difference low high d r share level planted".split()


@dataclass(frozen=True, repr=False)
class WouldFindResult(Result):
    """Result of `would_find`, for m numbers of regions.

    Attributes
    ----------
    regions : tuple of int
        Numbers of regions that a difference was planted in.
    difference, low, high : numpy.ndarray of shape (m,)
        The smallest difference of the mean weight inside them (for a variable the slope per
        standard deviation) that is found in `share` of cases, and the 95 % interval of the value
        for infinitely many planted sets. NaN if no difference that the weights allow is found this
        often; `high` is infinite if the interval has no end.
    d, r : numpy.ndarray of shape (m,)
        The same difference as Cohen's d of the mean weight inside the regions, and as the
        correlation of that mean with the group or the variable.
    share, level : float
        The share of cases, and the level of the test over all contrasts and penalties.
    planted : int
        The number of planted sets of each size.

    See Also
    --------
    would_find : Returns it.

    Examples
    --------
    >>> one = np.array([0.2])
    >>> found = WouldFindResult((10,), one, one - 0.05, one + 0.05, 4 * one, 2 * one, 0.8, 0.05, 50)
    >>> found
    <WouldFindResult: found in 80% of cases: 0.2 in 10 regions>
    >>> found.table()[["regions", "difference"]].values.tolist()
    [[10.0, 0.2]]
    """

    regions: tuple
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    d: np.ndarray
    r: np.ndarray
    share: float
    level: float
    planted: int

    def _said(self) -> str:
        pairs = zip(self.regions, self.difference, strict=True)
        each = [f"{difference:.3g} in {count} regions" for count, difference in pairs]
        return f"found in {self.share:.0%} of cases: {in_words(each)}"

    def table(self) -> pd.DataFrame:
        """Return one row for each number of regions, with the columns `COLUMNS`."""
        values = {name: getattr(self, name) for name in COLUMNS}
        return pd.DataFrame(values)[COLUMNS]


def would_find(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    tested: PermutationTestResult | None = None,
    *,
    regions: int | Sequence[int] = SIZES,
    share: float = SHARE,
    level: float = LEVEL,
    edge_statistic: str = "difference",
    n_planted: int = PLANTED,
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
) -> WouldFindResult:
    """Return the smallest difference that a test of these graphs would have found.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    tested : PermutationTestResult
        The test of these graphs: its penalties and null distribution are used. With people in
        place of `X` and `y`, give it as a keyword.
    regions : int or sequence of int
        Numbers of regions, drawn at random, all of whose pairs differ by the same amount. Numbers
        above half of the graphs' regions are left out, except for the smallest.
    share : float
        The share of cases in which the difference is to be found.
    level : float
        A difference counts as found if p over all contrasts and penalties is at most this.
    n_planted : int
        The number of planted sets of each size.
    edge_statistic, labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`, which must have used the same.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    WouldFindResult

    Raises
    ------
    InputError
        If `tested` is the test of another question.

    See Also
    --------
    plan : Estimates how many people find, or confirm, a difference of a known size.

    Notes
    -----
    All pairs of a set differ by the same number, in a direction that alternates between sets. A
    difference with the same mean that is uneven over the pairs is found more easily, since part of
    the set suffices. One that only few people carry is found less easily.

    Examples
    --------
    >>> from contrast_subgraphs import permutation_test
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu((rng.random((40, 12, 12)) < 0.3).astype(int), 1)
    >>> graphs += graphs.transpose(0, 2, 1)
    >>> y = np.repeat(["a", "b"], 20)
    >>> tested = permutation_test(graphs, y, percentiles=80, n_permutations=199)
    >>> found = would_find(graphs, y, tested, regions=6, n_planted=50)
    >>> found.regions, bool(0.1 < found.difference[0] < 0.4)
    ((6,), True)
    """
    share = check_number(share, "share", 0, 1)
    level = check_number(level, "level", 0, 1)
    if not isinstance(tested, PermutationTestResult):
        raise InputError("give what permutation_test returned of these graphs as tested")
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
    if design.contrasts != tested.contrasts:
        raise InputError("the test is of other contrasts: give it with the same graphs and labels")
    return smallest_found(
        design,
        X,
        tested.alphas,
        tested.critical_for_others(level),
        edge_statistic=edge_statistic,
        regions=regions,
        share=share,
        level=level,
        n_planted=n_planted,
        n_jobs=n_jobs,
    )


def smallest_found(
    design,
    X,
    alphas,
    critical,
    *,
    edge_statistic="difference",
    regions=SIZES,
    share=SHARE,
    level=LEVEL,
    n_planted=PLANTED,
    n_jobs=1,
):
    """As `would_find`, for a design.

    `alphas` and `critical` (n_contrasts, n_penalties) are the penalties, and the statistics from
    which on each has a p up to the level.
    """
    jobs = check_jobs(n_jobs)
    check_count(n_planted, "n_planted")
    if len(design.contrasts) < 2:
        raise NoTest(f"{design.what} has no direction that a difference could be planted in")
    statistic = design.statistic(X, edge_statistic)
    sizes = _fitting(regions, statistic.n_vertices)
    planting = _Planting(statistic, alphas, critical)

    def chunk(start):
        draws = design.random(start, min(start + CHUNK, n_planted), "would find")
        rows = statistic.values(draws)
        found = []
        for k, (draw, row) in enumerate(zip(draws, rows, strict=True), start):
            found.append([planting.smallest(k, size, draw[None], row) for size in sizes])
        return found

    with threadpool_limits(1, "blas"):
        parts = list(mapped(chunk, range(0, n_planted, CHUNK), jobs, "planted differences"))
    found = np.array([one for part in parts for one in part])  # (planted, size, number)
    difference, low, high = _quantiles(found[..., 0], share)
    largest = _largest(statistic)
    difference = np.where(difference <= largest, difference, np.nan)
    d = difference / np.median(found[..., 1], axis=0)
    spread = design.residual @ design.residual / len(design.residual)
    return WouldFindResult(
        regions=sizes,
        difference=difference,
        low=np.where(low <= largest, low, np.nan),
        high=np.where(high <= largest, high, np.inf),
        d=d,
        r=d * np.sqrt(spread / (1 + d**2 * spread)),
        share=share,
        level=level,
        planted=n_planted,
    )


def _fitting(regions, n_vertices):
    """Return the numbers of regions that the graphs have room for, in rising order."""
    sizes = [regions] if np.ndim(regions) == 0 else list(regions)
    if not sizes:
        raise InputError("give at least one number of regions")
    sizes = sorted({check_count(size, "regions", 2) for size in sizes})
    fitting = [size for size in sizes if 2 * size <= n_vertices]
    return tuple(fitting or [min(sizes[0], n_vertices)])


class _Planting:
    """Plants a difference, and finds the smallest one that is found.

    `alphas` are the penalties of each contrast, `critical` the surplus from which each is found.
    """

    def __init__(self, statistic, alphas, critical):
        self._statistic = statistic
        self._alphas = alphas
        self._critical = critical
        design = statistic.design
        freedom = len(design.residual) - design.nuisance.shape[1] - 1
        self._basis = np.column_stack([design.nuisance, design.tested])
        self._freedom = max(1, freedom)

    def smallest(self, number, size, draw, row):
        """Return the smallest difference that is found, and the spread of the mean weight.

        The difference is in random regions, set number `number` of its size. `row` holds the
        statistics of the relabelling `draw`.
        """
        design = self._statistic.design
        n_vertices = self._statistic.n_vertices
        rng = seeds.generator(
            design.random_state, "would find", design.name, "regions", size, number
        )
        nodes = np.sort(rng.choice(n_vertices, size, replace=False))
        inside = np.isin(self._statistic.pairs, nodes).all(axis=1)
        weights = self._statistic.weights[:, inside].astype(float)
        mean = unexplained(weights.mean(axis=1)[None], self._basis)[0]
        sd = math.sqrt(mean @ mean / self._freedom)
        pairs = unexplained(weights.T, self._basis)
        error = math.sqrt((pairs**2).mean() * len(mean) / self._freedom)
        guess = _GUESS * error / np.linalg.norm(design.residual)
        # Even numbers in the first direction, odd ones in the second.
        direction = number % 2
        sign = 1 - 2 * direction
        found = guess or 1.0
        # With ranks the gain depends on the planted difference: repeat it at the one found.
        for _ in range(1 + design.ranks):
            if not math.isfinite(found):
                break
            gains = self._gains(weights, draw, sign * (found or guess or 1.0), row[inside])
            slopes = np.zeros(len(row))
            slopes[inside] = sign * gains
            found = self._at_lines(row, slopes, nodes, direction)
        return found, sd

    def _gains(self, weights, draw, planted, before):
        """Return the gain of each pair's statistic per unit of the planted difference.

        It is computed from the statistic itself, so that it is right for t, ranks and covariates.
        """
        design = self._statistic.design
        graphs = np.zeros((design.n_graphs, weights.shape[1]))
        moved = design.moved(design.residual, draw)[0]
        graphs[design.rows] = weights + planted * moved[:, None]
        after = EdgeStatistic(design, graphs, self._statistic.kind).values(draw)[0]
        return (after - before) / planted

    def _at_lines(self, row, slopes, nodes, direction):
        """Return where the best surplus of any contrast reaches its critical value.

        The planted direction comes first; other contrasts may reach theirs even earlier.
        """
        contrasts = range(len(self._critical))
        least = np.inf
        for place in sorted(contrasts, key=lambda one: one != direction):
            least = self._down_to(place, row, slopes, nodes, least)
        return least

    def _down_to(self, place, row, slopes, nodes, least):
        """Return where one contrast reaches its critical value, if that is below `least`.

        The best surplus is a convex function of the planted difference. So following the line of
        the best set leads to a difference at which at least this set still reaches it.
        """
        there = np.isfinite(self._critical[place])
        alphas = self._alphas[place][there]
        critical = self._critical[place][there]
        planted = np.zeros((1, self._statistic.n_vertices), dtype=bool)
        planted[0, nodes] = True
        masks = np.repeat(planted, len(alphas), axis=0)
        if not len(alphas):
            return least
        for _ in range(_STEPS):
            before = least
            at = least if math.isfinite(least) else 0.0
            matrix, gain = self._planted(place, row, slopes, at)
            if math.isfinite(least):
                candidates = np.concatenate([planted, masks])
                sets = search_sweep(matrix, alphas, candidates=candidates, starts=_STARTS)
                for mask, chosen in zip(masks, sets, strict=True):
                    mask[:] = False
                    mask[chosen] = True
            beyond = _sums_inside(matrix, masks) - alphas * _pairs_inside(masks) - critical
            grows = _sums_inside(gain, masks)
            if (beyond[grows <= 0] >= 0).any() and math.isfinite(least):
                # A set that the planted difference does not help is beyond anyway.
                return 0.0
            reached = at - beyond[grows > 0] / grows[grows > 0]
            least = min(least, max(0.0, reached.min(initial=np.inf)))
            if least == 0 or before - least <= _LEAST_GAIN * least or not math.isfinite(least):
                break
        return least

    def _planted(self, place, row, slopes, at):
        """Return the difference graph of a contrast with `at` planted, and its growth."""
        design = self._statistic.design
        weights = row + at * slopes
        form = design.forms(weights)[place]
        # The step is relative to the weights, whose units are not known.
        little = _LITTLE * np.abs(weights).max() / (np.abs(slopes).max() or 1.0)
        more = design.forms(weights + little * slopes)[place]
        matrix = self._statistic.matrix
        return matrix(form), matrix((more - form) / little)


def _sums_inside(matrix, masks):
    """Return the sum of the pairs inside each set."""
    inside = masks.astype(float)
    return np.einsum("kv,kv->k", inside @ matrix, inside) / 2


def _pairs_inside(masks):
    """Return the number of pairs inside each set."""
    size = masks.sum(axis=1)
    return size * (size - 1) / 2


def _quantiles(differences, share):
    """Return a quantile of each column, and its 95 % interval for infinitely many rows.

    Both ends are observed differences (order statistics), so that no distribution is assumed.
    """
    ordered = np.sort(differences, axis=0)
    count = len(ordered)
    side = (1 - CONFIDENCE) / 2
    # The smallest difference that suffices for at least this share of the sets.
    at = math.ceil(share * count - 1e-9) - 1
    first = math.ceil(bdtrik(side, count, share)) - 1
    last = math.ceil(bdtrik(1 - side, count, share))
    low = ordered[first] if first >= 0 else np.zeros(ordered.shape[1])
    high = ordered[last] if last < count else np.full(ordered.shape[1], np.inf)
    return ordered[max(at, 0)], low, high


def _largest(statistic):
    """Return the largest difference that weights of this range can have."""
    weights = statistic.weights
    values = statistic.design.regressors[:, 0]
    return (float(weights.max()) - float(weights.min())) / float(np.ptp(values))
