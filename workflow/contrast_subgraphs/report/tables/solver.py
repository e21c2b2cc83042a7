"""Table ``solver``: our solver and the paper's on every instance."""

import pandas as pd

from .formats import percentile, yes_no
from .table import Table, texts


def solver_table(ours, paper, seconds):
    """Set two solvers side by side on every instance.

    Parameters
    ----------
    ours, paper : list of dict
        Records of contrast subgraphs (`contrast.cohort.cohort_record`) of the same
        cohorts and contrasts, found by our solver and by the paper's algorithm.
    seconds : list of pandas.DataFrame
        The times of each record (`contrast.cohort.seconds_table`), first those of `ours`.

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, solver, objective, upper_bound, gap,
        optimal, ratio, seconds`` (CPU): `optimal` if proved, or if the value is the
        proved optimum of the other solver; `ratio` to the best value known.
    """
    rows = []
    for record, times in zip([*ours, *paper], seconds, strict=True):
        for subgraph, cpu in zip(record["subgraphs"], times["seconds"], strict=True):
            kept = ("percentile", "alpha", "objective", "upper_bound", "gap", "optimal")
            rows.append(
                {
                    "cohort": record["cohort"],
                    "contrast": record["contrast"],
                    "solver": record["solver"],
                    **{name: subgraph[name] for name in kept},
                    "seconds": cpu,
                }
            )
    table = pd.DataFrame(rows)
    instance = table.groupby(["cohort", "contrast", "alpha"], sort=False)
    best = instance["objective"].transform("max")
    proved = instance["optimal"].transform("any")
    reached = table["objective"] >= best - 1e-9 * best.abs()
    table["optimal"] = table["optimal"] | (proved & reached)
    table["ratio"] = (table["objective"] / best).where(best > 0, 1.0)
    columns = "cohort contrast percentile alpha solver objective upper_bound gap optimal ratio"
    return table[[*columns.split(), "seconds"]]


TABLE = Table(
    name="solver",
    caption="Each contrast subgraph by our solver and by the paper's algorithm (DENSDP): "
    "objective, proven upper bound, how far apart they are, CPU seconds.",
    columns="cohort contrast percentile alpha solver objective upper_bound gap optimal seconds",
    make=lambda results: solver_table(
        results.records(), results.records("densdp"), results.seconds
    ),
    show=lambda table, names: texts(
        table,
        names,
        {
            "Cohort": "cohort",
            "Contrast": "contrast",
            "Percentile": ("percentile", percentile),
            "α": ("alpha", 4),
            "Solver": "solver",
            "Objective": ("objective", 4),
            "Upper bound": ("upper_bound", 4),
            "Gap": ("gap", 4),
            "Seconds": ("seconds", 2),
            "Proven optimal": ("optimal", yes_no),
        },
    ),
)
