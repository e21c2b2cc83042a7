"""The instances of this project as files that other solvers read.

    python -m benchmarks.write_instances FOLDER [--form qubo] [--sizes 200 400] [--archive PATH]

The paper's 96 instances (4 cohorts, 3 contrasts, 8 percentiles; with the authors' published graphs)
and simulated brains (`benchmarks.solver_scale`), as files of the Biq Mac library (`qubo`: minimise
x'Qx) or as edge lists of maximum cuts (`cut`, one vertex more). Weights are `w - alpha`; BiqBin and
others want whole numbers, so all are multiplied by `--scale` and rounded. `values.txt` says of each
file the value of the best set of those whole numbers that is known, and whether it is proved.
"""

import argparse
from pathlib import Path

import numpy as np
from contrast_subgraphs import QuadraticProblem, alpha_from_percentile, maximize_quadratic
from contrast_subgraphs.contrast.objective import surplus
from tqdm import tqdm

from benchmarks.solver import ARCHIVE, PERCENTILES, difference_graphs
from benchmarks.solver_scale import BRAINS, brains


def of_percentile(weights, percentile, scale):
    """The problem of a difference graph at a penalty, in whole numbers."""
    matrix = surplus(weights, alpha_from_percentile(weights, percentile))
    # Even ones, so that the lines of a file, which count twice, are whole numbers too.
    whole = 2.0 * np.rint(matrix * scale / 2)
    return QuadraticProblem(whole, np.zeros(len(whole)))


def difference_graphs_of(options):
    """The difference graphs to write, by name."""
    graphs = {}
    if options.archive.exists():
        for (cohort, contrast), weights in difference_graphs(options.archive).items():
            graphs[f"{cohort}-{contrast}"] = weights
    else:
        print(f"{options.archive} is not there: without the paper's instances")
    for n in options.sizes:
        for kind in options.kinds:
            weights, _ = brains(n, kind)
            graphs[f"brains-{kind}-{n}"] = weights
    return graphs


def main():
    """Write a file for each instance, and the values."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--form", choices=("qubo", "cut"), default="qubo")
    parser.add_argument("--scale", type=float, default=20000)
    parser.add_argument("--sizes", type=int, nargs="*", default=[200])
    parser.add_argument("--kinds", choices=BRAINS, nargs="+", default=["edges", "t"])
    parser.add_argument("--percentiles", type=float, nargs="+", default=PERCENTILES)
    parser.add_argument("--archive", type=Path, default=ARCHIVE)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = []
    end = {"qubo": "sparse", "cut": "mc"}[options.form]
    for title, weights in tqdm(difference_graphs_of(options).items()):
        for percentile in options.percentiles:
            problem = of_percentile(weights, percentile, options.scale)
            name = f"{title}-{percentile:g}"
            problem.write(options.folder / f"{name}.{end}", form=options.form)
            found = maximize_quadratic(problem.weights, problem.linear)
            proved = "proved" if found.optimal else f"at most {found.upper_bound:.0f}"
            lines.append(f"{name} {found.objective:.0f} {proved}\n")
    (options.folder / "values.txt").write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} instances in {options.folder}")


if __name__ == "__main__":
    main()
