"""Is the difference real? A permutation test of contrast subgraphs.

The labels are permuted, the difference graph is built again, and T is the largest surplus over
all vertex sets at a fixed alpha. So p is family-wise over vertex sets (the maximum statistic of
Westfall and Young, Resampling-Based Multiple Testing, 1993). Over penalties and contrasts p is that
of the smallest p (their min-p): statistics of small sets are more skewed than those of large ones,
so that T in standard deviations is not comparable over penalties.

T comes from the tabu search, for observed labels as for permuted ones: a permutation test is
valid for any statistic that treats them alike (Lehmann and Romano, Testing Statistical Hypotheses,
2005, theorem 15.2.1). docs/significance.md has the reasons, and what `hold` does.
"""

import functools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from ..contrast.alpha import (
    PERCENTILES,
    EmptySetWarning,
    Penalties,
)
from ..contrast.objective import mean_inside
from ..contrast.relabelled import HOLDS, relabelled_alphas
from ..contrast.solve import Settings, solve
from ..contrast.solver.limits import Limits
from ..contrast.solver.search import search_quick
from ..core.checks import RandomState, check_count, check_option, plural
from ..core.doubts import warn_of_absent_regions
from ..core.holm import LEVEL
from ..core.labels import names_of_regions
from ..core.notebook import draw_null
from ..core.old_names import old_method
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, asked_of
from ..design.edge_statistic import CHUNK
from .p_values import ROUNDING, PValue, critical_between, critical_statistics, min_p_scores, p_value
from .spreads import warn_of_spreads


@dataclass(frozen=True, repr=False)
class PermutationTestResult(Result):
    """Result of `permutation_test`, for C contrasts, K penalties and B permutations.

    Attributes
    ----------
    labels, contrasts, covariates : tuple of str
        Names of the groups, of the contrasts, and of what was adjusted for.
    percentiles : tuple of (float or None)
        None for a penalty that was given as a value. Length K.
    alphas, objective : numpy.ndarray of shape (C, K)
        Penalty, and value of the observed contrast subgraph.
    optimal : numpy.ndarray of bool, shape (C, K)
        Whether that value is proved to be the largest.
    nodes : list of list of numpy.ndarray of int
        The observed contrast subgraphs.
    density : numpy.ndarray of shape (C, K, n_groups)
        The mean weight of the pairs inside each set, in the mean graph of each group *of these
        people*, who chose the set; NaN for sets of fewer than two vertices.
    statistic : numpy.ndarray of shape (C, K)
        The best surplus that the search finds with the observed labels.
    null_distribution : numpy.ndarray of shape (B, C, K)
        The same with permuted labels.
    exact : bool
        Whether the permutations are all there are.

    See Also
    --------
    permutation_test : Returns it.
    chosen_penalty : Chooses the penalty at which a contrast is shown.

    Examples
    --------
    >>> graphs = np.zeros((12, 3, 3))
    >>> graphs[:6, 0, 1] = graphs[:6, 1, 0] = 1
    >>> y = np.repeat(["a", "b"], 6)
    >>> test = permutation_test(graphs, y, percentiles=[], alphas=[0.5])
    >>> test
    <PermutationTestResult: 3 contrasts at 1 penalty against all 924 relabellings; smallest
    family-wise p = 0.00216 (a-b)>
    >>> test.nodes[0][0].tolist(), round(float(test.pvalue_uncorrected[0, 0]), 4)
    ([0, 1], 0.0011)
    >>> test.table()[["contrast", "size", "p_familywise"]].round(4).values.tolist()
    [['a-b', 2, 0.0022], ['b-a', 0, 1.0], ['symmetric', 2, 0.0022]]
    """

    labels: tuple
    contrasts: tuple
    percentiles: tuple
    alphas: np.ndarray
    objective: np.ndarray
    optimal: np.ndarray
    nodes: list
    density: np.ndarray
    statistic: np.ndarray
    null_distribution: np.ndarray
    exact: bool
    covariates: tuple = ()

    _columns = ("contrast", "percentile", "alpha", "size", "z", "p", "p_familywise")

    def _said(self) -> str:
        count = len(self.null_distribution)
        against = plural(count, "relabelling")
        if self.exact:
            against = f"all {count + 1} relabellings"
        place = self._smallest()
        return (
            f"{plural(len(self.contrasts), 'contrast')} at "
            f"{plural(len(self.percentiles), 'penalty', 'penalties')} against {against}; smallest "
            f"family-wise p = {self.pvalue[place]:.3g} ({self.contrasts[place[0]]})"
        )

    def _smallest(self) -> tuple[int, int]:
        """Return contrast and penalty of the smallest family-wise p, the first among equals."""
        row, column = np.unravel_index(self.pvalue.argmin(), self.pvalue.shape)
        return int(row), int(column)

    def _draw(self, axes: Any) -> bool:
        # One picture for many tests: that of the clearest, whatever the others show.
        place = self._smallest()
        null = self.null_distribution[(slice(None), *place)]
        what = f"largest surplus in {self.contrasts[place[0]]}"
        return draw_null(axes, self.statistic[place], null, what)

    @property
    def pvalue(self) -> np.ndarray:
        """p-values corrected for all contrasts and penalties (family-wise), (C, K)."""
        return self._familywise.p

    @property
    def pvalue_contrast(self) -> np.ndarray:
        """p-values corrected for the penalties of a contrast, (C, K).

        The smallest of a row is that of the contrast as a whole.
        """
        return self._of_contrast.p

    @property
    def pvalue_uncorrected(self) -> np.ndarray:
        """p-values for each contrast and penalty by itself, over all sets of regions, (C, K)."""
        return self._uncorrected.p

    @property
    def pvalue_interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the 95 % intervals of the `pvalue` for infinitely many draws."""
        return self._familywise.low, self._familywise.high

    @property
    def pvalue_tail(self) -> np.ndarray:
        """As `pvalue`, with small ones from a tail fitted to the permuted statistics, (C, K)."""
        return self._familywise.tail

    @functools.cached_property
    def _uncorrected(self) -> PValue:
        return p_value(self.statistic, self.null_distribution, self.exact, tail=True)

    @functools.cached_property
    def _of_contrast(self) -> PValue:
        scores = self._scores
        # The most extreme penalty of each relabelling, contrast by contrast.
        return p_value(scores[0], scores[1:].max(axis=2)[:, :, None], self.exact, tail=True)

    @functools.cached_property
    def _familywise(self) -> PValue:
        scores = self._scores
        # The most extreme contrast and penalty of each relabelling: that is the family-wise null.
        most = scores[1:].max(axis=(1, 2))[:, None, None]
        return p_value(scores[0], most, self.exact, tail=True)

    p = old_method("p", "pvalue_uncorrected, or table()", "_uncorrected")
    p_contrast = old_method("p_contrast", "pvalue_contrast, or table()", "_of_contrast")
    p_familywise = old_method("p_familywise", "pvalue, or table()", "_familywise")

    @property
    def null_mean(self) -> np.ndarray:
        """Mean statistic of permuted labels, (C, K)."""
        return self.null_distribution.mean(axis=0)

    @property
    def null_sd(self) -> np.ndarray:
        """Standard deviation of the statistic of permuted labels, (C, K)."""
        return self.null_distribution.std(axis=0)

    @property
    def z(self) -> np.ndarray:
        """The observed statistic in standard deviations from the mean of permuted labels, (C, K).

        0 if both are the same, and infinite if permuted labels all give the same other value.
        """
        return self._z_of(self.statistic)

    def critical(self, level: float = LEVEL) -> np.ndarray:
        """Return the smallest z of each contrast and penalty with a small family-wise p.

        Parameters
        ----------
        level : float
            The largest p that counts as small.

        Returns
        -------
        numpy.ndarray of shape (C, K)
            Taken over all relabellings; NaN if none of them has such a p.
        """
        least = self.critical_statistic(level)
        return np.where(np.isnan(least), np.nan, self._z_of(least))

    def critical_statistic(self, level: float = LEVEL) -> np.ndarray:
        """Return the smallest statistic with a small family-wise p, as `critical`.

        Parameters
        ----------
        level : float

        Returns
        -------
        numpy.ndarray of shape (C, K)
        """
        return critical_statistics(self._all(), self._scores, level)

    def critical_for_others(self, level: float = 0.05) -> np.ndarray:
        """Return the statistic above which another study would have a small family-wise p.

        It is interpolated between the statistics of two relabellings by their p.

        Parameters
        ----------
        level : float

        Returns
        -------
        numpy.ndarray of shape (C, K)
        """
        return critical_between(self._all(), self._scores, level)

    def table(self) -> pd.DataFrame:
        """Return one row for each contrast and penalty.

        Returns
        -------
        pandas.DataFrame
            ``contrast, percentile, alpha, objective, optimal, size, density_<group>,
            null_mean, null_sd, null_low, null_high`` (5 % and 95 %; these four are for permuted
            labels alone)``, z, z_critical, p, p_contrast, p_familywise, permutations, exact``. Each
            p has a 95 % interval of the value for infinitely many permutations, ``_low`` and
            ``_high``, and ``_tail``, the same p but from a fitted tail if it is small.
        """
        count = len(self.percentiles)
        table = pd.DataFrame(
            {
                "contrast": np.repeat(self.contrasts, count),
                "percentile": np.array(list(self.percentiles) * len(self.contrasts), dtype=float),
                "alpha": self.alphas.ravel(),
                "objective": self.objective.ravel(),
                "optimal": self.optimal.ravel(),
                "size": [len(nodes) for row in self.nodes for nodes in row],
            }
        )
        for place, group in enumerate(self.labels):
            table[f"density_{group}"] = self.density[:, :, place].ravel()
        table["null_mean"] = self.null_mean.ravel()
        table["null_sd"] = self.null_sd.ravel()
        # For pictures: where nine in ten of the permuted statistics lie.
        low, high = np.quantile(self.null_distribution, (0.05, 0.95), axis=0)
        table["null_low"] = low.ravel()
        table["null_high"] = high.ravel()
        table["z"] = self.z.ravel()
        table["z_critical"] = self.critical().ravel()
        corrected = {"p_contrast": self._of_contrast, "p_familywise": self._familywise}
        for name, value in ({"p": self._uncorrected} | corrected).items():
            table[name] = value.p.ravel()
            for end in ("low", "high", "tail"):
                table[f"{name}_{end}"] = getattr(value, end).ravel()
        table["permutations"] = len(self.null_distribution)
        table["exact"] = self.exact
        return table[columns_of(self.labels)]

    def _all(self):
        # The observed labels are one of the relabellings, as in the p-values.
        return np.concatenate([self.statistic[None], self.null_distribution])

    def _z_of(self, statistic):
        """Statistics in standard deviations from the mean of permuted labels."""
        mean = self.null_mean
        sd = self.null_sd
        # Statistics that are all equal differ by rounding only, and 0 / 0 would be any number.
        away = np.abs(statistic - mean) > ROUNDING * np.maximum(np.abs(statistic), np.abs(mean))
        sd = np.where(sd <= ROUNDING * np.abs(self.null_distribution).max(axis=0), 0.0, sd)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(away, (statistic - mean) / sd, 0.0)

    @functools.cached_property
    def _scores(self):
        """Scores of all statistics that are comparable over contrasts and penalties."""
        return min_p_scores(self._all())


def columns_of(groups):
    """Return the columns of `PermutationTestResult.table` for groups."""
    p_values = [
        f"{name}{end}"
        for name in ("p", "p_contrast", "p_familywise")
        for end in ("", "_low", "_high", "_tail")
    ]
    return [
        *"contrast percentile alpha objective optimal size".split(),
        *(f"density_{group}" for group in groups),
        *"null_mean null_sd null_low null_high z z_critical".split(),
        *p_values,
        *"permutations exact".split(),
    ]


def permutation_test(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    percentiles: float | Sequence[float] = PERCENTILES,
    alphas: float | Sequence[float] = (),
    edge_statistic: str = "difference",
    hold: str = "null",
    n_permutations: int = 1000,
    solver: str = "exact",
    limits: Mapping | Limits | None = None,
    regions: Sequence[str] | None = None,
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
) -> "PermutationTestResult":
    """Test whether two groups of graphs differ by more than chance in their contrast subgraphs.

    With `covariates` the difference graph is the coefficient of the group in a linear model of
    each edge, and the residuals are permuted (Freedman and Lane 1983; Winkler et al., NeuroImage
    2014).

    Parameters
    ----------
    X : array_like of shape (n_graphs, n_vertices, n_vertices), or CohortGraphs
        Adjacency matrices, or symmetric matrices of weights; or only their pairs, (n_graphs,
        n_pairs), in the order of `numpy.triu_indices`, which are not copied (so that
        ``numpy.load(..., mmap_mode="r")`` works). Or people, as `read_groups` returns them, with
        their labels and names.
    y : array_like of shape (n_graphs,), or Design
        The group of each graph (two different labels), or a variable (numbers). A design comes with
        its own labels, blocks, covariates, subjects and seed. With people, leave it out, unless it
        is a variable or a design.
    percentiles, alphas : float or sequence of float
        The penalties: percentiles of a difference graph's weights (`hold`), and plain values.
    labels : sequence of two labels, or dict of label to name, optional
        The groups in order; sorted by default.
    variable : str, optional
        Name of the variable; numbers of ten values or more need none.
    ranks : bool
        Use ranks of variable and weights (Spearman), given ranks of the covariates and their
        squares.
    paired : bool
        The two labels belong to the same `subjects`, each once with either label: differences
        within people are tested by flipping their signs.
    blocks : array_like of shape (n_graphs,), optional
        Labels are permuted only within these, such as sites. If sites differ much, give them as a
        covariate too.
    covariates : mapping of str to array_like of shape (n_graphs,), or DataFrame, optional
        Numbers, or texts, which are categories.
    subjects : sequence of str, optional
        Names. With them the answer does not depend on the order of the graphs, and graphs of one
        person are exchanged together.
    exchange : {"auto", "within", "whole", "signs"}
        For people with several graphs. With ``auto``, what varies within people is permuted within
        them, and what does not vary is exchanged between people with equal numbers of graphs;
        ``within`` and ``whole`` ask for one of the two. With `blocks`, ``whole`` exchanges blocks
        as wholes, such as families. ``signs`` permutes nothing but flips the signs of people's
        residuals; people may then vary unequally (Winkler et al., NeuroImage 2014).
    modes : int or "auto", optional
        The number of modes shared by all people that are added to the covariates
        (`design.modes.mode_scores`).
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair of regions: the difference of the groups' means, or that over its
        standard error (`EdgeStatistic`).
    hold : {"null", "observed"}
        Whether the penalties of percentiles come from relabelled difference graphs or from the
        observed one (docs/significance.md).
    n_permutations : int
        If there are no more relabellings than this, all are used, and the test is exact.
    solver : {"exact", "search"}
        The solver for the sets that are tested, as in `sweep`.
    limits : dict, optional
        Limits of the proofs, as in `sweep`.
    regions : sequence of str, optional
        Names of the regions, for warnings.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Seed of all draws; None draws one.
    n_jobs : int or None
        The number of processes, -1 or None for all cores. The result does not depend on it.
    name : str
        The name of the cohort: with the same seed, each cohort has its own draws.

    Returns
    -------
    PermutationTestResult

    Raises
    ------
    InputError
        If graphs, labels and what is known about the people do not fit together, or if there is no
        penalty.
    NoTest
        If no relabelling changes anything, so that there is no test.

    Warns
    -----
    UserWarning
        If fewer than 1,000 relabellings are possible, people or blocks cannot be exchanged with
        any other, a block has people of one group only, one group has no edge at a region where
        the other has some, or weights spread unequally over the groups or along a variable.

    See Also
    --------
    held_out_effect : Measures the difference in people who did not choose the set.
    chosen_penalty : Chooses which of several penalties is shown.
    confirm : Tests sets that were chosen elsewhere, without a search.
    edge_tests : Tests single edges.

    References
    ----------
    Freedman, Lane: A nonstochastic interpretation of reported significance levels. Journal of
    Business and Economic Statistics 1, 1983. https://doi.org/10.1080/07350015.1983.10509354

    Winkler, Ridgway, Webster, Smith, Nichols: Permutation inference for the general linear model.
    NeuroImage 92, 2014. https://doi.org/10.1016/j.neuroimage.2014.01.060

    Winkler, Ridgway, Douaud, Nichols, Smith: Faster permutation inference in brain imaging.
    NeuroImage 141, 2016. https://doi.org/10.1016/j.neuroimage.2016.05.068

    Examples
    --------
    Six graphs with one edge against six without any: two of 924 relabellings are this far apart.

    >>> graphs = np.zeros((12, 3, 3))
    >>> graphs[:6, 0, 1] = graphs[:6, 1, 0] = 1
    >>> y = ["patient"] * 6 + ["control"] * 6
    >>> test = permutation_test(graphs, y, alphas=[0.5], percentiles=[])
    >>> test.contrasts, test.exact, len(test.null_distribution)
    (('control-patient', 'patient-control', 'symmetric'), True, 923)
    """
    # A warning should name a region as the data do.
    regions = names_of_regions(X, regions)
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
    return test_of_design(
        design,
        X,
        percentiles,
        alphas,
        edge_statistic=edge_statistic,
        hold=hold,
        n_permutations=n_permutations,
        solver=solver,
        limits=limits,
        regions=regions,
        n_jobs=n_jobs,
    )


def test_of_design(
    design,
    X,
    percentiles,
    alphas=(),
    *,
    edge_statistic="difference",
    hold="null",
    n_permutations=1000,
    solver="exact",
    limits=None,
    regions=None,
    n_jobs=1,
    solved=None,
    store=None,
):
    """As `permutation_test` for a design, with known sets and kept statistics.

    `solved(observed)` returns the sets of each contrast with their penalties, whatever `hold` says.
    `store` is like `cohort._Kept`.
    """
    check_count(n_permutations, "n_permutations")
    n_jobs = check_jobs(n_jobs)
    check_option("hold", hold, HOLDS)
    penalties = Penalties.of(percentiles, alphas, _LEAST)
    statistic = design.statistic(X, edge_statistic)
    if len(design.labels) == 2:
        people = statistic.weights, design.strata, design.labels
        warn_of_absent_regions(*people, regions, design.name)
    warn_of_spreads(statistic)
    # Sums over several threads differ in their last digits from run to run.
    with threadpool_limits(1, "blas"):
        # 1. The observed difference graphs, their penalties and sets.
        observed = statistic.contrasts(statistic.values(design.observed())[0])
        if solved is None:
            how = Settings(solver, design.random_state, limits=limits)
            found = _solved(statistic, observed, penalties, hold, how)
        else:
            found = solved(observed)
        alphas = np.array([[entry["alpha"] for entry in row] for row in found])
        # 2. The statistic of the observed labels, by the same search as for permuted ones.
        best = best_surpluses(observed, alphas, design.random_state)
        _warn_of_better(best, found, design.contrasts)
        # 3. The statistics of permuted labels.
        null, exact = _null_distribution(statistic, alphas, n_permutations, n_jobs, store)
    if store is not None:
        store.keep(null, statistic=best, alphas=alphas)
    # 4. The mean weights of each group inside the sets.
    nodes = [[np.asarray(entry["nodes"], dtype=np.int64) for entry in row] for row in found]
    return PermutationTestResult(
        labels=design.labels,
        contrasts=design.contrasts,
        percentiles=penalties.labels,
        alphas=alphas,
        objective=np.array([[entry["objective"] for entry in row] for row in found]),
        optimal=np.array([[bool(entry["optimal"]) for entry in row] for row in found]),
        nodes=nodes,
        density=_densities(statistic, nodes),
        statistic=best,
        null_distribution=null,
        exact=exact,
        covariates=design.covariates,
    )


def _null_distribution(statistic, alphas, n_permutations, n_jobs, store):
    """Return the statistics of permuted labels, (B, C, K), and whether these are all there are.

    What an earlier run has kept in `store` is not computed again.
    """
    design = statistic.design
    draws, count, exact = design.draws(n_permutations)
    kept = np.zeros((0, *alphas.shape))
    if store is not None:
        kept = store.begin(statistic, alphas)[:count]

    def chunk(start):
        rows = statistic.values(draws(start, min(start + CHUNK, count)))
        return [
            best_surpluses(statistic.contrasts(row), alphas, design.random_state)
            for k, row in enumerate(rows, start)
            if k >= len(kept)
        ]

    # The chunk in which the kept ones end is computed from there on.
    starts = range(len(kept) // CHUNK * CHUNK, count, CHUNK)
    parts = [kept]
    for part in mapped(chunk, starts, n_jobs, "permutations"):
        parts.append(np.reshape(part, (-1, *alphas.shape)))
        if store is not None:
            store.keep(np.concatenate(parts))
    return np.concatenate(parts), exact


def _densities(statistic, nodes):
    """Return the mean weight of each group inside each set, (C, K, n_groups)."""
    means = []
    # A variable has no groups.
    if statistic.design.labels:
        means = statistic.mean_graphs()
    found = np.zeros((len(nodes), len(nodes[0]), len(means)))
    for place in np.ndindex(found.shape):
        contrast, penalty, group = place
        found[place] = mean_inside(means[group], nodes[contrast][penalty])
    return found


#: The smallest penalty, which must be positive.
_LEAST = np.nextafter(0, 1)


def _solved(statistic, observed, penalties, hold, settings):
    """Return the contrast subgraph of each contrast at each penalty.

    Percentiles are those of the observed graphs, or averaged over relabellings (`hold`).
    """
    if hold == "observed":
        alphas = [penalties.at(matrix) for matrix in observed]
    else:
        held = relabelled_alphas(statistic, penalties.percentiles)
        alphas = [[*row, *penalties.alphas] for row in held]
    return [
        [_solved_at(matrix, alpha, settings) for alpha in row]
        for matrix, row in zip(observed, alphas, strict=True)
    ]


def _solved_at(matrix, alpha, settings):
    """The contrast subgraph at any penalty: a percentile of sparse graphs may be 0."""
    # Weights and penalty are shifted by the same number: the surplus stays, and alpha is positive.
    shift = 0.0 if alpha > 0 else np.abs(matrix).max(initial=1.0) - alpha
    moved = matrix + shift * (1 - np.eye(len(matrix)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptySetWarning)
        [found] = solve(moved, settings, alphas=[alpha + shift], largest=np.inf)
    return vars(found) | {"alpha": float(alpha)}


def best_surpluses(matrices, alphas, seed):
    """Best surplus that the search finds for each contrast and penalty, (C, K)."""
    return np.array(
        [
            search_quick([matrix], row, seed=seed)[1][0]
            for matrix, row in zip(matrices, alphas, strict=True)
        ]
    )


def _warn_of_better(statistic, found, contrasts):
    """Warn where the search beats the known subgraph: p is then that of the better one."""
    for contrast, row, entries in zip(contrasts, statistic, found, strict=True):
        for value, entry in zip(row, entries, strict=True):
            if value > entry["objective"] + ROUNDING * max(1.0, abs(value)):
                warnings.warn(
                    f"{contrast} at alpha {entry['alpha']:.6g}: the known subgraph has the "
                    f"objective {entry['objective']:.6g}, the best one at least {value:.6g}; "
                    "z and p are those of the best one",
                    stacklevel=4,
                )
