"""Table ``parameters``: best parameters, the paper's and ours."""

import json

import pandas as pd

from .table import Table


def parameters_table(accuracy, paper):
    """Return the best parameters under the protocol `paper`, next to the paper's.

    `accuracy`: the table ``accuracy``; `paper`: from `load_paper`. Returns: ``cohort``, ``method``,
    ``parameter``, ``value``, ``paper_value``.
    """
    rows = []
    chosen = accuracy[accuracy["protocol"] == "paper"]
    for row in chosen.itertuples():
        printed = paper["parameters"].get(row.method, {}).get(row.cohort, {})
        ours = {}
        if isinstance(row.parameters, str):
            ours = json.loads(row.parameters)
        # Ours first, then parameters that only the paper names.
        for parameter in [*ours, *(p for p in printed if p not in ours)]:
            values = ours.get(parameter), printed.get(parameter)
            rows.append((row.cohort, row.method, parameter, *values))
    return pd.DataFrame(rows, columns=TABLE.columns.split(), dtype=object)


def parameters_shown(table, names):
    """Return the table for people: a row each parameter, a column each cohort."""
    cohorts = {name: names("cohort", name) for name in dict.fromkeys(table["cohort"])}
    rows = []
    for (method, parameter), part in table.groupby(["method", "parameter"], sort=False):
        row = {"Method": names("method", method), "Parameter": names("contrast", parameter)}
        row |= dict.fromkeys(cohorts.values(), "")
        for entry in part.itertuples():
            ours = ""
            if not pd.isna(entry.value):
                ours = f"{entry.value}"
            printed = ""
            if not pd.isna(entry.paper_value):
                printed = f" (paper {entry.paper_value})"
            row[cohorts[entry.cohort]] = ours + printed
        rows.append(row)
    return pd.DataFrame(rows, columns=["Method", "Parameter", *cohorts.values()])


TABLE = Table(
    name="parameters",
    columns="cohort method parameter value paper_value",
    make=lambda results: parameters_table(results.accuracy, results.paper),
    show=parameters_shown,
    text=("value", "paper_value"),
)
