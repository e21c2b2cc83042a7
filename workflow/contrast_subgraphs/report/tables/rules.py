"""Table ``rules``: the paper's rules of thumb, on the cohort and on held-out subjects."""

from .table import Table, texts


def rules_shown(table, names):
    """Return the table for people."""
    section = table["text"] + " (Section " + table["section"].astype(str) + ")"
    columns = {
        "Cohort": "cohort",
        "Rule": "text",
        "Measured on": "part",
        "Selected": "selected",
        "Correct": "correct",
        "Precision": ("precision", 2),
        "Recall": ("recall", 2),
        "Precision at random": ("share", 2),
        "Precision, permuted": ("control_precision", 2),
    }
    return texts(table.assign(text=section), names, columns)


TABLE = Table(
    name="rules",
    caption="The rules that the paper reads off its scatter plots (Sections 1.2 and 4.1), measured "
    "on the whole cohort, where the subgraphs come from, and on held-out subjects.",
    columns="cohort rule text section part selected correct precision recall share "
    "control_precision",
    make=lambda results: results.rules,
    show=rules_shown,
    text=("percentiles", "section"),
)
