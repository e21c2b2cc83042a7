"""Many people, and p-values below what the permutations alone can show.

    python -m benchmarks.many --people 1000 5000 20000 [--permutations 1000] [--folders]
    python -m benchmarks.many --tail adolescents [--permutations 20000]

The first writes graphs of that many people, 200 regions, weights in single precision, a stack for
each group or a file for each graph, and prints what `find`, `test` and `evaluate` (one split, by
contrast subgraphs and by CPM) on the command line take. The second permutes a published cohort,
takes statistics that a known share of all permutations reaches, and prints what a thousand of them
say about p.
"""

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from .inference import ARCHIVE, permutation_test, published, two_groups

from contrast_subgraphs.inference.tail import tail_p  # isort: skip

REGIONS, PERCENTILES = 200, (80, 90, 95)
FEW = 1000


def graphs(count):
    """Yield random graphs, weights in single precision; the first half has more in 20 regions."""
    rng = np.random.default_rng(0)
    for number in range(count):
        half = np.triu(rng.standard_normal((REGIONS, REGIONS), dtype=np.float32), 1)
        half[:20, :20] += np.triu(np.full((20, 20), 0.5 * (number < count // 2), np.float32), 1)
        yield half + half.T


def people(count, permutations, folders):
    """Find, test and evaluate from files: a stack for each group, or a folder of files."""
    with tempfile.TemporaryDirectory() as home:
        places = [Path(home) / name for name in ("first", "second")]
        if not folders:
            places = [place.with_suffix(".npy") for place in places]
        made, shape = graphs(count), (count // 2, REGIONS, REGIONS)
        for place in places:
            if folders:
                place.mkdir()
                for number in range(count // 2):
                    np.save(place / f"{number:05}.npy", next(made))
                continue
            stack = np.lib.format.open_memmap(place, "w+", np.float32, shape)
            for row in stack:
                row[:] = next(made)
        percentile, one = ["--percentile", 95], ["evaluate", "--repeats", 1, "-n", 0, "--method"]
        commands = ["find", *percentile], ["test", "-n", permutations, *percentile]
        for command in (*commands, [*one, "cs-p1"], [*one, "cpm"]):
            begin = time.time()
            said = [sys.executable, "-m", "contrast_subgraphs", *command, *places, "--quiet"]
            child = os.posix_spawn(said[0], list(map(str, said)), os.environ)
            _, status, used = os.wait4(child, 0)
            print(
                f"{count} people, {'files' if folders else 'stacks'}, "
                f"{' '.join(map(str, command))}: {time.time() - begin:.0f} s, "
                f"{used.ru_utime + used.ru_stime:.0f} CPU s, at most {used.ru_maxrss / 1e3:.0f} MB "
                f"in one process{'' if status == 0 else ': it failed'}",
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
    parser.add_argument("--folders", action="store_true")
    parser.add_argument("--tail", default="")
    parser.add_argument("--permutations", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for count in arguments.people:
        people(count, arguments.permutations or 1000, arguments.folders)
    if arguments.tail:
        tail(arguments.tail, arguments.permutations or 20_000, arguments.archive)


if __name__ == "__main__":
    main()
