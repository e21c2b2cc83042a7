"""Table ``would_find``: the smallest difference that each cohort's test would have found."""

from ..formats import interval, signed
from .table import Table, written

_SHOWN = "cohort regions difference interval d r"


def would_find_shown(table, names):
    """Return the table for people."""
    ends = [interval(*pair, signed) for pair in zip(table["low"], table["high"], strict=True)]
    headings = {
        "regions": ("Inside regions", ".0f"),
        "difference": ("Smallest difference", _said),
        "d": ("d", ".2f"),
        "r": ("r", ".2f"),
    }
    return written(table.assign(interval=ends), names, _SHOWN, headings)


def _said(difference):
    """Return a difference as text; NaN is one that the weights do not allow."""
    return signed(difference) or "none"


TABLE = Table(
    name="would_find",
    columns="cohort regions difference low high d r share level planted",
    make=lambda results: results.would_find,
    show=would_find_shown,
)
