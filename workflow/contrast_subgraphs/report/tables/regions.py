"""Which regions the contrast subgraphs are made of: tables ``regions`` and ``systems``.

The paper reads its figures: TD-ASD "involves mainly connections between cerebellum,
prefrontal cortex, posterior parietal cortex, inferior and middle temporal gyri", ASD-TD
"only exhibits connections between striatum and limbic cortex" (Section 1.2), and the
regions of TD-ASD are mostly in the left hemisphere (Section 4.1). The tables count.
"""

import numpy as np
import pandas as pd

from ...contrast.difference import difference_graph
from ...core.atlas import describe_regions
from ...core.errors import InputError
from .table import Table, sets_in


def regions_table(contrasts, graphs, atlas):
    """List the regions of every contrast subgraph.

    `contrasts`: what the files ``contrast/<cohort>/<contrast>.json`` hold; `graphs`: cohort ->
    CohortGraphs; `atlas`: what `load_atlas` gives. Returns: a row for each region of each subgraph:
    ``cohort, contrast, percentile`` (empty for an alpha given as a value), ``alpha, size, index``
    (of the region, from 0), ``region, hemisphere, system, x, y, z`` (centroid, MNI, mm), ``degree``
    (weighted degree in the difference graph, inside the subgraph). The largest degree first.
    """
    rows = []
    known = {}
    differences = {}
    for record, subgraph, row in sets_in(contrasts):
        key = (record["cohort"], record["contrast"])
        cohort, name = key
        if cohort not in graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        if key not in known:
            known[key] = describe_regions(graphs[cohort].roi, atlas)
            differences[key] = difference_graph(graphs[cohort], name)
        nodes = np.array(subgraph["nodes"], dtype=int)
        if len(nodes) and nodes.max() >= len(known[key]):
            raise InputError(
                f"the {name} contrast subgraph of {cohort} has the vertex {nodes.max()}, "
                f"but its graphs have {len(known[key])}: were they made by different runs?"
            )
        degree = differences[key][np.ix_(nodes, nodes)].sum(axis=1)
        # Rounded, so that equal degrees are ordered by region and not by rounding errors.
        for place in np.lexsort((nodes, -degree.round(12))):
            region = known[key].iloc[nodes[place]]
            here = {"size": len(nodes), "index": nodes[place], "region": region["name"]}
            rows.append(row | here | {**region.drop("name"), "degree": degree[place]})
    columns = "cohort contrast percentile alpha size index region hemisphere system x y z degree"
    return pd.DataFrame(rows, columns=columns.split())


SHARES = ("share", "share_permuted", "share_critical")


def with_shares(table, shares):
    """Add how often each region is chosen over half samples, and with permuted labels.

    `table`: from `regions_table`; `shares`: ``cohort, contrast, percentile, index, share,
    share_permuted, share_critical``. Returns: with the shares, empty where nothing is known.
    """
    if shares is None or table.empty:
        return table.assign(**dict.fromkeys(SHARES, np.nan))
    keys = ["cohort", "contrast", "percentile", "index"]
    # Keys of a join must have the same types on both sides.
    left = table.astype({"percentile": float, "index": int})
    return left.merge(shares[[*keys, *SHARES]], how="left", on=keys, validate="many_to_one")


TABLE = Table(
    name="regions",
    columns="cohort contrast percentile alpha region hemisphere system degree " + " ".join(SHARES),
    make=lambda results: with_shares(
        regions_table(results.records(), results.graphs, results.atlas), results.shares
    ),
    text=("region", "hemisphere", "system"),
)
