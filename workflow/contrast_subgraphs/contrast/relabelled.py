"""Penalties that do not depend on the labels: percentiles averaged over relabellings.

A percentile of the observed difference graph depends on the labels: alpha is larger where the
groups differ than where they do not. The mean of the same percentile over relabellings does not
depend on them, so that one set can be found, proved, tested and measured at it
(docs/significance.md).
"""

import numpy as np

from ..design.edge_statistic import CHUNK
from .alpha import Penalty, alphas_of_percentiles, check_percentile, listed_penalties

#: The number of relabellings that an alpha is averaged over.
ALPHA_DRAWS = 200
#: Where alpha comes from: other relabellings, or the observed difference graph.
HOLDS = ("null", "observed")


def relabelled_alphas(statistic, percentiles):
    """Return alphas for each contrast and percentile, (n_contrasts, n_percentiles).

    `statistic` is an `EdgeStatistic`; its design draws the relabellings.
    """
    percentiles = [check_percentile(one) for one in listed_penalties(percentiles)]
    design = statistic.design
    total = np.zeros((len(design.contrasts), len(percentiles)))
    if not percentiles:
        return total
    # These draws are apart from those of the tests ("alpha"): a test must not use the relabellings
    # that have set its penalty. In chunks, so that they need not all be in memory.
    for start in range(0, ALPHA_DRAWS, CHUNK):
        draws = design.random(start, min(start + CHUNK, ALPHA_DRAWS), "alpha")
        for row in statistic.values(draws):
            forms = statistic.contrasts(row)
            total += [alphas_of_percentiles(form, percentiles) for form in forms]
    return total / ALPHA_DRAWS


def relabelled_penalties(statistic, percentiles):
    """Return the penalties of each contrast, as `solve` takes them in place of percentiles."""
    percentiles = listed_penalties(percentiles)
    found = {}
    alphas = relabelled_alphas(statistic, percentiles)
    for contrast, row in zip(statistic.design.contrasts, alphas, strict=True):
        pairs = zip(row.tolist(), percentiles, strict=True)
        found[contrast] = [Penalty(alpha, float(percentile)) for alpha, percentile in pairs]
    return found
