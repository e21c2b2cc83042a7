"""Which regions? How often each is in the contrast subgraph of half the people.

Stability selection (Meinshausen and Bühlmann, JRSS B 2010): the people are halved at
random, within groups and blocks, and the contrast subgraphs are extracted again, alpha
being the percentile of the half's own difference graph. A region that belongs to them by the
people drawn comes and goes.

A half shares its people with the whole: regions of the whole's subgraph are chosen often even
where the groups do not differ. So the labels are permuted, the subgraph of everybody is taken
with those labels, and it is counted how often *its* regions are chosen by a half. Only a share
above that speaks for a region.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from ..contrast.alpha import alphas_of_percentiles
from ..contrast.solver.search import search_quick
from ..core.checks import check_count
from ..core.processes import mapped
from ..design import Design, make_design
from ..design.edge_statistic import CHUNK

#: Of the table.
COLUMNS = ["contrast", "percentile", "index", "share", "share_permuted", "halves"]
#: Half samples, and as many with permuted labels.
HALVES = 100


def region_stability(
    X: ArrayLike,
    y: ArrayLike | Design,
    *,
    percentiles: Sequence[float],
    labels: Sequence | Mapping | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: Sequence[str] | None = None,
    edge_statistic: str = "difference",
    n_halves: int = HALVES,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Count how often each region is in the contrast subgraphs of half the people.

    Parameters
    ----------
    X, y, labels, blocks, covariates, subjects, edge_statistic, random_state, n_jobs
        As for `permutation_test`.
    percentiles : sequence of float
        The penalties.
    n_halves : int
        Half samples, and half samples with permuted labels.

    Returns
    -------
    pandas.DataFrame
        ``contrast, percentile, index`` (of the region, from 0), ``share`` (of the half
        samples), ``share_permuted`` (of the regions of permuted labels' subgraphs, how many
        their half sample chooses; the same for all regions), ``halves``.

    Raises
    ------
    InputError
        As `permutation_test`, if a group is too small to be halved, or there are no halves.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 6, 6)) < 0.3, 1).astype(int)
    >>> graphs[:20, :3, :3] = np.triu(np.ones((3, 3), int), 1)
    >>> graphs, y = graphs + graphs.transpose(0, 2, 1), np.repeat(["a", "b"], 20)
    >>> shares = region_stability(graphs, y, percentiles=[80], n_halves=10)
    >>> shares[shares["contrast"] == "a-b"]["share"].tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    check_count(n_halves, "n_halves")
    n_jobs = 1 if n_jobs is None else check_count(n_jobs, "n_jobs")
    design = make_design(
        X,
        y,
        labels=labels,
        blocks=blocks,
        covariates=covariates,
        subjects=subjects,
        random_state=random_state,
    )
    statistic = design.statistic(X, edge_statistic)

    def chunk(part):
        permuted, start = part
        halves, draws = design.halves(start, min(start + CHUNK, n_halves), permuted)
        found = subgraphs(statistic.of_parts(halves, draws))
        if not permuted:
            return found.sum(axis=0)
        whole = subgraphs(statistic.values(draws))
        both = (found & whole).sum(axis=(0, 3)), whole.sum(axis=(0, 3))
        return np.stack(both, axis=2)

    def subgraphs(rows):
        shape = len(rows), len(design.contrasts), len(percentiles), statistic.n_vertices
        inside = np.zeros(shape, dtype=bool)
        for row, masks in zip(rows, inside, strict=True):
            for form, sets in zip(statistic.contrasts(row), masks, strict=True):
                alphas = alphas_of_percentiles(form, percentiles)
                sets[:] = search_quick([form], alphas, seed=design.random_state)[0][0]
        return inside

    starts = range(0, n_halves, CHUNK)
    todo = [(permuted, start) for permuted in (False, True) for start in starts]
    with threadpool_limits(1, "blas"):
        parts = list(mapped(chunk, todo, n_jobs))
    counts = sum(parts[: len(starts)])
    both, whole = np.moveaxis(sum(parts[len(starts) :]), 2, 0)
    permuted = np.where(whole > 0, both / np.maximum(whole, 1), np.nan)
    c, a, v = np.indices(counts.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "contrast": np.array(design.contrasts)[c],
            "percentile": np.array(percentiles, dtype=float)[a],
            "index": v,
            "share": counts.ravel() / n_halves,
            "share_permuted": permuted[c, a],
            "halves": n_halves,
        }
    )
