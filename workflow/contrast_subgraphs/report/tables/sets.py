"""Table ``sets``: several sets for one penalty, each the best one given those before it."""

import pandas as pd

from ..names import region_label
from .table import Table, sets_in


def sets_of(subgraph):
    """Return the sets of one entry of a record, the best first."""
    return [subgraph, *subgraph.get("further", ())]


def sets_table(records):
    """List every set, where several were asked for.

    Returns: ``set`` counts from 1; ``explained`` is the share of the surplus of all pairs above
    alpha; ``regions`` are names separated by semicolons.
    """
    rows = []
    for _, subgraph, row in sets_in(records):
        # In the order in which they were found: each is the best given those before it.
        for rank, one in enumerate(sets_of(subgraph), 1):
            found = {
                "set": rank,
                "size": len(one["nodes"]),
                "objective": one["objective"],
                "upper_bound": one["upper_bound"],
                "optimal": one["optimal"],
                "explained": one.get("explained"),  # not there with a set alone
                "regions": "; ".join(map(region_label, one["regions"])),
            }
            rows.append(row | found)
    return pd.DataFrame(rows)


TABLE = Table(
    name="sets",
    columns="cohort contrast percentile alpha set size objective optimal explained regions",
    make=lambda results: sets_table(results.records()),
)
