"""The run-through example, the weighted degrees and the difference graph (Figures 2 to 4)."""

import numpy as np

from ...contrast import summary_graph
from ...contrast.example import example_graphs
from ...contrast.records import cohort_difference
from .brain import label_runs, system_runs
from .figure import Figure
from .style import COLUMN, INK, PAGE, PALE, Looks, diverging_colours, new_figure, styled

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


@styled
def example():
    """Draw the two graphs of the paper's run-through example, with the sets of its examples.

    Returns
    -------
    matplotlib.figure.Figure
        Graph A with the contrast subgraphs A-B for alpha 0.8 and 0.5 (Examples 1 and
        2), graph B with one of the B-A subgraphs for 0.8 (Example 3), and both with
        the symmetric one for 0.5 (Example 4).
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
            colour = INK if other[i, j] else look.colour
            width = 2.6 if other[i, j] else 1.4
            axes.plot(*ends.T, color=colour, linewidth=width, zorder=3)
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


@styled
def degrees(graphs, atlas, looks=None):
    """Draw the weighted degree of each region in the two summary graphs, and their difference.

    Parameters
    ----------
    graphs : CohortGraphs
    atlas : pandas.DataFrame
    looks : Looks, optional

    Returns
    -------
    matplotlib.figure.Figure
        Regions by system; above both groups (Figure 3 of the paper), below the first group
        minus the second.
    """
    looks = (looks or Looks(graphs.groups)).groups
    atlas, order = by_system(atlas)
    both = [summary_graph(graphs.adjacency[graphs.y == y]).sum(axis=1)[order] for y in (0, 1)]
    figure = new_figure(PAGE, 3.4)
    above, below = figure.subplots(2, 1, sharex=True)
    regions = np.arange(len(order))
    for degree, look in zip(both, looks, strict=True):
        style = {"color": look.colour, "linewidth": 1.1, "linestyle": look.line}
        above.step(regions, degree, where="mid", label=look.label, **style)
    above.set(xlim=(-0.5, len(regions) - 0.5), ylim=(0, 1.2 * max(map(np.max, both))))
    above.set_ylabel("Weighted degree")
    above.legend(loc="lower left", ncols=2)
    more = both[0] - both[1]
    colours = np.where(more > 0, looks[0].colour, looks[1].colour)
    below.bar(regions, more, width=0.8, color=colours)
    below.axhline(0, color=INK, linewidth=0.6)
    below.set(xlabel="Region", ylabel=f"{looks[0].label} minus {looks[1].label}")
    if runs := system_runs(atlas):
        below.set(xticks=[], xlabel="")
        for _, first, _ in runs[1:]:
            for axes in (above, below):
                axes.axvline(first - 0.5, color=PALE, linewidth=0.5, zorder=0)
        figure.draw_without_rendering()  # places for the names of the systems
        label_runs(below, atlas, side="below")
    return figure


@styled
def difference(graphs, atlas, looks=None):
    """Draw the adjacency matrix of the difference graph, regions in their own order (Figure 4).

    Parameters
    ----------
    graphs : CohortGraphs
    atlas : pandas.DataFrame
    looks : Looks, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    looks = looks or Looks(graphs.groups)
    atlas, order = by_system(atlas)
    matrix = cohort_difference(graphs, next(iter(looks.contrasts)))[np.ix_(order, order)]
    figure = new_figure(PAGE, 4.6)
    axes = figure.subplots()
    first, second = (look.label for look in looks.groups)
    image = draw_matrix(axes, matrix, atlas, looks)
    axes.set(xlabel="Region", ylabel="Region")
    bar = figure.colorbar(image, ax=axes, location="left", shrink=0.8, aspect=30, pad=0.02)
    binary = graphs.adjacency.dtype.kind in "ui"
    what = "Part of {} with the edge minus part of {}" if binary else "Mean of {} minus mean of {}"
    bar.set_label(what.format(first, second))
    bar.outline.set_linewidth(0.5)
    figure.draw_without_rendering()
    label_runs(axes, atlas, side="right")
    return figure


def by_system(atlas):
    """Return the atlas with the regions of a system beside each other, and their order."""
    if not system_runs(atlas):
        return atlas, np.arange(len(atlas))
    place = {system: k for k, system in enumerate(dict.fromkeys(atlas["system"]))}
    order = np.argsort(atlas["system"].map(place), kind="stable").to_numpy()
    return atlas.iloc[order].reset_index(drop=True), order


def draw_matrix(axes, matrix, atlas, looks):
    """Draw a matrix of differences, white at 0, with lines between the systems.

    What is more in the first group stands above the diagonal, what is more in the second
    below it, so that the sign can be read in print without colours.
    """
    limit = np.abs(matrix).max(initial=0) or 1.0
    upper = np.triu(np.ones(matrix.shape, dtype=bool))
    image = axes.imshow(
        np.where(upper, np.maximum(matrix, 0), np.minimum(matrix, 0)),
        cmap=diverging_colours(),
        vmin=-limit,
        vmax=limit,
        interpolation="nearest",
    )
    first, second = (look.label for look in looks.groups)
    axes.set_title(f"Above the diagonal more in {first},\nbelow it more in {second}")
    for _, first, _ in system_runs(atlas)[1:]:
        axes.axvline(first - 0.5, color=INK, linewidth=0.35)
        axes.axhline(first - 0.5, color=INK, linewidth=0.35)
    step = max(5, 5 * round(len(matrix) / 30))
    ticks = np.arange(step, len(matrix) + 1, step)
    axes.set_xticks(ticks - 1, ticks)
    axes.set_yticks(ticks - 1, ticks)
    for spine in axes.spines.values():
        spine.set_visible(True)
    return image


EXAMPLE = Figure(
    name="example",
    title="The run-through example",
    section="example",
    by_cohort=False,
    draw=lambda given, cohort: example(),
    alt=lambda about: (
        "Two graphs on eight vertices with the contrast subgraphs of the paper's four examples "
        "outlined."
    ),
    caption=lambda about: (
        "The run-through example (Figure 2 of the paper, whose picture its source lacks): two "
        "graphs on the vertices 1 to 8 that satisfy Examples 1 to 4 to the letter. Outlined are "
        "the best A−B sets {1, 2, 4} for α = 0.8 (objective 0.6) and {1, 2, 4, 5, 6} for α = 0.5 "
        "(objective 2; {1, 2, 4, 5} is as good), one of the three best B−A sets for α = 0.8, a "
        "single edge, and the best symmetric set {1, 2, 3, 5} for α = 0.5."
    ),
)

DEGREES = Figure(
    name="degrees",
    title="Weighted degrees",
    section="data",
    draw=lambda given, cohort: degrees(
        given.graphs[cohort], given.atlas, Looks.of(given.names, cohort)
    ),
    alt=lambda about: (
        "The weighted degree of every region in the summary graphs of "
        f"{about.groups[0]} and {about.groups[1]} subjects of {about.label} as two lines; below "
        "their difference as bars."
    ),
    caption=lambda about: (
        f"Weighted degree of every region in {about.label}{about.of_the_paper('Figure 3')}: the "
        f"mean number of its connections in {about.groups[0]} and in {about.groups[1]} (of "
        "weighted graphs the sum of its weights). Below: the first minus the second. Regions by "
        "the systems of the atlas, as far as it names them."
    ),
)

DIFFERENCE = Figure(
    name="difference",
    title="Difference graph",
    section="data",
    draw=lambda given, cohort: difference(
        given.graphs[cohort], given.atlas, Looks.of(given.names, cohort)
    ),
    alt=lambda about: f"Heat map of the difference graph of {about.label}, regions by regions.",
    caption=lambda about: (
        f"Adjacency matrix of the difference graph {about.directions[0]} of {about.label}"
        f"{about.of_the_paper('Figure 4')}: for each pair of regions the fraction of "
        f"{about.groups[0]} subjects with the edge minus the fraction of {about.groups[1]} "
        f"subjects. Above the diagonal (blue) the pairs with more in {about.groups[0]}, below it "
        f"(orange) those with more in {about.groups[1]}; each pair is shown once. "
        "Regions by the systems of the atlas, as far as it names them, with lines between."
    ),
)
