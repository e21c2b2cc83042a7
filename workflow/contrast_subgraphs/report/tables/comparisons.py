"""Table ``comparisons``: every pair of methods on the same splits."""

from ...evaluation.summary import comparison_table
from .formats import number, p_value
from .table import Table, texts


def comparisons_shown(table, names):
    """Return the table for people."""
    shown = {
        "Cohort": "cohort",
        "Protocol": "protocol",
        "Method": "method",
        "Other": ("other", lambda name: names("method", name)),
        "Difference": ("difference", 2),
        "95 % interval": "interval",
        "p (Holm)": ("p_holm", p_value),
    }
    ends = zip(table["ci_low"], table["ci_high"], strict=True)
    interval = [f"{number(low)} to {number(high)}" for low, high in ends]
    return texts(table.assign(interval=interval), names, shown)


TABLE = Table(
    name="comparisons",
    caption="Differences of the mean accuracy between methods on the same splits, with intervals "
    "and p-values that allow for overlapping training parts (Nadeau and Bengio); p corrected for "
    "the pairs of a cohort and protocol (Holm).",
    columns="cohort protocol method other difference ci_low ci_high p_holm",
    make=lambda results: comparison_table(results.scores),
    show=comparisons_shown,
)
