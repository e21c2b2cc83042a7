"""How large a graph each exact solver still proves.

    python -m benchmarks.solver_peers [--seconds 60] [--percentiles 80 90]

Simulated brains (see `benchmarks.solver_scale`), their difference of shares of edges, sizes in
ascending order. Each solver that is installed (``benchmarks/requirements-solver.txt``) leaves off
after the first size that it does not prove within the limit. CPU seconds of one thread.
"""

import argparse

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.alpha import alpha_from_percentile
from contrast_subgraphs.contrast.objective import surplus

from benchmarks.solver import PEERS, installed, timed
from benchmarks.solver_scale import brains

SIZES = (20, 30, 40, 50, 60, 80, 100, 116, 150, 200)


def main():
    """Print, for each solver, percentile and size, the time, and whether it was proved."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--percentiles", type=float, nargs="+", default=[80, 90])
    options = parser.parse_args()
    graphs = {n: brains(n, "edges")[0] for n in SIZES}
    sweep(graphs[20], percentiles=options.percentiles)  # compiles
    rows = []
    for percentile in options.percentiles:
        for n, weights in graphs.items():
            seconds, (found,) = timed(sweep, weights, percentile)
            row = {"solver": "this one", "percentile": percentile, "n": n}
            rows.append(row | {"seconds": seconds, "proved": found.optimal})
        for name, (solver, package, what) in PEERS.items():
            if not what.endswith("proof") or not installed(package):
                continue
            for n, weights in graphs.items():
                matrix = surplus(weights, alpha_from_percentile(weights, percentile))
                seconds, (value, _, proved) = timed(solver, matrix, options.seconds)
                (best,) = sweep(weights, percentiles=percentile)
                if proved and not np.isclose(value, best.objective, rtol=1e-4):
                    raise SystemExit(f"{name}, n = {n}: {value}, not {best.objective}")
                row = {"solver": name, "percentile": percentile, "n": n}
                rows.append(row | {"seconds": seconds, "proved": proved})
                print(rows[-1], flush=True)
                if not proved:
                    break
    table = pd.DataFrame(rows)
    print(table.pivot_table("seconds", ["percentile", "solver"], "n").round(2).to_string())
    proved = table[table["proved"]].groupby(["percentile", "solver"])["n"].max()
    print("largest proved:", proved.to_string(), sep="\n")


if __name__ == "__main__":
    main()
