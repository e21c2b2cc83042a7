"""The picture beside the answer: the two sets of the cohort with the clearest difference."""

import numpy as np

from ...contrast.cohort import cohort_difference
from ..formats import LEVEL
from ..names import by_clarity, clearest, pictured, region_label
from .brain import draw_brain, has_centroids, scaled
from .circle import draw_circle
from .contrast_pair import drawn_edges, heaviest, short, subgraph_at, weighted_degrees
from .figure import Figure
from .style import COLUMN, Looks, new_figure, styled

#: Regions that have a number on the brain and their names below it.
_NAMED = 8


@styled
def answer(graphs, contrasts, atlas, percentiles, edge_weight=None, looks=None, chance=()):
    """Draw the sets of the two directions, one above the other, narrow enough for a telephone.

    Parameters
    ----------
    graphs, contrasts, atlas, percentiles, edge_weight, looks
        As for `contrast_large`.
    chance : collection of str
        Contrasts that chance explains, which their titles say.

    Returns
    -------
    matplotlib.figure.Figure
    """
    looks = looks or Looks(graphs.groups)
    brains = has_centroids(atlas)
    rows = []
    for place, (name, at) in enumerate(percentiles.items()):
        one = subgraph_at(contrasts[name], at)
        nodes = np.array(one["nodes"], dtype=int)
        if len(nodes) > 1:
            rows.append((place, name, nodes, one["alpha"] if edge_weight is None else edge_weight))
    lines = [-(-min(len(nodes), _NAMED) // 2) + (len(nodes) > _NAMED) for _, _, nodes, _ in rows]
    heights = [1.62 + 0.135 * count if brains else 3.2 for count in lines] or [0.5]
    figure = new_figure(COLUMN, sum(heights))
    parts = np.atleast_1d(figure.subfigures(len(heights), 1, height_ratios=heights))
    for part, count, (place, name, nodes, least) in zip(parts, lines, rows, strict=False):
        look = looks.contrasts[name]
        weights = cohort_difference(graphs, name)
        degree = weighted_degrees(weights, nodes)
        order = np.lexsort((nodes, -degree.round(12)))
        nodes, degree = nodes[order], degree[order]
        edges, _ = heaviest(drawn_edges(weights, nodes, least, look))
        may = ": may be chance" if name in chance else ""
        more = looks.groups[place].label
        part.suptitle(f"More connected in {more}{may}", color=look.dark, fontweight="bold")
        sizes = scaled(degree, 12, 55)
        if not brains:
            colours = np.tile(_rgb(look.colour), (len(nodes), 1))
            draw_circle(part.subplots(), atlas, nodes, sizes, colours, edges)
            continue
        brain, key = part.subplots(2, 1, height_ratios=[1.4, 0.135 * count])
        sizes[:_NAMED] = 62
        numbers = [str(k + 1) if k < _NAMED else "" for k in range(len(nodes))]
        draw_brain(brain, atlas, nodes, sizes, look.colour, edges, numbers, views="xz")
        key.axis("off")
        names = [f"{k + 1}  {region_label(graphs.roi[i])}" for k, i in enumerate(nodes[:_NAMED])]
        half = -(-len(names) // 2)
        columns = [names[:half], names[half:]]
        if len(nodes) > _NAMED:
            columns[0].append(f"and {len(nodes) - _NAMED} more (small)")
        for x, column in zip((0, 0.5), columns, strict=True):
            text = "\n".join(short(line) for line in column)
            style = {"va": "top", "fontsize": 7.5, "linespacing": 1.25}
            key.text(x, 1, text, transform=key.transAxes, **style)
    return figure


def _rgb(colour):
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def _from_files(results, cohort):
    """Draw the cohort whose difference stands out most."""
    table = results.significance if results.paths.get("inference") else None
    shown = results.config["report"]["cohorts"]
    name = by_clarity(table, [*shown, *(one for one in results.graphs if one not in shown)])[0]
    percentiles = pictured(results.config, results.names, "contrast_large", name)
    percentiles |= clearest(table, name, percentiles)
    chance = []
    for contrast, at in percentiles.items() if table is not None else ():
        here = table[(table["cohort"] == name) & (table["contrast"] == contrast)]
        p = here.loc[here["percentile"] == at, "p_familywise"]
        chance += [contrast] if len(p) and not p.iloc[0] <= LEVEL else []
    looks = Looks.of(results.names, name)
    graphs, contrasts = results.graphs[name], results.contrasts[name]
    least = results.config["report"]["edge_weight"]
    return answer(graphs, contrasts, results.atlas, percentiles, least, looks, chance)


ANSWER = Figure(name="answer", section="answer", by_cohort=False, draw=_from_files)
