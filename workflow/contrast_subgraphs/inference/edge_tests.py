"""The field's own tests on the same graphs and the same relabellings.

Each looks at the t statistic of every edge: network-based statistic (`inference.nbs`), max-T
(Westfall and Young 1993), and false discovery rate (Benjamini and Hochberg 1995). The relabellings
are too few for the p of one edge among thousands. Edges of one skewness (without weights: of one
prevalence) have one null distribution or nearly so, also where sparse edges and unequal groups make
it far from Student's: p counts the relabellings of all edges like it (pooled as in Storey and
Tibshirani, PNAS 2003).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from ..design.edge_statistic import CHUNK
from .nbs import MEASURES, component_edges, largest_components
from .p_values import ROUNDING, p_value

#: Thresholds of the network-based statistic, in units of t.
THRESHOLDS = (2.0, 3.1)
#: Edges that are alike, at least: this many, and this share of all.
ALIKE, SHARE = 50, 0.05
#: Of the table.
COLUMNS = ["contrast", "test", "threshold", "statistic", "edges", "regions", "p"]


@dataclass(frozen=True, repr=False)
class EdgeFinding(Result):
    """What one test finds in one contrast.

    Attributes
    ----------
    contrast : str
    test : {"nbs-extent", "nbs-intensity", "max-t", "fdr"}
    threshold : float or None
        Of the network-based statistic, in units of t.
    statistic : float
        Of the largest component, or the largest t, or the smallest p of an edge.
    pvalue : float
        Corrected for all edges; of fdr the smallest adjusted p.
    pairs : numpy.ndarray of int, shape (n_edges, 2)
        Edges of the largest component, or with a corrected p up to `LEVEL`.

    See Also
    --------
    edge_tests : What gives it.
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
    edge_tests : What gives it.
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
        """Return what a test finds in a contrast; of several thresholds at the first."""
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
            edges, regions = len(found.pairs), len(np.unique(found.pairs))
            rows.append(vars(found) | {"edges": edges, "regions": regions, "p": found.pvalue})
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
        As for `permutation_test`, which sees the same relabellings.
    thresholds : float or sequence of float
        From these t on edges belong to the network-based statistic's components. Each has its own
        p: choosing among them is not corrected for.
    edge_statistic : {"t", "welch"}
        Student's t, or Welch's for groups of unequal spread.
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
        If a threshold is not above 0, or the edge statistic has no common scale (``difference``).
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
    statistic = design.statistic(X, edge_statistic)
    draws, count, exact = design.draws(n_permutations)
    shape = statistic.pairs, statistic.n_vertices
    pools = _pools(statistic)

    def chunk(start):
        forms = design.forms(statistic.values(draws(start, min(start + CHUNK, count))))
        largest = [
            [form.max(axis=1, initial=0.0)]
            + [row for value in thresholds for row in largest_components(form, *shape, value)]
            for form in forms
        ]
        return np.array(largest), np.array(
            [_reached(*of, pools) for of in zip(observed, forms, strict=True)]
        )

    with threadpool_limits(1, "blas"):
        observed = [form[0] for form in design.forms(statistic.values(design.observed()))]
        parts = list(mapped(chunk, range(0, count, CHUNK), jobs, "permutations of edges"))
    largest = np.concatenate([part[0] for part in parts], axis=2)
    reached = sum(part[1] for part in parts)
    size, findings = np.ones(len(shape[0])), []
    for pool in pools:
        size[pool] = len(pool)
    for contrast, form, null, counts in zip(
        design.contrasts, observed, largest, reached, strict=True
    ):
        rows = iter(null[1:])
        for threshold in thresholds:
            here = largest_components(form[None], *shape, threshold)[:, 0]
            edges = component_edges(form, *shape, threshold)
            for measure, value, inside in zip(MEASURES, here, edges, strict=True):
                p = float(p_value(value, next(rows), exact).p)
                name = f"nbs-{measure}"
                findings.append(
                    EdgeFinding(contrast, name, threshold, float(value), p, statistic.pairs[inside])
                )
        most = p_value(form, null[0][:, None], exact).p if form.size else np.ones(0)
        p = (1 + counts) / (1 + count * size)
        from scipy.stats import false_discovery_control  # takes a second

        rate = false_discovery_control(p) if len(p) else p
        last = ("max-t", form.max(initial=0.0), most), ("fdr", p.min(initial=1.0), rate)
        for name, value, corrected in last:
            found = statistic.pairs[corrected <= LEVEL]
            least = float(corrected.min(initial=1.0))
            findings.append(EdgeFinding(contrast, name, None, float(value), least, found))
    return EdgeTestsResult(tuple(findings))


def _edges(pairs):
    """Return how many edges there are, and between how many regions."""
    regions = len(np.unique(pairs))
    return f"{plural(len(pairs), 'edge')} of {plural(regions, 'region')}"


def _check_statistic(edge_statistic):
    """Raise InputError for a statistic that has no scale on which edges are comparable."""
    if edge_statistic == "difference":
        raise InputError(
            "edge_tests compares edges with each other, which a difference of means does not allow "
            "where some vary more than others: take edge_statistic='t', or 'welch' where groups "
            "spread unequally; for differences of means there is permutation_test"
        )
    check_option("edge_statistic", edge_statistic, ("t", "welch"))


def _pools(statistic):
    """The edges of like skewness, as one array of their numbers for each pool."""
    edges, moments = statistic.edges, []
    for block in blocks_of_pairs(statistic.edges):
        part = edges[:, block].T.astype(float)
        size = np.abs(part).max(axis=1, initial=0)
        part = unexplained(part, statistic.design.nuisance)
        moments.append([size, np.sqrt((part**2).mean(axis=1)), (part**3).mean(axis=1)])
    size, spread, third = np.concatenate(moments, axis=1)
    # Edges that are the same in everybody have no statistic: they are alike, and like no other.
    varies = spread > NOTHING * size
    skewness = third[varies] / spread[varies] ** 3
    value, counts = np.unique(np.round(skewness, 6), return_inverse=True, return_counts=True)[1:]
    least, pool, pools, held = max(ALIKE, SHARE * edges.shape[1]), 0, [], 0
    for size in counts:
        pools.append(pool)
        held += size
        if held >= least:
            pool, held = pool + 1, 0
    if held < least:  # what is left over belongs to the last pool
        pools = np.minimum(pools, max(pool - 1, 0))
    pool_of = np.asarray(pools, dtype=int)[value]
    found = [np.flatnonzero(varies)[pool_of == k] for k in np.unique(pool_of)]
    return [*found, np.flatnonzero(~varies)]


def _reached(observed, null, pools):
    """How many permuted statistics of an edge's pool reach its observed one."""
    counts = np.zeros(len(observed), dtype=np.int64)
    for pool in pools:
        values = np.sort(null[:, pool], axis=None)
        slack = ROUNDING * np.abs(observed[pool])
        counts[pool] = values.size - np.searchsorted(values, observed[pool] - slack)
    return counts
