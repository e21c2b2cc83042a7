"""Table ``effects``: differences inside contrast subgraphs in people who did not choose them."""

from ...inference.effect_size import CHOSEN
from ..formats import interval, signed
from .table import Table, written

_SHOWN = "cohort contrast percentile size effect interval d in_sample share_chosen"


def effects_shown(table, names):
    """Return the table for people."""
    ends = [interval(*pair, signed) for pair in zip(table["low"], table["high"], strict=True)]
    headings = {
        "effect": (f"In new {names.subjects}", signed),
        "d": ("d", ".2f"),
        "in_sample": (f"In these {names.subjects}", signed),
        "contrast": ("Contrast", lambda name: _called(name, names)),
        "share_chosen": ("Chosen", ".0%"),
    }
    return written(table.assign(interval=ends), names, _SHOWN, headings)


def _called(contrast, names):
    """Return the label of a contrast, or what the row of all choices is called."""
    return "as the others choose" if contrast == CHOSEN else names("contrast", contrast)


TABLE = Table(
    name="effects",
    columns="cohort contrast percentile size effect low high d in_sample share_chosen",
    make=lambda results: results.effects,
    show=effects_shown,
)
