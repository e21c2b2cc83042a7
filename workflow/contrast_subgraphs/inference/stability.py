"""Which regions? How often each is in the contrast subgraph of half the people.

Stability selection (Meinshausen and Bühlmann, JRSS B 2010): the people are halved at
random, within groups and blocks, and the contrast subgraphs are extracted again, alpha
being the percentile of the half's own difference graph. A region that belongs to them by the
people drawn comes and goes. The same with permuted labels shows how often a region is
chosen where there is nothing to find: regions whose edges vary much are chosen often even so.
"""

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..contrast.difference import alphas_of_percentiles
from ..contrast.search import search_sweep
from ..core.errors import InputError
from ..core.graphs import contrast_names
from ..core.processes import mapped
from .designs import CHUNK, Design

#: Of the table.
COLUMNS = ["contrast", "percentile", "index", "share", "share_permuted", "halves"]
#: Half samples, and as many with permuted labels.
HALVES = 100


def region_stability(
    graphs,
    y,
    percentiles,
    groups=None,
    blocks=None,
    covariates=None,
    halves=HALVES,
    seed=0,
    subjects=None,
    name="",
    processes=1,
):
    """Count how often each region is in the contrast subgraphs of half the people.

    Parameters
    ----------
    graphs, y, groups, blocks, covariates, seed, subjects, name, processes
        As for `permutation_test`.
    percentiles : sequence of float
        The penalties.
    halves : int
        Half samples, and half samples with permuted labels.

    Returns
    -------
    pandas.DataFrame
        ``contrast, percentile, index`` (of the region, from 0), ``share`` (of the half
        samples), ``share_permuted``, ``halves``: a row for each region of each.

    Raises
    ------
    InputError
        As `permutation_test`, if a group is too small to be halved, or there are no halves.
    """
    if isinstance(halves, bool) or int(halves) != halves or halves < 1:
        raise InputError(f"halves must be a whole number from 1 on, not {halves!r}")
    design = Design(graphs, y, groups, blocks, covariates, subjects, seed, name)
    contrasts = contrast_names(design.groups)

    def chunk(part):
        permuted, start = part
        rows = design.halved_differences(start, min(start + CHUNK, halves), permuted)
        counts = np.zeros((3, len(percentiles), design.n_vertices), dtype=np.int64)
        for row in rows:
            matrix = design.matrix(row)
            for c, form in enumerate((matrix, 0.0 - matrix, np.abs(matrix))):
                alphas = alphas_of_percentiles(form, percentiles)
                for a, nodes in enumerate(search_sweep(form, alphas, seed=seed)):
                    counts[c, a, nodes] += 1
        return counts

    todo = [(permuted, start) for permuted in (False, True) for start in range(0, halves, CHUNK)]
    counts = np.zeros((2, 3, len(percentiles), design.n_vertices), dtype=np.int64)
    with threadpool_limits(1, "blas"):
        for (permuted, _), part in zip(todo, mapped(chunk, todo, processes), strict=True):
            counts[int(permuted)] += part
    c, a, v = np.indices(counts.shape[1:]).reshape(3, -1)
    return pd.DataFrame(
        {
            "contrast": np.array(contrasts)[c],
            "percentile": np.array(percentiles, dtype=float)[a],
            "index": v,
            "share": counts[0].ravel() / halves,
            "share_permuted": counts[1].ravel() / halves,
            "halves": halves,
        }
    )
