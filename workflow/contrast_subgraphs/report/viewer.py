"""The data that the script of the page's 3-D view shows."""

import base64

import numpy as np

from ..contrast.difference import difference_graph
from ..contrast.features import density
from ..core.errors import InputError
from .figures.brain import has_centroids
from .figures.figure import View
from .figures.style import Looks
from .formats import density_text
from .names import region_label


def viewer(results, order):
    """Return the data of the view of single sets, with cohorts in this order; None if empty."""
    names = results.names
    cohorts = []
    for cohort in (name for name in order if name in results.contrasts):
        if cohort not in results.graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        view = View(results, cohort)
        cohorts.append(
            {
                "name": cohort,
                "label": view.label,
                "groups": view.groups,
                "contrasts": _contrasts(view),
            }
        )
    if not cohorts:
        return None
    columns = ["name", "system"]
    surface = []
    if has_centroids(results.atlas):
        columns += ["x", "y", "z"]
        surface = _surface()
    atlas = results.atlas[columns].fillna("")
    return {
        "cohorts": cohorts,
        "regions": atlas.assign(name=atlas["name"].map(region_label)).to_dict("list"),
        "surface": surface,
        "colours": [look.colour for look in Looks().groups],
        "measure": names.measure,
        "subjects": names.subjects,
    }


def _contrasts(view):
    """Return the contrasts of a cohort, each with the percentile at which it opens.

    It opens with the set of the card, and those come first that are more than chance.
    """
    first = view.sets("contrast_clearest") | view.sets("contrast_symmetric")
    found = []
    for name, look in view.looks.contrasts.items():
        if name in view.contrasts:
            one = {"name": name, "label": look.label, "first": first[name]}
            found.append(one | {"subgraphs": _subgraphs(view.contrasts[name], view)})
    return sorted(found, key=_opens_with_chance)


def _opens_with_chance(contrast):
    """Say whether the set with which a contrast opens may be chance."""
    at = contrast["first"]
    return any(one["perhaps"] for one in contrast["subgraphs"] if one["percentile"] == at)


def _subgraphs(record, view):
    graphs = view.graphs
    weights = difference_graph(graphs, record["contrast"])
    signed = difference_graph(graphs, graphs.contrasts[0])
    views = []
    for subgraph in record["subgraphs"]:
        nodes = np.array(subgraph["nodes"], dtype=int)
        least = view.least(subgraph)
        inside = weights[np.ix_(nodes, nodes)]
        # The same edges as in the figures.
        rows, columns = np.nonzero(np.triu(inside >= least, 1))
        share = view.share(record["contrast"], subgraph["percentile"])
        shown_share = None
        if share is not None:
            share = share.reindex(nodes).round(3)
            # A share that is known only for some regions would look like a share of 0 for others.
            if not share.isna().any():
                shown_share = share.tolist()
        of_groups = [graphs.weights[graphs.y == k] for k in range(len(graphs.groups))]
        dense = None
        if len(of_groups) and len(nodes) > 1:
            dense = [density_text(density(weights, nodes)) for weights in of_groups]
        views.append(
            {
                "percentile": subgraph["percentile"],
                "alpha": float(f"{subgraph['alpha']:.6g}"),
                "objective": float(f"{subgraph['objective']:.6g}"),
                "bound": float(f"{subgraph['upper_bound']:.6g}"),
                "optimal": bool(subgraph["optimal"]),
                "perhaps": view.perhaps(record["contrast"], subgraph),
                "new": view.effect(record["contrast"], subgraph["percentile"]),
                "density": dense,
                "nodes": nodes.tolist(),
                "least": float(f"{least:.6g}"),
                "share": shown_share,
                "degree": inside.sum(axis=1).round(4).tolist(),
                "edges": [
                    [int(nodes[i]), int(nodes[j]), round(float(signed[nodes[i], nodes[j]]), 4)]
                    for i, j in zip(rows, columns, strict=True)
                ],
            }
        )
    return views


def _surface():
    """Return nilearn's fsaverage5 pial surface in 0.01 mm and 16 bits, as base64."""
    from nilearn.datasets import fetch_surf_fsaverage
    from nilearn.surface import load_surf_mesh

    # This mesh is shipped with nilearn: nothing is downloaded.
    fsaverage = fetch_surf_fsaverage("fsaverage5")
    halves = []
    for side in ("left", "right"):
        mesh = load_surf_mesh(fsaverage[f"pial_{side}"])
        # A hundredth of a millimetre is enough for the screen, and takes half the space.
        places = np.rint(np.asarray(mesh.coordinates) * 100).astype("<i2")
        faces = np.asarray(mesh.faces).astype("<u2")
        halves.append(
            {
                name: base64.b64encode(values.tobytes()).decode()
                for name, values in (("places", places), ("faces", faces))
            }
        )
    return halves
