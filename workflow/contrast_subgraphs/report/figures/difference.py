"""The difference graph as a matrix by system (Figure 4 of the paper)."""

import numpy as np

from ...contrast.difference import difference_graph
from .brain import by_system, label_runs, system_runs
from .figure import figure
from .style import INK, PAGE, diverging_colours, new_figure


@figure("data")
def difference(view):
    """Draw the adjacency matrix of the difference graph, regions in their own order (Figure 4)."""
    graphs = view.graphs
    looks = view.looks
    atlas, order = by_system(view.results.atlas)
    matrix = difference_graph(graphs, next(iter(looks.contrasts)))[np.ix_(order, order)]
    figure = new_figure(PAGE, 4.6)
    axes = figure.subplots()
    image = draw_matrix(axes, matrix, atlas, view.sides)
    axes.set(xlabel="Region", ylabel="Region")
    beyond = np.abs(matrix).max(initial=0) > image.norm.vmax
    place = {"ax": axes, "location": "left", "shrink": 0.8, "aspect": 30, "pad": 0.02}
    bar = figure.colorbar(image, extend="both" if beyond else "neither", **place)
    binary = graphs.weights.dtype.kind in "ui"
    what = "Mean of {} minus mean of {}"
    if binary:
        what = "Part of {} with the edge minus part of {}"
    if not view.slope:
        sizes = zip(looks.groups, np.bincount(graphs.y, minlength=2), strict=True)
        bar.set_label(what.format(*(f"{look.label} ({n})" for look, n in sizes)))
    else:
        bar.set_label(f"Slope, {view.sizes}")
    bar.outline.set_linewidth(0.5)
    # The layout has to be known before names can be placed.
    figure.draw_without_rendering()
    label_runs(axes, atlas, side="right")
    return figure


def draw_matrix(axes, matrix, atlas, sides):
    """Draw a matrix of differences, white at 0, the largest 1 % alike, systems apart by lines.

    What is more in the first group stands above the diagonal, what is more in the second
    below it, so that the sign can be read in print without colours.
    """
    upper = np.triu(np.ones(matrix.shape, dtype=bool))
    # A few large differences would leave all others white.
    limit = np.quantile(np.abs(matrix)[upper], 0.99) or np.abs(matrix).max(initial=0) or 1.0
    image = axes.imshow(
        np.where(upper, np.maximum(matrix, 0), np.minimum(matrix, 0)),
        cmap=diverging_colours(),
        vmin=-limit,
        vmax=limit,
        interpolation="nearest",
    )
    axes.set_title(f"Above the diagonal more {sides[0]},\nbelow it more {sides[1]}")
    for _, first, _ in system_runs(atlas)[1:]:
        axes.axvline(first - 0.5, color=INK, linewidth=0.35)
        axes.axhline(first - 0.5, color=INK, linewidth=0.35)
    step = max(5, 5 * round(len(matrix) / 30))
    ticks = np.arange(step, len(matrix) + 1, step)
    axes.set_xticks(ticks - 1, ticks)
    axes.set_yticks(ticks - 1, ticks)
    axes.spines[:].set_visible(True)
    return image
