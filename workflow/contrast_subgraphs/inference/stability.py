"""Which regions? How often each is in the contrast subgraph of half the people.

Stability selection (Meinshausen and Bühlmann, JRSS B 2010). A half shares its people with the
whole, so that regions of the whole's subgraph are chosen often even if the groups do not differ.
So the same is done with permuted labels and the subgraph of *their* whole. Only a share above
`share_critical` is evidence: the largest share in a set of this size exceeds it in one of twenty
relabellings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from ..contrast.alpha import (
    PERCENTILES,
    Penalties,
    check_percentile,
    listed_penalties,
)
from ..contrast.solver.search import search_quick
from ..core.checks import RandomState, check_count, plural
from ..core.notebook import draw_bars
from ..core.old_names import warn_of_old_name
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, asked_of
from ..design.edge_statistic import CHUNK

#: The columns of the table.
COLUMNS = "contrast percentile index share share_permuted share_critical halves".split()
#: The number of half samples, for the observed labels and for each of the relabellings.
HALVES = 100
RELABELLINGS = 20
#: The quantile of the largest shares of permuted labels, and the number of sets of about the same
#: size that it is taken over.
QUANTILE = 0.95
LIKE = 40


@dataclass(frozen=True, repr=False)
class RegionStabilityResult(Result):
    """Result of `region_stability`, for C contrasts, K penalties and V regions.

    Attributes
    ----------
    contrasts, percentiles : tuple
        Of length C and K.
    share : numpy.ndarray of shape (C, K, V)
        The share of half samples whose contrast subgraph has each region.
    share_permuted, share_critical : numpy.ndarray of shape (C, K)
        For permuted labels, the mean share of the regions in their subgraph, and the 95 % quantile
        of the largest share in a subgraph, over the `LIKE` subgraphs of all contrasts and penalties
        that are nearest in size. A region with a share above the second is evidence.
    n_halves : int

    See Also
    --------
    region_stability : Returns it.

    Examples
    --------
    >>> found = RegionStabilityResult(
    ...     contrasts=("a-b",),
    ...     percentiles=(80.0,),
    ...     share=np.array([[[1.0, 0.9, 0.2]]]),
    ...     share_permuted=np.array([[0.5]]),
    ...     share_critical=np.array([[0.8]]),
    ...     n_halves=100,
    ... )
    >>> found
    <RegionStabilityResult: shares of 3 regions in 100 half samples, 1 contrast at 1 penalty;
    2 regions beyond chance>
    >>> found.table()[["index", "share"]].values.tolist()
    [[0.0, 1.0], [1.0, 0.9], [2.0, 0.2]]
    """

    contrasts: tuple
    percentiles: tuple
    share: np.ndarray
    share_permuted: np.ndarray
    share_critical: np.ndarray
    n_halves: int

    _columns = ("contrast", "percentile", "index", "share", "share_critical")

    def _said(self) -> str:
        beyond = (self.share > self.share_critical[:, :, None]).any(axis=(0, 1)).sum()
        return (
            f"shares of {self.share.shape[2]} regions in {self.n_halves} half samples, "
            f"{plural(len(self.contrasts), 'contrast')} at "
            f"{plural(len(self.percentiles), 'penalty', 'penalties')}; "
            f"{plural(int(beyond), 'region')} beyond chance"
        )

    def _draw(self, axes: Any) -> bool:
        shares = self.share[0, 0]
        # A stable order: regions of one share stay as the atlas has them.
        order = np.argsort(-shares, kind="stable")
        what = f"share of halves, {self.contrasts[0]}, percentile {self.percentiles[0]:g}"
        return draw_bars(axes, order, shares[order], what, self.share_critical[0, 0])

    def table(self) -> pd.DataFrame:
        """Return one row for each contrast, penalty and region, with the columns `COLUMNS`."""
        c, a, v = np.indices(self.share.shape).reshape(3, -1)
        return pd.DataFrame(
            {
                "contrast": np.array(self.contrasts)[c],
                "percentile": np.array(self.percentiles, dtype=float)[a],
                "index": v,
                "share": self.share.ravel(),
                "share_permuted": self.share_permuted[c, a],
                "share_critical": self.share_critical[c, a],
                "halves": self.n_halves,
            }
        )

    def __getitem__(self, column):
        warn_of_old_name("a column of region_stability itself", "its table()")
        return self.table()[column]


def region_stability(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    percentiles: float | Sequence[float] = PERCENTILES,
    edge_statistic: str = "difference",
    n_halves: int = HALVES,
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
) -> RegionStabilityResult:
    """Count how often each region is in the contrast subgraphs of half the people.

    Parameters
    ----------
    X, y, edge_statistic
        As for `permutation_test`.
    percentiles : float or sequence of float
        The penalties: percentiles of the weights of each difference graph.
    n_halves : int
        The number of half samples, for the observed labels and for each of `RELABELLINGS` others.
    labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    RegionStabilityResult

    Raises
    ------
    InputError
        If the number of halves or a penalty cannot be used.
    NoTest
        If a group is too small to be halved.

    See Also
    --------
    permutation_test : Tests whether the set as a whole exceeds chance.

    References
    ----------
    Meinshausen, Buehlmann: Stability selection. JRSS B 72, 2010.
    https://doi.org/10.1111/j.1467-9868.2010.00740.x

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 6, 6)) < 0.3, 1).astype(int)
    >>> graphs[:20, :3, :3] = np.triu(np.ones((3, 3), int), 1)
    >>> graphs, y = graphs + graphs.transpose(0, 2, 1), np.repeat(["a", "b"], 20)
    >>> found = region_stability(graphs, y, percentiles=[80], n_halves=10)
    >>> found.share[0, 0].tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    check_count(n_halves, "n_halves")
    # A config may have plain values alone: then there is nothing to count, which is no error.
    at = [check_percentile(one) for one in listed_penalties(percentiles)]
    penalties = Penalties(tuple(at))
    n_jobs = check_jobs(n_jobs)
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
    shares, whole = _shares(statistic, penalties, n_halves, n_jobs)
    sizes = whole.sum(axis=-1)
    # Only regions of the relabelling's own subgraph: these are the ones that a reader would see.
    chosen = shares[1:] * whole[1:]
    return RegionStabilityResult(
        contrasts=design.contrasts,
        percentiles=penalties.percentiles,
        share=shares[0],
        share_permuted=_mean_share(chosen, sizes[1:]),
        share_critical=_critical_share(chosen, sizes[1:], sizes[0]),
        n_halves=n_halves,
    )


def _shares(statistic, penalties, n_halves, n_jobs):
    """Return how often each region is chosen, and whether the set of all people has it.

    Both have a row for the observed labels, and one for each relabelling: (1 + RELABELLINGS,
    n_contrasts, n_penalties, n_vertices).
    """
    design = statistic.design

    def chunk(part):
        relabelling, start = part
        halves, draws = design.halves(start, min(start + CHUNK, n_halves), relabelling)
        counts = _chosen(statistic, statistic.of_parts(halves, draws), penalties).sum(axis=0)
        return counts, _chosen(statistic, statistic.values(draws[:1]), penalties)[0]

    starts = range(0, n_halves, CHUNK)
    # Labelling by labelling, so that the chunks of one lie next to each other.
    todo = [(number, start) for number in (None, *range(RELABELLINGS)) for start in starts]
    with threadpool_limits(1, "blas"):
        parts = list(mapped(chunk, todo, n_jobs, "half samples"))
    counts = np.array([part[0] for part in parts])
    shares = counts.reshape(-1, len(starts), *counts.shape[1:]).sum(axis=1) / n_halves
    # Each chunk of a labelling gives the set of all people again.
    whole = np.array([part[1] for part in parts[:: len(starts)]])
    return shares, whole


def _chosen(statistic, rows, penalties):
    """Return whether each region is in the best set, for each row of signed weights."""
    design = statistic.design
    shape = len(rows), len(design.contrasts), len(penalties), statistic.n_vertices
    inside = np.zeros(shape, dtype=bool)
    for row, masks in zip(rows, inside, strict=True):
        for form, sets in zip(statistic.contrasts(row), masks, strict=True):
            sets[:] = search_quick([form], penalties.at(form), seed=design.random_state)[0][0]
    return inside


def _mean_share(chosen, sizes):
    """Return the mean share of the regions of permuted labels' sets; NaN if none has a region."""
    found = np.full(sizes.shape[1:], np.nan)
    known = sizes.any(axis=0)
    return np.divide(chosen.sum(axis=(0, -1)), sizes.sum(axis=0), out=found, where=known)


def _critical_share(chosen, sizes, observed):
    """Return the share that the largest one of permuted labels rarely exceeds.

    Large sets have more regions, and so a larger largest share: sets of like size are compared.
    """
    largest = chosen.max(axis=-1).ravel()
    sizes = sizes.ravel()
    critical = np.full(observed.shape, np.nan)
    for place, size in np.ndenumerate(observed):
        near = np.argsort(np.abs(sizes - size), kind="stable")[:LIKE]
        critical[place] = np.quantile(largest[near], QUANTILE, method="higher")
    return critical
