"""The two sets of the cohort with the clearest difference, and those of all cohorts."""

import numpy as np

from ...contrast.cohort import cohort_difference
from ...core.checks import plural
from ..names import by_clarity, clearest
from .brain import has_centroids
from .figure import View, figure
from .set_picture import (
    by_degree,
    by_share,
    draw_set,
    edges_from,
    labels_of,
    said_of,
    short,
    subgraph_at,
)
from .style import COLUMN, PAGE, new_figure

#: Regions whose names stand below the brain.
_NAMED = 12


@figure("answer", by_cohort=False)
def answer(view):
    """Draw the two sets of the cohort whose difference is the clearest, one above the other.

    Narrow enough for a telephone.
    """
    view, atlas = next(_views(view)), view.results.atlas
    rows, brains = _sets(view), has_centroids(atlas)
    lines = [-(-min(len(one["nodes"]), _NAMED) // 2) for _, _, one in rows]
    lines = [n + (len(one["nodes"]) > _NAMED) for n, (_, _, one) in zip(lines, rows, strict=True)]
    heights = [1.8 + 0.135 * count if brains else 3.5 for count in lines] or [0.5]
    figure = new_figure(COLUMN, sum(heights))
    parts = np.atleast_1d(figure.subfigures(len(heights), 1, height_ratios=heights))
    for part, count, row in zip(parts, lines, rows, strict=False):
        cells = part.subplots(2, 1, height_ratios=[1.5, 0.135 * count]) if brains else None
        brain = cells[0] if brains else part.subplots()
        nodes, said = _draw(brain, view, row, _NAMED)
        side, look = view.sides[row[0]], view.looks.contrasts[row[1]]
        title = f"More connected {side}{view.perhaps(row[1], row[2]['percentile'])}"
        part.suptitle(f"{title}\n{said}", color=look.dark)
        if not brains:
            continue
        cells[1].axis("off")
        names = [f"{k + 1}  {name}" for k, name in enumerate(labels_of(atlas, nodes[:_NAMED]))]
        half = -(-len(names) // 2)
        columns = [names[:half], names[half:]]
        if len(nodes) > _NAMED:
            columns[0].append(f"and {len(nodes) - _NAMED} more (small)")
        for x, column in zip((0, 0.5), columns, strict=True):
            text = "\n".join(short(line) for line in column)
            style = {"va": "top", "fontsize": 7.5, "linespacing": 1.25}
            cells[1].text(x, 1, text, transform=cells[1].transAxes, **style)
    return figure


@figure("cohorts", by_cohort=False)
def cohorts(view):
    """Draw the two sets of each cohort, the clearest difference first, as small multiples."""
    views = list(_views(view))
    figure = new_figure(PAGE, (1.45 if has_centroids(view.results.atlas) else 2.4) * len(views))
    rows = np.atleast_1d(figure.subfigures(len(views), 1))
    for row, one in zip(rows, views, strict=True):
        for cell, found in zip(row.subfigures(1, 2), _sets(one), strict=False):
            look, at = one.looks.contrasts[found[1]], found[2]["percentile"]
            side = one.sides[found[0]]
            title = f"{one.label}: more {side}{one.perhaps(found[1], at)}"
            said = _draw(cell.subplots(), one, found, 0)[1]
            cell.suptitle(f"{title}\n{said}", color=look.dark)
    return figure


def _views(view):
    """Yield the views of the cohorts, the one with the clearest difference first."""
    shown = view.results.config["report"]["cohorts"]
    rest = [one for one in view.results.graphs if one not in shown]
    for cohort in by_clarity(view.results.significance, [*shown, *rest]):
        yield View(view.results, cohort)


def _sets(view):
    """Return group, contrast and subgraph of each direction that has a pair of regions."""
    percentiles = view.sets("contrast_large")
    percentiles |= clearest(view.results.significance, view.cohort, percentiles)
    found = enumerate((n, subgraph_at(view.contrasts[n], at)) for n, at in percentiles.items())
    return [(group, *one) for group, one in found if len(one[1]["nodes"]) > 1]


def _draw(axes, view, row, most):
    """Draw a set; return its regions by degree, and how many edges of which weight there are."""
    _, name, one = row
    look, weights = view.looks.contrasts[name], cohort_difference(view.graphs, name)
    nodes, degree = by_degree(weights, one["nodes"])
    edges = edges_from(weights, nodes, view.least(one), look)
    inside = weights[np.ix_(nodes, nodes)]
    colours = by_share(look.dark, view.share(name, one["percentile"]), nodes)
    draw_set(axes, view.results.atlas, nodes, degree, edges, colours, "xz", inside, [look], most)
    return nodes, f"{plural(len(nodes), 'region')}, {said_of(edges, view.least(one), inside.max())}"
