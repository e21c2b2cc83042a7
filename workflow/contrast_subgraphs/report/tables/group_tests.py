"""Table ``group_tests``: the field's own tests beside that of the contrast subgraphs."""

import pandas as pd

from .formats import LEVEL, number, p_value
from .table import Table, texts

#: Name of a test -> what it is called.
LABELS = {
    "contrast subgraph": "Contrast subgraph",
    "nbs": "Network-based statistic",
    "max-t": "Largest t (max-T)",
    "fdr": "False discovery rate",
}


def group_tests_and_ours(group_tests, significance):
    """Set the tests edge by edge beside that of the contrast subgraphs.

    Parameters
    ----------
    group_tests, significance : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Of the contrast subgraph: z and size where the p over the penalties is smallest.
    """
    best = significance.dropna(subset=["p_contrast"]).sort_values(
        ["p_contrast", "z"], ascending=[True, False], kind="stable"
    )
    best = best.drop_duplicates(["cohort", "contrast"]).assign(test="contrast subgraph")
    ours = best.rename(columns={"z": "statistic", "size": "regions"}).drop(columns="p")
    ours = ours.rename(columns={"p_contrast": "p"})
    columns = (
        "cohort contrast test threshold statistic edges regions p blocks adjusted permutations"
    )
    parts = [part.reindex(columns=columns.split()) for part in (ours, group_tests) if len(part)]
    if not parts:
        return pd.DataFrame(columns=columns.split())
    table = pd.concat(parts, ignore_index=True)
    orders = {
        "cohort": list(significance["cohort"].unique()),
        "contrast": list(significance["contrast"].unique()),
        "test": list(LABELS),
    }
    return table.sort_values(
        list(orders), key=lambda column: column.map(orders[column.name].index), kind="stable"
    ).reset_index(drop=True)


def group_tests_shown(table, names):
    """Return the table for people."""
    shown = {
        "Cohort": "cohort",
        "Contrast": "contrast",
        "Test": ("test", lambda name: LABELS.get(name, name)),
        "Statistic": ("statistic", lambda value: "" if pd.isna(value) else f"{value:.3g}"),
        "Edges": ("edges", lambda count: number(count, 0)),
        "Regions": ("regions", lambda count: number(count, 0)),
        "p": ("p", p_value),
    }
    return texts(table, names, shown)


def _found(table, names):
    """Say which of the tests find a difference."""
    found = table[table["p"] <= LEVEL]
    if found.empty:
        return f"None of these tests finds a difference (all p > {LEVEL})."
    texts = [
        f"{names('cohort', row.cohort)}, {names('contrast', row.contrast)}: "
        f"{LABELS.get(row.test, row.test).lower()}"
        for row in found.itertuples()
    ]
    return f"Of these {len(table)} tests {len(found)} have p ≤ {LEVEL}: {'; '.join(texts)}."


def group_tests_notes(table, names):
    """Say what each row holds."""
    thresholds = ", ".join(f"{value:g}" for value in table["threshold"].dropna().unique())
    return [
        _found(table, names),
        "Each p is corrected within its contrast: for the choice among sets of regions and among "
        "the penalties (contrast subgraph), for the components (network-based statistic, edges "
        f"with t from {thresholds} on), for the edges (largest t), as the smallest adjusted "
        "p-value (false discovery rate). Statistic: z of the contrast subgraph; edges of the "
        "largest component; the largest t; the smallest p of an edge. Edges: those of the "
        "component, or those found at the level 0.05.",
    ]


TABLE = Table(
    name="group_tests",
    caption="The field's own tests of two groups of networks on the same graphs and the same "
    "permutations.",
    columns="cohort contrast test threshold statistic edges regions p",
    make=lambda results: group_tests_and_ours(results.group_tests, results.significance),
    show=group_tests_shown,
    notes=group_tests_notes,
    text=("blocks", "adjusted"),
)
