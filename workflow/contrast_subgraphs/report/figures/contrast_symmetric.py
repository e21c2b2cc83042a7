"""The symmetric contrast subgraph with the two L1 distances (Figure 6 of the paper)."""

import numpy as np

from ...contrast.difference import difference_graph, group_means
from ...contrast.features import distances
from ...core.checks import plural
from .brain import has_centroids
from .figure import figure
from .set_picture import (
    CIRCLE,
    beside,
    by_degree,
    by_share,
    draw_key,
    draw_set,
    edges_from,
    key_lines,
    said_of,
    subgraph_at,
)
from .style import PAGE, QUIET, group_legend, new_figure, scatter_groups


@figure("subgraphs")
def contrast_symmetric(view):
    """Draw the symmetric contrast subgraph and the two L1 distances."""
    graphs = view.graphs
    atlas = view.results.atlas
    looks = view.looks
    at = view.sets("contrast_symmetric")["symmetric"]
    found = subgraph_at(view.contrasts["symmetric"], at)
    weights = difference_graph(graphs, next(iter(looks.contrasts)))
    nodes, degree = by_degree(np.abs(weights), found["nodes"])
    least = view.least(found)
    inside = weights[np.ix_(nodes, nodes)]
    top = np.abs(inside).max(initial=0)
    # Edges in both directions: blue where the first group has more, orange where the second has.
    each = [
        edges_from(sign * weights, nodes, least, look, look.line, top)
        for sign, look in zip((1, -1), looks.groups, strict=True)
    ]
    names = beside(atlas, nodes, sum(each, []))
    lines = 0.118 * key_lines(len(names))
    upper = 1.7
    if not has_centroids(atlas):
        upper = CIRCLE
    figure = new_figure(PAGE, max(3.6, upper + 0.75 + lines))
    left, right = figure.subfigures(1, 2, width_ratios=[1.2, 1])
    title = f"Symmetric, percentile {at:g}: {plural(len(nodes), 'region')}"
    title += view.perhaps("symmetric", found)
    left.suptitle(f"{title}\n{said_of(sum(each, []), least, top)}", x=0.01, ha="left")
    brains, key = left.subplots(2, 1, height_ratios=[upper, 0.3 + lines])
    colours = by_share(looks.contrasts["symmetric"].dark, None, nodes)
    draw_set(brains, atlas, nodes, degree, sum(each, []), colours, inside, looks.groups, "xz")
    edges = [
        (look, f"more in {look.label}: {plural(len(edges), 'edge')}")
        for look, edges in zip(looks.groups, each, strict=True)
    ]
    draw_key(key, names, edges)
    axes = right.subplots()
    both = distances(graphs.weights, [nodes], *group_means(graphs))
    scatter_groups(axes, both, graphs.y, looks)
    low = both.min()
    high = both.max()
    room = max(0.04 * (high - low), 0.1)
    # On the diagonal both distances are equal: it separates the groups in the paper's rule.
    ends = [low - room, high + room]
    axes.plot(ends, ends, color=QUIET, linewidth=0.9, linestyle=":", zorder=2)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    x, y = (f"$L_1$ distance to the {look.label} summary" for look in looks.groups)
    axes.set(xlabel=x, ylabel=y)
    group_legend(axes, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=1)
    return figure
