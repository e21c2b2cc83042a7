"""Table ``rules``: the paper's rules of thumb, on the cohort and on held-out subjects."""

from .table import Table, written

_SHOWN = "cohort rule part selected correct precision recall share control_precision"


def rules_shown(table, names):
    """Return the table for people: each rule in words, with its section in the paper."""
    rule = table["text"] + " (Section " + table["section"].astype(str) + ")"
    headings = {"share": ("Precision at random", ".2f")}
    return written(table.assign(rule=rule), names, _SHOWN, headings)


TABLE = Table(
    name="rules",
    columns=f"{_SHOWN} text section",
    make=lambda results: results.rules,
    show=rules_shown,
    text=("percentiles", "section"),
)
