"""Table ``recovery``: planted contrast subgraphs, found again?"""

from ...data.simulated import recovery
from .formats import percentile
from .table import Table, texts

TABLE = Table(
    name="recovery",
    caption="The planted contrast subgraphs, and how much of them the subgraphs at the percentile "
    "nearest to their size find: precision is the share of the found regions that were planted, "
    "recall the share of the planted ones that were found.",
    columns="cohort contrast effect percentile planted found common precision recall",
    make=lambda results: recovery(results.truth, results.records()),
    show=lambda table, names: texts(
        table,
        names,
        {
            "Cohort": "cohort",
            "Contrast": "contrast",
            "Effect": ("effect", percentile),
            "Percentile": ("percentile", percentile),
            "Planted": "planted",
            "Found": "found",
            "Common": "common",
            "Precision": ("precision", 2),
            "Recall": ("recall", 2),
        },
    ),
)
