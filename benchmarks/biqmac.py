"""The Biq Mac library: what is found and proved, beside the best known values and BiqBin.

    python -m benchmarks.biqmac FOLDER FAMILY [FAMILY ...] --seconds N [--biqbin PROGRAM]

FOLDER holds the library as it is unpacked, or any of its files (`NAME.sparse` or `NAME.sparse.gz`)
beside lists of best known values (`best_known.txt` or `optimal_energy.txt`: a name and the least
x'Qx); a FAMILY is the beginning of names, such as `be100`, `bqp250` or `gka` with an end, `gka*a`.
BiqBin (Gusmeroli et al., ACM TOMS 2022) is under the GPL and no part of this project;
`benchmarks/biqbin.sh` fetches and builds it. All times are CPU seconds of one thread. `--profile`
draws a performance profile of both (Dolan and Moré, Mathematical Programming 2002).
"""

import argparse
import os
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from contrast_subgraphs import QuadraticProblem, maximize_quadratic  # noqa: E402

LISTS = ("best_known.txt", "optimal_energy.txt")
#: What BiqBin is asked for: its own parameters, with a limit of wall-clock time.
PARAMETERS = """init_bundle_iter = 5
max_bundle_iter = 20
min_outer_iter = 20
max_outer_iter = 30
violated_Ineq = 0.05
TriIneq = 500
Pent_Trials = 100
Hepta_Trials = 75
include_Pent = 1
include_Hepta = 1
root = 0
use_diff = 1
time_limit = {seconds}
branchingStrategy = 1
detailedOutput = 0
"""


def best_known(folder):
    """The best known values of all lists in a folder, as values to be as large as possible."""
    values = {}
    last = ""
    for name in LISTS:
        for path in sorted(folder.rglob(name)):
            for line in path.read_text().splitlines():
                words = line.replace("<=", " ").split()
                if len(words) < 2:
                    continue
                instance = words[0]
                if instance == "gka10":  # the lists cut its letter off: that of the one before
                    instance += last[-1]
                values[instance] = -float(words[-1])
                last = instance
    return values


def instances(folder, families):
    """The files of some families, by name, in the order of their numbers."""
    found = {}
    for path in sorted(folder.rglob("*.sparse*")):
        found[path.name.split(".sparse")[0]] = path

    def numbers(name):
        return [int(number) for number in re.findall(r"\d+", name)]

    for family in families:
        pattern = re.compile(family.replace("*", r"\d+") + r"(?!\d)")
        for name in sorted(filter(pattern.match, found), key=numbers):
            yield name, found[name]


def ours(problem, seconds):
    """What `maximize_quadratic` gives within some seconds."""
    begin = time.process_time()
    limits = {"nodes": 1e12, "seconds": seconds, "memory_mb": None}
    found = maximize_quadratic(problem.weights, problem.linear, limits=limits)
    return {
        "found": found.objective,
        "bound": found.upper_bound,
        "proved": found.optimal,
        "seconds": time.process_time() - begin,
        "nodes": found.explored,
    }


def small_problem():
    """A random problem that needs all parts of the proof."""
    rng = np.random.default_rng(0)
    matrix = np.triu(rng.integers(-50, 51, size=(90, 90)))
    return QuadraticProblem.of_qubo(matrix)


def of_biqbin(program, problem, seconds):
    """What BiqBin gives within some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder, "graph.mc")
        parameters = Path(folder, "params")
        problem.write(graph, form="cut")
        parameters.write_text(PARAMETERS.format(seconds=int(seconds)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [program, str(graph), str(parameters)], capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    value = re.search(r"(?:Maximum|Best) value = (\S+)", done.stdout)
    if value is None:
        raise SystemExit(f"{program} says no value: {done.stdout[-500:]}{done.stderr[-500:]}")
    nodes = re.search(r"Nodes = (\d+)", done.stdout)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "biqbin": float(value[1]),
        "biqbin_proved": value[0].startswith("Maximum"),
        "biqbin_seconds": spent,
        "biqbin_nodes": int(nodes[1]) if nodes else 0,
    }


def slowdowns(table):
    """For each solver: how many times the quickest one's time it took, of what either proved.

    Infinite where only the other one ended.
    """
    times = pd.DataFrame(
        {
            "this": table["seconds"].where(table["proved"], np.inf),
            "BiqBin": table["biqbin_seconds"].where(table["biqbin_proved"], np.inf),
        }
    )
    quickest = times.min(axis=1)
    # What neither proved is no part of the ratios, but counts in the shares of `profile`.
    ended = quickest < np.inf
    return times[ended].div(quickest[ended], axis=0)


def profile(table, path):
    """Draw which share of the instances each solver proves within a factor of the quickest."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ratios = slowdowns(table)
    finite = ratios.to_numpy()[np.isfinite(ratios)]
    largest = 1.1 * finite.max(initial=1.0)
    fig, axis = pyplot.subplots(figsize=(5, 4), layout="constrained")
    for name, colour in (("this", "#0072B2"), ("BiqBin", "#D55E00")):
        steps = np.sort(ratios[name][np.isfinite(ratios[name])])
        shares = np.arange(1, len(steps) + 1) / len(table)
        # The curve stays where it ends: no further instance is proved, however long it takes.
        factors = [1.0, *steps, largest]
        heights = [0.0, *shares, shares[-1] if len(shares) else 0.0]
        axis.step(factors, heights, where="post", label=name, color=colour)
    axis.set(xscale="log", xlim=(1, largest), ylim=(0, 1.02))
    axis.set_xlabel("CPU time, as a multiple of the quicker solver's")
    axis.set_ylabel(f"share of {len(table)} instances proved")
    axis.grid(alpha=0.3)
    axis.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(path, dpi=150)


def main():
    """Print a line for each instance, and a table of the families."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("family", nargs="+")
    parser.add_argument("--seconds", type=float, default=1200, help="for each instance")
    parser.add_argument("--most", type=int, help="only so many instances of a family")
    parser.add_argument("--biqbin", help="the program of BiqBin")
    parser.add_argument("--table", type=Path, help="write all numbers to this file, as CSV")
    parser.add_argument("--profile", type=Path, help="draw a performance profile (needs --biqbin)")
    options = parser.parse_args()
    if options.profile and not options.biqbin:
        parser.error("--profile compares with BiqBin: give --biqbin, too")
    known = best_known(options.folder)
    ours(small_problem(), options.seconds)  # compiles
    rows = []
    for family in options.family:
        chosen = list(instances(options.folder, [family]))[: options.most]
        if not chosen:
            print(f"{family}: no such files in {options.folder}")
        for name, path in chosen:
            problem = QuadraticProblem.read(path)
            row = {"family": family, "name": name, "n": len(problem.linear)}
            row |= {"known": known.get(name, np.nan)} | ours(problem, options.seconds)
            if options.biqbin:
                row |= of_biqbin(options.biqbin, problem, options.seconds)
            rows.append(row)
            print(" ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    if not rows:
        return
    table = pd.DataFrame(rows)
    if options.table:
        table.to_csv(options.table, index=False)
    if options.profile:
        profile(table, options.profile)
    table["same"] = table["found"] == table["known"]
    shown = {"n": "max", "name": "size", "same": "sum", "proved": "sum", "seconds": "median"}
    if options.biqbin:
        table["ratio"] = table["biqbin_seconds"] / table["seconds"]
        shown |= {"biqbin_proved": "sum", "biqbin_seconds": "median", "ratio": "median"}
    summary = table.groupby("family", sort=False).agg(shown)
    print(summary.rename(columns={"name": "instances"}).to_string())


if __name__ == "__main__":
    main()
