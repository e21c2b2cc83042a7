"""Table ``runtime``: time and memory of every job."""

from pathlib import Path

import pandas as pd

from ...core.atomic_files import load_table
from ...core.errors import InputError
from .table import Table


def runtime_table(benchmarks):
    """Return how long the jobs took and how much memory they had.

    `benchmarks`: files ``<stage>/<job>.tsv`` with the measurements, as Snakemake writes them
    (``s``, ``cpu_time``, ``max_rss``).
    """
    rows = []
    for path in map(Path, benchmarks):
        table = load_table(path, ["s", "cpu_time", "max_rss"], missing=["-"])
        if table.empty:
            raise InputError(f"{path} has no measurement: delete it and run the same command again")
        # A job that was repeated has several measurements: the last one is that of its result.
        last = table.iloc[-1]
        rows.append((path.parent.name, path.stem, last["s"], last["cpu_time"], last["max_rss"]))
    return pd.DataFrame(rows, columns=TABLE.columns.split())


TABLE = Table(
    name="runtime",
    columns="stage job seconds cpu_seconds memory_mb",
    make=lambda results: runtime_table(results.paths["benchmarks"]),
)
