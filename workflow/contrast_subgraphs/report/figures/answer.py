"""The two sets of the cohort with the clearest difference, and those of all cohorts."""

from textwrap import fill

import numpy as np

from ..names import clearest
from .brain import has_centroids
from .figure import figure
from .set_picture import draw_set, drawn, row_height, short, subgraph_at
from .style import COLUMN, PAGE, new_figure

#: The number of regions that are named below the brain.
_NAMED = 12


@figure("answer", by_cohort=False)
def answer(view):
    """Draw the two sets of the cohort whose difference is the clearest, one above the other.

    The figure is narrow enough for a phone.
    """
    view = view.clearest
    atlas = view.results.atlas
    sets = _sets(view)
    above = [1.5 if has_centroids(atlas) else row_height(atlas, len(one.nodes)) for _, one in sets]
    # Brains of both sets have the same size.
    above = [max(above)] * len(above)
    # Names stand in two columns, the first one longer if the number is odd.
    halves = [-(-min(len(one.names), _NAMED) // 2) for _, one in sets]
    below = [
        0.14 * (half + (len(one.names) > _NAMED))
        for half, (_, one) in zip(halves, sets, strict=True)
    ]
    titles = [
        f"{fill(f'More connected {side}{one.perhaps}', 44)}\n{one.said}" for side, one in sets
    ]
    lines = [0.15 * (1 + title.count("\n")) for title in titles]
    heights = [sum(parts) for parts in zip(lines, above, below, strict=True)] or [0.5]
    figure = new_figure(COLUMN, sum(heights))
    parts = np.atleast_1d(figure.subfigures(len(heights), 1, height_ratios=heights))
    each = zip(parts, titles, above, below, halves, sets, strict=False)
    for part, title, *ratios, half, (_, one) in each:
        brain, key = part.subplots(2, 1, height_ratios=[ratios[0], max(ratios[1], 0.01)])
        draw_set(brain, atlas, *one.parts, "xz", _NAMED)
        part.suptitle(title, color=one.look.dark)
        key.axis("off")
        names = [f"{k + 1}  {name}" for k, name in enumerate(one.names[:_NAMED])]
        columns = [names[:half], names[half:]]
        if len(one.names) > _NAMED:
            columns[0].append(f"and {len(one.names) - _NAMED} more")
        for x, column in zip((0, 0.5), columns, strict=True):
            text = "\n".join(short(line) for line in column)
            style = {"va": "top", "fontsize": 8, "linespacing": 1.25}
            key.text(x, 1, text, transform=key.transAxes, **style)
    return figure


@figure("cohorts", by_cohort=False)
def cohorts(view):
    """Draw the two sets of each cohort, the clearest difference first, as small multiples."""
    views = view.by_clarity
    figure = new_figure(PAGE, (1.45 if has_centroids(view.results.atlas) else 2.4) * len(views))
    rows = np.atleast_1d(figure.subfigures(len(views), 1))
    for row, one in zip(rows, views, strict=True):
        for cell, (side, found) in zip(row.subfigures(1, 2), _sets(one), strict=False):
            draw_set(cell.subplots(), view.results.atlas, *found.parts, "xz", 0)
            title = fill(f"{one.label}: more {side}{found.perhaps}", 44)
            cell.suptitle(f"{title}\n{found.said}", color=found.look.dark)
    return figure


def _sets(view):
    """Return the side and the picture of each direction that has a pair of regions.

    They are in the order of the cards: sets that may be due to chance come last.
    """
    pictured = view.sets("contrast_large")
    sides = dict(zip(pictured, view.sides, strict=True))
    results = view.results
    percentiles = clearest(results.significance, view.cohort, pictured, results.effects)
    # Directions without a test come last, at the percentile that the config pictures.
    for name, at in pictured.items():
        percentiles.setdefault(name, at)
    sets = []
    for name, at in percentiles.items():
        found = subgraph_at(view.contrasts[name], at)
        if len(found["nodes"]) > 1:
            sets.append((sides[name], drawn(view, name, found, found["alpha"])))
    return sets
