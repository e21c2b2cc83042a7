"""Table ``runtime``: time and memory of every job."""

import pandas as pd

from ...core.errors import InputError
from ...core.files import load_table
from .formats import number


def runtime_table(benchmarks):
    """Return how long the jobs took and how much memory they had.

    Parameters
    ----------
    benchmarks : iterable of (str, str, str or pathlib.Path)
        Stage, name of the job, and the file with its measurements (as Snakemake writes
        it: ``s``, ``cpu_time``, ``max_rss``).

    Returns
    -------
    pandas.DataFrame
        ``stage``, ``job``, ``seconds`` (wall clock), ``cpu_seconds``, ``memory_mb`` (peak).
    """
    rows = []
    for stage, job, path in benchmarks:
        table = load_table(path, ["s", "cpu_time", "max_rss"], na_values=["-", "NA"])
        if table.empty:
            raise InputError(f"{path} has no measurement: delete it and run the same command again")
        last = table.iloc[-1]
        rows.append((stage, job, last["s"], last["cpu_time"], last["max_rss"]))
    return pd.DataFrame(rows, columns=["stage", "job", "seconds", "cpu_seconds", "memory_mb"])


def runtime_shown(table):
    """Return `runtime_table` for people."""
    return pd.DataFrame(
        {
            "Stage": table["stage"],
            "Job": table["job"],
            "Seconds": table["seconds"].map(lambda v: number(v, 1)),
            "CPU seconds": table["cpu_seconds"].map(lambda v: number(v, 1)),
            "Memory (MB)": table["memory_mb"].map(lambda v: number(v, 0)),
        }
    )
