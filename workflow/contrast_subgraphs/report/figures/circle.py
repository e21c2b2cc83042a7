"""Contrast subgraphs on a circle: regions by system, left half left, names on the rim."""

import itertools

import numpy as np

from ..names import region_label

#: Names stand on the rim if there are at most this many regions.
ON_RIM = 44
#: Colours of the systems' arcs, apart from those of the edges.
_ARCS = ("#009e73", "#cc79a7", "#8c6d31", "#6a51a3", "#56b4e9", "#8a8a8a", "#d9b100", "#222222")


def circle_order(atlas, nodes):
    """Return the places of nodes around a circle, clockwise from the top.

    Systems stay together. With hemispheres the right half comes first, the midline at the
    bottom, and the left half mirrors the right one.

    Returns: positions in `nodes`.
    """
    known = atlas.iloc[nodes]
    system = known.get("system", known["name"].map(lambda _: "")).fillna("").astype(str)
    place = {name: k for k, name in enumerate(dict.fromkeys(system))}
    side = known.get("hemisphere", system.map(lambda _: "")).fillna("").astype(str).to_numpy()
    rank = system.map(place).to_numpy()
    right, left = (np.flatnonzero(side == one) for one in ("R", "L"))
    if not len(right) or not len(left):
        return np.argsort(rank, kind="stable")
    # Right half clockwise from the top, the midline at the bottom, the left half as its mirror.
    middle = np.flatnonzero((side != "R") & (side != "L"))
    right, left, middle = (
        one[np.argsort(rank[one], kind="stable")] for one in (right, left, middle)
    )
    return np.concatenate([right, middle, left[::-1]])


def draw_circle(axes, atlas, nodes, sizes, colours, edges, numbered=0, size=7):
    """Draw vertices on a circle with their names, and edges between them.

    `nodes` (k,); `sizes` (k,): areas of the markers, in points squared; `colours` (k, 3); `edges`:
    ``(i, j, width, colour, line style)``: positions in `nodes`; `numbered`: how many of the
    first get a number, if there are too many for names; 0: neither; `size`: font size in points.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    nodes = np.asarray(nodes, dtype=int)
    order = circle_order(atlas, nodes)
    angles = np.empty(len(nodes))
    angles[order] = np.pi / 2 - 2 * np.pi * (np.arange(len(nodes)) + 0.5) / max(len(nodes), 1)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    thin = min(1, (50 / max(len(edges), 1)) ** 0.5)  # many edges are a web
    for i, j, width, colour, line in sorted(edges, key=lambda edge: edge[2]):
        # Edges bend towards the centre, so that those along the rim can be told apart.
        bend = Path([places[i], (0, 0), places[j]], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        style = {"linewidth": thin * width, "linestyle": line, "alpha": 0.7, "zorder": 2}
        axes.add_patch(PathPatch(bend, facecolor="none", edgecolor=colour, **style))
    style = {"edgecolor": "white", "linewidth": 0.4, "zorder": 4}
    axes.scatter(*places.T, s=sizes, facecolor=colours, **style)
    names = [region_label(atlas["name"].iloc[node]) for node in nodes]
    named = 0 < len(nodes) <= ON_RIM and numbered > 0
    if not named:
        names = [str(k + 1) for k in range(min(numbered, len(nodes)))]
    for (x, y), angle, name in zip(places, angles, names, strict=False):
        turned = {"rotation": np.degrees(angle), "ha": "left"}
        if x < 0:  # so that no name stands on its head
            turned = {"rotation": np.degrees(angle) + 180, "ha": "right"}
        style = turned | {"rotation_mode": "anchor", "va": "center", "fontsize": size}
        axes.text(1.1 * x, 1.1 * y, name, **style)
    reach = 1.15 + 0.05 * size / 7 * max(map(len, names), default=0)
    _draw_systems(axes, atlas.iloc[nodes], order, angles, size)
    axes.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach))
    axes.axis("off")


def _draw_systems(axes, known, order, angles, size):
    """Draw an arc along each system, in colours that a legend names; none if all is of one."""
    system = known.get("system", known["name"].map(lambda _: "")).fillna("").to_numpy()[order]
    colours = dict(zip(dict.fromkeys(system), itertools.cycle(_ARCS), strict=False))
    if len(colours) < 2:
        return
    half = np.pi / len(order)
    for run in np.split(order, np.flatnonzero(system[1:] != system[:-1]) + 1):
        name = system[order == run[0]][0]
        arc = np.linspace(angles[run[0]] + 0.8 * half, angles[run[-1]] - 0.8 * half, 40)
        style = {"color": colours[name], "linewidth": 3, "zorder": 1, "label": name or "no system"}
        axes.plot(1.035 * np.cos(arc), 1.035 * np.sin(arc), **style)
    unique = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 0}
    axes.legend(unique.values(), unique, fontsize=size, ncols=3, handlelength=1, **place)
