"""The 3-D view of the page: what it shows, as data for its script."""

import base64

import numpy as np

from ..contrast.cohort import cohort_difference
from ..core.errors import InputError
from .figures.style import Looks
from .formats import density_text
from .names import pictured
from .tables.subgraphs import density


def viewer(results, names, config, tables):
    """Return what the 3-D view shows, or None if there is nothing or no place for it."""
    edge_weight, cohorts = config["report"]["edge_weight"], []
    significance, regions = tables.get("significance"), tables.get("regions")
    for cohort in (name for name in names.cohorts if name in results.contrasts):
        if cohort not in results.graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        graphs, looks = results.graphs[cohort], Looks.of(names, cohort)
        first = pictured(config, names, "contrast_large", cohort, significance)
        first |= pictured(config, names, "contrast_symmetric", cohort, significance)
        records = results.contrasts[cohort]
        cohorts.append(
            {
                "name": cohort,
                "label": names("cohort", cohort),
                "groups": names.group_labels(cohort),
                "contrasts": [
                    {
                        "name": name,
                        "label": look.label,
                        "first": _place(records[name], first[name]),
                        "subgraphs": _subgraphs(records[name], graphs, edge_weight, regions),
                    }
                    for name, look in looks.contrasts.items()
                    if name in records
                ],
            }
        )
    if not cohorts or results.atlas[["x", "y", "z"]].isna().any(axis=None):
        return None
    return {
        "cohorts": cohorts,
        "regions": results.atlas.to_dict("list"),
        "surface": _surface(),
        "colours": [look.colour for look in Looks.of(names).groups],
        "measure": names.measure,
        "subjects": names.subjects,
    }


def _place(record, percentile):
    """Return the place of the pictured subgraph in a record; 0 if it is not there."""
    at = [subgraph["percentile"] for subgraph in record["subgraphs"]]
    return at.index(percentile) if percentile in at else 0


def _subgraphs(record, graphs, edge_weight, regions):
    weights = cohort_difference(graphs, record["contrast"])
    signed = cohort_difference(graphs, graphs.contrasts[0])
    views = []
    for subgraph in record["subgraphs"]:
        nodes = np.array(subgraph["nodes"], dtype=int)
        least = subgraph["alpha"] if edge_weight is None else edge_weight
        inside = weights[np.ix_(nodes, nodes)]
        rows, columns = np.nonzero(np.triu(inside >= least, 1))
        groups = enumerate(graphs.groups)
        dense = [density(graphs.adjacency[graphs.y == group], nodes) for group, _ in groups]
        views.append(
            {
                "percentile": subgraph["percentile"],
                "alpha": float(f"{subgraph['alpha']:.6g}"),
                "objective": float(f"{subgraph['objective']:.6g}"),
                "bound": float(f"{subgraph['upper_bound']:.6g}"),
                "optimal": bool(subgraph["optimal"]),
                "density": None
                if len(nodes) < 2 or not dense
                else [density_text(one) for one in dense],
                "nodes": nodes.tolist(),
                "least": float(f"{least:.6g}"),
                "share": _shares(regions, record, subgraph["percentile"], nodes),
                "degree": inside.sum(axis=1).round(4).tolist(),
                "edges": [
                    [int(nodes[i]), int(nodes[j]), round(float(signed[nodes[i], nodes[j]]), 4)]
                    for i, j in zip(rows, columns, strict=True)
                ],
            }
        )
    return views


def _shares(regions, record, percentile, nodes):
    """Return each region's share of the half samples; None where it is unknown."""
    if regions is None or percentile is None or regions["share"].isna().all():
        return None
    here = (regions["cohort"] == record["cohort"]) & (regions["contrast"] == record["contrast"])
    rows = regions[here & (regions["percentile"] == percentile)]
    share = rows.set_index("index")["share"].reindex(nodes)
    return None if share.isna().any() else share.round(3).tolist()


def _surface():
    """Return nilearn's fsaverage5 pial surface in 0.01 mm and 16 bits, as base64."""
    from nilearn.datasets import fetch_surf_fsaverage
    from nilearn.surface import load_surf_mesh

    fsaverage = fetch_surf_fsaverage("fsaverage5")  # ships with nilearn
    halves = []
    for side in ("left", "right"):
        mesh = load_surf_mesh(fsaverage[f"pial_{side}"])
        places = np.rint(np.asarray(mesh.coordinates) * 100).astype("<i2")
        faces = np.asarray(mesh.faces).astype("<u2")
        halves.append(
            {
                name: base64.b64encode(values.tobytes()).decode()
                for name, values in (("places", places), ("faces", faces))
            }
        )
    return halves
