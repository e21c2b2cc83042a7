"""Table ``group_tests``: the field's own tests next to that of the contrast subgraphs."""

import pandas as pd

from ...core.holm import LEVEL
from ...inference.chosen_penalty import shown_sets
from ..sentences import sentence
from .table import Table

#: Name of a test -> what it is called.
LABELS = {
    "contrast subgraph": "Contrast subgraph",
    "nbs-extent": "NBS, extent",
    "nbs-intensity": "NBS, intensity",
    "max-t": "Largest t (max-T)",
    "fdr": "False discovery rate",
}


def group_tests_and_ours(group_tests, significance, effects=None):
    """Put the tests of edges next to that of the contrast subgraphs.

    Returns: of the contrast subgraph: z, size and p over the penalties of the set that is shown.
    """
    # The set that the page shows, with its p over penalties: the other tests have no penalties.
    best = shown_sets(significance, effects).assign(test="contrast subgraph")
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


def _found(table, names):
    """Return what finds a difference: cohort, contrast and test."""
    return [
        f"{names('cohort', row.cohort)}, {names('contrast', row.contrast)}: "
        f"{LABELS.get(row.test, row.test).lower()}"
        for row in table[table["p"] <= LEVEL].itertuples()
    ]


def group_tests_notes(table, names):
    """Say which of the tests find a difference, and what each row holds."""
    thresholds = [f"{value:g}" for value in table["threshold"].dropna().unique()]
    return [
        sentence("tables.txt", "group_tests_found", _found(table, names), len(table), LEVEL),
        sentence("tables.txt", "group_tests_columns", ", ".join(thresholds)),
    ]


TABLE = Table(
    name="group_tests",
    columns="cohort contrast test threshold statistic edges regions p",
    headings={
        "test": ("Test", lambda name: LABELS.get(name, name)),
        "threshold": ("t from", "g"),
        "regions": ("Regions", ".0f"),
    },
    make=lambda results: group_tests_and_ours(
        results.group_tests, results.significance, results.effects
    ),
    notes=group_tests_notes,
    text=("blocks", "adjusted"),
)
