"""Decision boundaries of the two-feature classifiers (appendix of the paper)."""

import json
from dataclasses import dataclass

import numpy as np

from ...contrast.difference import group_means
from ...contrast.features import distances, edge_counts
from ...evaluation.summary import kept
from ...evaluation.svm import train_columns
from ..names import rows_of
from .figure import View, figure
from .set_picture import subgraph_at
from .style import COLUMN, INK, PAGE, Looks, new_figure, one_legend

#: Points along each side of the grid on which a decision is drawn.
_GRID = 160
#: Size, edge, its width and opacity of the markers of either part: training points are small and
#: plain, test points large and ringed.
_PARTS = {"train": (9, "white", 0.25, 0.75), "test": (22, INK, 0.9, 1)}


@dataclass(frozen=True)
class Panel:
    """One cohort's two features, a split, and the classifier of its training part."""

    label: str
    features: np.ndarray  # (n_subjects, 2), in their own units
    y: np.ndarray  # 0 for the first group, 1 for the second
    test: np.ndarray  # whether a subject is in the test part
    candidate: dict  # parameters of the SVM, one of `svm.svm_grid`
    note: str  # the percentiles, for the title
    looks: Looks

    def decide(self, points):
        """Return decision values (above 0: the second group) at points of shape (n_points, 2)."""
        train = ~self.test
        decide = train_columns(self.features[train], self.y[train], self.candidate)
        return decide(points)


def panel_of(view, method):
    """Return the panel of one cohort: features, split and SVM of cs-p1 or cs-p2 under `paper`."""
    graphs = view.graphs
    scores = rows_of(view.results.scores, cohort=view.cohort, method=method)
    own = kept(rows_of(scores, protocol="paper", control="none"), "paper")
    # Only the first split is drawn, with the SVM that was chosen in it.
    first = own[own["repeat"] == own["repeat"].min()].iloc[0]
    percentiles = json.loads(first["parameters"])
    sets = [
        np.array(subgraph_at(view.contrasts[name], percentile)["nodes"], dtype=int)
        for name, percentile in percentiles.items()
    ]
    if "symmetric" in percentiles:
        features = distances(graphs.weights, sets, *group_means(graphs))
    else:
        features = edge_counts(graphs.weights, sets)
    note = ", ".join(f"{percentile:g}" for percentile in percentiles.values())
    svm = json.loads(first["svm"])
    test = view.results.first_split[view.cohort]
    return Panel(view.label, features, graphs.y, test, svm, note, view.looks)


@figure("accuracy", by_cohort=False)
def boundaries_p1(view):
    """Draw the decision regions of CS-P1, one panel a cohort (appendix, Problem 1)."""
    return _boundaries(view.results, "cs-p1")


@figure("accuracy", by_cohort=False)
def boundaries_p2(view):
    """Draw the decision regions of CS-P2, one panel a cohort; like `boundaries_p1`."""
    return _boundaries(view.results, "cs-p2")


def _boundaries(results, method):
    panels = [panel_of(View(results, cohort), method) for cohort in results.first_split]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    width = COLUMN
    if columns == 2:
        width = PAGE
    figure = new_figure(width, 0.4 + 2.75 * rows)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid[len(panels) :]:
        axes.axis("off")
    for axes, panel in zip(grid, panels, strict=False):
        _draw_panel(axes, panel)
        if method == "cs-p1":
            what = "Edges"
            if results.names.weighted:
                what = "Sum of weights"
            x, y = (f"{what} in {one.label}" for one in list(panel.looks.contrasts.values())[:2])
        else:
            x, y = (f"$L_1$ distance to {look.label}" for look in panel.looks.groups)
        axes.set(xlabel=x, ylabel=y)
        title = panel.label
        if "," in panel.note:
            title = f"{panel.label} (percentiles {panel.note})"
        elif panel.note:
            title = f"{panel.label} (percentile {panel.note})"
        axes.set_title(title)
    place = {"loc": "outside lower center", "ncols": 2 * columns, "handlelength": 1}
    one_legend(figure, grid[:1], **place)
    return figure


def _draw_panel(axes, panel):
    low = panel.features.min(axis=0)
    high = panel.features.max(axis=0)
    room = np.maximum(0.06 * (high - low), 0.5)
    xs, ys = (np.linspace(low[k] - room[k], high[k] + room[k], _GRID) for k in (0, 1))
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
    decision = panel.decide(points).reshape(_GRID, _GRID)
    # Two filled levels, whose outer limits lie beyond all decision values.
    far = max(np.abs(decision).max(), 1e-9) * 2
    axes.contourf(
        xs, ys, decision, levels=[-far, 0, far], colors=["#d6e4f3", "#fdeed9"], antialiased=True
    )
    if decision.min() < 0 < decision.max():
        axes.contour(xs, ys, decision, levels=[0], colors=[INK], linewidths=0.9)
    whole = bool((panel.features == np.round(panel.features)).all())  # counts: many share a place
    # Markers of the two groups at the same place are moved apart a little.
    aside = 0.0
    if whole:
        aside = min(0.006 * (xs[-1] - xs[0]), 0.15)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=whole)
    for group, look in enumerate(panel.looks.groups):
        for part, where in (("train", ~panel.test), ("test", panel.test)):
            points = panel.features[where & (panel.y == group)]
            places, number = np.unique(points, axis=0, return_counts=True)
            size, edge, width, alpha = _PARTS[part]
            axes.scatter(
                places[:, 0] + (2 * group - 1) * aside,
                places[:, 1],
                s=size * np.minimum(number, 6) ** 0.7,
                marker=look.marker,
                facecolor=look.colour,
                edgecolor=edge,
                linewidth=width,
                alpha=alpha,
                zorder=3 + (part == "test"),
                label=f"{look.label}, {part}",
            )
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
