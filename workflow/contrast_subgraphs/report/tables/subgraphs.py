"""Table ``subgraphs``: every contrast subgraph, how dense it is in each group, and its proof."""

import numpy as np
import pandas as pd

from .formats import percentile, yes_no
from .table import Table, texts


def subgraphs_table(records, graphs, groups):
    """Summarise every contrast subgraph.

    Parameters
    ----------
    records : iterable of dict
        What the files ``contrast/<cohort>/<contrast>.json`` hold.
    graphs : dict
        Cohort -> CohortGraphs.
    groups : iterable of str
        All groups of the run.

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, size, objective, upper_bound, optimal``,
        then for each group ``density_<group>``: the part of the set's pairs that are edges
        (for weighted graphs their mean weight), averaged over the group's subjects; missing
        for fewer than two regions and for a group that the cohort does not have.
    """
    rows = []
    for record in records:
        cohort = graphs[record["cohort"]]
        for subgraph in record["subgraphs"]:
            nodes = np.array(subgraph["nodes"], dtype=int)
            kept = ("percentile", "alpha", "objective", "upper_bound", "optimal")
            rows.append(
                {
                    "cohort": record["cohort"],
                    "contrast": record["contrast"],
                    "size": len(nodes),
                    **{name: subgraph[name] for name in kept},
                    **dict.fromkeys((f"density_{group}" for group in groups), np.nan),
                    **{
                        f"density_{group}": density(cohort.adjacency[cohort.y == y], nodes)
                        for y, group in enumerate(cohort.groups)
                    },
                }
            )
    first = "cohort contrast percentile alpha size objective upper_bound optimal".split()
    return pd.DataFrame(rows, columns=[*first, *(f"density_{group}" for group in groups)])


def density(adjacency, nodes):
    """Return the mean weight of the pairs of some vertices over a stack of graphs.

    Examples
    --------
    >>> density(np.ones((2, 3, 3)), [0, 2])
    1.0
    """
    if len(nodes) < 2:
        return np.nan
    rows, columns = np.triu_indices(len(nodes), 1)
    nodes = np.asarray(nodes)
    return float(adjacency[:, nodes[rows], nodes[columns]].mean())


def density_text(value):
    """Return a density, or a mean weight of any size, as text.

    Examples
    --------
    >>> density_text(0.3333), density_text(12345.6), density_text(float("nan"))
    ('0.33', '12,346', '')
    """
    if pd.isna(value):
        return ""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def subgraphs_shown(table, names):
    """Return the table for people."""
    what = "Mean weight" if names.weighted else "Density"
    columns = {
        "Cohort": "cohort",
        "Contrast": "contrast",
        "Percentile": ("percentile", percentile),
        "α": ("alpha", 4),
        "Regions": "size",
        "Objective": ("objective", 3),
        "Proven optimal": ("optimal", yes_no),
    }
    columns |= {
        f"{what} in {label}": (f"density_{group}", density_text)
        for group, label in names.groups.items()
        if f"density_{group}" in table
    }
    return texts(table, names, columns)


TABLE = Table(
    name="subgraphs",
    caption="Every contrast subgraph: its penalty α (the percentile of the difference graph's "
    "weights that gives it), regions, objective, whether no better set exists by proof, and its "
    "density in each group: the part of its pairs of regions that are connected, or their mean "
    "weight in weighted graphs.",
    columns="cohort contrast percentile alpha size objective upper_bound optimal",
    make=lambda results: subgraphs_table(results.records(), results.graphs, results.names.groups),
    show=subgraphs_shown,
    notes=lambda table, names: names.units,
)
