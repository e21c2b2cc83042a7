"""Table ``effects``: differences inside contrast subgraphs in people who did not choose them."""

from ..formats import interval, signed
from .table import Table, written

_SHOWN = "cohort contrast percentile size effect interval d in_sample"


def effects_shown(table, names):
    """Return the table for people."""
    ends = [interval(*pair, signed) for pair in zip(table["low"], table["high"], strict=True)]
    headings = {
        "effect": (f"In new {names.subjects}", signed),
        "d": ("d", ".2f"),
        "in_sample": (f"In these {names.subjects}", signed),
    }
    return written(table.assign(interval=ends), names, _SHOWN, headings)


TABLE = Table(
    name="effects",
    columns="cohort contrast percentile size effect low high d in_sample",
    make=lambda results: results.effects,
    show=effects_shown,
)
