"""The weighted degree of every region in the two groups (Figure 3 of the paper)."""

import numpy as np

from ...contrast.difference import group_means
from .brain import by_system, label_runs, system_runs
from .figure import figure
from .style import INK, PAGE, PALE, new_figure


@figure("data")
def degrees(view):
    """Draw the weighted degree of each region in the two summary graphs, and their difference.

    Regions by system; above both groups (Figure 3 of the paper), below the first minus the second.
    """
    graphs = view.graphs
    looks = view.looks.groups
    atlas, order = by_system(view.results.atlas)
    both = [mean.sum(axis=1)[order] for mean in group_means(graphs)]
    figure = new_figure(PAGE, 3.4)
    above, below = figure.subplots(2, 1, sharex=True)
    regions = np.arange(len(order))
    for degree, look, count in zip(both, looks, np.bincount(graphs.y), strict=True):
        style = {"color": look.colour, "linewidth": 1.1, "linestyle": look.line}
        above.step(regions, degree, where="mid", label=f"{look.label} ({count})", **style)
    above.set(xlim=(-0.5, len(regions) - 0.5), ylim=(0, 1.2 * max(map(np.max, both))))
    above.set_ylabel("Weighted degree")
    above.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderpad=0)
    # Below zero the second group has more, in its colour.
    more = both[0] - both[1]
    colours = np.where(more > 0, looks[0].colour, looks[1].colour)
    below.bar(regions, more, width=0.8, color=colours)
    below.axhline(0, color=INK, linewidth=0.6)
    below.set(xlabel="Region", ylabel=f"{looks[0].label}\nminus {looks[1].label}")
    if runs := system_runs(atlas):
        # Names of systems replace the numbers of regions.
        below.set(xticks=[], xlabel="")
        for _, first, _ in runs[1:]:
            for axes in (above, below):
                axes.axvline(first - 0.5, color=PALE, linewidth=0.5, zorder=0)
        figure.draw_without_rendering()  # places for the names of the systems
        label_runs(below, atlas, side="below")
    return figure
