"""Contrast subgraphs on glass brains, beside the scatter plots they give (Figures 1, 5, 6)."""

import numpy as np

from ...contrast import summary_graph
from ...contrast.features import distances, edge_counts
from ...contrast.records import cohort_difference
from ...core.errors import InputError
from .brain import draw_brain, scaled
from .style import (
    CONTRAST_LABELS,
    CONTRAST_LOOKS,
    GROUP_LOOKS,
    PAGE,
    QUIET,
    group_legend,
    new_figure,
    region_label,
    scatter_groups,
    styled,
)

#: Vertices and edges of the rule in Section 1.2: more than 62 edges among 15 vertices.
RULE_REGIONS, RULE_EDGES = 15, 62

#: Up to so many regions their names are written out, beside a pair of brains and one brain.
_PAIR_NAMED, _NAMED = 10, 12


def subgraph_at(contrast, percentile):
    """Return the contrast subgraph of one percentile.

    Parameters
    ----------
    contrast : dict
        What ``contrast/<cohort>/<contrast>.json`` holds.
    percentile : float

    Returns
    -------
    dict
        Its entry in ``subgraphs``.

    Raises
    ------
    InputError
        If that percentile was not computed.
    """
    for subgraph in contrast["subgraphs"]:
        if subgraph["percentile"] == percentile:
            return subgraph
    there = ", ".join(
        f"{subgraph['percentile']:g}"
        for subgraph in contrast["subgraphs"]
        if subgraph["percentile"] is not None
    )
    raise InputError(
        f"the {contrast['contrast']} contrast subgraph of {contrast['cohort']} at the percentile "
        f"{percentile:g} was not computed: add it to contrast.percentiles, or show one of {there}"
    )


def differences(graphs):
    """Return the three difference graphs of a cohort, as a dict by contrast.

    Parameters
    ----------
    graphs : CohortGraphs
    """
    return {name: cohort_difference(graphs, name) for name in CONTRAST_LABELS}


def weighted_degrees(difference, nodes):
    """Return each vertex's weighted degree inside the subgraph that `nodes` induce."""
    return difference[np.ix_(nodes, nodes)].sum(axis=1)


@styled
def contrast_large(graphs, contrasts, atlas, percentiles, edge_weight=0.1):
    """Draw the two contrast subgraphs of Problem 1 and the edge counts (Figure 1).

    On the right the paper's two rules (Section 1.2): half as many edges (diagonal),
    and, if the ASD-TD subgraph has 15 vertices as the paper's, more than 62 edges.

    Parameters
    ----------
    graphs : CohortGraphs
    contrasts : dict
        ``{"td-asd": ..., "asd-td": ...}``, each what a contrast's JSON file holds.
    atlas : pandas.DataFrame
        The regions, as `contrast_subgraphs.atlas.load_aal` gives them.
    percentiles : dict
        Which subgraph of each to draw.
    edge_weight : float
        Edges of the difference graph are drawn from this weight on.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a percentile was not computed.
    """
    return _pair(graphs, contrasts, atlas, percentiles, edge_weight, slope=0.5, most_named=0)


@styled
def contrast_small(graphs, contrasts, atlas, percentiles, edge_weight=0.1):
    """Draw the two contrast subgraphs for larger alphas (Figure 5); like `contrast_large`.

    The rule drawn is that of Section 4.1: as many edges in one as in the other.
    """
    return _pair(
        graphs, contrasts, atlas, percentiles, edge_weight, slope=1.0, most_named=_PAIR_NAMED
    )


def _pair(graphs, contrasts, atlas, percentiles, edge_weight, slope, most_named):
    weights = differences(graphs)
    chosen = {
        name: np.array(subgraph_at(contrasts[name], percentiles[name])["nodes"], dtype=int)
        for name in ("td-asd", "asd-td")
    }
    named = all(len(nodes) <= most_named for nodes in chosen.values())
    figure = new_figure(PAGE, 3.5 if named else 3.2)
    left, right = figure.subfigures(1, 2, width_ratios=[1.75, 1])
    for row, (name, nodes) in zip(left.subfigures(2, 1), chosen.items(), strict=True):
        _title(row, name, percentiles[name], nodes)
        brain, key = row.subplots(1, 2, width_ratios=[2.75, 1]) if named else (row.subplots(), None)
        look = CONTRAST_LOOKS[name]
        edges = _edges(weights[name], nodes, edge_weight, look)
        degree = weighted_degrees(weights[name], nodes)
        _brain(brain, atlas, nodes, degree, edges, look.dark, "xz" if named else "lzr", named)
        if named:
            _key(key, graphs.roi[nodes])
    counts = edge_counts(graphs.adjacency, list(chosen.values()))
    axes = right.subplots()
    scatter_groups(axes, counts, graphs.y)
    axes.set_xlim(-0.03 * counts[:, 0].max(), 1.05 * counts[:, 0].max() + 0.5)
    axes.set_ylim(
        -0.1 * counts[:, 1].max() - 0.3,  # room for what the rules pick
        1.12 * counts[:, 1].max() + 0.5,
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    _draw_rules(axes, counts, graphs.y, slope, len(chosen["asd-td"]))
    axes.set(
        xlabel="Edges in the TD−ASD subgraph",
        ylabel="Edges in the ASD−TD subgraph",
    )
    _legend_above(axes)
    return figure


@styled
def contrast_symmetric(graphs, contrasts, atlas, percentiles, edge_weight=0.1):
    """Draw the symmetric contrast subgraph and the two L1 distances (Figure 6).

    Parameters
    ----------
    graphs, contrasts, atlas, percentiles, edge_weight
        As for `contrast_large`, with the one contrast ``symmetric``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    weights = differences(graphs)
    nodes = np.array(
        subgraph_at(contrasts["symmetric"], percentiles["symmetric"])["nodes"], dtype=int
    )
    named = len(nodes) <= _NAMED
    figure = new_figure(PAGE, 3.5)
    left, right = figure.subfigures(1, 2, width_ratios=[1.15, 1])
    _title(left, "symmetric", percentiles["symmetric"], nodes)
    grid = left.add_gridspec(2, 2, width_ratios=[1.5, 1])
    edges = [
        edge
        for name, look in zip(("td-asd", "asd-td"), GROUP_LOOKS, strict=True)
        for edge in _edges(weights[name], nodes, edge_weight, look, look.line)
    ]
    degree = weighted_degrees(weights["symmetric"], nodes)
    brains = [left.add_subplot(grid[row, 0]) for row in (0, 1)]
    for axes, view in zip(brains, "xz", strict=True):
        _brain(axes, atlas, nodes, degree, edges, CONTRAST_LOOKS["symmetric"].dark, view, named)
    key = left.add_subplot(grid[0, 1])
    key.axis("off")
    if named:
        _key(key, graphs.roi[nodes])
    _edge_legend(left.add_subplot(grid[1, 1]))
    axes = right.subplots()
    w = [summary_graph(graphs.adjacency[graphs.y == group]) for group in (0, 1)]
    both = distances(graphs.adjacency, [nodes], *w)
    scatter_groups(axes, both, graphs.y)
    low, high = both.min(), both.max()
    room = max(0.04 * (high - low), 0.1)
    ends = [low - room, high + room]
    axes.plot(ends, ends, color=QUIET, linewidth=0.9, linestyle=":", zorder=2)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    axes.set(xlabel="$L_1$ distance to the TD summary", ylabel="$L_1$ distance to the ASD summary")
    _legend_above(axes)
    return figure


def _edges(difference, nodes, edge_weight, look, line="-"):
    """Return the edges to draw: those of at least `edge_weight`, thicker if heavier."""
    inside = difference[np.ix_(nodes, nodes)]
    span = max(inside.max(initial=0) - edge_weight, 1e-12)
    return [
        (i, j, 0.4 + 2.0 * (inside[i, j] - edge_weight) / span, look.colour, line)
        for i, j in zip(*np.triu_indices(len(nodes), 1), strict=True)
        if inside[i, j] >= edge_weight
    ]


def _brain(axes, atlas, nodes, degree, edges, colour, views, named):
    sizes = scaled(degree, 45 if len(nodes) < 10 else 66, 75) if named else scaled(degree, 6, 60)
    numbers = [str(i + 1) for i in range(len(nodes))] if named else None
    draw_brain(axes, atlas, nodes, sizes, colour, edges, numbers, views)


def _title(figure, name, percentile, nodes):
    count = f"{len(nodes)} region" + ("s" if len(nodes) != 1 else "")
    figure.suptitle(
        f"{CONTRAST_LABELS[name]}, percentile {percentile:g}: {count}", x=0.01, ha="left"
    )


def _key(axes, names):
    axes.axis("off")
    lines = [f"{i + 1}  {region_label(name)}" for i, name in enumerate(names)]
    axes.text(0, 0.98, "\n".join(lines), va="top", fontsize=7, linespacing=1.3)


def _edge_legend(axes):
    axes.axis("off")
    for look, more in zip(GROUP_LOOKS, ("TD", "ASD"), strict=True):
        axes.plot(
            [], [], color=look.colour, linestyle=look.line, linewidth=1.6, label=f"more in {more}"
        )
    axes.legend(loc="upper left", title="Edges", alignment="left", borderpad=0, handlelength=2.4)


def _legend_above(axes):
    group_legend(axes, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=1)


def _draw_rules(axes, counts, y, slope, regions):
    """Draw the paper's rules as dotted lines, with the subjects that each one picks."""
    line = {"color": QUIET, "linewidth": 0.9, "linestyle": ":", "zorder": 2, "scalex": False}
    right = axes.get_xlim()[1]
    axes.plot([0, right], [0, slope * right], scaley=False, **line)
    text = {"fontsize": 7, "color": "#4a4a4a", "zorder": 6, "ha": "right"}
    text["transform"] = axes.transAxes
    below = counts[:, 1] < slope * counts[:, 0]
    rule = "y < x / 2" if slope == 0.5 else "y < x"
    axes.text(0.99, 0.02, _picked(rule, below, y, (0, 1)), **text)
    if slope == 0.5 and regions == RULE_REGIONS:
        del line["scalex"]
        axes.axhline(RULE_EDGES, **line)
        above = counts[:, 1] > RULE_EDGES
        axes.text(0.99, 0.98, _picked(f"y > {RULE_EDGES}", above, y, (1, 0)), va="top", **text)


def _picked(rule, which, y, order):
    numbers = ", ".join(f"{int((which & (y == g)).sum())} {GROUP_LOOKS[g].label}" for g in order)
    return f"{rule}: {numbers}"
