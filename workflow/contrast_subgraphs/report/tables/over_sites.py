"""Table ``over_sites``: does the difference hold at other sites? The mean over all of them."""

from ..formats import interval, signed
from .table import Table, written

_SHOWN = "cohort contrast percentile sites mean interval i2 predicted"


def over_sites_shown(table, names):
    """Return the table for people."""
    # At how many of the sites in the mean the difference has the direction of the contrast.
    pairs = zip(table["holds"], table["count"], strict=True)
    ends = zip(table["low"], table["high"], strict=True)
    further = zip(table["predicted_low"], table["predicted_high"], strict=True)
    texts = table.assign(
        sites=[f"{holds:.0f} of {count:.0f}" for holds, count in pairs],
        interval=[interval(low, high, signed) for low, high in ends],
        predicted=[interval(low, high, signed) for low, high in further],
    )
    headings = {
        "sites": "Holds at sites",
        "mean": ("Mean over sites", signed),
        "i2": ("I²", ".0%"),
        "predicted": "At a further site",
    }
    return written(texts, names, _SHOWN, headings)


TABLE = Table(
    name="over_sites",
    columns="cohort contrast percentile holds count mean low high i2 predicted_low predicted_high",
    make=lambda results: results.over_sites,
    show=over_sites_shown,
)
