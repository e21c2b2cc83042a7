"""Contrast subgraphs on glass brains, beside the scatter plots they give (Figures 1, 5, 6)."""

import numpy as np

from ...contrast import summary_graph
from ...contrast.features import distances, edge_counts
from ...contrast.records import cohort_difference
from ...core.errors import InputError
from ...core.graphs import contrast_names
from ..names import pictured, region_label
from .brain import draw_brain, scaled
from .figure import Figure
from .style import (
    PAGE,
    QUIET,
    Looks,
    group_legend,
    new_figure,
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
    return {name: cohort_difference(graphs, name) for name in contrast_names(graphs.groups)}


def weighted_degrees(difference, nodes):
    """Return each vertex's weighted degree inside the subgraph that `nodes` induce."""
    return difference[np.ix_(nodes, nodes)].sum(axis=1)


@styled
def contrast_large(graphs, contrasts, atlas, percentiles, edge_weight=0.1, looks=None):
    """Draw the two contrast subgraphs of Problem 1 and the edge counts (Figure 1).

    On the right the paper's two rules (Section 1.2): half as many edges (diagonal),
    and, if the ASD-TD subgraph has 15 vertices as the paper's, more than 62 edges.

    Parameters
    ----------
    graphs : CohortGraphs
    contrasts : dict
        Contrast -> what its JSON file holds.
    atlas : pandas.DataFrame
        The regions, as `load_atlas` gives them.
    percentiles : dict
        Which subgraph of each to draw.
    edge_weight : float
        Edges of the difference graph are drawn from this weight on.
    looks : Looks, optional

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a percentile was not computed.
    """
    return _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, 0.5, most_named=0)


@styled
def contrast_small(graphs, contrasts, atlas, percentiles, edge_weight=0.1, looks=None):
    """Draw the two contrast subgraphs for larger alphas (Figure 5); like `contrast_large`.

    The rule drawn is that of Section 4.1: as many edges in one as in the other.
    """
    return _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, 1.0, _PAIR_NAMED)


def _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, slope, most_named):
    looks = looks or Looks(graphs.groups)
    directions = list(looks.contrasts)[:2]
    weights = differences(graphs)
    chosen = {
        name: np.array(subgraph_at(contrasts[name], percentiles[name])["nodes"], dtype=int)
        for name in directions
    }
    named = all(len(nodes) <= most_named for nodes in chosen.values())
    figure = new_figure(PAGE, 3.5 if named else 3.2)
    left, right = figure.subfigures(1, 2, width_ratios=[1.75, 1])
    for row, (name, nodes) in zip(left.subfigures(2, 1), chosen.items(), strict=True):
        look = looks.contrasts[name]
        _title(row, look.label, percentiles[name], nodes)
        brain, key = row.subplots(1, 2, width_ratios=[2.75, 1]) if named else (row.subplots(), None)
        edges = _edges(weights[name], nodes, edge_weight, look)
        degree = weighted_degrees(weights[name], nodes)
        _brain(brain, atlas, nodes, degree, edges, look.dark, "xz" if named else "lzr", named)
        if named:
            _key(key, graphs.roi[nodes])
    counts = edge_counts(graphs.adjacency, list(chosen.values()))
    axes = right.subplots()
    scatter_groups(axes, counts, graphs.y, looks)
    axes.set_xlim(-0.03 * counts[:, 0].max(), 1.05 * counts[:, 0].max() + 0.5)
    axes.set_ylim(
        -0.1 * counts[:, 1].max() - 0.3,  # room for what the rules pick
        1.12 * counts[:, 1].max() + 0.5,
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    _draw_rules(axes, counts, graphs.y, looks, slope, len(chosen[directions[1]]))
    axes.set(
        xlabel=f"Edges in the {looks.contrasts[directions[0]].label} subgraph",
        ylabel=f"Edges in the {looks.contrasts[directions[1]].label} subgraph",
    )
    _legend_above(axes)
    return figure


@styled
def contrast_symmetric(graphs, contrasts, atlas, percentiles, edge_weight=0.1, looks=None):
    """Draw the symmetric contrast subgraph and the two L1 distances (Figure 6).

    Parameters
    ----------
    graphs, contrasts, atlas, percentiles, edge_weight, looks
        As for `contrast_large`, with the one contrast ``symmetric``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    looks = looks or Looks(graphs.groups)
    weights = differences(graphs)
    nodes = np.array(
        subgraph_at(contrasts["symmetric"], percentiles["symmetric"])["nodes"], dtype=int
    )
    named = len(nodes) <= _NAMED
    figure = new_figure(PAGE, 3.5)
    left, right = figure.subfigures(1, 2, width_ratios=[1.15, 1])
    _title(left, "Symmetric", percentiles["symmetric"], nodes)
    grid = left.add_gridspec(2, 2, width_ratios=[1.5, 1])
    edges = [
        edge
        for name, look in zip(list(looks.contrasts)[:2], looks.groups, strict=True)
        for edge in _edges(weights[name], nodes, edge_weight, look, look.line)
    ]
    degree = weighted_degrees(weights["symmetric"], nodes)
    brains = [left.add_subplot(grid[row, 0]) for row in (0, 1)]
    for axes, view in zip(brains, "xz", strict=True):
        _brain(axes, atlas, nodes, degree, edges, looks.contrasts["symmetric"].dark, view, named)
    key = left.add_subplot(grid[0, 1])
    key.axis("off")
    if named:
        _key(key, graphs.roi[nodes])
    _edge_legend(left.add_subplot(grid[1, 1]), looks)
    axes = right.subplots()
    w = [summary_graph(graphs.adjacency[graphs.y == group]) for group in (0, 1)]
    both = distances(graphs.adjacency, [nodes], *w)
    scatter_groups(axes, both, graphs.y, looks)
    low, high = both.min(), both.max()
    room = max(0.04 * (high - low), 0.1)
    ends = [low - room, high + room]
    axes.plot(ends, ends, color=QUIET, linewidth=0.9, linestyle=":", zorder=2)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    x, y = (f"$L_1$ distance to the {look.label} summary" for look in looks.groups)
    axes.set(xlabel=x, ylabel=y)
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


def _title(figure, label, percentile, nodes):
    count = f"{len(nodes)} region" + ("s" if len(nodes) != 1 else "")
    figure.suptitle(f"{label}, percentile {percentile:g}: {count}", x=0.01, ha="left")


def _key(axes, names):
    axes.axis("off")
    lines = [f"{i + 1}  {region_label(name)}" for i, name in enumerate(names)]
    axes.text(0, 0.98, "\n".join(lines), va="top", fontsize=7, linespacing=1.3)


def _edge_legend(axes, looks):
    axes.axis("off")
    for look in looks.groups:
        style = {"color": look.colour, "linestyle": look.line, "linewidth": 1.6}
        axes.plot([], [], label=f"more in {look.label}", **style)
    axes.legend(loc="upper left", title="Edges", alignment="left", borderpad=0, handlelength=2.4)


def _legend_above(axes):
    group_legend(axes, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=1)


def _draw_rules(axes, counts, y, looks, slope, regions):
    """Draw the paper's rules as dotted lines, with the subjects that each one picks."""
    line = {"color": QUIET, "linewidth": 0.9, "linestyle": ":", "zorder": 2, "scalex": False}
    right = axes.get_xlim()[1]
    axes.plot([0, right], [0, slope * right], scaley=False, **line)
    text = {"fontsize": 7, "color": "#4a4a4a", "zorder": 6, "ha": "right"}
    text["transform"] = axes.transAxes
    below = counts[:, 1] < slope * counts[:, 0]
    rule = "y < x / 2" if slope == 0.5 else "y < x"
    axes.text(0.99, 0.02, _picked(rule, below, y, looks, (0, 1)), **text)
    if slope == 0.5 and regions == RULE_REGIONS:
        del line["scalex"]
        axes.axhline(RULE_EDGES, **line)
        above = counts[:, 1] > RULE_EDGES
        axes.text(
            0.99, 0.98, _picked(f"y > {RULE_EDGES}", above, y, looks, (1, 0)), va="top", **text
        )


def _picked(rule, which, y, looks, order):
    numbers = ", ".join(
        f"{int((which & (y == group)).sum())} {looks.groups[group].label}" for group in order
    )
    return f"{rule}: {numbers}"


def _drawn(draw):
    """Return how a figure of this module is drawn from the files of a run."""

    def from_files(given, cohort):
        return draw(
            given.graphs[cohort],
            given.contrasts[cohort],
            given.atlas,
            pictured(given.config, given.names, draw.__name__, cohort),
            given.config["report"]["edge_weight"],
            given.names.looks(cohort),
        )

    return from_files


def _large_caption(about):
    first, second = about.percentiles("contrast_large")
    text = (
        f"Contrast subgraphs of {about.label}{about.of_the_paper('Figure 1')}: "
        f"{about.directions[0]} at the percentile {first} and {about.directions[1]} at the "
        f"percentile {second} of the difference graph's weights. The area of a vertex grows with "
        "its weighted degree inside the subgraph; edges of weight "
        f"{about.config['report']['edge_weight']} or more are drawn, thicker if heavier. Seen from "
        "the left, from above and from the right; the side views show the edges inside one "
        "hemisphere. Right: for each subject the edges that the two subgraphs induce, with the "
        "paper's rules as dotted lines and the subjects that each rule picks. The subgraphs come "
        "from these very subjects, so the separation says nothing about new ones."
    )
    if about.names.paper and about.cohort == "children" and second == 85:
        text += (
            " The paper's appendix gives the percentiles 70 and 80; the subgraph of 15 vertices "
            "that its figure and its rule of 62 edges describe is the optimum at 85."
        )
    return text


def _small_caption(about):
    first, second = about.percentiles("contrast_small")
    text = (
        f"Smaller contrast subgraphs of {about.label} for larger values of alpha"
        f"{about.of_the_paper('Figure 5')}: {about.directions[0]} at the percentile {first} and "
        f"{about.directions[1]} at {second}, seen from the left, from above and from the right or, "
        "numbered beside their names where they are few, from the side (both hemispheres together) "
        "and from above. Vertices, edges and points as in the larger ones; numbered markers that "
        "would hide each other are moved apart a little. The dotted line is the rule of Section "
        "4.1."
    )
    if about.names.paper and about.cohort == "children" and (first, second) == (90, 93):
        text += " The paper, at the same percentiles, says 7 regions for TD−ASD and 6 for ASD−TD."
    return text


def _symmetric_caption(about):
    (at,) = about.percentiles("contrast_symmetric")
    text = (
        f"Symmetric contrast subgraph of {about.label} (Problem 2"
        + ("; Figure 6 of the paper" if about.names.paper else "")
        + f") at the percentile {at} of the absolute differences. Solid blue edges are more "
        f"frequent in {about.groups[0]}, dashed orange ones in {about.groups[1]}; an edge is drawn "
        f"from an absolute weight of {about.config['report']['edge_weight']} on, thicker if "
        "heavier. Right: for each subject the L1 distances of its induced subgraph to those of the "
        "two summary graphs; the dotted diagonal is the set of points as far from one as from the "
        "other."
    )
    if about.names.paper and about.cohort == "children" and at == 90:
        text += (
            " The paper's appendix gives the percentile 70; the seven regions of its figure are "
            "the optimum at 90."
        )
    return text


CONTRAST_LARGE = Figure(
    name="contrast_large",
    title="Contrast subgraphs",
    section="subgraphs",
    draw=_drawn(contrast_large),
    alt=lambda about: (
        f"Glass brains of {about.label} with the {about.directions[0]} contrast subgraph above and "
        f"the {about.directions[1]} one below; beside them a scatter plot of the edges that each "
        "subject has in the two."
    ),
    caption=_large_caption,
)

CONTRAST_SMALL = Figure(
    name="contrast_small",
    title="Smaller contrast subgraphs",
    section="subgraphs",
    draw=_drawn(contrast_small),
    alt=lambda about: (
        f"Glass brains of {about.label} with the numbered regions of a small "
        f"{about.directions[0]} contrast subgraph above and a small {about.directions[1]} one "
        "below; beside them a scatter plot of the edges that each subject has in the two."
    ),
    caption=_small_caption,
)

CONTRAST_SYMMETRIC = Figure(
    name="contrast_symmetric",
    title="Symmetric contrast subgraph",
    section="subgraphs",
    draw=_drawn(contrast_symmetric),
    alt=lambda about: (
        f"Glass brains of {about.label} from the side and from above with the numbered regions of "
        "the symmetric contrast subgraph; beside them a scatter plot of each subject's distances "
        "to the two summary graphs."
    ),
    caption=_symmetric_caption,
)
