"""Table ``sets``: several sets for one penalty, each the best one given those before it."""

import pandas as pd

from ..names import region_label
from .formats import percentile, yes_no
from .table import Table, texts


def sets_of(subgraph):
    """Return the sets of one entry of a record, the best first."""
    return [subgraph, *subgraph.get("further", ())]


def sets_table(records):
    """List every set, where several were asked for.

    Parameters
    ----------
    records : list of dict
        Records of contrast subgraphs (`contrast.records.cohort_record`).

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, set`` (from 1), ``size, objective,
        upper_bound, optimal, explained`` (share of the surplus of all pairs above alpha),
        ``regions`` (names, separated by semicolons).
    """
    rows = []
    for record in records:
        for subgraph in record["subgraphs"]:
            for rank, one in enumerate(sets_of(subgraph), 1):
                rows.append(
                    {
                        "cohort": record["cohort"],
                        "contrast": record["contrast"],
                        "percentile": subgraph["percentile"],
                        "alpha": subgraph["alpha"],
                        "set": rank,
                        "size": len(one["nodes"]),
                        **{name: one[name] for name in ("objective", "upper_bound", "optimal")},
                        "explained": one.get("explained"),  # not there with a set alone
                        "regions": "; ".join(map(region_label, one["regions"])),
                    }
                )
    return pd.DataFrame(rows)


TABLE = Table(
    name="sets",
    caption="Several sets for each penalty α, one after the other: each is the best one given "
    "those before it (a pair of regions counts once). Explained: the part of what all pairs of "
    "regions have above α that lies inside the set, and inside no earlier one.",
    columns="cohort contrast percentile alpha set size objective optimal explained regions",
    make=lambda results: sets_table(results.records()),
    show=lambda table, names: texts(
        table,
        names,
        {
            "Cohort": "cohort",
            "Contrast": "contrast",
            "Percentile": ("percentile", percentile),
            "α": ("alpha", 4),
            "Set": "set",
            "Regions": "size",
            "Objective": ("objective", 3),
            "Proven optimal": ("optimal", yes_no),
            "Explained": ("explained", lambda share: "" if pd.isna(share) else f"{share:.1%}"),
            "Names": "regions",
        },
    ),
)
