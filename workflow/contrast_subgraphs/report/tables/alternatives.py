"""Table ``alternatives``: near-optimal rivals of every contrast subgraph."""

import pandas as pd

from .table import Table, sets_in


def alternatives_table(records):
    """Summarise the near-optimal rivals of every contrast subgraph.

    Returns: ``fraction``: how near the optimum rivals were sought; ``nearest``: objective of the
    best one over the optimum; ``least_overlap``: the smallest Jaccard index with the optimum.
    Missing where no rivals were asked for or there are none.
    """
    rows = []
    for _, subgraph, row in sets_in(records):
        # Without a list nothing is known of rivals, which differs from there being none.
        near = subgraph["alternatives"] or {"fraction": None, "complete": None, "sets": []}
        values = [rival["objective"] for rival in near["sets"]]
        overlaps = [rival["overlap"] for rival in near["sets"]]
        nearest = None
        least_overlap = None
        if values:
            nearest = max(values) / subgraph["objective"]
            least_overlap = min(overlaps)
        row |= {
            "size": len(subgraph["nodes"]),
            "fraction": near["fraction"],
            "rivals": len(values),
            "complete": near["complete"],
            "nearest": nearest,
            "least_overlap": least_overlap,
        }
        rows.append(row)
    return pd.DataFrame(rows)


TABLE = Table(
    name="alternatives",
    columns="cohort contrast percentile alpha size fraction rivals complete nearest least_overlap",
    make=lambda results: alternatives_table(results.records()),
)
