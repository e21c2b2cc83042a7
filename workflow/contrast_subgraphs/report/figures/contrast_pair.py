"""Contrast subgraphs on glass brains, beside the scatter plots they give (Figures 1, 5, 6)."""

import numpy as np

from ...contrast import summary_graph
from ...contrast.cohort import cohort_difference
from ...contrast.features import distances, edge_counts
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

#: Up to this many regions are numbered and named, those with the largest weighted degree.
_NAMED = 24


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
def contrast_large(
    graphs,
    contrasts,
    atlas,
    percentiles,
    edge_weight=0.1,
    looks=None,
    rules=True,
    other=None,
    shares=None,
):
    """Draw the two contrast subgraphs of Problem 1 and the edge counts (Figure 1).

    Under the brains the edges of each subject with the paper's two rules (Section 1.2):
    half as many edges, and, if the second subgraph has 15 vertices as the paper's, more
    than 62 edges.

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
        Edges of the difference graph with at least this weight are drawn.
    looks : Looks, optional
    rules : bool
        Whether to draw the paper's rules.
    other : dict, optional
        Percentiles of another figure: where its set is the same, the title says so.
    shares : dict, optional
        Contrast -> share of each region (by index) in half samples: the darker the marker,
        the larger.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a percentile was not computed.
    """
    rule = 0.5 if rules else None
    return _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, rule, other, shares)


@styled
def contrast_small(
    graphs,
    contrasts,
    atlas,
    percentiles,
    edge_weight=0.1,
    looks=None,
    rules=True,
    other=None,
    shares=None,
):
    """Draw the two contrast subgraphs for larger alphas (Figure 5); like `contrast_large`.

    The rule drawn is that of Section 4.1: as many edges in one as in the other.
    """
    rule = 1.0 if rules else None
    return _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, rule, other, shares)


def _pair(graphs, contrasts, atlas, percentiles, edge_weight, looks, rule, other, shares):
    looks = looks or Looks(graphs.groups)
    weights = differences(graphs)
    directions = list(looks.contrasts)[:2]
    chosen = {
        name: np.array(subgraph_at(contrasts[name], percentiles[name])["nodes"], dtype=int)
        for name in directions
    }
    both = set.intersection(*(set(nodes.tolist()) for nodes in chosen.values()))
    lines = [_key_lines(len(nodes)) for nodes in chosen.values()]
    heights = [max(1.9, 0.35 + 0.118 * most) for most in lines]
    figure = new_figure(PAGE, sum(heights) + 2.6)
    brains, below = figure.subfigures(2, 1, height_ratios=[sum(heights), 2.6])
    rows = np.atleast_1d(brains.subfigures(2, 1, height_ratios=heights))
    for row, (name, nodes) in zip(rows, chosen.items(), strict=True):
        look = looks.contrasts[name]
        degree = weighted_degrees(weights[name], nodes)
        order = np.lexsort((nodes, -degree.round(12)))
        nodes, degree = nodes[order], degree[order]
        brain, key = row.subplots(1, 2, width_ratios=[1.9, 1])
        edges = drawn_edges(weights[name], nodes, edge_weight, look)
        colours = _by_share(look.dark, (shares or {}).get(name), nodes)
        _brain(brain, atlas, nodes, degree, edges, colours, "xzy")
        _key(key, [region_label(graphs.roi[i]) + " *" * (i in both) for i in nodes])
        _title(row, look.label, percentiles[name], nodes, _same_as(contrasts[name], nodes, other))
    counts = edge_counts(graphs.adjacency, list(chosen.values()))
    left, right = below.subfigures(1, 2, width_ratios=[1.35, 1])
    axes = left.subplots()
    scatter_groups(axes, counts, graphs.y, looks)
    top = np.maximum(1.08 * counts.max(axis=0), 1)
    axes.set(xlim=(0, top[0]), ylim=(0, top[1]))
    whole = bool((counts == np.round(counts)).all())
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=whole)
    what = "Edges" if whole else "Sum of weights"
    axes.set(
        xlabel=f"{what} in the {looks.contrasts[directions[0]].label} subgraph",
        ylabel=f"{what} in the {looks.contrasts[directions[1]].label} subgraph",
    )
    words = right.subplots()
    words.axis("off")
    handles, labels = axes.get_legend_handles_labels()
    texts = ["* in both sets", ""] if both else []
    _draw_shares(words, shares, looks)
    texts += _draw_rules(axes, counts, graphs.y, looks, rule, len(chosen[directions[1]]))
    group_legend(words, handles, labels, loc="upper left", bbox_to_anchor=(0, 1))
    if texts:
        style = {"fontsize": 7, "color": "#4a4a4a", "va": "top", "linespacing": 1.35}
        words.text(0.02, 0.53, "\n".join(texts), transform=words.transAxes, **style)
    return figure


def _by_share(dark, share, nodes):
    """Return the markers' colours: pale for regions that few half samples choose."""
    from matplotlib.colors import to_rgb

    if share is None:
        return dark
    part = share.reindex(nodes).fillna(0).to_numpy()[:, None]
    pale = 1 - 0.42 * (1 - np.array(to_rgb(dark)))
    return pale + part * (np.array(to_rgb(dark)) - pale)


def _draw_shares(axes, shares, looks):
    """Add the key of `_by_share`."""
    if not any(share is not None for share in (shares or {}).values()):
        return
    import pandas as pd

    levels = pd.Series([0, 0.5, 1])
    axes.text(0.02, 0.77, "Region in the set of so many half samples:", fontsize=7, va="center")
    for row, (name, share) in enumerate(shares.items()):
        if share is None:
            continue
        colours = _by_share(looks.contrasts[name].dark, levels, range(3))
        axes.scatter([0.06, 0.24, 0.46], [0.69 - 0.07 * row] * 3, s=60, c=colours)
        for x, level in zip((0.06, 0.24, 0.46), levels, strict=True):
            axes.text(x + 0.04, 0.69 - 0.07 * row, f"{level:.0%}", fontsize=7, va="center")
    axes.set(xlim=(0, 1), ylim=(0, 1))


def _key_lines(count):
    """Number of lines of a key of regions, which has two columns if they are many."""
    shown = min(count, _NAMED) + (count > _NAMED)
    return shown if shown <= 8 else -(-shown // 2)


def _same_as(contrast, nodes, other):
    """Return the other figure's percentile if its set is the very same, or None."""
    at = (other or {}).get(contrast["contrast"])
    if at is None:
        return None
    return at if set(subgraph_at(contrast, at)["nodes"]) == set(nodes.tolist()) else None


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
    degree = weighted_degrees(weights["symmetric"], nodes)
    order = np.lexsort((nodes, -degree.round(12)))
    nodes, degree = nodes[order], degree[order]
    figure = new_figure(PAGE, max(3.4, 2.0 + 0.118 * _key_lines(len(nodes))))
    left, right = figure.subfigures(1, 2, width_ratios=[1.2, 1])
    _title(left, "Symmetric", percentiles["symmetric"], nodes)
    edges = [
        edge
        for name, look in zip(list(looks.contrasts)[:2], looks.groups, strict=True)
        for edge in drawn_edges(weights[name], nodes, edge_weight, look, look.line)
    ]
    brains, key = left.subplots(2, 1, height_ratios=[1.6, 0.2 + 0.118 * _key_lines(len(nodes))])
    _brain(brains, atlas, nodes, degree, edges, looks.contrasts["symmetric"].dark, "xz")
    _key(
        key,
        map(region_label, graphs.roi[nodes]),
        [look for look in looks.groups if _occurs(edges, look)],
    )
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


def drawn_edges(difference, nodes, edge_weight, look, line="-"):
    """Return the edges to draw: those of at least `edge_weight`, thicker if heavier."""
    inside = difference[np.ix_(nodes, nodes)]
    span = max(inside.max(initial=0) - edge_weight, 1e-12)
    return [
        (i, j, 0.4 + 2.0 * (inside[i, j] - edge_weight) / span, look.colour, line)
        for i, j in zip(*np.triu_indices(len(nodes), 1), strict=True)
        if inside[i, j] >= edge_weight
    ]


def heaviest(edges, most=150):
    """Return the heaviest of the edges, as many as can be told apart, and how many there are."""
    return sorted(edges, key=lambda edge: -edge[2])[:most], len(edges)


def _occurs(edges, look):
    return any(edge[3] == look.colour for edge in edges)


def _brain(axes, atlas, nodes, degree, edges, colour, views):
    count = min(len(nodes), _NAMED)
    sizes = scaled(degree, 50, 80) if count < 10 else scaled(degree, 84, 100)
    sizes[count:] = 12
    numbers = [str(i + 1) if i < count else "" for i in range(len(nodes))]
    draw_brain(axes, atlas, nodes, sizes, colour, edges, numbers, views)


def _title(figure, label, percentile, nodes, same=None):
    count = f"{len(nodes)} region" + ("s" if len(nodes) != 1 else "")
    text = f"{label}, percentile {percentile:g}: {count}"
    if same is not None:
        text += f", the same as at the percentile {same:g}"
    figure.suptitle(text, x=0.01, ha="left")


def _key(axes, names, looks=()):
    """Write the regions beside their numbers, in two columns if they are many."""
    axes.axis("off")
    names = list(names)
    lines = [f"{i + 1}  {name}" for i, name in enumerate(names[:_NAMED])]
    if len(names) > _NAMED:
        lines.append(f"and {len(names) - _NAMED} more (small)")
    each = max(_key_lines(len(names)), 1)
    for place, start in enumerate(range(0, len(lines), each)):
        text = "\n".join(short(line) for line in lines[start : start + each])
        style = {"va": "top", "fontsize": 7, "linespacing": 1.2}
        axes.text(0.52 * place, 1.0, text, transform=axes.transAxes, **style)
    for look in looks:
        style = {"color": look.colour, "linestyle": look.line, "linewidth": 1.6}
        axes.plot([], [], label=f"more in {look.label}", **style)
    if looks:
        where = {"loc": "upper left", "bbox_to_anchor": (0, -0.02), "borderpad": 0}
        axes.legend(title="Edges", alignment="left", handlelength=2.4, ncols=2, **where)


def short(line, most=24):
    """Shorten a name in its middle: names often differ in their end alone."""
    return line if len(line) <= most else f"{line[: most - 9]}…{line[-8:]}"


def _legend_above(axes):
    group_legend(axes, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=1)


def _draw_rules(axes, counts, y, looks, slope, regions):
    """Draw the paper's rules as dotted lines; return them in words, with whom they pick."""
    if slope is None:
        return []
    first, second = (look.label for look in list(looks.contrasts.values())[:2])
    line = {"color": QUIET, "linewidth": 0.9, "linestyle": ":", "zorder": 2, "scalex": False}
    right = axes.get_xlim()[1]
    axes.plot([0, right], [0, slope * right], scaley=False, **line)
    below = counts[:, 1] < slope * counts[:, 0]
    rule = "fewer than half as many" if slope == 0.5 else "fewer"
    texts = [
        "The paper's rules (dotted):",
        f"below the slanted line, {rule} edges",
        f"in {second} as in {first}:" if slope == 0.5 else f"in {second} than in {first}:",
        f"   {_picked(below, y, looks, (0, 1))}",
    ]
    if slope == 0.5 and regions == RULE_REGIONS:
        del line["scalex"]
        axes.axhline(RULE_EDGES, **line)
        above = counts[:, 1] > RULE_EDGES
        texts += [
            f"above the level line, more than {RULE_EDGES} edges",
            f"in {second}:",
            f"   {_picked(above, y, looks, (1, 0))}",
        ]
    return texts


def _picked(which, y, looks, order):
    return ", ".join(
        f"{int((which & (y == group)).sum())} {looks.groups[group].label}" for group in order
    )


def _of_pair(results, cohort):
    return _of_large(results, cohort, "contrast_small") | {
        "other": pictured(results.config, results.names, "contrast_large", cohort)
    }


def _of_large(results, cohort, figure="contrast_large"):
    percentiles = pictured(results.config, results.names, figure, cohort)
    shares = {name: results.share(cohort, name, at) for name, at in percentiles.items()}
    return {"rules": results.names.paper, "shares": shares}


def _drawn(draw, more=lambda results, cohort: {}):
    """Return how a figure of this module is drawn from the files of a run."""

    def from_files(results, cohort):
        return draw(
            results.graphs[cohort],
            results.contrasts[cohort],
            results.atlas,
            pictured(results.config, results.names, draw.__name__, cohort),
            results.config["report"]["edge_weight"],
            Looks.of(results.names, cohort),
            **more(results, cohort),
        )

    return from_files


CONTRAST_LARGE = Figure(
    name="contrast_large",
    section="subgraphs",
    draw=_drawn(contrast_large, _of_large),
)

CONTRAST_SMALL = Figure(
    name="contrast_small",
    section="subgraphs",
    draw=_drawn(contrast_small, _of_pair),
)

CONTRAST_SYMMETRIC = Figure(
    name="contrast_symmetric",
    section="subgraphs",
    draw=_drawn(contrast_symmetric),
)
