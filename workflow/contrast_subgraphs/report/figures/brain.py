"""Glass brains with vertex sets and edges, as in Figures 1, 5 and 6 of the paper."""

import functools
from types import SimpleNamespace

import numpy as np

from .style import INK, QUIET

#: View -> the axes drawn along x and y, and the relative width.
_VIEWS = {"x": (1, 2, 1.25), "y": (0, 2, 1.0), "z": (0, 1, 0.86)}
#: Numbered markers are kept this far apart, in mm, so that the numbers can be read.
_APART = 14.5


def has_centroids(atlas):
    """Return whether every region has a position in the brain (not so in every custom atlas)."""
    columns = {"x", "y", "z"}
    return columns <= set(atlas.columns) and bool(atlas[["x", "y", "z"]].notna().all(axis=None))


def draw_brain(axes, atlas, nodes, sizes, colour, edges=(), numbers=None, views="xzy"):
    """Draw vertices, and edges between them, on glass brains seen from several sides.

    `axes`: one cell of a grid of axes; the views take its place; `atlas`: centroids ``x``, ``y``,
    ``z`` (MNI, mm) of all regions; `nodes` (k,):
    the regions to draw (0-based rows of `atlas`); `sizes` (k,): areas of the markers, in points
    squared; `colour` (k, 3): of the markers, or of each; `edges`: ``(i, j, width, colour, line
    style)``: positions in `nodes`, width in points; `numbers`: written into the markers; `views`:
    ``x`` (from the side, both hemispheres), ``y`` (from behind), ``z`` (from above), side by side.
    """
    nodes = np.asarray(nodes, dtype=int)
    axes.axis("off")
    coordinates = atlas[["x", "y", "z"]].to_numpy(float)[nodes].reshape(-1, 3)
    widths = [_VIEWS[view][2] for view in views]
    cells = axes.get_subplotspec().subgridspec(1, len(views), width_ratios=widths, wspace=0.02)
    for cell, view in zip(cells, views, strict=True):
        brain = _glass_brain(axes.get_figure(root=False).add_subplot(cell), view)
        places = coordinates[:, list(_VIEWS[view][:2])]
        _draw_graph(brain, places, sizes, colour, edges, numbers)


def _glass_brain(axes, view):
    """Draw nilearn's outline of the brain, in mm, and say which side is which."""
    from matplotlib.patches import PathPatch

    axes.axis("off")
    (left, right, bottom, top), outlines = _outline(view)
    for path, colour, width in outlines:
        axes.add_patch(
            PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, alpha=0.4)
        )
    axes.set(aspect="equal", xlim=(left, right), ylim=(bottom, top))
    if view == "x":
        marks = ("", "")
    else:
        marks = ("L", "R")
    for place, mark in zip((0.0, 1.0), marks, strict=True):
        axes.text(place, 0.98, mark, transform=axes.transAxes, ha="center", va="top", fontsize=7)
    return axes


@functools.cache
def _outline(view):
    """Return the bounds and the lines (path, colour, width) of nilearn's glass brain, in mm.

    nilearn draws hundreds of pieces; those that look alike are joined into one.
    """
    from matplotlib.path import Path
    from matplotlib.transforms import IdentityTransform
    from nilearn.plotting.glass_brain import plot_brain_schematics

    pieces = []
    page = SimpleNamespace(
        transData=IdentityTransform(), get_facecolor=lambda: "w", add_patch=pieces.append
    )
    bounds = plot_brain_schematics(page, view)
    alike = {}
    for piece in pieces:
        path = piece.get_transform().transform_path(piece.get_path())
        alike.setdefault((piece.get_edgecolor(), piece.get_linewidth()), []).append(path)
    lines = [(Path.make_compound_path(*paths), *look) for look, paths in alike.items()]
    return bounds, lines


def _draw_graph(axes, places, sizes, colour, edges, numbers):
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb

    if numbers is not None:
        named = np.array([number != "" for number in numbers], dtype=bool)
        places = places.copy()
        places[named] = moved_apart(places[named], _APART if named.sum() < 10 else 1.1 * _APART)
    # Thick edges are drawn last, on top of thin ones.
    edges = sorted(edges, key=lambda edge: edge[2])
    if edges:
        ends, widths, colours, lines = zip(
            *[(places[[i, j]], *style) for i, j, *style in edges], strict=True
        )
        axes.add_collection(
            LineCollection(
                ends,
                linewidths=widths,
                colors=colours,
                # Not a tuple: one of two entries would be read as a single dash pattern.
                linestyles=list(lines),
                alpha=0.75,
                capstyle="round",
                zorder=10,
            ),
            autolim=False,
        )
    sizes = np.broadcast_to(np.asarray(sizes, dtype=float), len(places))
    # Small markers are drawn last, on top of large ones.
    order = np.argsort(-sizes, kind="stable")
    colours = np.broadcast_to(
        to_rgb(colour) if isinstance(colour, str) else colour, (len(places), 3)
    )
    style = {"edgecolor": "white", "linewidth": 0.5, "zorder": 20}
    axes.scatter(*places[order].T, s=sizes[order], facecolor=colours[order], **style)
    for i in (i for i in order if numbers is not None and numbers[i]):
        axes.text(
            *places[i],
            numbers[i],
            ha="center",
            va="center_baseline",
            fontsize=7,
            color=_ink_on(colours[i]),
            fontweight="bold",
            zorder=21,
        )
    # All of it is inside: the layout need not measure it, which takes most of the time.
    for artist in axes.get_children():
        artist.set_in_layout(False)


def _ink_on(colour):
    """Return dark or white, whichever contrasts more with a colour (WCAG 2.2)."""
    # Relative luminance of sRGB.
    channels = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    if channels @ [0.2126, 0.7152, 0.0722] > 0.19:
        return INK
    return "white"


def moved_apart(places, apart):
    """Move points that are nearer than `apart` away from each other, as little as it takes."""
    places = np.array(places, dtype=float)
    for _ in range(500):
        moved = False
        for i, j in zip(*np.triu_indices(len(places), 1), strict=True):
            step = places[j] - places[i]
            distance = np.hypot(*step)
            if distance < apart - 1e-6:
                if distance > 1e-9:
                    direction = step / distance
                else:
                    # Points at the very same place have no direction: any will do.
                    direction = np.array([1.0, 0.0])
                places[i] -= direction * (apart - distance) / 2
                places[j] += direction * (apart - distance) / 2
                moved = True
        if not moved:
            break
    return places


def scaled(values, smallest, largest, top=None):
    """Map positive values to ``[smallest, largest]``, zero to `smallest`.

    `top` is the value that gets `largest`, by default the greatest of `values`.
    """
    values = np.clip(np.asarray(values, dtype=float), 0, None)
    if top is None:
        top = max(values.max(initial=0.0), 1e-12)
    return smallest + (largest - smallest) * np.clip(values / top, 0, 1)


def system_runs(atlas):
    """Return the runs of consecutive regions of one system, as ``(system, first, last)``."""
    if "system" not in atlas.columns or not atlas["system"].fillna("").astype(bool).any():
        return []
    runs = []
    for position, system in enumerate(atlas["system"]):
        if runs and runs[-1][0] == system:
            runs[-1][2] = position
        else:
            runs.append([system, position, position])
    return [tuple(run) for run in runs]


def by_system(atlas):
    """Return the atlas with the regions of a system next to each other, and their order."""
    if not system_runs(atlas):
        return atlas, np.arange(len(atlas))
    # Systems in the order of their first region in the atlas.
    place = {system: k for k, system in enumerate(dict.fromkeys(atlas["system"]))}
    order = np.argsort(atlas["system"].map(place), kind="stable").to_numpy()
    return atlas.iloc[order].reset_index(drop=True), order


def label_runs(axes, atlas, side="right", size=7):
    """Write the names of the systems next to a matrix, or below a row of bars.

    Short runs would put names on top of each other: names are pushed apart and tied
    to their runs by thin lines.

    `axes`: its data coordinates count regions; `atlas`: with the column ``system``; `side`: one of
    "right", "below"; `size`: font size in points.
    """
    runs = system_runs(atlas)
    middles = np.array([(first + last) / 2 for _, first, last in runs])
    figure = axes.get_figure()
    box = axes.get_window_extent(figure.canvas.get_renderer())
    if side == "right":
        transform = axes.get_yaxis_transform()
        extent = round(box.height, 3)
    else:
        transform = axes.get_xaxis_transform()
        extent = round(box.width, 3)
    apart = size * 1.15 * figure.dpi / 72 * len(atlas) / extent
    places = _spread(middles, apart, len(atlas) - 0.5)
    for (system, _, _), middle, place in zip(runs, middles, places, strict=True):
        if side == "right":
            xs = (1.005, 1.025, 1.04)
            ys = (middle, place, place)
            at = (1.05, place)
            style = {"ha": "left", "va": "center_baseline"}
        else:
            xs = (middle, place, place)
            ys = (-0.015, -0.05, -0.065)
            at = (place, -0.08)
            style = {"ha": "center", "va": "top", "rotation": 90}
        axes.plot(xs, ys, transform=transform, color=QUIET, linewidth=0.5, clip_on=False)
        axes.text(*at, system, transform=transform, fontsize=size, **style)


def _spread(middles, apart, end):
    """Move ordered positions as little as needed to be `apart`, within ``[-0.5, end]``."""
    places = np.array(middles, dtype=float)
    for _ in range(500):
        gap = np.diff(places)
        short = np.flatnonzero(gap < apart - 1e-9)
        if not len(short):
            break
        for i in short:
            push = (apart - (places[i + 1] - places[i])) / 2
            if push > 0:
                places[i] -= push
                places[i + 1] += push
        places = np.clip(places, -0.5 + apart / 4, end - apart / 4)
    return places
