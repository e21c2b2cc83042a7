"""Table ``recovery``: planted contrast subgraphs, found again?"""

from ...data.simulated import recovery
from .table import Table

TABLE = Table(
    name="recovery",
    columns="cohort contrast effect percentile planted found common precision recall",
    make=lambda results: recovery(results.truth, results.records()),
)
