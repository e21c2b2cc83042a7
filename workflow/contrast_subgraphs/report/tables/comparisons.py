"""Table ``comparisons``: every pair of methods on the same splits."""

from ...evaluation.summary import comparison_table
from ..formats import interval
from .table import Table, written


def comparisons_shown(table, names):
    """Return the table for people."""
    ends = map(interval, table["ci_low"], table["ci_high"])
    shown = "cohort protocol method other difference interval p_holm"
    headings = {"other": ("Other", lambda name: names("method", name))}
    return written(table.assign(interval=list(ends)), names, shown, headings)


TABLE = Table(
    name="comparisons",
    columns="cohort protocol method other difference ci_low ci_high p_holm",
    make=lambda results: comparison_table(results.scores),
    show=comparisons_shown,
)
