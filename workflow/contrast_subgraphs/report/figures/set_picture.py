"""Pictures of sets of regions, on glass brains or a circle, with a key of names."""

from types import SimpleNamespace

import numpy as np

from ...contrast.difference import difference_graph
from ...core.checks import plural
from ...core.errors import InputError
from ..formats import number_text
from ..names import region_label
from .brain import by_system, draw_brain, has_centroids, scaled, system_runs
from .circle import ON_RIM, draw_circle
from .style import INK

#: Up to this many regions are numbered and named, those with the largest weighted degree.
NAMED = 24

#: More edges than this would look like a solid disc.
MOST_EDGES = 150

#: Height in inches of a row with a brain, with a circle, and with one of few regions.
BRAIN = 1.9
CIRCLE = 3.1
SMALL = 2.3


def subgraph_at(contrast, percentile):
    """Return the contrast subgraph of one percentile.

    `contrast`: what ``contrast/<cohort>/<contrast>.json`` holds.
    """
    for subgraph in contrast["subgraphs"]:
        if subgraph["percentile"] == percentile:
            return subgraph
    there = [one["percentile"] for one in contrast["subgraphs"] if one["percentile"] is not None]
    raise InputError(
        f"the {contrast['contrast']} contrast subgraph of {contrast['cohort']} at the percentile "
        f"{percentile:g} was not computed: add it to contrast.percentiles, or show one of "
        f"{', '.join(f'{one:g}' for one in there)}"
    )


def by_degree(difference, nodes):
    """Return vertices in the order of their weighted degree inside their set, and the degrees."""
    nodes = np.asarray(nodes, dtype=int)
    degree = difference[np.ix_(nodes, nodes)].sum(axis=1)
    # Rounded, so that equal degrees are ordered by vertex and not by rounding errors.
    order = np.lexsort((nodes, -degree.round(12)))
    return nodes[order], degree[order]


def edges_from(difference, nodes, least, look, line="-", top=None):
    """Return the edges of at least a weight, thicker if heavier.

    `difference` (n_vertices, n_vertices); `line`: line style; `top`: weight of the thickest; by
    default of the heaviest here. Returns: ``(i, j, width, colour, line style)``: positions in
    `nodes`.
    """
    inside = difference[np.ix_(nodes, nodes)]
    span = max((inside.max(initial=0) if top is None else top) - least, 1e-12)
    rows, columns = np.triu_indices(len(nodes), 1)
    heavy = inside[rows, columns] >= least
    return [
        (i, j, 0.4 + 2.0 * (inside[i, j] - least) / span, look.colour, line)
        for i, j in zip(rows[heavy], columns[heavy], strict=True)
    ]


def heaviest(edges):
    """Return the heaviest of the edges, as many as can be told apart."""
    return sorted(edges, key=lambda edge: -edge[2])[:MOST_EDGES]


def said_of(edges, least, top):
    """Say how many edges there are, and what their widths or colours mean."""
    if not edges:
        return "no edges"
    count = plural(len(edges), "edge")
    if len(edges) > MOST_EDGES:
        return f"{count} (pale: 0, dark: {number_text(top)})"
    return f"{count} (thin: {number_text(least)}, thick: {number_text(top)})"


def drawn(view, contrast, found, least):
    """Return what a picture shows of a contrast subgraph of one direction, edges from `least` on.

    `parts`: what `draw_set` draws; `nodes`: in its order; `names`: for a key; `perhaps`: whether it
    may be chance; `said`: how many regions and edges there are.
    """
    look = view.looks.contrasts[contrast]
    weights = difference_graph(view.graphs, contrast)
    nodes, degree = by_degree(weights, found["nodes"])
    inside = weights[np.ix_(nodes, nodes)]
    edges = edges_from(weights, nodes, least, look)
    colours = by_share(look.dark, view.share(contrast, found["percentile"]), nodes)
    return SimpleNamespace(
        look=look,
        nodes=nodes,
        parts=(nodes, degree, edges, colours, inside, [look]),
        names=beside(view.results.atlas, nodes, edges),
        perhaps=view.perhaps(contrast, found),
        said=f"{plural(len(nodes), 'region')}, {said_of(edges, least, inside.max(initial=0))}",
    )


def by_share(dark, share, nodes):
    """Return the markers' colours: pale for regions that few half samples choose."""
    from matplotlib.colors import to_rgb

    dark = np.array(to_rgb(dark))
    if share is None:
        part = np.ones(len(nodes))
    else:
        part = share.reindex(nodes).fillna(0).to_numpy()
    # Between the dark colour and a tint of it that is still visible on white.
    pale = 1 - 0.42 * (1 - dark)
    return pale + part[:, None] * (dark - pale)


def draw_set(axes, atlas, nodes, degree, edges, colours, inside, looks, views="xzy", most=NAMED):
    """Draw a set on glass brains, or on a circle where regions have no place.

    More edges than can be told apart are a matrix in the place of the last view, or of the circle.

    `nodes`, `degree` (k,), `colours` (k, 3): in the order of the key; `edges`: from `edges_from`;
    `inside` (k, k): the differences, drawn in the colours of `looks` (the second one's where they
    are negative); `most`: how many get a number.
    """
    brains = has_centroids(atlas)
    count = min(len(nodes), most)
    if len(edges) > MOST_EDGES:
        where = axes
        edges = []
        if brains:
            widths = [len(views) - 1, 1.1]
            cells = axes.get_subplotspec().subgridspec(1, 2, width_ratios=widths, wspace=0.12)
            axes.axis("off")
            axes, where = map(axes.get_figure(root=False).add_subplot, cells)
            views = views[:-1]
        _draw_matrix(where, atlas, nodes, inside, looks)
        if not brains:
            return
    if not brains:
        draw_circle(axes, atlas, nodes, scaled(degree, 14, 50), colours, edges, count)
        return
    if count < 10:
        sizes = scaled(degree, 50, 80)
    else:
        sizes = scaled(degree, 84, 100)
    # Regions without a number are small dots.
    sizes[count:] = 12
    numbers = [str(i + 1) for i in range(count)] + [""] * (len(nodes) - count)
    draw_brain(axes, atlas, nodes, sizes, colours, edges, numbers, views)


def _draw_matrix(axes, atlas, nodes, inside, looks):
    """Draw the differences inside a set, regions by system, or by weighted degree without one."""
    from matplotlib.colors import LinearSegmentedColormap

    shown, order = by_system(atlas.iloc[nodes].reset_index(drop=True))
    top = np.abs(inside).max(initial=0) or 1.0
    first = looks[0]
    second = looks[-1]
    stops = ["#ffffff", first.colour, first.dark]
    least = 0
    if len(looks) > 1:
        stops = [second.dark, second.colour, *stops]
        least = -top
    axes.imshow(
        inside[np.ix_(order, order)],
        cmap=LinearSegmentedColormap.from_list("", stops),
        vmin=least,
        vmax=top,
        interpolation="nearest",
    )
    axes.tick_params(length=0, pad=1)
    runs = [run for run in system_runs(shown) if run[2] - run[1] + 1 >= len(nodes) / 11]
    axes.set(xticks=[], yticks=[(first + last) / 2 for _, first, last in runs])
    axes.set_yticklabels([system for system, _, _ in runs])
    label = "Pairs of regions, by degree"
    if runs:
        label = "Pairs of regions"
    axes.set_xlabel(label)
    for _, first, _ in system_runs(shown)[1:]:
        axes.axvline(first - 0.5, color=INK, linewidth=0.35)
        axes.axhline(first - 0.5, color=INK, linewidth=0.35)


def key_lines(count):
    """Return how many lines a key of regions has; it has two columns if they are many."""
    shown = min(count, NAMED) + (count > NAMED)
    if shown <= 8:
        return shown
    return -(-shown // 2)


def row_height(atlas, count):
    """Return the height of a row with a set and its key, in inches."""
    if not has_centroids(atlas):
        if count <= 10:
            return SMALL
        return CIRCLE
    return max(BRAIN, 0.4 + 0.118 * key_lines(count))


def draw_key(axes, names, looks=()):
    """Write the regions next to their numbers, in two columns if they are many.

    `looks`: line styles with what they mean.
    """
    axes.axis("off")
    names = list(names)
    lines = [f"{i + 1}  {name}" for i, name in enumerate(names[:NAMED])]
    if len(names) > NAMED:
        lines.append(f"and {len(names) - NAMED} more")
    each = max(key_lines(len(names)), 1)
    for place, start in enumerate(range(0, len(lines), each)):
        text = "\n".join(short(line) for line in lines[start : start + each])
        style = {"va": "top", "fontsize": 7, "linespacing": 1.2}
        axes.text(0.52 * place, 1.0, text, transform=axes.transAxes, **style)
    for look, label in looks:
        style = {"color": look.colour, "linestyle": look.line, "linewidth": 1.6}
        axes.plot([], [], label=label, **style)
    if looks:
        where = {"loc": "upper left", "bbox_to_anchor": (0, -0.02), "borderpad": 0}
        axes.legend(alignment="left", handlelength=2.4, **where)


def short(line, most=24):
    """Shorten a name in its middle: names often differ in their end alone."""
    if len(line) <= most:
        return line
    return f"{line[: most - 9]}…{line[-8:]}"


def beside(atlas, nodes, edges):
    """Return the names for the key: none where they stand on the rim of a circle."""
    on_rim = len(nodes) <= ON_RIM and len(edges) <= MOST_EDGES and not has_centroids(atlas)
    if on_rim:
        return []
    return [region_label(atlas["name"].iloc[node]) for node in nodes]
