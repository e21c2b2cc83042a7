"""The field's own tests on the same graphs and the same relabellings.

Each uses the t statistic of every edge: network-based statistic (`inference.nbs`), max-T (Westfall
and Young 1993), and false discovery rate (Benjamini and Hochberg 1995). There are too few
relabellings for the p of one edge among thousands. But edges with the same skewness (or, without
weights, the same prevalence) have almost the same null distribution, even where sparse edges and
unequal groups take it far from Student's. So p counts the relabellings of all edges like it (pooled
as in Storey and Tibshirani, PNAS 2003).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from ..contrast.alpha import listed_penalties
from ..core.checks import RandomState, check_count, check_number, check_option, plural
from ..core.errors import InputError
from ..core.holm import LEVEL
from ..core.notebook import draw_bars
from ..core.pairs import blocks_of_pairs
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, asked_of
from ..design.covariates import NOTHING, unexplained
from ..design.edge_statistic import CHUNK, EdgeStatistic
from .nbs import MEASURES, component_edges, largest_components
from .p_values import ROUNDING, p_value

#: Thresholds of the network-based statistic, in units of t.
THRESHOLDS = (2.0, 3.1)
#: The smallest pool of edges that are alike: this number, and this share of all edges.
ALIKE = 50
SHARE = 0.05
#: The columns of the table.
COLUMNS = ["contrast", "test", "threshold", "statistic", "edges", "regions", "p"]


@dataclass(frozen=True, repr=False)
class EdgeFinding(Result):
    """The result of one test in one contrast.

    Attributes
    ----------
    contrast : str
    test : {"nbs-extent", "nbs-intensity", "max-t", "fdr"}
    threshold : float or None
        For the network-based statistic, in units of t.
    statistic : float
        The size of the largest component, the largest t, or the smallest p of an edge.
    pvalue : float
        Corrected for all edges; for fdr the smallest adjusted p.
    pairs : numpy.ndarray of int, shape (n_edges, 2)
        Edges of the largest component, or edges with a corrected p up to `LEVEL`.

    See Also
    --------
    edge_tests : Returns it.

    Examples
    --------
    >>> EdgeFinding("a-b", "nbs-extent", 3.1, 2.0, 0.005, np.array([[0, 1], [1, 2]]))
    <EdgeFinding: nbs-extent at 3.1 of a-b: p = 0.005, 2 edges of 3 regions>
    """

    contrast: str
    test: str
    threshold: float | None
    statistic: float
    pvalue: float
    pairs: np.ndarray

    def _said(self) -> str:
        at = "" if self.threshold is None else f" at {self.threshold:g}"
        return f"{self.test}{at} of {self.contrast}: p = {self.pvalue:.3g}, {_edges(self.pairs)}"


@dataclass(frozen=True, repr=False)
class EdgeTestsResult(Result):
    """Result of `edge_tests`: an `EdgeFinding` for each contrast, test and threshold.

    Attributes
    ----------
    findings : tuple of EdgeFinding

    See Also
    --------
    edge_tests : Returns it.

    Examples
    --------
    >>> one = EdgeFinding("a-b", "max-t", None, 4.2, 0.01, np.array([[0, 1]]))
    >>> found = EdgeTestsResult((one,))
    >>> found
    <EdgeTestsResult: 1 test of edges; smallest p: max-t of a-b: p = 0.01, 1 edge of 2 regions>
    >>> found.of("a-b", "max-t").pvalue, found.table()["edges"].tolist()
    (0.01, [1])
    """

    findings: tuple

    def _said(self) -> str:
        if not self.findings:
            return "no test of edges"
        least = min(self.findings, key=lambda found: found.pvalue)
        return f"{plural(len(self.findings), 'test')} of edges; smallest p: {least._said()}"

    def _draw(self, axes: Any) -> bool:
        found = sorted(self.findings, key=lambda one: one.pvalue)
        names = [f"{one.contrast}, {one.test}" for one in found]
        p = [one.pvalue for one in found]
        return draw_bars(axes, names, p, "p, corrected for all edges", LEVEL)

    def of(self, contrast: str, test: str, threshold: float | None = None) -> EdgeFinding:
        """Return the result of a test in a contrast.

        Parameters
        ----------
        contrast : str
        test : {"nbs-extent", "nbs-intensity", "max-t", "fdr"}
        threshold : float, optional
            Of the network-based statistic; by default the first.

        Returns
        -------
        EdgeFinding

        Raises
        ------
        InputError
            If there is no such test.
        """
        for found in self.findings:
            if (found.contrast, found.test) == (contrast, test) and (
                threshold is None or found.threshold == threshold
            ):
                return found
        raise InputError(f"there is no test {test} of {contrast} at the threshold {threshold}")

    def table(self) -> pd.DataFrame:
        """Return one row for each finding, with the columns `COLUMNS`."""
        rows = []
        for found in self.findings:
            size = {"edges": len(found.pairs), "regions": len(np.unique(found.pairs))}
            rows.append(vars(found) | size | {"p": found.pvalue})
        return pd.DataFrame(rows, columns=COLUMNS).astype({"threshold": float})


def edge_tests(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    thresholds: float | Sequence[float] = THRESHOLDS,
    edge_statistic: str = "t",
    n_permutations: int = 1000,
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
) -> EdgeTestsResult:
    """Test every edge: network-based statistic, max-T, false discovery rate.

    Parameters
    ----------
    X, y
        As for `permutation_test`, which uses the same relabellings.
    thresholds : float or sequence of float
        Edges with at least this t form the components of the network-based statistic. Each
        threshold has its own p, which does not correct for a choice among them.
    edge_statistic : {"t", "welch"}
        Student's t, or Welch's t for groups that vary unequally.
    n_permutations : int
        As for `permutation_test`.
    labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    EdgeTestsResult

    Raises
    ------
    InputError
        If a threshold is not positive, or if the edge statistic has no common scale
        (``difference``).
    NoTest
        If no relabelling changes anything, so that there is no test.

    See Also
    --------
    permutation_test : Tests sets of regions, not edges.

    References
    ----------
    Zalesky, Fornito, Bullmore: Network-based statistic. NeuroImage 53, 2010.
    https://doi.org/10.1016/j.neuroimage.2010.06.041

    Benjamini, Hochberg: Controlling the false discovery rate. JRSS B 57, 1995.
    https://doi.org/10.1111/j.2517-6161.1995.tb02031.x

    Storey, Tibshirani: Statistical significance for genomewide studies. PNAS 100, 2003.
    https://doi.org/10.1073/pnas.1530509100

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 6, 6)) < 0.3, 1).astype(int)
    >>> graphs[:20, :3, :3] = np.triu(np.ones((3, 3), int), 1)
    >>> graphs = graphs + graphs.transpose(0, 2, 1)
    >>> found = edge_tests(graphs, np.repeat(["a", "b"], 20), n_permutations=199)
    >>> found.of("a-b", "nbs-extent").pvalue, found.of("a-b", "max-t").pairs.tolist()
    (0.005, [[0, 1], [0, 2], [1, 2]])
    """
    check_count(n_permutations, "n_permutations")
    jobs = check_jobs(n_jobs)
    thresholds = [check_number(value, "a threshold") for value in listed_penalties(thresholds)]
    if not thresholds or min(thresholds) <= 0:
        raise InputError("a threshold of the network-based statistic must be above 0")
    _check_statistic(edge_statistic)
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
    observed, null = _permuted(
        design.statistic(X, edge_statistic), thresholds, n_permutations, jobs
    )
    findings = []
    for place, contrast in enumerate(design.contrasts):
        findings += _components(contrast, observed[place], null, place, thresholds)
        findings += _single_edges(contrast, observed[place], null, place)
    return EdgeTestsResult(tuple(findings))


class _Null(NamedTuple):
    """What permuted labels give, for each contrast."""

    statistic: EdgeStatistic
    #: The largest statistic, and then the largest components at each threshold, of each
    #: relabelling: (n_contrasts, 1 + n_measures * n_thresholds, n_permutations).
    largest: np.ndarray
    #: How many statistics of an edge's pool reach the observed one, (n_contrasts, n_edges).
    reached: np.ndarray
    pools: list
    #: Whether the permutations are all there are.
    exact: bool


def _permuted(statistic, thresholds, n_permutations, jobs):
    """Return the observed statistics of all edges in each contrast, and the `_Null`."""
    design = statistic.design
    draws, count, exact = design.draws(n_permutations)
    shape = statistic.pairs, statistic.n_vertices
    pools = _pools(statistic)

    def chunk(start):
        forms = design.forms(statistic.values(draws(start, min(start + CHUNK, count))))
        largest = []
        for form in forms:
            # The p of a maximum is corrected for all edges.
            rows = [form.max(axis=1, initial=0.0)]
            for value in thresholds:
                rows.extend(largest_components(form, *shape, value))
            largest.append(rows)
        reached = [_reached(*of, pools) for of in zip(observed, forms, strict=True)]
        return np.array(largest), np.array(reached)

    with threadpool_limits(1, "blas"):
        observed = [form[0] for form in design.forms(statistic.values(design.observed()))]
        parts = list(mapped(chunk, range(0, count, CHUNK), jobs, "permutations of edges"))
    largest = np.concatenate([part[0] for part in parts], axis=2)
    reached = sum(part[1] for part in parts)
    return observed, _Null(statistic, largest, reached, pools, exact)


def _components(contrast, observed, null, place, thresholds):
    """Yield the tests of the network-based statistic: the largest component at each threshold."""
    shape = null.statistic.pairs, null.statistic.n_vertices
    rows = iter(null.largest[place][1:])
    for threshold in thresholds:
        here = largest_components(observed[None], *shape, threshold)[:, 0]
        edges = component_edges(observed, *shape, threshold)
        for measure, value, inside in zip(MEASURES, here, edges, strict=True):
            p = float(p_value(value, next(rows), null.exact).p)
            found = null.statistic.pairs[inside]
            yield EdgeFinding(contrast, f"nbs-{measure}", threshold, float(value), p, found)


def _single_edges(contrast, observed, null, place):
    """Yield the tests of single edges: the maximum over all, and the false discovery rate."""
    from scipy.stats import false_discovery_control  # takes a second

    largest = null.largest[place][0]
    most = np.ones(0)
    if observed.size:
        most = p_value(observed, largest[:, None], null.exact).p
    # All edges of a pool count as relabellings of each of its edges.
    size = np.ones(len(observed))
    for pool in null.pools:
        size[pool] = len(pool)
    p = (1 + null.reached[place]) / (1 + len(largest) * size)
    rate = p
    if len(p):
        rate = false_discovery_control(p)
    tests = ("max-t", observed.max(initial=0.0), most), ("fdr", p.min(initial=1.0), rate)
    for name, value, corrected in tests:
        found = null.statistic.pairs[corrected <= LEVEL]
        least = float(corrected.min(initial=1.0))
        yield EdgeFinding(contrast, name, None, float(value), least, found)


def _edges(pairs):
    """Return the number of edges, and of their regions, as text."""
    regions = len(np.unique(pairs))
    return f"{plural(len(pairs), 'edge')} of {plural(regions, 'region')}"


def _check_statistic(edge_statistic):
    """Raise InputError for a statistic without a scale on which edges are comparable."""
    if edge_statistic == "difference":
        raise InputError(
            "edge_tests compares edges with each other, which a difference of means does not allow "
            "where some vary more than others: take edge_statistic='t', or 'welch' where groups "
            "spread unequally; for differences of means there is permutation_test"
        )
    check_option("edge_statistic", edge_statistic, ("t", "welch"))


def _pools(statistic):
    """Return pools of edges with similar skewness, as arrays of their numbers."""
    edges = statistic.edges
    moments = []
    for block in blocks_of_pairs(statistic.edges):
        part = edges[:, block].T.astype(float)
        size = np.abs(part).max(axis=1, initial=0)
        part = unexplained(part, statistic.design.nuisance)
        moments.append([size, np.sqrt((part**2).mean(axis=1)), (part**3).mean(axis=1)])
    size, spread, third = np.concatenate(moments, axis=1)
    # Edges that are the same in all people have no statistic: they form a pool of their own.
    varies = spread > NOTHING * size
    # Skewness decides how fast sums approach the normal distribution: edges are sorted by it.
    skewness = third[varies] / spread[varies] ** 3
    value, counts = np.unique(np.round(skewness, 6), return_inverse=True, return_counts=True)[1:]
    least = max(ALIKE, SHARE * edges.shape[1])
    pool = 0
    pools = []
    held = 0
    for size in counts:
        pools.append(pool)
        held += size
        if held >= least:
            pool += 1
            held = 0
    # Edges that are left over join the last pool.
    if held < least:
        pools = np.minimum(pools, max(pool - 1, 0))
    pool_of = np.asarray(pools, dtype=int)[value]
    found = [np.flatnonzero(varies)[pool_of == k] for k in np.unique(pool_of)]
    return [*found, np.flatnonzero(~varies)]


def _reached(observed, null, pools):
    """The number of permuted statistics in an edge's pool that reach the observed one."""
    counts = np.zeros(len(observed), dtype=np.int64)
    for pool in pools:
        values = np.sort(null[:, pool], axis=None)
        slack = ROUNDING * np.abs(observed[pool])
        counts[pool] = values.size - np.searchsorted(values, observed[pool] - slack)
    return counts
