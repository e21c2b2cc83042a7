"""How the solver grows with the graph: answer and bound, time and memory.

    python -m benchmarks.solver_scale [--sizes 116 200 400 1000 2000] [--plot FILE]
    python -m benchmarks.solver_scale --kinds edges t --sizes 200 264 400 --percentile 80 90 95

Difference graphs of two groups of 50 random graphs of density 0.2 (percentile 80), as they
are (`random`) and with a planted block of n / 10 vertices whose pairs are edges in twice
as many graphs of the first group (`planted`). Or simulated brains: 2 x 60 people, an atlas and
series as in the simulated source but with modes (`Brain`), the difference of the shares of edges
(`edges`) or Welch's t of Fisher's z (`t`), without a difference of the groups or with one planted
in n / 10 regions (`edges-planted`, `t-planted`). CPU seconds of one thread and the largest
memory of a process of its own for each line; `ratio` is the CPU time over that of the
first size.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from contrast_subgraphs.contrast import contrast_subgraph  # noqa: E402
from contrast_subgraphs.core.seeds import generator  # noqa: E402
from contrast_subgraphs.data.simulated import SITES, Brain  # noqa: E402
from contrast_subgraphs.graphs.correlation import (  # noqa: E402
    connectivity,
    fisher_z,
    series_graph,
)

GRAPHS, DENSITY, PERCENTILE = 50, 0.2, 80
KINDS = ("random", "planted")
BRAINS = ("edges", "t", "edges-planted", "t-planted")
PEOPLE, EFFECT = 60, 0.6
SOLVERS = ("search", "exact")


def drawn_atlas(n_rois, seed=0):
    """Return an atlas that does not exist: regions spread over two mirrored hemispheres.

    ``code``, ``name``, ``x``, ``y``, ``z`` (mm) and ``system``: each of seven systems consists of
    patches near three places in either hemisphere.
    """
    rng = generator(seed, "simulated", "atlas", n_rois)
    # 1. On the surface of half an ellipsoid as large as a brain, and where the mirror shows it.
    place = rng.standard_normal((n_rois // 2, 3))
    place *= [65, 85, 60] / np.linalg.norm(place, axis=1, keepdims=True)
    place[:, 0] = -np.abs(place[:, 0])
    # 2. The system of the nearest of 21 regions.
    centres = place[rng.permutation(len(place))[:21]]
    nearest = np.linalg.norm(place[:, None] - centres, axis=2).argmin(axis=1)
    both = np.concatenate([place, place * [-1, 1, 1]])
    code = np.arange(1, len(both) + 1)
    table = pd.DataFrame(both, columns=["x", "y", "z"])
    return table.assign(code=code, name=[f"R{k}" for k in code], system=np.tile(nearest % 7, 2))


def difference(n, kind, seed=0):
    """Difference graph of two groups of random graphs, and the planted vertices."""
    rng = np.random.default_rng(seed)
    block = np.sort(rng.choice(n, size=n // 10, replace=False))
    density = np.full((n, n), DENSITY)
    if kind == "planted":
        density[np.ix_(block, block)] *= 2
    weights = (rng.binomial(GRAPHS, density) - rng.binomial(GRAPHS, DENSITY, (n, n))) / GRAPHS
    weights = np.triu(weights, 1)
    return weights + weights.T, block


def brains(n, kind, seed=0):
    """Difference graph of two groups of simulated people, and the planted regions."""
    atlas = drawn_atlas(n, seed)
    chosen = generator(seed, "planted", n).permutation(atlas["name"])
    planted = {"td-asd": chosen[: n // 10], "asd-td": chosen[n // 10 : n // 5]}
    brain = Brain(seed, atlas, planted, modes=5)
    effect = EFFECT if kind.endswith("planted") else 0.0
    means, variances = [], []
    for group in (2, 1):
        total, squares = np.zeros((n, n)), np.zeros((n, n))
        for k in range(PEOPLE):
            series = brain.draw(f"{group}-{k}", SITES[k % len(SITES)], group, effect)
            if kind.startswith("t"):
                graph = fisher_z(connectivity(series))
            else:
                graph = series_graph(series).astype(float)
            total += graph
            squares += graph**2
        means.append(total / PEOPLE)
        variances.append((squares - total**2 / PEOPLE) / (PEOPLE - 1) / PEOPLE)
    weights = means[0] - means[1]
    if kind.startswith("t"):
        np.fill_diagonal(variances[0], 1.0)
        weights /= np.sqrt(variances[0] + variances[1])
    np.fill_diagonal(weights, 0.0)
    return (weights + weights.T) / 2, np.flatnonzero(atlas["name"].isin(planted["td-asd"]))


def measure(n, kind, solver, percentiles, nodes):
    """Solve one graph for some percentiles; runs in a process of its own."""
    small, _ = difference(60, kind, seed=1)
    contrast_subgraph(small, percentile=PERCENTILE, solver=solver)  # compiles
    weights, block = (brains if kind in BRAINS else difference)(n, kind)
    rows = []
    for percentile in percentiles:
        begin = time.process_time()
        limits = None if nodes is None else {"nodes": nodes}
        solution = contrast_subgraph(weights, percentile=percentile, solver=solver, limits=limits)
        seconds = time.process_time() - begin
        inside = np.isin(block, solution.nodes).sum()
        row = {
            "kind": kind,
            "solver": solver,
            "n": n,
            "percentile": percentile,
            "seconds": seconds,
            "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "size": solution.nodes.size,
            "objective": solution.objective,
            "upper_bound": solution.upper_bound,
            "gap": solution.gap,
            "optimal": solution.optimal,
            "planted found": f"{inside}/{block.size}" if kind.endswith("planted") else "",
        }
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def plot(table, path):
    """Time and memory against the number of vertices."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    labels = {"search": "answer and bound", "exact": "answer, bound and proof (within its limits)"}
    colours = {"search": "#0072B2", "exact": "#D55E00"}
    fig, axes = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for axis, column, label in zip(
        axes, ("seconds", "MB"), ("CPU seconds", "peak memory (MB)"), strict=True
    ):
        for (kind, solver), part in table.groupby(["kind", "solver"], sort=False):
            style = "--s" if kind.endswith("planted") else "-o"
            axis.plot(
                part["n"],
                part[column],
                style,
                color=colours[solver],
                markersize=5,
                label=f"{labels[solver]}, {kind}",
            )
        axis.set(xscale="log", xlabel="vertices", ylabel=label)
        axis.set_xticks(sorted(table["n"].unique()), [str(n) for n in sorted(table["n"].unique())])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_yscale("log")
    axes[1].set_ylim(0, None)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(path, dpi=150)


def main():
    """Print the table and draw the plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[116, 200, 400, 1000, 2000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS + BRAINS, default=KINDS)
    parser.add_argument("--percentile", type=float, nargs="+", default=[PERCENTILE])
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=SOLVERS)
    parser.add_argument("--nodes", type=float, help="limit, if not the default one")
    parser.add_argument("--plot", type=Path, default=Path("results/benchmarks/solver_scale.png"))
    options = parser.parse_args()
    rows = []
    context = multiprocessing.get_context("spawn")
    for solver in options.solvers:
        for kind in options.kinds:
            for n in options.sizes:
                with context.Pool(1) as pool:
                    what = (n, kind, solver, options.percentile, options.nodes)
                    rows += pool.apply(measure, what)
    table = pd.DataFrame(rows)
    first = table.groupby(["kind", "solver", "percentile"])["seconds"].transform("first")
    table.insert(5, "ratio", table["seconds"] / first)
    pd.set_option("display.width", 200, "display.max_columns", 20, "display.precision", 3)
    print(table.to_string(index=False))
    if len(options.percentile) == 1:
        plot(table, options.plot)
        print(f"plot: {options.plot}")


if __name__ == "__main__":
    main()
