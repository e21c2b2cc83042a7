"""Node sets of training parts: how much they overlap, and how often each region is in one."""

import numpy as np
import pandas as pd


def add_jaccard(results, n_regions):
    """Add ``jaccard`` to each split's results: how much its node sets overlap with other splits'.

    It is the mean Jaccard index (regions in both / regions in either), NaN without other sets.
    """
    sets = [one["sets"] for one in results]
    # Sets as rows of zeros and ones: one product then gives the sizes of all intersections.
    chosen = np.zeros((len(sets), len(sets[0]), n_regions))
    for split, nodes in enumerate(sets):
        for number, one in enumerate(nodes):
            chosen[split, number, one] = 1
    both = np.einsum("ikr,jkr->ijk", chosen, chosen)
    sizes = chosen.sum(axis=2)
    either = sizes[:, None] + sizes[None, :] - both
    share = np.divide(both, either, out=np.full(both.shape, np.nan), where=either > 0)
    # A set compared with itself would raise the mean.
    share[np.arange(len(sets)), np.arange(len(sets))] = np.nan
    for one, shares in zip(results, share, strict=True):
        known = shares[~np.isnan(shares)]
        one["jaccard"] = np.nan
        if len(known):
            one["jaccard"] = float(known.mean())


def stability_table(learner, chosen, cohort, method, roi):
    """Count how often each region is in a contrast subgraph of a training part.

    `chosen` holds what each split fitted and chose; the choice counts as one more ``percentile``.
    """
    splits = len(chosen)
    regions = {"index": np.arange(len(roi)), "region": roi}
    blocks = []
    for c, contrast in enumerate(learner.contrasts):
        sets = {
            str(percentile): [fit.subgraphs[contrast][level] for fit, _ in chosen]
            for level, percentile in enumerate(learner.percentiles)
        }
        sets["chosen"] = [
            fit.subgraphs[contrast][learner.levels[which][c]] for fit, which in chosen
        ]
        for percentile, subgraphs in sets.items():
            about = {"cohort": cohort, "method": method, "contrast": contrast}
            count = np.bincount(np.concatenate(subgraphs), minlength=len(roi))
            about |= {"percentile": percentile, **regions, "count": count, "splits": splits}
            blocks.append(pd.DataFrame(about))
    return pd.concat(blocks, ignore_index=True)
