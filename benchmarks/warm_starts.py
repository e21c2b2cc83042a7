"""How often a search misses the best set: random starts against warm ones.

    python -m benchmarks.warm_starts [--permutations 120]

Difference graphs of the published cohorts with permuted labels, at the penalties of the
unpermuted graphs. A set counts as missed if any of the searches found a better one.
"""

import argparse
import time

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast import CONTRASTS, search_quick
from contrast_subgraphs.contrast.alpha import alphas_of_percentiles
from contrast_subgraphs.contrast.difference import difference_of_summaries
from contrast_subgraphs.contrast.objective import surplus, surplus_of
from contrast_subgraphs.contrast.solver.search import search_sweep
from contrast_subgraphs.data.published import read_archive
from tqdm import tqdm

from benchmarks.solver import ARCHIVE, PERCENTILES


def by_starts(count):
    """Random starts alone."""

    def run(weights, alphas, seed):
        found = search_sweep(weights, alphas, seed=seed, starts=count)
        return [surplus_of(surplus(weights, a), s) for a, s in zip(alphas, found, strict=True)]

    return run


def quickly(weights, alphas, seed):
    """The warm starts of the library."""
    members, _ = search_quick([weights], alphas, seed=seed)
    return [
        surplus_of(surplus(weights, a), np.flatnonzero(row))
        for a, row in zip(alphas, members[0], strict=True)
    ]


SEARCHES = {f"{k} random starts": by_starts(k) for k in (8, 15, 30, 60, 300)} | {
    "search_quick": quickly
}


def main():
    """Print one row for each way to search."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--permutations", type=int, default=120)
    count = parser.parse_args().permutations
    archive = read_archive(ARCHIVE)
    index = {name: i for i, name in enumerate(archive.graphs.subject)}
    rng = np.random.default_rng(3)
    values, seconds = {name: [] for name in SEARCHES}, dict.fromkeys(SEARCHES, 0.0)
    for cohort, members in archive.members.groupby("cohort", sort=True):
        graphs = archive.graphs.adjacency[[index[s] for s in members["subject"]]].astype(float)
        y = (members["group"] == "asd").to_numpy(int)
        true = [graphs[y == k].mean(axis=0) for k in (0, 1)]
        for seed in tqdm(range(count), desc=cohort):
            permuted = rng.permutation(y)
            summary = [graphs[permuted == k].mean(axis=0) for k in (0, 1)]
            for contrast in CONTRASTS:
                alphas = alphas_of_percentiles(
                    difference_of_summaries(*true, contrast), PERCENTILES
                )
                weights = difference_of_summaries(*summary, contrast)
                for name, run in SEARCHES.items():
                    begin = time.process_time()
                    values[name] += run(weights, alphas, seed)
                    seconds[name] += time.process_time() - begin
    table = pd.DataFrame(values)
    best = table.max(axis=1)
    missed = table.lt(best - 1e-9, axis=0)
    print(f"{len(table)} instances")
    print(
        pd.DataFrame(
            {
                "missed": missed.sum(),
                "worst, of the best": table.div(best, axis=0).min(),
                "ms an instance": pd.Series(seconds) / len(table) * 1000,
            }
        ).to_string()
    )


if __name__ == "__main__":
    main()
