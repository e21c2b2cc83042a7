"""Table ``parameters``: best parameters, the paper's and ours."""

import json

import pandas as pd

from ...core.methods import METHOD_LABELS


def parameters_table(accuracy, paper):
    """Return the best parameters under the protocol `paper`, beside the paper's.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        The table ``accuracy``.
    paper : dict
        From `load_paper`.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``method``, ``parameter``, ``value``, ``paper_value``.
    """
    rows = []
    chosen = accuracy[accuracy["protocol"] == "paper"]
    for row in chosen.itertuples():
        printed = paper["parameters"].get(row.method, {}).get(row.cohort, {})
        ours = json.loads(row.parameters) if isinstance(row.parameters, str) else {}
        for parameter in [*ours, *(p for p in printed if p not in ours)]:
            rows.append(
                {
                    "cohort": row.cohort,
                    "method": row.method,
                    "parameter": parameter,
                    "value": ours.get(parameter),
                    "paper_value": printed.get(parameter),
                }
            )
    columns = ["cohort", "method", "parameter", "value", "paper_value"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def parameters_shown(table, labels):
    """Return `parameters_table` for people: a row each parameter, a column each cohort."""
    rows = []
    for (method, parameter), part in table.groupby(["method", "parameter"], sort=False):
        row = {"Method": METHOD_LABELS.get(method, method), "Parameter": parameter}
        row |= dict.fromkeys(labels.values(), "")
        for entry in part.itertuples():
            ours = "" if pd.isna(entry.value) else f"{entry.value}"
            printed = "" if pd.isna(entry.paper_value) else f" (paper {entry.paper_value})"
            row[labels[entry.cohort]] = ours + printed
        rows.append(row)
    return pd.DataFrame(rows, columns=["Method", "Parameter", *labels.values()])
