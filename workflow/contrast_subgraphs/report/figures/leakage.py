"""Accuracy under each protocol over the permuted controls: what leakage does."""

import numpy as np

from ...evaluation.summary import control_means
from ..names import rows_of
from .figure import figure
from .set_picture import short
from .style import INK, PAGE, PALE, QUIET, new_figure, one_legend

#: Protocol -> colour and marker.
_PROTOCOLS = {"paper": ("#8e3b8a", "o"), "nested": ("#12705d", "s")}


@figure("accuracy", by_cohort=False)
def leakage(view):
    """Draw the paper's accuracy, ours under both protocols, and the permuted controls.

    A panel for each cohort, a row for each method; for each protocol a marker with its interval,
    over the means of the permuted controls in grey.
    """
    accuracy = view.results.accuracy
    scores = view.results.scores
    names = view.names
    accuracy = accuracy[accuracy["protocol"].isin(_PROTOCOLS)]
    cohorts = list(dict.fromkeys(accuracy["cohort"]))
    methods = list(dict.fromkeys(accuracy["method"]))
    protocols = [name for name in _PROTOCOLS if (accuracy["protocol"] == name).any()]
    columns = 3
    if len(cohorts) < 5:
        columns = len(cohorts)
    rows = -(-len(cohorts) // columns)
    figure = new_figure(PAGE, 0.4 + rows * (0.7 + 0.2 * len(methods) * (1 + len(protocols))))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in panels[len(cohorts) :]:
        axes.axis("off")
    # A lane for each method and protocol, with a gap between methods.
    lanes = {}
    for row, method in enumerate(methods):
        for lane, protocol in enumerate(protocols):
            lanes[method, protocol] = row * (len(protocols) + 0.7) + lane
    for axes, cohort in zip(panels, cohorts, strict=False):
        axes.axvline(0.5, color=QUIET, linewidth=0.8, linestyle=":", zorder=0)
        axes.grid(axis="x", color=PALE, linewidth=0.4)
        axes.set_axisbelow(True)
        for row in accuracy[accuracy["cohort"] == cohort].itertuples():
            lane = lanes[row.method, row.protocol]
            key = {"cohort": cohort, "method": row.method, "protocol": row.protocol}
            here = rows_of(scores, **key)
            controls = []
            if len(here):
                controls = control_means(here)
            _draw_lane(axes, lane, row, controls, names)
        label = short(names("cohort", cohort), 90 // columns)
        axes.set_title(f"{label}\nn = {_subjects(scores, cohort)}")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    middle = (len(protocols) - 1) / 2
    panels[0].set_yticks(
        [lanes[method, protocols[0]] + middle for method in methods],
        [names("method", method) for method in methods],
    )
    panels[0].set_ylim(max(lanes.values()) + 0.8, -0.8)
    figure.supxlabel("Accuracy on the test part", fontsize=7.5)
    place = {"loc": "outside upper center", "ncols": 4, "columnspacing": 1.2}
    one_legend(figure, panels, handletextpad=0.3, **place)
    return figure


def _subjects(scores, cohort):
    """Return how many subjects a cohort has: training and test part of a split."""
    own = scores[scores["cohort"] == cohort]
    if len(own):
        return int(own["train"].iloc[0] + own["test"].iloc[0])
    return "?"


def _draw_lane(axes, lane, row, controls, names):
    colour, marker = _PROTOCOLS[row.protocol]
    ours = names("protocol", row.protocol)
    if names.paper:
        ours = f"ours, {ours}"
    style = {"color": colour, "markersize": 5, "mec": "white", "mew": 0.5, "linestyle": ""}
    axes.plot(row.mean, lane, marker=marker, label=ours, zorder=5, **style)
    style = {"color": "#9a9a9a", "markersize": 6, "mew": 0.9, "linestyle": ""}
    axes.plot(controls, np.full(len(controls), lane), marker="|", zorder=2, **style)
    if np.isfinite(row.control_mean):
        style = {"color": INK, "markersize": 9, "mew": 1.6, "linestyle": ""}
        style["label"] = "permuted labels (bold: mean)"
        axes.plot(row.control_mean, lane, marker="|", zorder=3, **style)
    if np.isfinite(row.ci_low):
        # The interval of a mean may reach beyond what an accuracy can be.
        ends = np.clip([row.ci_low, row.ci_high], 0, 1)
        axes.plot(ends, [lane, lane], color=colour, linewidth=1.1, zorder=4)
    if row.protocol == "paper" and np.isfinite(row.paper_mean):
        style = {"color": "white", "markersize": 4, "mec": INK, "mew": 0.9, "linestyle": ""}
        style["label"] = "the paper's number"
        axes.plot(row.paper_mean, lane - 0.42, marker="D", zorder=6, **style)
