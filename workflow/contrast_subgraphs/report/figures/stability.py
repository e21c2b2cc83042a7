"""How often each region is chosen over the training parts."""

import numpy as np

from ..names import region_label, rows_of
from .brain import draw_brain, has_centroids, scaled
from .figure import figure
from .style import PAGE, PALE, QUIET, new_figure

#: Bars of the stability figure.
_SHOWN = 15


#: Regions chosen in a smaller part of the splits, and more than this many, are not drawn on
#: the brain.
_SELDOM = 0.25
_DRAWN = 25


@figure("real")
def stability(view):
    """Draw how often each region is chosen over the training splits.

    At the alpha that the inner cross-validation took. For each contrast two views of the brain
    (area of a marker: how often), and bars of the regions chosen most often, hollow where no
    subgraph of the whole cohort has them.
    """
    from matplotlib.patches import Patch

    atlas = view.results.atlas
    looks = view.looks.contrasts
    stability = rows_of(view.results.stability, cohort=view.cohort)
    stability = stability[stability["percentile"].astype(str) == "chosen"]
    names = [name for name in looks if (stability["contrast"] == name).any()]
    brains = has_centroids(atlas)
    height = 3.0
    ratios = [0.01, 1.6]
    if brains:
        height = 4.5
        ratios = [1.06, 1.6]
    figure = new_figure(PAGE, height)
    axes = figure.subplots(2, len(names), squeeze=False, height_ratios=ratios)
    hollow = False
    for column, name in enumerate(names):
        table = stability[stability["contrast"] == name]
        share = (table["count"] / table["splits"]).to_numpy(float)
        order = np.lexsort((table["index"], -share))[:_SHOWN]
        look = looks[name]
        known = set().union(*(one["nodes"] for one in view.contrasts[name]["subgraphs"]))
        brain, bars = axes[:, column]
        chosen = np.lexsort((table["index"], -share))[:_DRAWN]
        chosen = chosen[share[chosen] >= _SELDOM]
        if brains:
            nodes = table["index"].to_numpy(int)[chosen]
            sizes = scaled(share[chosen], 0.5, 60, top=1.0)
            draw_brain(brain, atlas, nodes, sizes, look.colour, views="xz")
        brain.axis("off")
        brain.set_title(looks[name].label)
        nodes = table["index"].to_numpy(int)[order]
        filled = np.isin(nodes, list(known))
        # The legend is needed only if there is a hollow bar.
        hollow |= not filled.all()
        labels = [region_label(table["region"].iloc[place]) for place in order]
        _draw_bars(bars, share[order], labels, filled, look.colour)
    if hollow:
        style = {"edgecolor": QUIET, "linewidth": 0.8}
        handles = [
            Patch(facecolor=QUIET, label="in a contrast subgraph of the whole cohort", **style),
            Patch(facecolor="white", label="in none of them, at any α", **style),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _draw_bars(axes, share, labels, filled, colour):
    """Draw the share of each region as a bar, hollow where it is in no set."""
    faces = np.full(len(share), "white", dtype=object)
    faces[filled] = colour
    style = {"height": 0.7, "edgecolor": colour, "linewidth": 0.8}
    axes.barh(np.arange(len(share)), share, facecolor=faces.tolist(), **style)
    axes.set_yticks(range(len(share)), labels)
    axes.tick_params(axis="y", length=0, pad=1)
    axes.set(xlim=(0, 1), ylim=(_SHOWN - 0.4, -0.6), xlabel="Part of the training parts")
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid(axis="x", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
