"""One picture of a run: where, how much, for whom, and whether it is more than chance."""

import numpy as np

from ...contrast.cohort import cohort_difference
from ...contrast.features import edge_counts
from ..formats import density_text, p_value
from ..names import pictured
from ..tables.subgraphs import density
from .brain import draw_brain, label_runs, scaled
from .contrast_pair import drawn_edges, subgraph_at, weighted_degrees
from .difference import by_system, draw_matrix
from .figure import Figure
from .style import INK, PAGE, PALE, Looks, group_legend, new_figure, scatter_groups, styled


@styled
def overview(graphs, contrasts, atlas, percentiles, edge_weight=0.1, looks=None, significance=None):
    """Draw the two directed subgraphs, the difference graph, the subjects and the null.

    Parameters
    ----------
    graphs, contrasts, atlas, percentiles, edge_weight, looks
        As for `contrast_large`.
    significance : pandas.DataFrame, optional
        Rows of the table ``significance`` of this cohort.

    Returns
    -------
    matplotlib.figure.Figure
    """
    looks = looks or Looks(graphs.groups)
    figure = new_figure(PAGE, 4.9)
    top, below = figure.subfigures(2, 1, height_ratios=[2.1, 2.8])
    what = "density" if graphs.adjacency.dtype.kind in "ui" else "mean weight"
    sets = []
    halves = top.subfigures(1, 2)
    for place, (half, (name, percentile)) in enumerate(
        zip(halves, percentiles.items(), strict=True)
    ):
        look = looks.contrasts[name]
        nodes = np.array(subgraph_at(contrasts[name], percentile)["nodes"], dtype=int)
        sets.append(nodes)
        weights = cohort_difference(graphs, name)
        edges = drawn_edges(weights, nodes, edge_weight, look)
        sizes = scaled(weighted_degrees(weights, nodes), 8, 45)
        draw_brain(half.subplots(), atlas, nodes, sizes, look.dark, edges, views="xz")
        dense = [density(graphs.adjacency[graphs.y == y], nodes) for y in (place, 1 - place)]
        more, less = looks.groups[place].label, looks.groups[1 - place].label
        half.suptitle(
            f"{look.label}, more connected in {more}: {len(nodes)} regions\n"
            f"{what} {more} {density_text(dense[0])}, {less} {density_text(dense[1])}"
        )
    tested = significance is not None and significance["z"].notna().any()
    parts = below.subplots(1, 3 if tested else 2, width_ratios=[1.25, 1, 0.9][: 2 + tested])
    _draw_subjects(parts[1], graphs, sets, looks, list(percentiles))
    if tested:
        _draw_null(parts[2], significance, percentiles, looks)
    ordered, order = by_system(atlas)
    matrix = cohort_difference(graphs, next(iter(looks.contrasts)))[np.ix_(order, order)]
    image = draw_matrix(parts[0], matrix, ordered, looks)
    parts[0].set(xticks=[], yticks=[])
    bar = figure.colorbar(image, ax=parts[0], location="left", shrink=0.8, aspect=25, pad=0.02)
    bar.outline.set_linewidth(0.5)
    figure.draw_without_rendering()
    label_runs(parts[0], ordered, side="right")
    return figure


def _draw_subjects(axes, graphs, sets, looks, names):
    counts = edge_counts(graphs.adjacency, sets)
    scatter_groups(axes, counts, graphs.y, looks, size=10)
    top = np.maximum(1.08 * counts.max(axis=0), 1)
    axes.set(xlim=(0, top[0]), ylim=(0, top[1]))
    axes.set_title("Edges of each subject", pad=17)
    for axis, name in zip((axes.xaxis, axes.yaxis), names, strict=True):
        axis.set_label_text(f"in {looks.contrasts[name].label}")
    where = {"loc": "lower left", "bbox_to_anchor": (0, 0.99)}
    group_legend(axes, ncols=2, columnspacing=0.8, **where)


def _draw_null(axes, table, percentiles, looks):
    """Draw the observed objectives in standard deviations of those of permuted labels."""
    rows = []
    for name, percentile in percentiles.items():
        here = (table["contrast"] == name) & (table["percentile"] == percentile)
        rows += [(looks.contrasts[name], row) for row in table[here].itertuples()]
    for place, (look, row) in enumerate(rows):
        sd = row.null_sd if row.null_sd > 0 else np.nan
        ends = np.array([row.null_low, row.null_high]) - row.null_mean
        axes.plot(ends / sd, [place, place], color=PALE, linewidth=9, solid_capstyle="butt")
        axes.plot([row.z_critical] * 2, [place - 0.3, place + 0.3], color=INK, linewidth=0.9)
        axes.plot(row.z, place, look.marker, color=look.colour, markersize=7, mec=look.dark)
        text = f"{look.label}: p = {p_value(row.p_familywise)}".replace("= <", "<")
        axes.text(0, place - 0.36, text, ha="center", va="bottom", fontsize=7)
    if rows and np.isfinite(row.z_critical):
        where = (row.z_critical, len(rows) - 0.62)
        axes.annotate("p = 0.05", where, ha="center", va="top", fontsize=7)
    axes.axvline(0, color=PALE, linewidth=0.6, zorder=0)
    axes.set(ylim=(len(rows) - 0.5, -0.8), yticks=[], title="Is it chance?")
    axes.margins(x=0.12)
    axes.set_xlabel("Objective, in sd of\npermuted diagnoses")
    axes.spines["left"].set_visible(False)


def _from_files(results, cohort):
    table = None
    if results.paths.get("inference"):
        table = results.significance[results.significance["cohort"] == cohort]
    return overview(
        results.graphs[cohort],
        results.contrasts[cohort],
        results.atlas,
        pictured(results.config, results.names, "contrast_large", cohort),
        results.config["report"]["edge_weight"],
        Looks.of(results.names, cohort),
        table,
    )


OVERVIEW = Figure(
    name="overview",
    section="overview",
    draw=_from_files,
)
