"""Table ``systems``: contrast subgraphs by system and hemisphere."""

import numpy as np
import pandas as pd

from ...core.atlas import HEMISPHERES, describe_regions
from ..formats import number
from .regions import TABLE as TABLE_OF_REGIONS
from .table import Table, written

#: The anatomical groups that the paper names, as beginnings of AAL names.
PAPER_GROUPS = {
    "cerebellum": ("Cerebelum", "Vermis"),
    "prefrontal": ("Frontal_", "Rectus"),
    "posterior parietal": ("Parietal_", "SupraMarginal", "Angular", "Precuneus"),
    "inferior and middle temporal": ("Temporal_Mid", "Temporal_Inf"),
    "striatum": ("Caudate", "Putamen"),
    "limbic": ("Hippocampus", "ParaHippocampal", "Amygdala", "Cingulum"),
}


def systems_table(regions, names, atlas):
    """Count the regions of every contrast subgraph by system, group and hemisphere.

    `regions`: what `regions_table` gives; `names` (n_rois,): the regions of the graphs. Returns a
    row for all regions of a subgraph, each ``system`` and each group that the ``paper`` names:
    ``atlas`` (regions of the group there), ``expected`` (their number among as many regions drawn
    at random), ``laterality``. There is no p: the set is the best of all, no random one, and sets
    of permuted labels too are mostly of one system, whose regions go together. Empty without
    systems.
    """
    known = describe_regions(names, atlas)
    members = _groups(known)
    rows = []
    keys = ["cohort", "contrast", "percentile", "alpha", "size"]
    for key, subgraph in regions.groupby(keys, sort=False, dropna=False):
        inside = np.zeros(len(known), dtype=bool)
        inside[subgraph["index"]] = True
        for (grouping, group), member in members.items():
            rows.append(
                dict(zip(keys, key, strict=True))
                | {"grouping": grouping, "group": group}
                | _count(inside, member, known["hemisphere"].to_numpy())
            )
    columns = "grouping group left right midline count atlas expected laterality"
    return pd.DataFrame(rows, columns=[*keys, *columns.split()])


def _groups(known):
    """Return ``(grouping, group) -> which regions``."""
    if (known["system"] == "").all():
        return {}
    groups = {("all", "all regions"): np.ones(len(known), dtype=bool)}
    for system in dict.fromkeys(known["system"][known["system"] != ""]):
        groups["system", system] = (known["system"] == system).to_numpy()
    for group, beginnings in PAPER_GROUPS.items():
        groups["paper", group] = known["name"].str.startswith(beginnings).to_numpy()
    return groups


def _count(inside, member, hemisphere):
    both = inside & member
    row = {word: int((both & (hemisphere == side)).sum()) for side, word in HEMISPHERES.items()}
    sided = row["left"] + row["right"]
    size = int(inside.sum())
    atlas = int(member.sum())
    laterality = np.nan
    if sided:
        laterality = (row["left"] - row["right"]) / sided
    return row | {
        "count": int(both.sum()),
        "atlas": atlas,
        "expected": size * atlas / len(inside),
        "laterality": laterality,
    }


def systems_shown(table, names):
    """Return the table for people, without the groups of which no region is in the set."""
    if names.paper:
        kinds = ["system", "paper"]
    else:
        kinds = ["system"]
    there = (table["count"] > 0) & table["grouping"].isin(kinds)
    sides = list(HEMISPHERES.values())
    columns = TABLE.columns.split()
    # Atlases without hemispheres have nothing in these columns.
    if not table[sides].any(axis=None):
        columns = [name for name in columns if name not in sides]
    return written(table[there], names, " ".join(columns))


TABLE = Table(
    name="systems",
    columns="cohort contrast percentile grouping group left right midline count expected",
    make=lambda results: systems_table(
        TABLE_OF_REGIONS.make(results), next(iter(results.graphs.values())).roi, results.atlas
    ),
    show=systems_shown,
    text=("group",),
)


def claims_shown(table, names):
    """Return a row for each subgraph, a column for each group that the paper names."""
    rows = []
    keys = ["cohort", "contrast", "percentile"]
    for (cohort, contrast, at), part in table.groupby(keys, sort=False):
        everything = part[part["grouping"] == "all"].iloc[0]
        row = {
            "Cohort": names("cohort", cohort),
            "Contrast": names("contrast", contrast),
            "Percentile": number(at, "g"),
            "Regions": f"{everything['count']}",
            "Left / right": f"{everything['left']} / {everything['right']}",
            "Laterality": number(everything["laterality"]),
        }
        for one in part[part["grouping"] == "paper"].itertuples():
            row[one.group.capitalize()] = f"{one.count} ({number(one.expected, '.1f')})"
        rows.append(row)
    return pd.DataFrame(rows)


#: The table `systems` with what the paper says, a view of it for the page.
CLAIMS = Table(
    name="claims", columns=TABLE.columns + " laterality", make=TABLE.make, show=claims_shown
)
