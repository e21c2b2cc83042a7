"""Decision boundaries of the two-feature classifiers (appendix of the paper)."""

import json
from dataclasses import dataclass, field

import numpy as np

from ...contrast import summary_graph
from ...contrast.features import distances, edge_counts
from ...evaluation.summary import kept
from ...evaluation.svm import train_columns
from .figure import Figure
from .set_picture import subgraph_at
from .style import COLUMN, INK, PAGE, Looks, new_figure, styled

#: Points along each side of the grid on which a decision is drawn.
_GRID = 160


@dataclass(frozen=True)
class Panel:
    """One cohort's two features, a split, and the classifier of its training part.

    Attributes
    ----------
    label : str
        What the panel is called.
    features : numpy.ndarray of shape (n_subjects, 2)
        In their own units.
    y : numpy.ndarray of shape (n_subjects,)
        0 for the first group, 1 for the second.
    test : numpy.ndarray of shape (n_subjects,), bool
    candidate : dict
        Parameters of the SVM, one of `svm.svm_grid`.
    note : str
        The percentiles, for the title.
    looks : Looks
    """

    label: str
    features: np.ndarray
    y: np.ndarray
    test: np.ndarray
    candidate: dict
    note: str = ""
    looks: Looks = field(default_factory=Looks)

    def decide(self, points):
        """Return decision values (above 0: the second group) at points of shape (n_points, 2)."""
        train = ~self.test
        decide = train_columns(self.features[train], self.y[train], self.candidate)
        parts = np.array_split(points, max(1, len(points) // 5000))  # an RBF needs the room
        return np.concatenate([decide(part) for part in parts])


def boundary_panel(label, graphs, contrasts, scores, test, looks=None):
    """Return the panel of one cohort: features, split and SVM of the protocol ``paper``.

    `label`: the cohort's label; `contrasts`: what the contrasts' JSON files hold; `scores`: scores
    of cs-p1 or cs-p2 on this cohort under protocol ``paper``; `test` (n_subjects,): test part of
    the first split.
    """
    own = kept(scores[scores["control"] == "none"], "paper")
    first = own[own["repeat"] == own["repeat"].min()].iloc[0]
    percentiles = json.loads(first["parameters"])
    sets = [
        np.array(subgraph_at(contrasts[name], percentile)["nodes"], dtype=int)
        for name, percentile in percentiles.items()
    ]
    if "symmetric" in percentiles:
        w = [summary_graph(graphs.adjacency[graphs.y == group]) for group in (0, 1)]
        features = distances(graphs.adjacency, sets, *w)
    else:
        features = edge_counts(graphs.adjacency, sets)
    note = ", ".join(f"{percentile:g}" for percentile in percentiles.values())
    looks = looks or Looks(graphs.groups)
    return Panel(label, features, graphs.y, test, json.loads(first["svm"]), note, looks)


@styled
def boundaries_p1(panels):
    """Draw the decision regions of CS-P1, one panel a cohort (appendix, Problem 1)."""
    return _boundaries(panels, 1)


@styled
def boundaries_p2(panels):
    """Draw the decision regions of CS-P2, one panel a cohort; like `boundaries_p1`."""
    return _boundaries(panels, 2)


def _boundaries(panels, problem):
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(PAGE if columns == 2 else COLUMN, 0.4 + 2.75 * rows)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid[len(panels) :]:
        axes.axis("off")
    for axes, panel in zip(grid, panels, strict=False):
        _draw_panel(axes, panel)
        if problem == 1:
            x, y = (f"Edges in {look.label}" for look in list(panel.looks.contrasts.values())[:2])
        else:
            x, y = (f"$L_1$ distance to {look.label}" for look in panel.looks.groups)
        axes.set(xlabel=x, ylabel=y)
        word = "percentile" if "," not in panel.note else "percentiles"
        axes.set_title(f"{panel.label} ({word} {panel.note})" if panel.note else panel.label)
    handles = [
        _marker(look, part, f"{look.label}, {part}")
        for look in panels[0].looks.groups
        for part in ("train", "test")
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=4 if columns == 2 else 2, handlelength=1
    )
    return figure


def _draw_panel(axes, panel):
    low, high = panel.features.min(axis=0), panel.features.max(axis=0)
    room = np.maximum(0.06 * (high - low), 0.5)
    xs, ys = (np.linspace(low[k] - room[k], high[k] + room[k], _GRID) for k in (0, 1))
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys)])
    decision = panel.decide(points).reshape(_GRID, _GRID)
    far = max(np.abs(decision).max(), 1e-9) * 2
    axes.contourf(
        xs, ys, decision, levels=[-far, 0, far], colors=["#d6e4f3", "#fdeed9"], antialiased=True
    )
    if decision.min() < 0 < decision.max():
        axes.contour(xs, ys, decision, levels=[0], colors=[INK], linewidths=0.9)
    whole = bool((panel.features == np.round(panel.features)).all())  # counts: many share a place
    aside = min(0.006 * (xs[-1] - xs[0]), 0.15) if whole else 0.0
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=whole)
    for group, look in enumerate(panel.looks.groups):
        for part, where in (("train", ~panel.test), ("test", panel.test)):
            points = panel.features[where & (panel.y == group)]
            places, number = np.unique(points, axis=0, return_counts=True)
            style = _of(look, part)
            style["s"] = style["s"] * np.minimum(number, 6) ** 0.7
            axes.scatter(
                places[:, 0] + (2 * group - 1) * aside,
                places[:, 1],
                zorder=3 + (part == "test"),
                **style,
            )
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))


def _of(look, part):
    """Return how training points (small, plain) and test points (large, ringed) look."""
    if part == "train":
        style = {"s": 9, "edgecolor": "white", "linewidth": 0.25, "alpha": 0.75}
    else:
        style = {"s": 22, "edgecolor": INK, "linewidth": 0.9}
    return {"marker": look.marker, "facecolor": look.colour, **style}


def _marker(look, part, label):
    from matplotlib.lines import Line2D

    style = _of(look, part)
    return Line2D(
        [],
        [],
        linestyle="none",
        marker=style["marker"],
        markersize=np.sqrt(style["s"]) + 1,
        markerfacecolor=style["facecolor"],
        markeredgecolor=style["edgecolor"],
        markeredgewidth=style["linewidth"],
        label=label,
    )


def _panels(results, method):
    """Return the panel of each cohort for cs-p1 or cs-p2."""
    panels = []
    for cohort, graphs in results.graphs.items():
        scores = results.scores
        own = (scores["cohort"] == cohort) & (scores["method"] == method)
        panels.append(
            boundary_panel(
                results.names("cohort", cohort),
                graphs,
                results.contrasts[cohort],
                scores[own & (scores["protocol"] == "paper")],
                results.first_split[cohort],
                Looks.of(results.names, cohort),
            )
        )
    return panels


BOUNDARIES_P1 = Figure(
    name="boundaries_p1",
    section="accuracy",
    by_cohort=False,
    draw=lambda results, cohort: boundaries_p1(_panels(results, "cs-p1")),
)


BOUNDARIES_P2 = Figure(
    name="boundaries_p2",
    section="accuracy",
    by_cohort=False,
    draw=lambda results, cohort: boundaries_p2(_panels(results, "cs-p2")),
)
