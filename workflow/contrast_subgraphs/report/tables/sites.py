"""Table ``sites``: the difference at each site, inside the set that the others choose."""

from ..formats import signed, yes_no
from .table import Table, written

_SHOWN = "cohort contrast percentile site n_first n_second effect error size used"


def sites_shown(table, names):
    """Return the table for people."""
    headings = {
        "site": "Site",
        "n_first": ("First group", ".0f"),
        "n_second": ("Second group", ".0f"),
        "effect": ("Difference", signed),
        "error": ("Standard error", ".3f"),
        "used": ("In the mean", yes_no),
    }
    return written(table, names, _SHOWN, headings)


TABLE = Table(
    name="sites",
    columns="cohort contrast percentile site n_first n_second used effect error size",
    make=lambda results: results.sites,
    show=sites_shown,
    text=("site",),
)
