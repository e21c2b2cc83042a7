"""The run-through example (Figure 2 of the paper)."""

import numpy as np

from ...contrast.example import example_graphs
from .figure import figure
from .style import COLUMN, INK, Looks, new_figure

#: Where the eight vertices of the example stand: the sets of the examples lie together.
_PLACES = {
    1: (0.0, 2.0),
    2: (1.0, 2.55),
    3: (2.7, 2.1),
    4: (0.0, 1.0),
    5: (2.0, 1.0),
    6: (1.0, 0.45),
    7: (0.6, -0.35),
    8: (-0.7, 0.1),
}


@figure("example", by_cohort=False)
def example(view):
    """Draw the two graphs of the paper's run-through example, with the sets of its examples.

    Graph A with the contrast subgraphs A-B for alpha 0.8 and 0.5 (Examples 1 and 2), graph B with
    one of the B-A subgraphs for 0.8 (Example 3), and both with the symmetric one for 0.5 (4).
    """
    first, second = Looks().groups
    a, b = example_graphs()
    figure = new_figure(COLUMN, 2.35)
    panels = figure.subplots(1, 2)
    titles = ("Graph A", "Graph B")
    for axes, graph, other, look, title in zip(
        panels, (a, b), (b, a), (first, second), titles, strict=True
    ):
        for i, j in zip(*np.nonzero(np.triu(graph)), strict=True):
            ends = np.array([_PLACES[i + 1], _PLACES[j + 1]])
            colour = look.colour
            width = 1.4
            # Edges of both graphs are drawn thick and in ink.
            if other[i, j]:
                colour = INK
                width = 2.6
            axes.plot(*ends.T, color=colour, linewidth=width, zorder=3)
        # Vertices with their numbers, on top of the edges.
        for vertex, (x, y) in _PLACES.items():
            axes.plot(x, y, "o", markersize=11, color="white", mec=INK, mew=0.8, zorder=4)
            axes.text(x, y, str(vertex), ha="center", va="center_baseline", zorder=5)
        axes.set(aspect="equal", xlim=(-1.05, 3.05), ylim=(-0.65, 2.95), title=title)
        axes.axis("off")
    sets = {
        "A−B, α = 0.8": ({1, 2, 4}, first.colour, "-", 19, (0,)),
        "A−B, α = 0.5": ({1, 2, 4, 5, 6}, first.colour, (0, (4, 1.5)), 25, (0,)),
        "B−A, α = 0.8": ({1, 8}, second.colour, "-", 19, (1,)),
        "symmetric, α = 0.5": ({1, 2, 3, 5}, "#777777", (0, (1, 1)), 22, (0, 1)),
    }
    handles = [panels[0].plot([], [], color=INK, linewidth=2.6, label="edge of both graphs")[0]]
    for label, (members, colour, line, width, where) in sets.items():
        for panel in where:
            handles.append(_hull(panels[panel], members, width, colour, line, label))
    named = {handle.get_label(): handle for handle in handles}
    figure.legend(
        named.values(), named.keys(), loc="outside lower center", ncols=2, handlelength=2.6
    )
    return figure


def _hull(axes, members, width, colour, line, label):
    """Draw the outline of the convex hull of some vertices, `width` points wide about them."""
    from matplotlib.patches import Polygon
    from scipy.spatial import ConvexHull

    radius = width / 72
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    cloud = np.concatenate([np.array(_PLACES[vertex]) + circle for vertex in sorted(members)])
    outline = cloud[ConvexHull(cloud).vertices]
    patch = Polygon(
        outline, closed=True, fill=False, edgecolor=colour, linestyle=line, linewidth=1.1, zorder=2
    )
    patch.set_label(label)
    axes.add_patch(patch)
    return patch
