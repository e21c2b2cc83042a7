"""Table ``solver``: our solver and the paper's on every instance."""

import itertools

import pandas as pd

from .table import Table, sets_in


def solver_table(ours, paper, seconds):
    """Set two solvers side by side on every instance.

    `ours`, `paper`: records of contrast subgraphs of the same cohorts and contrasts, found by our
    solver and by the paper's algorithm; `seconds`: the CPU times of each record
    (`contrast.cohort.seconds_table`), first those of `ours`. Returns: ``optimal``: proved, or the
    value is the proved optimum of the other solver; ``ratio``: to the best value known.
    """
    times = itertools.chain.from_iterable(table["seconds"] for table in seconds)
    kept = ("objective", "upper_bound", "gap", "optimal")
    table = pd.DataFrame(
        [
            row
            | {"solver": record["solver"]}
            | {name: subgraph[name] for name in kept}
            | {"seconds": cpu}
            for (record, subgraph, row), cpu in zip(sets_in([*ours, *paper]), times, strict=True)
        ]
    )
    instance = table.groupby(["cohort", "contrast", "alpha"], sort=False)
    best = instance["objective"].transform("max")
    proved = instance["optimal"].transform("any")
    # A value equal to the optimum that the other solver has proved is optimal too.
    reached = table["objective"] >= best - 1e-9 * best.abs()
    table["optimal"] = table["optimal"] | (proved & reached)
    table["ratio"] = (table["objective"] / best).where(best > 0, 1.0)
    columns = "cohort contrast percentile alpha solver objective upper_bound gap optimal ratio"
    return table[[*columns.split(), "seconds"]]


TABLE = Table(
    name="solver",
    columns="cohort contrast percentile alpha solver objective upper_bound gap seconds optimal",
    headings={
        "solver": "Solver",
        "objective": ("Objective", ".4f"),
        "upper_bound": ("Upper bound", ".4f"),
        "seconds": ("Seconds", ".2f"),
    },
    make=lambda results: solver_table(
        results.records(), results.records("densdp"), results.seconds
    ),
)
