"""Table ``alternatives``: near-optimal rivals of every contrast subgraph."""

import pandas as pd

from .formats import percentile, yes_no
from .table import Table, texts


def alternatives_table(records):
    """Summarise the near-optimal rivals of every contrast subgraph.

    Parameters
    ----------
    records : list of dict
        Records of contrast subgraphs (`contrast.cohort.cohort_record`).

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, size, fraction, rivals`` (locally optimal
        sets within the fraction of the optimum), ``complete`` (all of them are listed),
        ``nearest`` (objective of the best rival over the optimum), ``least_overlap``
        (the smallest Jaccard index with the optimum). Missing where no rivals were asked
        for or there are none.
    """
    rows = []
    for record in records:
        for subgraph in record["subgraphs"]:
            near = subgraph["alternatives"] or {"fraction": None, "complete": None, "sets": []}
            values = [rival["objective"] for rival in near["sets"]]
            overlaps = [rival["overlap"] for rival in near["sets"]]
            rows.append(
                {
                    "cohort": record["cohort"],
                    "contrast": record["contrast"],
                    "percentile": subgraph["percentile"],
                    "alpha": subgraph["alpha"],
                    "size": len(subgraph["nodes"]),
                    "fraction": near["fraction"],
                    "rivals": len(values),
                    "complete": near["complete"],
                    "nearest": max(values) / subgraph["objective"] if values else None,
                    "least_overlap": min(overlaps) if overlaps else None,
                }
            )
    return pd.DataFrame(rows)


TABLE = Table(
    name="alternatives",
    caption="Rivals of each contrast subgraph: locally optimal sets whose objective is within a "
    "fraction of the best. Nearest: objective of the best rival over the optimum; least overlap: "
    "the smallest Jaccard index of a rival with the optimum.",
    columns="cohort contrast percentile alpha size rivals complete nearest least_overlap",
    make=lambda results: alternatives_table(results.records()),
    show=lambda table, names: texts(
        table,
        names,
        {
            "Cohort": "cohort",
            "Contrast": "contrast",
            "Percentile": ("percentile", percentile),
            "α": ("alpha", 4),
            "Regions": "size",
            "Within": ("fraction", 2),
            "Rivals": "rivals",
            "All listed": ("complete", yes_no),
            "Nearest": ("nearest", 3),
            "Least overlap": ("least_overlap", 2),
        },
    ),
)
