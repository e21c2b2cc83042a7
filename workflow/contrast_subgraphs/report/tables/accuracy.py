"""Table ``accuracy``: Table 2 of the paper next to ours, with permuted controls."""

import json

import pandas as pd

from ...core.holm import LEVEL
from ...evaluation.summary import smallest_p
from ...methods import METHODS
from ..formats import p_value, plus_minus
from ..sentences import sentence
from .table import Table

#: What is shown where there is no number.
_NONE = "—"


def accuracy_shown(table, names):
    """Return the table for people: a row for each cohort and method.

    For each protocol our accuracy, its permuted control and the p-value; before them the
    paper's number where it has any.
    """
    paper = names.paper and table["paper_mean"].notna().any()
    ours = "Accuracy"
    if paper:
        ours = "Ours"
    smallest = smallest_p(table)
    rows = []
    for (cohort, method), part in table.groupby(["cohort", "method"], sort=False):
        first = part.iloc[0]
        row = {"Cohort": names("cohort", cohort), "Method": names("method", method)}
        if paper:
            row["Paper"] = plus_minus(first["paper_mean"], first["paper_std"])
        by_protocol = part.set_index("protocol")
        for protocol in dict.fromkeys(table["protocol"]):
            if protocol not in by_protocol.index:
                continue
            cells = _cells(by_protocol.loc[protocol], method, protocol, table, ours)
            # With too few permutations no corrected p could be small: then none is shown.
            if _any_of(table, protocol, "p_holm"):
                cells["p (Holm)"] = _holm_shown(by_protocol.loc[protocol], smallest[protocol])
            label = names("protocol", protocol)
            row |= {f"{heading}, {label}": text for heading, text in cells.items()}
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _cells(entry, method, protocol, table, ours):
    """Return what is shown of a method under one protocol: heading -> text.

    A heading that any row of the table has is there for all of them.
    """
    cells = {ours: plus_minus(entry["mean"], entry["std"])}
    if entry["seeds"] > 1:
        cells[ours] += f" (seeds ± {entry['seed_std']:.2f})"
    if table["nuisance_mean"].notna().any() and protocol != "paper":
        # A method that uses nuisance variables has no adjusted variant.
        cells["Adjusted"] = _two(entry["adjusted_mean"])
        if method in METHODS and "nuisance" in METHODS[method].needs:
            cells["Adjusted"] = _NONE
        cells["No brain"] = _two(entry["nuisance_mean"])
    if not pd.isna(entry["pooled_roc_auc"]):
        inside = f"(inside sites {entry['roc_auc']:.2f})"
        cells["AUC"] = f"{entry['pooled_roc_auc']:.2f} {inside}"
    if _any_of(table, protocol, "jaccard"):
        cells["Overlap of sets"] = _two(entry["jaccard"])
    cells["Control"] = plus_minus(entry["control_mean"], entry["control_std"])
    if table["site_control_mean"].notna().any():
        cells["Within sites"] = plus_minus(entry["site_control_mean"], entry["site_control_std"])
    return cells


def _any_of(table, protocol, column):
    """Whether any row of a protocol has a value in a column."""
    return table.loc[table["protocol"] == protocol, column].notna().any()


def _holm_shown(entry, smallest):
    """Return a corrected p as text, given the smallest that the permutations allow."""
    if smallest > LEVEL or pd.isna(entry["p_holm"]):
        return _NONE
    return p_value(entry["p_holm"])


def _two(value):
    if pd.isna(value):
        return _NONE
    return f"{value:.2f}"


def accuracy_notes(table, names):
    """Say over how many seeds embeddings are averaged, and why WL-Kern is constant if it is."""
    notes = [
        sentence("tables.txt", "seeds", _unique(rows["method"], "method", names), seeds)
        for seeds, rows in table[table["seeds"] > 1].groupby("seeds")
    ]
    constant = table[(table["method"] == "wl-kern") & (table["std"].abs() < 1e-9)]
    kept = constant["parameters"].map(lambda text: json.loads(text).get("features"))
    last = constant[kept == "last"]
    if last.empty:
        return notes
    return [*notes, sentence("tables.txt", "constant", _unique(last["cohort"], "cohort", names))]


def _unique(column, kind, names):
    return ", ".join(names(kind, name) for name in dict.fromkeys(column))


TABLE = Table(
    name="accuracy",
    columns="cohort method protocol mean std adjusted_mean nuisance_mean seeds seed_std "
    "parameters control_mean control_std permutations p_value z site_control_mean "
    "site_control_std site_p_value p_holm roc_auc pooled_roc_auc jaccard paper_mean paper_std",
    make=lambda results: results.accuracy,
    show=accuracy_shown,
    notes=accuracy_notes,
    text=("parameters",),
)
