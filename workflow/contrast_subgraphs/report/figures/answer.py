"""The picture beside the answer: the two sets of the cohort with the clearest difference."""

import numpy as np

from ...contrast.cohort import cohort_difference
from ..names import by_clarity, clearest
from .brain import has_centroids
from .figure import View, figure
from .set_picture import by_degree, draw_set, edges_from, labels_of, short, subgraph_at
from .style import COLUMN, new_figure

#: Regions whose names stand below the brain.
_NAMED = 8


@figure("answer", by_cohort=False)
def answer(view):
    """Draw the two sets of the cohort whose difference is the clearest, one above the other.

    Narrow enough for a telephone.
    """
    results = view.results
    shown = results.config["report"]["cohorts"]
    cohorts = [*shown, *(one for one in results.graphs if one not in shown)]
    view = View(results, by_clarity(results.significance, cohorts)[0])
    percentiles = view.sets("contrast_large")
    percentiles |= clearest(results.significance, view.cohort, percentiles)
    atlas, brains = results.atlas, has_centroids(results.atlas)
    found = [(name, subgraph_at(view.contrasts[name], at)) for name, at in percentiles.items()]
    rows = [(place, *one) for place, one in enumerate(found) if len(one[1]["nodes"]) > 1]
    sizes = [len(one["nodes"]) for _, _, one in rows]
    lines = [-(-min(size, _NAMED) // 2) + (size > _NAMED) for size in sizes]
    heights = [1.62 + 0.135 * count if brains else 3.3 for count in lines] or [0.5]
    figure = new_figure(COLUMN, sum(heights))
    parts = np.atleast_1d(figure.subfigures(len(heights), 1, height_ratios=heights))
    for part, count, (place, name, one) in zip(parts, lines, rows, strict=False):
        look, weights = view.looks.contrasts[name], cohort_difference(view.graphs, name)
        nodes, degree = by_degree(weights, one["nodes"])
        edges = edges_from(weights, nodes, view.least(one), look)
        title = f"More connected in {view.groups[place]}"
        title += view.perhaps(name, one["percentile"])
        part.suptitle(title, color=look.dark, fontweight="bold")
        if not brains:
            draw_set(part.subplots(), atlas, nodes, degree, edges, look.colour, "")
            continue
        brain, key = part.subplots(2, 1, height_ratios=[1.4, 0.135 * count])
        draw_set(brain, atlas, nodes, degree, edges, look.colour, "xz", most=_NAMED)
        key.axis("off")
        names = [f"{k + 1}  {label}" for k, label in enumerate(labels_of(atlas, nodes[:_NAMED]))]
        half = -(-len(names) // 2)
        columns = [names[:half], names[half:]]
        if len(nodes) > _NAMED:
            columns[0].append(f"and {len(nodes) - _NAMED} more (small)")
        for x, column in zip((0, 0.5), columns, strict=True):
            text = "\n".join(short(line) for line in column)
            style = {"va": "top", "fontsize": 7.5, "linespacing": 1.25}
            key.text(x, 1, text, transform=key.transAxes, **style)
    return figure
