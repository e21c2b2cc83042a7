"""Table ``others``: each cohort's sets in the people of the others who are not in it."""

from ...inference.elsewhere import OTHERS, corrected
from ..formats import interval, signed
from .table import Table, written

_SHOWN = "cohort contrast percentile elsewhere shared people effect interval d p p_holm"

#: Of tables of sets that are measured in people who did not choose them.
HEADINGS = {
    "shared": "Left out",
    "people": "Measured",
    "effect": ("Difference", signed),
    "d": ("d", ".2f"),
}


def with_texts(table):
    """Return a table of `inference.elsewhere` with the people and the intervals as texts."""
    # Few people or none are said in words: an empty cell would look like a fault.
    counts = zip(table["n_first"], table["n_second"], table["effect"], strict=True)
    ends = zip(table["low"], table["high"], strict=True)
    return table.assign(
        people=[_counted(*row) for row in counts],
        interval=[interval(*pair, signed) for pair in ends],
    )


def _counted(first, second, effect):
    """How many people of each group are measured, or that they are too few."""
    if first != first:  # nobody is left, or only people of one group
        return "too few"
    counted = f"{first:.0f} + {second:.0f}"
    if effect != effect:
        return f"too few ({counted})"
    return counted


def others_shown(table, names):
    """Return the table for people."""
    headings = HEADINGS | {
        "cohort": "Chosen in",
        "elsewhere": ("Measured in", lambda name: names("cohort", name)),
    }
    return written(with_texts(table), names, _SHOWN, headings)


TABLE = Table(
    name="others",
    columns=" ".join([*OTHERS, "p_holm"]),
    make=lambda results: corrected(results.others),
    show=others_shown,
)
