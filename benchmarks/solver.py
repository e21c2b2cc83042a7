"""The solver on the paper's 96 instances, against other ways to solve them.

    python -m benchmarks.solver [--archive PATH] [--every 9] [--seconds 20]

Needs the authors' published graphs (``contrast-subgraph-master.zip``, or any archive of
their repository): 4 cohorts x 3 contrasts x 8 percentiles. Peers that are installed
(``pip install -r benchmarks/requirements-solver.txt``) are measured too, on every
``--every``-th instance, each with at most ``--seconds`` for a proof.

All times are CPU seconds of one thread. `ratio` is the peer's time over ours for the same
thing in the same run: answer and bound, answer alone, or proof.
"""

import argparse
import importlib.util
import os
import sys
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from contrast_subgraphs.contrast import (  # noqa: E402
    CONTRASTS,
    objective,
    sweep,
)
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of  # noqa: E402
from contrast_subgraphs.contrast.features import extract  # noqa: E402
from contrast_subgraphs.contrast.objective import surplus  # noqa: E402
from contrast_subgraphs.data.published import read_archive  # noqa: E402
from tqdm import tqdm  # noqa: E402

from . import ROOT  # noqa: E402

PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)
ARCHIVE = Path(
    os.environ.get("CONTRAST_SUBGRAPHS_DATA", ROOT.parent / "shared" / "data"),
    "contrast-subgraph-master.zip",
)
#: Two values count as equal up to this much.
SAME = 1e-7


def difference_graphs(path):
    """Difference graph of every cohort and contrast of the archive."""
    archive = read_archive(path)
    index = {name: i for i, name in enumerate(archive.graphs.subject)}
    graphs = {}
    for cohort, members in archive.members.groupby("cohort", sort=True):
        means = {
            group: summary_of(archive.graphs.adjacency[[index[s] for s in part["subject"]]])
            for group, part in members.groupby("group")
        }
        for contrast in CONTRASTS:
            graphs[cohort, contrast] = difference_of_summaries(means["td"], means["asd"], contrast)
    return graphs


def timed(function, *arguments, **options):
    """CPU seconds of a call, and what it gives."""
    begin = time.process_time()
    result = function(*arguments, **options)
    return time.process_time() - begin, result


# --- this package ---------------------------------------------------------------------


def ours(graphs):
    """Solve all instances in all ways; returns one row for each way and the instances."""
    weights = next(iter(graphs.values()))
    for solver in ("search", "densdp", "exact"):  # compile
        sweep(weights, percentiles=[80, 97], solver=solver, alternatives=0.001)
    extract(weights, [80])

    exact = {
        key: sweep(w, percentiles=PERCENTILES) for key, w in tqdm(graphs.items(), desc="proofs")
    }
    flat = [solution for solutions in exact.values() for solution in solutions]
    best = np.array([solution.objective for solution in flat])
    rows = [
        {
            "what": "answer, bound and proof",
            **shares(best, best, np.array([solution.seconds for solution in flat])),
            "proved": sum(solution.optimal for solution in flat),
        }
    ]
    seconds, found = timed(lambda: [extract(w, PERCENTILES)[1] for w in graphs.values()])
    values = np.array(
        [
            objective(w, nodes, solution.alpha)
            for w, sets, solutions in zip(graphs.values(), found, exact.values(), strict=True)
            for nodes, solution in zip(sets, solutions, strict=True)
        ]
    )
    rows.append({"what": "answer", **shares(values, best, seconds)})
    options = {
        "answer and bound": {"solver": "search"},
        "paper's algorithm, to the letter": {"solver": "densdp"},
        "... search from the rounded set": {"solver": "densdp", "densdp": {"start": "rounding"}},
    }
    for what, keywords in options.items():
        seconds, found = timed(
            lambda k=keywords: [sweep(w, percentiles=PERCENTILES, **k) for w in graphs.values()]
        )
        values = np.array([solution.objective for solutions in found for solution in solutions])
        rows.append({"what": what, **shares(values, best, seconds)})

    seconds, complete, rivals = [], 0, 0
    for key, w in tqdm(graphs.items(), desc="alternatives"):
        for solution in exact[key]:
            spent, (again,) = timed(sweep, w, percentiles=[solution.percentile], alternatives=0.05)
            seconds.append(spent - again.seconds)
            complete += again.alternatives.complete
            rivals += len(again.alternatives.sets)
    rows.append(
        {
            "what": f"alternatives (5 %): {rivals} sets, complete for {complete}",
            "total": sum(seconds),
            "median": np.median(seconds),
            "longest": max(seconds),
        }
    )
    return pd.DataFrame(rows), exact


def shares(values, best, seconds):
    """How good the values are, and the times: a total, or one for each instance."""
    ratio = values / best
    row = {
        "optimal": int((ratio > 1 - SAME).sum()),
        "of": len(best),
        "worst": ratio.min(),
        "median_ratio": np.median(ratio),
    }
    if np.ndim(seconds):
        return row | {
            "total": seconds.sum(),
            "median": np.median(seconds),
            "longest": seconds.max(),
        }
    return row | {"total": seconds, "median": seconds / len(best)}


# --- peers ----------------------------------------------------------------------------
# Each takes a surplus matrix and a limit of seconds and returns the value of its set, its
# bound (None without one) and whether it calls the set optimal.


def scs_and_roundings(matrix, limit):
    """The SDP by cvxpy and SCS, 1000 hyperplane roundings, a local search in Python."""
    import cvxpy

    n = len(matrix)
    lift = np.zeros((n + 1, n + 1))
    lift[1:, 1:] = matrix
    lift[0, 1:] = lift[1:, 0] = matrix.sum(axis=0)
    gram = cvxpy.Variable((n + 1, n + 1), PSD=True)
    problem = cvxpy.Problem(
        cvxpy.Maximize(cvxpy.sum(cvxpy.multiply(lift, gram))), [cvxpy.diag(gram) == 1]
    )
    problem.solve(solver="SCS")
    spectrum, basis = np.linalg.eigh(gram.value)
    vectors = basis * np.sqrt(np.maximum(spectrum, 0))
    rng = np.random.default_rng(0)
    best = np.zeros(n, dtype=bool)
    best_value = 0.0
    for _ in range(1000):
        side = vectors @ rng.normal(size=n + 1) > 0
        inside = side[1:] == side[0]
        value = matrix[np.ix_(inside, inside)].sum() / 2
        if value > best_value:
            best, best_value = inside, value
    while True:
        gains = np.where(best, -1, 1) * (matrix @ best)
        move = int(np.argmax(gains))
        if gains[move] <= 1e-12:
            break
        best[move] = not best[move]
        best_value += gains[move]
    return best_value, (problem.value + matrix.sum()) / 8, False


def quadratic(matrix):
    """The instance as a minimisation for the samplers."""
    import dimod

    n = len(matrix)
    pairs = {(i, j): -matrix[i, j] for i in range(n) for j in range(i + 1, n)}
    return dimod.BinaryQuadraticModel({i: 0.0 for i in range(n)}, pairs, 0.0, "BINARY")


def dwave_tabu(matrix, limit):
    """dwave-samplers' tabu search, 20 starts of 5 ms each."""
    from dwave.samplers import TabuSampler

    answer = TabuSampler().sample(quadratic(matrix), num_reads=20, timeout=5, seed=0)
    return -answer.first.energy, None, False


def dwave_annealing(matrix, limit):
    """dwave-samplers' simulated annealing, 20 runs of 1000 sweeps."""
    from dwave.samplers import SimulatedAnnealingSampler

    answer = SimulatedAnnealingSampler().sample(quadratic(matrix), num_reads=20, seed=0)
    return -answer.first.energy, None, False


def cp_sat(matrix, limit):
    """OR-tools' CP-SAT on the linearised products, weights rounded to 1e-6."""
    from ortools.sat.python import cp_model

    n = len(matrix)
    model = cp_model.CpModel()
    x = [model.NewBoolVar("") for _ in range(n)]
    terms = []
    for i in range(n):
        for j in range(i + 1, n):
            weight = round(matrix[i, j] * 1e6)
            both = model.NewBoolVar("")
            if weight > 0:
                model.AddImplication(both, x[i])
                model.AddImplication(both, x[j])
            else:
                model.AddBoolOr([both, x[i].Not(), x[j].Not()])
            terms.append(weight * both)
    model.Maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit
    solver.parameters.num_workers = 1
    status = solver.Solve(model)
    inside = np.array([solver.Value(v) for v in x], dtype=bool)
    value = matrix[np.ix_(inside, inside)].sum() / 2
    return value, solver.BestObjectiveBound() / 1e6, status == cp_model.OPTIMAL


def compact(matrix):
    """Glover's compact form: t_i = x_i (W x)_i / 2 with bounds of (W x)_i."""
    return np.minimum(matrix, 0).sum(axis=1) / 2, np.maximum(matrix, 0).sum(axis=1) / 2


def highs(matrix, limit):
    """HiGHS on the compact form."""
    import highspy

    n = len(matrix)
    low, high = compact(matrix)
    low, high = low - 1e-6, high + 1e-6  # zeros among the coefficients are refused
    model = highspy.Highs()
    model.silent()
    model.setOptionValue("time_limit", float(limit))
    model.setOptionValue("threads", 1)
    x = [model.addBinary() for _ in range(n)]
    t = [model.addVariable(lb=-highspy.kHighsInf, ub=highspy.kHighsInf) for _ in range(n)]
    for i in range(n):
        some = [j for j in range(n) if abs(matrix[i, j]) > 1e-8]  # it refuses smaller ones
        row = sum(float(matrix[i, j]) / 2 * x[j] for j in some)
        model.addConstr(t[i] <= float(high[i]) * x[i])
        model.addConstr(t[i] - row + float(low[i]) * (1 - x[i]) <= 0)
    model.maximize(sum(t))
    info = model.getInfo()
    done = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return info.objective_function_value, info.mip_dual_bound, done


def scip(matrix, limit):
    """SCIP on the compact form."""
    import pyscipopt

    n = len(matrix)
    low, high = compact(matrix)
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/time", float(limit))
    x = [model.addVar(vtype="B") for _ in range(n)]
    t = [model.addVar(lb=None, ub=None) for _ in range(n)]
    for i in range(n):
        row = pyscipopt.quicksum(float(matrix[i, j]) / 2 * x[j] for j in range(n) if j != i)
        model.addCons(t[i] <= float(high[i]) * x[i])
        model.addCons(t[i] <= row - float(low[i]) * (1 - x[i]))
    model.setObjective(pyscipopt.quicksum(t), "maximize")
    model.optimize()
    return model.getPrimalbound(), model.getDualbound(), model.getStatus() == "optimal"


def gurobi(matrix, limit):
    """Gurobi on the quadratic form; without a licence it takes at most 200 vertices."""
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        model.setParam("TimeLimit", limit)
        model.setParam("Threads", 1)
        x = model.addMVar(len(matrix), vtype="B")
        model.setObjective(0.5 * (x @ matrix @ x), gurobipy.GRB.MAXIMIZE)
        model.optimize()
        return model.ObjVal, model.ObjBound, model.Status == gurobipy.GRB.OPTIMAL


PEERS = {
    # name: (function, package, what of ours does the same)
    "cvxpy + SCS, 1000 roundings, local search": (scs_and_roundings, "cvxpy", "answer and bound"),
    "dwave-samplers tabu": (dwave_tabu, "dwave.samplers", "answer"),
    "dwave-samplers simulated annealing": (dwave_annealing, "dwave.samplers", "answer"),
    "OR-tools CP-SAT": (cp_sat, "ortools", "answer, bound and proof"),
    "HiGHS": (highs, "highspy", "answer, bound and proof"),
    "SCIP": (scip, "pyscipopt", "answer, bound and proof"),
    "Gurobi": (gurobi, "gurobipy", "answer, bound and proof"),
}


def installed(package):
    """Whether a (dotted) package can be imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def against_peers(graphs, exact, every, limit):
    """One row a peer: its times over ours, and how good its answers are."""
    instances = [
        (graphs[key], solution) for key, solutions in exact.items() for solution in solutions
    ]
    chosen = instances[::every]
    own = {
        "answer": [timed(extract, w, [s.percentile])[0] for w, s in chosen],
        "answer and bound": [
            timed(sweep, w, percentiles=[s.percentile], solver="search")[0] for w, s in chosen
        ],
        "answer, bound and proof": [
            timed(sweep, w, percentiles=[s.percentile])[0] for w, s in chosen
        ],
    }
    rows = []
    for name, (function, package, what) in PEERS.items():
        if not installed(package):
            print(f"{name}: {package} is not installed", file=sys.stderr)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(surplus(*first_small(graphs)), 1)  # imports
            results = [
                timed(function, surplus(w, s.alpha), limit) for w, s in tqdm(chosen, desc=name)
            ]
        seconds = np.array([spent for spent, _ in results])
        values = np.array([result[0] for _, result in results])
        best = np.array([s.objective for _, s in chosen])
        rows.append(
            {
                "peer": name,
                "compared with": what,
                "instances": len(chosen),
                "median s": np.median(seconds),
                "ours, median s": np.median(own[what]),
                "ratio": np.median(seconds / np.array(own[what])),
                "lowest ratio": (seconds / np.array(own[what])).min(),
                "optimal": int((values / best > 1 - 1e-4).sum()),
                "worst": (values / best).min(),
                "above ours": int((values / best > 1 + 1e-4).sum()),
                "proved": sum(bool(result[2]) for _, result in results),
            }
        )
    return pd.DataFrame(rows)


def first_small(graphs):
    """A small instance: the first 20 regions of the first graph, and a penalty."""
    part = np.ascontiguousarray(next(iter(graphs.values()))[:20, :20])
    return part, float(np.percentile(part, 80))


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--archive", type=Path, default=ARCHIVE)
    parser.add_argument("--every", type=int, default=9, help="peers get every n-th instance")
    parser.add_argument("--seconds", type=float, default=20, help="limit for a peer's proof")
    options = parser.parse_args()
    if not options.archive.exists():
        sys.exit(
            f"{options.archive} is not there: name the archive of the authors' graphs by --archive"
        )
    graphs = difference_graphs(options.archive)
    table, exact = ours(graphs)
    table = table.astype({"optimal": "Int64", "of": "Int64", "proved": "Int64"})
    pd.set_option("display.width", 200, "display.max_columns", 20, "display.precision", 4)
    print(f"\n{len(exact) * len(PERCENTILES)} instances, CPU seconds (compiled before)\n")
    print(table.to_string(index=False, na_rep=""))
    print("\nAgainst peers\n")
    print(against_peers(graphs, exact, options.every, options.seconds).to_string(index=False))


if __name__ == "__main__":
    main()
