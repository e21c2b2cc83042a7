"""Table ``confirmed``: sets that others found or claim, tested in this run's cohorts."""

from ...inference.elsewhere import CONFIRMED, corrected
from .others import HEADINGS, with_texts
from .table import Table, written

_SHOWN = "cohort set contrast pairs shared people effect interval d p p_holm"


def confirmed_shown(table, names):
    """Return the table for people."""
    headings = HEADINGS | {"pairs": "Pairs"}
    return written(with_texts(table), names, _SHOWN, headings)


TABLE = Table(
    name="confirmed",
    columns=" ".join([*CONFIRMED, "p_holm"]),
    make=lambda results: corrected(results.confirmed),
    show=confirmed_shown,
    text=("set",),
)
