"""Many people, and p-values below what the permutations alone can show.

    python -m benchmarks.many --people 1000 5000 20000 [--permutations 100]
    python -m benchmarks.many --tail adolescents [--permutations 20000]

The first tests that many people without an effect, 200 regions, weights in single precision, and
prints memory and CPU seconds. The second permutes a published cohort, takes statistics that a
known share of all permutations reaches, and prints what a thousand of them say about p.
"""

import argparse
import multiprocessing
import resource
import time
import warnings

import numpy as np

from .inference import ARCHIVE, permutation_test, published, two_groups

from contrast_subgraphs.inference.tail import tail_p  # isort: skip

REGIONS, PERCENTILES = 200, (80, 90, 95)
FEW = 1000


def megabytes():
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def people(count, permutations):
    """Test random graphs, given as pairs."""
    rng = np.random.default_rng(0)
    pairs = np.empty((count, REGIONS * (REGIONS - 1) // 2), np.float32)
    for row in pairs:
        row[:] = rng.standard_normal(len(row), dtype=np.float32)
    before, begin = megabytes(), time.process_time()
    options = {"percentiles": PERCENTILES, "solver": "search"}
    permutation_test(pairs, np.arange(count) % 2, n_permutations=permutations, **options)
    print(
        f"{count} people: {time.process_time() - begin:.1f} CPU s for {permutations} permutations, "
        f"{megabytes():.0f} MB, {before:.0f} of them before the test",
        flush=True,
    )


def tail(cohort, permutations, archive):
    """Compare the fitted tail of every thousand permutations with all of them."""
    graphs, site = next((g, s) for name, g, s in published(archive) if name == cohort)
    design = two_groups(
        graphs.labels, labels=graphs.groups, blocks=site, subjects=graphs.subject, name=cohort
    )
    options = {"percentiles": PERCENTILES, "solver": "search", "n_permutations": permutations}
    null = permutation_test(graphs.adjacency, design, **options).null_distribution
    for p in (5e-3, 1e-3, 5e-4, 2e-4):
        observed, found = np.quantile(null, 1 - p, axis=0), []
        for start in range(0, permutations - FEW + 1, FEW):
            part = null[start : start + FEW]
            counted = (1 + (part >= observed).sum(axis=0)) / (1 + FEW)
            found.append([counted, tail_p(observed, part, counted)])
        for name, values in zip(("counted", "tail"), np.moveaxis(found, 1, 0), strict=True):
            low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
            print(f"{cohort}, p {p:g}, {name}: {middle:.2g} ({low:.2g} to {high:.2g})", flush=True)


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--archive", default=ARCHIVE)
    parser.add_argument("--people", type=int, nargs="*", default=[])
    parser.add_argument("--tail", default="")
    parser.add_argument("--permutations", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    people(20, 1)  # compiles
    for count in arguments.people:  # each in a process of its own, for its memory
        child = multiprocessing.Process(target=people, args=(count, arguments.permutations or 100))
        child.start()
        child.join()
    if arguments.tail:
        tail(arguments.tail, arguments.permutations or 20_000, arguments.archive)


if __name__ == "__main__":
    main()
