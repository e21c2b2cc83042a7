"""Table ``subgraphs``: every contrast subgraph, how dense it is in each group, and its proof."""

import numpy as np
import pandas as pd

from ...contrast.features import density
from ..formats import density_text
from .table import Table, sets_in, written


def subgraphs_table(records, graphs, groups, measure="density"):
    """Summarise every contrast subgraph.

    `records`: what the files ``contrast/<cohort>/<contrast>.json`` hold; `graphs`: cohort ->
    CohortGraphs; `groups`: all groups of the run. Returns: ``<measure>_<group>``: the
    part of the set's pairs that are edges (for weighted graphs their mean weight), averaged
    over the group's subjects; missing for fewer than two regions and for a group that the cohort
    does not have.
    """
    densities = [f"{measure}_{group}" for group in groups]
    rows = []
    for record, subgraph, row in sets_in(records):
        cohort = graphs[record["cohort"]]
        nodes = np.array(subgraph["nodes"], dtype=int)
        row |= {"size": len(nodes)} | dict.fromkeys(densities, np.nan)
        row |= {name: subgraph[name] for name in ("objective", "upper_bound", "optimal")}
        # In the people who chose the set: these densities are not estimates of the difference.
        for y, group in enumerate(cohort.groups):
            row[f"{measure}_{group}"] = density(cohort.weights[cohort.y == y], nodes)
        rows.append(row)
    return pd.DataFrame(rows, columns=[*TABLE.columns.split(), *densities])


def subgraphs_shown(table, names):
    """Return the table for people, with the densities of all groups."""
    columns = {f"{names.column}_{group}": label for group, label in names.groups.items()}
    what = names.measure.capitalize()
    densities = {
        column: (f"{what} in {label}", density_text)
        for column, label in columns.items()
        if column in table
    }
    return written(table, names, " ".join([TABLE.columns, *densities]), densities)


TABLE = Table(
    name="subgraphs",
    columns="cohort contrast percentile alpha size objective upper_bound optimal",
    make=lambda results: subgraphs_table(
        results.records(), results.graphs, results.names.groups, results.names.column
    ),
    show=subgraphs_shown,
    notes=lambda table, names: names.units,
)
