"""Several contrast subgraphs for one penalty on one glass brain, each in a colour of its own."""

import textwrap
from dataclasses import replace

import numpy as np

from ...contrast.difference import difference_graph
from ...core.checks import plural
from ..names import region_label
from ..tables.sets import sets_of
from .brain import draw_brain, has_centroids
from .circle import draw_circle
from .figure import figure
from .set_picture import edges_from, heaviest, subgraph_at
from .style import PAGE, new_figure

#: Colours of the sets, apart for colour-blind people and in lightness (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
#: Area of a marker; in a later set the same region gets a ring around it.
_MARKER = 30
#: Characters in a line of names, and lines of names of a set.
_LINE = 42
_LINES = 3


@figure("subgraphs")
def sets(view):
    """Draw the sets of both directions, one after the other, with what each explains.

    The records hold several sets; the first six are drawn.
    """
    atlas = view.results.atlas
    contrasts = view.contrasts
    percentiles = view.sets("contrast_large")
    chosen = {
        name: [one for one in sets_of(subgraph_at(contrasts[name], at)) if one["nodes"]]
        for name, at in percentiles.items()
    }
    keys = {name: _key(found[: len(COLOURS)]) for name, found in chosen.items()}
    least = 2.6
    if has_centroids(atlas):
        least = 1.9
    heights = [max(least, 0.4 + 0.13 * sum(map(len, key))) for key in keys.values()]
    figure = new_figure(PAGE, sum(heights))
    rows = np.atleast_1d(figure.subfigures(len(heights), 1, height_ratios=heights))
    for row, (name, found) in zip(rows, chosen.items(), strict=True):
        look = view.looks.contrasts[name]
        row.suptitle(_title(look.label, percentiles[name], found), x=0.01, ha="left")
        brain, key = row.subplots(1, 2, width_ratios=[1.6, 1])
        weights = difference_graph(view.graphs, name)
        least = view.least(subgraph_at(contrasts[name], percentiles[name]))
        _draw_sets(brain, atlas, weights, found, least, look)
        _write_key(key, keys[name])
    return figure


def _draw_sets(axes, atlas, weights, found, least, look):
    from matplotlib.colors import to_rgb

    nodes = []
    sizes = []
    colours = []
    edges = []
    seen = np.zeros(len(atlas))
    for one, colour in zip(found, COLOURS, strict=False):
        of_set = replace(look, colour=colour)
        start = len(nodes)
        inside = edges_from(weights, np.array(one["nodes"]), least, of_set)
        edges += [(start + i, start + j, *style) for i, j, *style in inside]
        nodes += one["nodes"]
        # Rings: the marker of a later set lies below those of earlier ones, and is larger.
        sizes += (_MARKER * (1 + seen[one["nodes"]]) ** 1.5).tolist()
        colours += [to_rgb(colour)] * len(one["nodes"])
        seen[one["nodes"]] += 1
    colours = np.reshape(colours, (-1, 3))
    # All sets share one picture, and so one limit on edges.
    edges = heaviest(edges)
    if has_centroids(atlas):
        draw_brain(axes, atlas, nodes, sizes, colours, edges, views="xzy")
    else:
        draw_circle(axes, atlas, nodes, sizes, colours, edges, len(nodes))


def _title(label, percentile, found):
    n = len(set().union(*(one["nodes"] for one in found)))
    text = f"{label}, percentile {percentile:g}: {plural(len(found), 'set')}, {n} regions"
    if len(found) > len(COLOURS):
        return f"{text}, the first {len(COLOURS)} are drawn"
    return text


def _key(found):
    """The lines of each set: what it is, then its regions."""
    key = []
    for rank, one in enumerate(found, 1):
        text = f"{rank}   {len(one['nodes'])} regions, objective {one['objective']:.3g}"
        if one.get("explained") is not None:
            text += f", {one['explained']:.0%} explained"
        names = ", ".join(map(region_label, one["regions"]))
        names = textwrap.wrap(names, _LINE, max_lines=_LINES, placeholder=" …")
        key.append([text, *names])
    return key


def _write_key(axes, keys):
    axes.axis("off")
    count = sum(map(len, keys))
    axes.set(xlim=(0, 1), ylim=(max(count, 10), -1))
    line = 0
    for lines, colour in zip(keys, COLOURS, strict=False):
        axes.scatter([0.02], [line], s=_MARKER, facecolor=colour)
        for number, text in enumerate(lines):
            weight = "normal"
            if number == 0:
                weight = "bold"
            style = {"fontsize": 7, "va": "center", "fontweight": weight}
            axes.text(0.06, line + number, text, **style)
        line += len(lines)
