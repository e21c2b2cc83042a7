"""Which regions the contrast subgraphs are made of: tables ``regions`` and ``systems``.

The paper reads its figures: TD-ASD "involves mainly connections between cerebellum,
prefrontal cortex, posterior parietal cortex, inferior and middle temporal gyri", ASD-TD
"only exhibits connections between striatum and limbic cortex" (Section 1.2), and the
regions of TD-ASD are mostly in the left hemisphere (Section 4.1). The tables count.
"""

import numpy as np
import pandas as pd
from scipy.stats import binomtest, hypergeom

from .contrast.cohort import cohort_difference
from .errors import InputError

#: Hemispheres in the order of the columns; M is the vermis, in the midline.
HEMISPHERES = {"L": "left", "R": "right", "M": "midline"}

#: The anatomical groups that the paper names, as beginnings of AAL names.
PAPER_GROUPS = {
    "cerebellum": ("Cerebelum", "Vermis"),
    "prefrontal": ("Frontal_", "Rectus"),
    "posterior parietal": (
        "Parietal_",
        "SupraMarginal",
        "Angular",
        "Precuneus",
    ),
    "inferior and middle temporal": ("Temporal_Mid", "Temporal_Inf"),
    "striatum": ("Caudate", "Putamen"),
    "limbic": ("Hippocampus", "ParaHippocampal", "Amygdala", "Cingulum"),
}


def describe_regions(names, atlas):
    """Return what is known about the regions of a graph.

    Parameters
    ----------
    names : array_like of str, shape (n_rois,)
        The graph's regions, in the order of its rows.
    atlas : pandas.DataFrame
        What `atlas.load_aal` gives.

    Returns
    -------
    pandas.DataFrame of n_rois rows
        Columns ``name, hemisphere, system, x, y, z``. Regions of another atlas have
        empty texts and no centroid.
    """
    columns = ["name", "hemisphere", "system", "x", "y", "z"]
    table = pd.DataFrame({"name": np.asarray(names, dtype=str)})
    table = table.merge(atlas[columns], on="name", how="left", validate="many_to_one")
    texts = ["hemisphere", "system"]
    table[texts] = table[texts].fillna("").astype(object)
    return table


def regions_table(contrasts, graphs, atlas):
    """List the regions of every contrast subgraph.

    Parameters
    ----------
    contrasts : iterable of dict
        What the files ``contrast/<cohort>/<contrast>.json`` hold.
    graphs : dict
        Cohort -> CohortGraphs.
    atlas : pandas.DataFrame
        What `atlas.load_aal` gives.

    Returns
    -------
    pandas.DataFrame
        A row for each region of each subgraph: ``cohort, contrast, percentile`` (empty
        for an alpha given as a value), ``alpha, size, index`` (of the region, from 0),
        ``region, hemisphere, system, x, y, z`` (centroid, MNI, mm), ``degree`` (weighted
        degree in the difference graph, inside the subgraph). The largest degree first.

    Raises
    ------
    InputError
        If a contrast's cohort has no graphs, or a vertex is not one of theirs.
    """
    rows = []
    for contrast in contrasts:
        cohort, name = contrast["cohort"], contrast["contrast"]
        if cohort not in graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        known = describe_regions(graphs[cohort].roi, atlas)
        difference = cohort_difference(graphs[cohort], name)
        for subgraph in contrast["subgraphs"]:
            nodes = np.array(subgraph["nodes"], dtype=int)
            if len(nodes) and nodes.max() >= len(known):
                raise InputError(
                    f"the {name} contrast subgraph of {cohort} has the vertex {nodes.max()}, "
                    f"but its graphs have {len(known)}: were they made by different runs?"
                )
            degree = difference[np.ix_(nodes, nodes)].sum(axis=1)
            for place in np.lexsort((nodes, -degree.round(12))):
                region = known.iloc[nodes[place]]
                rows.append(
                    {
                        "cohort": cohort,
                        "contrast": name,
                        "percentile": subgraph["percentile"],
                        "alpha": subgraph["alpha"],
                        "size": len(nodes),
                        "index": nodes[place],
                        "region": region["name"],
                        **region.drop("name"),
                        "degree": degree[place],
                    }
                )
    columns = "cohort contrast percentile alpha size index region hemisphere system x y z degree"
    return pd.DataFrame(rows, columns=columns.split())


def systems_table(regions, names, atlas):
    """Count the regions of every contrast subgraph by system, group and hemisphere.

    Parameters
    ----------
    regions : pandas.DataFrame
        What `regions_table` gives.
    names : array_like of str, shape (n_rois,)
        The regions of the graphs.
    atlas : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        For each subgraph one row for all regions, one for each anatomical ``system`` and
        one for each group of regions that the ``paper`` names (these overlap no other,
        but leave regions out). Columns ``cohort, contrast, percentile, alpha, size,
        grouping`` (all, system or paper), ``group, left, right, midline, count, atlas``
        (regions of the group in the atlas), ``expected`` (count among as many regions
        drawn at random), ``p_value`` (of a count as large among regions drawn at
        random: hypergeometric), ``laterality`` ((left - right) / (left + right)) and
        ``laterality_p`` (sign test, two-sided). Both p-values compare with a *random*
        set; a contrast subgraph is the best of all sets, so they describe, they do not
        test a hypothesis. Empty for graphs of another atlas than AAL.
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
    columns = (
        "grouping group left right midline count atlas expected p_value laterality laterality_p"
    )
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
    size, atlas = int(inside.sum()), int(member.sum())
    return row | {
        "count": int(both.sum()),
        "atlas": atlas,
        "expected": size * atlas / len(inside),
        "p_value": float(hypergeom.sf(both.sum() - 1, len(inside), atlas, size)),
        "laterality": (row["left"] - row["right"]) / sided if sided else np.nan,
        "laterality_p": float(binomtest(row["left"], sided).pvalue) if sided else np.nan,
    }
