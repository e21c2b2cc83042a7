"""Contrast subgraphs on a circle: regions by system, left half left, names on the rim."""

import numpy as np

from ..names import region_label
from .style import INK, QUIET

#: Up to this many regions have their names on the rim.
ON_RIM = 44


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
    for i, j, width, colour, line in sorted(edges, key=lambda edge: edge[2]):
        bend = Path([places[i], (0, 0), places[j]], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        style = {"linewidth": width, "linestyle": line, "alpha": 0.7, "zorder": 2}
        axes.add_patch(PathPatch(bend, facecolor="none", edgecolor=colour, **style))
    style = {"edgecolor": "white", "linewidth": 0.4, "zorder": 4}
    axes.scatter(*places.T, s=sizes, facecolor=colours, **style)
    names = [region_label(atlas["name"].iloc[node]) for node in nodes]
    named = 0 < len(nodes) <= ON_RIM and numbered > 0
    if not named:
        names = [str(k + 1) for k in range(min(numbered, len(nodes)))]
    for (x, y), angle, name in zip(places, angles, names, strict=False):
        left = x < 0
        style = {"rotation": np.degrees(angle) + 180 * left, "rotation_mode": "anchor"}
        style |= {"ha": "right" if left else "left", "va": "center", "fontsize": size}
        axes.text(1.07 * x, 1.07 * y, name, **style)
    reach = 1.12 + 0.036 * size / 7 * max(map(len, names), default=0)
    _draw_systems(axes, atlas, nodes, order, angles, None if named else reach, size)
    reach += 0 if named else 0.4
    axes.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach))
    axes.axis("off")


def _draw_systems(axes, atlas, nodes, order, angles, reach, size):
    """Draw an arc along each system, named if the regions are not."""
    if "system" not in atlas.columns or not atlas["system"].fillna("").astype(bool).any():
        return
    system = atlas["system"].iloc[nodes].fillna("").to_numpy()[order]
    ends = np.flatnonzero(system[1:] != system[:-1]) + 1
    half = np.pi / len(nodes)
    for k, run in enumerate(np.split(order, ends)):
        arc = np.linspace(angles[run[0]] + 0.8 * half, angles[run[-1]] - 0.8 * half, 40)
        colour = (INK, QUIET)[k % 2]
        axes.plot(1.035 * np.cos(arc), 1.035 * np.sin(arc), color=colour, linewidth=2, zorder=1)
        if reach is not None and len(run) > 2:
            middle = arc.mean()
            x, y = np.cos(middle), np.sin(middle)
            style = {"ha": "right" if x < 0 else "left", "va": "center", "fontsize": size}
            axes.text(reach * x, reach * y, atlas["system"].iloc[nodes[run[0]]], **style)
