"""Table ``accuracy``: Table 2 of the paper next to ours, with permuted controls."""

import json

import pandas as pd

from ...core.holm import LEVEL
from ...evaluation.summary import smallest_p
from ...methods import METHODS
from ..formats import p_value, plus_minus
from ..sentences import sentence
from .table import Table


def accuracy_shown(table, names):
    """Return the table for people: a row for each cohort and method.

    For each protocol our accuracy, its permuted control and the p-value; before them the
    paper's number where it has any.
    """
    paper = names.paper and table["paper_mean"].notna().any()
    smallest = smallest_p(table)
    ours = "Accuracy"
    if paper:
        ours = "Ours"
    rows = []
    for (cohort, method), part in table.groupby(["cohort", "method"], sort=False):
        first = part.iloc[0]
        row = {"Cohort": names("cohort", cohort), "Method": names("method", method)}
        if paper:
            row["Paper"] = plus_minus(first["paper_mean"], first["paper_std"])
        by_protocol = part.set_index("protocol")
        for protocol in dict.fromkeys(table["protocol"]):
            if protocol in by_protocol.index:
                entry = by_protocol.loc[protocol]
                name = names("protocol", protocol)
                row[f"{ours}, {name}"] = plus_minus(entry["mean"], entry["std"])
                if table["nuisance_mean"].notna().any() and protocol != "paper":
                    # A method that uses nuisance variables has no adjusted variant.
                    own = method in METHODS and "nuisance" in METHODS[method].needs
                    if own:
                        row[f"Adjusted, {name}"] = "—"
                    else:
                        row[f"Adjusted, {name}"] = _two(entry["adjusted_mean"])
                    row[f"No brain, {name}"] = _two(entry["nuisance_mean"])
                if not pd.isna(entry["pooled_roc_auc"]):
                    row[f"AUC, {name}"] = (
                        f"{entry['pooled_roc_auc']:.2f} (inside sites {entry['roc_auc']:.2f})"
                    )
                if table.loc[table["protocol"] == protocol, "jaccard"].notna().any():
                    row[f"Overlap of sets, {name}"] = _two(entry["jaccard"])
                if entry["seeds"] > 1:
                    row[f"{ours}, {name}"] += f" (seeds ± {entry['seed_std']:.2f})"
                row[f"Control, {name}"] = plus_minus(entry["control_mean"], entry["control_std"])
                if table["site_control_mean"].notna().any():
                    row[f"Within sites, {name}"] = plus_minus(
                        entry["site_control_mean"], entry["site_control_std"]
                    )
                if table.loc[table["protocol"] == protocol, "p_holm"].notna().any():
                    # With too few permutations no corrected p could be small: then none is shown.
                    decided = smallest[protocol] <= LEVEL and not pd.isna(entry["p_holm"])
                    if decided:
                        row[f"p (Holm), {name}"] = p_value(entry["p_holm"])
                    else:
                        row[f"p (Holm), {name}"] = "—"
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _two(value):
    if pd.isna(value):
        return "—"
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
