"""Pictures of single contrast subgraphs, for the command line and for the user's own scripts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...contrast import BipartiteContrastResult, ContrastSubgraphResult
from ...contrast.difference import check_weights
from ...core.checks import plural
from ...core.errors import InputError
from ...core.labels import names_of_regions
from .set_picture import beside, draw_key, draw_set, edges_from, row_height, said_of
from .style import INK, PAGE, QUIET, Looks, new_figure, styled

#: What can be drawn.
Found = ContrastSubgraphResult | BipartiteContrastResult
#: Height in inches of a row without any region.
_EMPTY = 0.5


def plot_contrast(
    difference: ArrayLike,
    found: Found | Sequence[Found],
    regions: pd.DataFrame | Sequence[str] | None = None,
    title: str = "",
) -> Any:
    """Draw contrast subgraphs: the regions, and the edges with a weight above alpha.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        The difference graph in which they were found.
    found : ContrastSubgraphResult or BipartiteContrastResult, or a sequence of them
        Each gets a row, with its regions in the order of their weighted degree, and the share
        of the surplus of all pairs that it explains.
    regions : pandas.DataFrame or sequence of str, optional
        All regions: an atlas (`read_atlas`), or their names. By default the names that the
        solutions have, or numbers from 0. Without coordinates they are drawn on a circle.
    title : str
        The name of the contrast.

    Returns
    -------
    matplotlib.figure.Figure
        ``savefig`` writes it to a file.

    Raises
    ------
    InputError
        If matplotlib is not installed, or if the regions do not fit the difference graph.

    See Also
    --------
    contrast_subgraph, bipartite_contrasts : Find the sets that are drawn.

    Examples
    --------
    >>> from contrast_subgraphs import contrast_subgraph
    >>> difference = np.array([[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]])
    >>> found = contrast_subgraph(difference, alpha=0.5, names=["V1", "V2", "MT", "M1"])
    >>> figure = plot_contrast(difference, found, title="patient-control")
    >>> figure.subfigs[0].get_suptitle()
    'patient-control, alpha 0.5: 3 regions, objective 4.5, 100% of all surplus, proved the best'
    """
    if isinstance(found, Found):
        found = [found]
    else:
        found = list(found)
    weights = check_weights(difference, "the difference graph")
    if not isinstance(regions, pd.DataFrame):
        regions = names_of_regions(difference, regions)
    if regions is None:
        names = np.arange(len(weights)).astype(object)
        for one in found:
            if isinstance(one, ContrastSubgraphResult) and one.regions:
                names[one.nodes] = one.regions
        regions = names.astype(str)
    if not isinstance(regions, pd.DataFrame):
        regions = pd.DataFrame({"name": list(map(str, regions))})
    if len(regions) != len(weights):
        raise InputError(f"there are {len(regions)} regions and {len(weights)} vertices")
    names = regions["name"].tolist()
    for one in found:
        # Regions in another order than those of the set would be drawn as others.
        if not set(names).isdisjoint(one.table()["region"].astype(str)):
            one.to_dict(names)
    # There is only one direction: the colour says nothing, and the first one is used.
    look = Looks(("a", "b")).groups[0]
    return draw_contrasts([(title, weights, one, (look,)) for one in found], regions)


@styled
def draw_contrasts(rows, atlas):
    """Draw one contrast subgraph in each row.

    `rows`: title, weights, result, and one or two `style.Look`: of the pairs of positive weight,
    and of those of negative weight if these count too; `atlas`: ``name`` and what else is known of
    all regions.
    """
    if not rows:
        raise InputError("there is no contrast subgraph to draw")
    sides = [
        (one.first, one.second) if isinstance(one, BipartiteContrastResult) else (one.nodes,)
        for _, _, one, _ in rows
    ]
    counts = [sum(map(len, parts)) for parts in sides]
    heights = [row_height(atlas, n) if n else _EMPTY for n in counts]
    figure = new_figure(PAGE, sum(heights))
    cells = np.atleast_1d(figure.subfigures(len(rows), 1, height_ratios=heights))
    for cell, (title, weights, one, looks), parts in zip(cells, rows, sides, strict=True):
        cell.suptitle(_title(title, one, sum(map(len, parts))), x=0.01, ha="left")
        if not one.objective:
            cell.subplots().axis("off")
            continue
        nodes, each, colours = _of_sides(parts, weights, one.alpha, looks)
        edges = sum(each, [])
        beside_it = beside(atlas, nodes, edges)
        if beside_it:
            brain, key = cell.subplots(1, 2, width_ratios=[1.9, 1])
        else:
            # Names on the rim leave nothing for a key: the circle is in the middle.
            empty, brain, key = cell.subplots(1, 3, width_ratios=[1, 1.9, 1])
            empty.axis("off")
        inside = weights[np.ix_(nodes, nodes)]
        degree = np.abs(inside).sum(axis=1)
        draw_set(brain, atlas, nodes, degree, edges, colours, inside, looks)
        brain.set_title(said_of(edges, one.alpha, np.abs(inside).max()), fontsize=7)
        lines = [
            (look, f"more in {look.label}: {plural(len(some), 'edge')}")
            for look, some in zip(looks, each, strict=True)
            if some and len(looks) > 1
        ]
        draw_key(key, beside_it, lines)
    return figure


def _of_sides(parts, weights, alpha, looks):
    """Return the nodes in their order, the edges that count, and the markers' colours."""
    from matplotlib.colors import to_rgb

    # 1. The regions of one set, or of the first and then the second, heaviest first.
    ordered = []
    for place, part in enumerate(parts):
        if len(parts) > 1:
            other = parts[1 - place]
        else:
            other = part
        degree = np.abs(weights[np.ix_(part, other)]).sum(axis=1)
        ordered.append(part[np.lexsort((part, -degree.round(12)))])
    nodes = np.concatenate(ordered)
    # 2. Pairs with a weight above alpha, inside the set or between the two.
    least = np.nextafter(alpha, np.inf)
    top = np.abs(weights[np.ix_(nodes, nodes)]).max(initial=0)
    side = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    each = []
    for sign, look in zip((1, -1), looks, strict=False):
        line = "-"
        if len(looks) > 1:
            line = look.line
        edges = edges_from(sign * weights, nodes, least, look, line, top)
        if len(parts) > 1:
            edges = [edge for edge in edges if side[edge[0]] != side[edge[1]]]
        each.append(edges)
    neutral = len(parts) > 1 or len(looks) > 1
    if neutral:
        shades = (INK, QUIET)
    else:
        shades = (looks[0].dark,)
    return nodes, each, np.array([to_rgb(shades[k]) for k in side])


def _title(title, one, count):
    at = f"alpha {one.alpha:.3g}"
    measure = "objective"
    if one.percentile is None and one.alpha == 0:  # of `densest_contrast`, without a penalty
        at = "no penalty"
        measure = "average degree"
    if one.percentile is not None:
        at = f"percentile {one.percentile:g} ({at})"
    if title:
        title = f"{title}, {at}: "
    else:
        title = f"{at[0].upper()}{at[1:]}: "
    if not one.objective:
        return f"{title}empty; no pair of regions differs by more than alpha"
    parts = f"{count} regions"
    if isinstance(one, BipartiteContrastResult):
        parts = f"{len(one.first)} and {len(one.second)} regions"
    proof = "proved the best"
    if not one.optimal:
        proof = f"none is better than {one.upper_bound:.4g}"
    share = ""
    if not np.isnan(one.explained):
        share = f", {one.explained:.0%} of all surplus"
    return f"{title}{parts}, {measure} {one.objective:.4g}{share}, {proof}"
