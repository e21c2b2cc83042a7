"""How many of the pairs inside a set truly differ? A lower bound that holds for all sets at once.

A small p says that there is a difference somewhere. The order of the p-values of all pairs bounds
how many pairs inside a set differ at least: among pairs that do not differ, few have a small p. How
few is calibrated on relabellings (permutation-based all-resolutions inference, Andreella et al.,
Statistics in Medicine 2023; Blanchard, Neuvial and Roquain, Annals of Statistics 2020). So the
bound holds however the pairs are correlated, and for a set that the same data chose.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

from ..contrast.objective import check_nodes
from ..core.checks import RandomState, check_count, check_number, check_option
from ..core.errors import InputError
from ..core.pairs import upper_triangle
from ..core.processes import check_jobs, mapped
from ..core.results import Result
from ..design import CohortGraphs, Design, asked_of
from ..design.edge_statistic import CHUNK
from .p_values import ROUNDING

#: A bound may be too large in this share of studies.
LEVEL = 0.05
#: This number of the smallest p-values is given up for larger bounds in larger sets.
SHIFT = 9
#: Only t is comparable over pairs.
STATISTICS = ("t", "welch")


@dataclass(frozen=True, repr=False)
class TruePairsResult(Result):
    """Result of `true_pairs`, for C contrasts and m pairs.

    Attributes
    ----------
    contrasts : tuple of str
    p : numpy.ndarray of shape (C, m)
        p of each pair by itself, from the t distribution, in the order of `numpy.triu_indices`.
    limits : numpy.ndarray of shape (C, m)
        For all k at once, fewer than k of the pairs that do not differ have a p below limit k.
    n_vertices : int
    level : float
    permutations : int

    See Also
    --------
    true_pairs : Returns it.

    Examples
    --------
    Three of six pairs have a p below all limits, so that three differ at least:

    >>> p = np.array([[0.001, 0.001, 0.001, 0.5, 0.6, 0.7]])
    >>> limits = np.array([[0.01, 0.02, 0.03, 0.04, 0.05, 0.06]])
    >>> found = TruePairsResult(("a-b",), p, limits, 4, 0.05, 999)
    >>> found.at_least(None, "a-b"), found.regions_at_least(None, "a-b")
    (3, 3)
    """

    contrasts: tuple
    p: np.ndarray
    limits: np.ndarray
    n_vertices: int
    level: float
    permutations: int

    def at_least(self, nodes: ArrayLike | None, contrast: str) -> int:
        """Return the least number of pairs inside a set that differ in the contrast's direction.

        Parameters
        ----------
        nodes : array_like of int or of bool
            The regions of the set; None for all.
        contrast : str

        Returns
        -------
        int
            A bound that holds for all sets of the contrast at once.
        """
        check_option("contrast", contrast, self.contrasts)
        place = self.contrasts.index(contrast)
        member = np.ones(self.n_vertices, dtype=bool)
        if nodes is not None:
            member[:] = False
            member[check_nodes(nodes, self.n_vertices)] = True
        i, j = upper_triangle(self.n_vertices)
        inside = np.sort(self.p[place, member[i] & member[j]])
        limits = self.limits[place, : len(inside)]
        below = np.searchsorted(inside, limits, side="left")
        return int(max(0, (below - np.arange(len(inside))).max(initial=0)))

    def regions_at_least(self, nodes: ArrayLike | None, contrast: str) -> int:
        """Return the least number of regions that the pairs of `at_least` need.

        Parameters
        ----------
        nodes : array_like of int or of bool
        contrast : str

        Returns
        -------
        int
        """
        pairs = self.at_least(nodes, contrast)
        if pairs == 0:
            return 0
        # k regions have k (k - 1) / 2 pairs: the smallest k that has room for them.
        return math.ceil((1 + math.sqrt(1 + 8 * pairs)) / 2)

    def table(self) -> pd.DataFrame:
        """Return the least number of all pairs that differ, for each contrast."""
        rows = []
        for contrast in self.contrasts:
            row = {"contrast": contrast, "pairs": self.p.shape[1]}
            row["at_least"] = self.at_least(None, contrast)
            row["regions_at_least"] = self.regions_at_least(None, contrast)
            rows.append(row)
        return pd.DataFrame(rows)

    def _said(self) -> str:
        each = [f"{row.contrast} {row.at_least}" for row in self.table().itertuples()]
        return f"of {self.p.shape[1]} pairs differ at least: {', '.join(each)}"


def true_pairs(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    *,
    level: float = LEVEL,
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
) -> TruePairsResult:
    """Bound the number of pairs that truly differ inside any set, even one chosen from these data.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    level : float
        The share of studies in which any bound of a contrast may be too large.
    edge_statistic : {"t", "welch"}
        Student's t of each pair, or Welch's.
    n_permutations : int
        As for `permutation_test`, which uses the same relabellings.
    labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    TruePairsResult

    Raises
    ------
    InputError
        If the question has no direction, or if an option is invalid.

    See Also
    --------
    permutation_test : Tests whether there is a difference at all, and finds smaller ones.

    Notes
    -----
    Each contrast has its own level: over both directions a bound is too large in at most twice as
    many studies. A bound of 0 says nothing.

    References
    ----------
    Andreella, Hemerik, Finos, Weeda, Goeman: Permutation-based true discovery proportions for
    functional magnetic resonance imaging cluster analysis. Statistics in Medicine 2023.
    doi:10.1002/sim.9725

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = rng.normal(size=(40, 45))
    >>> graphs[:20, :17] += 2
    >>> found = true_pairs(graphs, np.repeat(["a", "b"], 20), n_permutations=199)
    >>> 5 < found.at_least(None, "a-b") <= 17, found.at_least(None, "b-a")
    (True, 0)
    """
    level = check_number(level, "level", 0, 1)
    check_count(n_permutations, "n_permutations")
    jobs = check_jobs(n_jobs)
    check_option("edge_statistic", edge_statistic, STATISTICS)
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
        raise InputError(f"{design.what} has no direction in which pairs could differ")
    statistic = design.statistic(X, edge_statistic)
    freedom = max(1, len(design.rows) - design.nuisance.shape[1] - 1)
    draws, count, _ = design.draws(n_permutations)

    def chunk(start):
        rows = statistic.values(draws(start, min(start + CHUNK, count)))
        return np.stack([_slopes(p) for p in _one_sided(design, rows, freedom)])

    with threadpool_limits(1, "blas"):
        parts = list(mapped(chunk, range(0, count, CHUNK), jobs, "permutations of pairs"))
        own = _one_sided(design, statistic.values(design.observed()), freedom)
    observed = np.stack([p[0] for p in own])
    slopes = np.concatenate([np.stack([_slopes(p) for p in own]), *parts], axis=1)
    # This number of relabellings may be below, including the observed labels.
    allowed = int(level * slopes.shape[1] + 1e-9)
    calibrated = np.sort(slopes, axis=1)[:, min(allowed, slopes.shape[1] - 1)]
    # If the slope is that of the observed labels, their p-values equal the limits, and are not
    # below them: rounding must not make them so.
    calibrated = calibrated * (1 - ROUNDING)
    return TruePairsResult(
        contrasts=design.contrasts,
        p=observed,
        limits=calibrated[:, None] * _line(observed.shape[1]),
        n_vertices=statistic.n_vertices,
        level=level,
        permutations=count,
    )


def _one_sided(design, rows, freedom):
    """Return the p-values of all pairs in each contrast, (n_draws, n_pairs)."""
    forms = design.forms(rows)
    found = []
    for place, form in enumerate(forms):
        # The larger t, the smaller p; the symmetric contrast has two sides.
        p = stdtr(freedom, -form)
        found.append(2 * p if place == 2 else p)
    return found


def _line(count):
    """Return the limits for a slope of 1, which are 0 for the first `SHIFT` p-values."""
    shift = min(SHIFT, max(0, count - 1))
    return np.maximum(np.arange(1, count + 1) - shift, 0) / (count - shift)


def _slopes(p):
    """Return the largest slope at which no p-value is below its limit, for each draw."""
    line = _line(p.shape[1])
    there = line > 0
    return (np.sort(p, axis=1)[:, there] / line[there]).min(axis=1, initial=np.inf)
