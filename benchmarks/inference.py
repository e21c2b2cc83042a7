"""The permutation test on the published cohorts: p-values, time, and what the search misses.

    python -m benchmarks.inference [--archive PATH] [--permutations 1000] [--sample 64]
    python -m benchmarks.inference --calibration 500

The first prints, for each cohort, the p-value of each contrast over its penalties, with the
labels permuted within sites (what stands before the number in a FILE_ID) and freely, with
alpha from the observed graph and from other relabellings. CPU seconds of one thread. Then
it takes `--sample` difference graphs of permuted labels and proves their optima: how many
did the search miss, and by how much?

The second gives the share of p-values up to 0.05 and the test of uniformity over that many
simulated data sets without an effect: free, within sites of unequal mix, and ignoring these.
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast import contrast_subgraph, search_quick
from contrast_subgraphs.contrast.alpha import alphas_of_percentiles
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.data.published import build_cohort, read_archive
from contrast_subgraphs.design import two_groups
from contrast_subgraphs.inference import permutation_test
from contrast_subgraphs.inference.permutation import PERCENTILES
from scipy import stats
from threadpoolctl import threadpool_limits

from .solver import ARCHIVE

#: Of a simulated data set.
PERMUTATIONS = 59
COHORTS = ("children", "adolescents", "eyesclosed", "male")


def published(path):
    """Graphs, groups and sites of each published cohort."""
    archive = read_archive(path)
    for cohort in COHORTS:
        graphs, members = build_cohort(archive.graphs, archive.members, cohort)
        yield cohort, graphs, members["site"].to_numpy()


def tested(cohort, graphs, site, permutations, hold):
    """p of each contrast over its penalties, and of all together, with CPU seconds."""
    begin = time.process_time()
    design = two_groups(
        graphs.labels, labels=graphs.groups, blocks=site, subjects=graphs.subject, name=cohort
    )
    test = permutation_test(
        graphs.adjacency, design, n_permutations=permutations, hold=hold, solver="search"
    )
    rows = test.pvalue_contrast.min(axis=1)
    return {
        "cohort": cohort,
        "blocks": "none" if site is None else "site",
        "alpha": hold,
        **dict(zip(test.contrasts, rows, strict=True)),
        "all": test.pvalue.min(),
        "seconds": time.process_time() - begin,
    }


def misses(cohorts, count, seed=0):
    """Prove the optimum of some permuted difference graphs; the search's value beside it."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        cohort, graphs, site = cohorts[k % len(cohorts)]
        design = two_groups(graphs.y, blocks=site, random_state=seed, name=cohort)
        statistic = design.statistic(graphs.adjacency)
        percentile = PERCENTILES[(k // len(cohorts)) % len(PERCENTILES)]
        contrast = rng.integers(3)
        observed, permuted = (
            statistic.contrasts(statistic.values(draw)[0])[contrast]
            for draw in (design.observed(), design.random(k, k + 1))
        )
        alpha = float(alphas_of_percentiles(observed, [percentile])[0])
        value = float(search_quick([permuted], [alpha])[1][0, 0])
        proved = contrast_subgraph(permuted, alpha=alpha)
        rows.append((percentile, value, proved.objective, proved.upper_bound, proved.optimal))
    return pd.DataFrame(rows, columns=["percentile", "search", "best", "bound", "proved"])


def without_effect(seed, mix=None, blocks=False, hold="null"):
    """p of a simulated data set of two sites, the second of which has a module.

    `mix` is the share of the first group in the first site; None: labels at random.
    """
    rng = np.random.default_rng(seed)
    n, p = 40, 16
    site = np.repeat([0, 1], n // 2)
    y = rng.permutation(n) % 2
    if mix is not None:
        shares = [np.arange(n // 2) < n // 2 * share for share in (mix, 1 - mix)]
        y = np.concatenate([rng.permutation(share) for share in shares]).astype(int)
    rate = np.full((n, p, p), 0.3)
    rate[site == 1, :6, :6] = 0.55
    upper = np.triu(rng.random((n, p, p)) < rate, 1).astype(np.uint8)
    test = permutation_test(
        upper + upper.transpose(0, 2, 1),
        y,
        percentiles=[75, 90],
        blocks=site if blocks else None,
        hold=hold,
        random_state=seed,
        n_permutations=PERMUTATIONS,
        solver="search",
    )
    return test.pvalue.min()


def calibration(count):
    """Rate of p up to 0.05 and uniformity, of each way to permute."""
    ways = {
        "sites of unequal mix, within sites": {"mix": 0.2, "blocks": True},
        "labels at random": {},
        "labels at random, observed alpha": {"hold": "observed"},
        "sites of unequal mix, ignored": {"mix": 0.2},
    }
    for way, options in ways.items():
        p = mapped(lambda seed: without_effect(seed, **options), range(count), 2)  # noqa: B023
        p = np.array(list(p))
        # p is a multiple of 1/60: spread evenly below it, as uniform numbers are.
        spread = p - np.random.default_rng(0).random(count) / (PERMUTATIONS + 1)
        uniform = stats.kstest(spread, "uniform").pvalue
        print(
            f"{way}: p <= 0.05 in {(p <= 0.05).mean():.3f} of {count} data sets, "
            f"mean p {p.mean():.3f}, uniform: p = {uniform:.3g}",
            flush=True,
        )


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--archive", default=ARCHIVE)
    parser.add_argument("--permutations", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=64)
    parser.add_argument("--calibration", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        if arguments.calibration:
            return calibration(arguments.calibration)
        cohorts = list(published(arguments.archive))
        for hold in ("observed", "null"):
            for cohort, graphs, site in cohorts:
                for blocks in (site, None):
                    row = tested(cohort, graphs, blocks, arguments.permutations, hold)
                    values = [f"{v:.4f}" if isinstance(v, float) else v for v in row.values()]
                    print("\t".join(values), flush=True)
        found = misses(cohorts, arguments.sample)
        gap = (found["best"] - found["search"]) / found["best"].where(found["best"] > 0)
        missed = gap > 1e-9
        print(
            f"{len(found)} permuted graphs: {int(found['proved'].sum())} optima proved, "
            f"{int(missed.sum())} missed by the search"
            + (f", by {gap[missed].max():.2%} at most" if missed.any() else "")
        )


if __name__ == "__main__":
    main()
