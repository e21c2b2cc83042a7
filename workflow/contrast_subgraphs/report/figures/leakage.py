"""Accuracy under each protocol over the permuted controls: what leakage does."""

import numpy as np

from ...evaluation.summary import control_means
from ..names import rows_of
from .figure import figure
from .style import INK, PAGE, PALE, QUIET, new_figure

#: Protocol -> colour and marker.
_PROTOCOLS = {"paper": ("#8e3b8a", "o"), "nested": ("#12705d", "s")}


@figure("accuracy", by_cohort=False)
def leakage(view):
    """Draw the paper's accuracy, ours under both protocols, and the permuted controls.

    A panel for each cohort, a row for each method; for each protocol a marker with its interval,
    over the means of the permuted controls in grey.
    """
    accuracy, scores, names = view.results.accuracy, view.results.scores, view.names
    accuracy = accuracy[accuracy["protocol"].isin(_PROTOCOLS)]
    cohorts = list(dict.fromkeys(accuracy["cohort"]))
    methods = list(dict.fromkeys(accuracy["method"]))
    protocols = [name for name in _PROTOCOLS if (accuracy["protocol"] == name).any()]
    wide = len(cohorts) > 2
    height = (1.0 if wide else 1.2) + 0.2 * len(methods) * (1 + len(protocols))
    figure = new_figure(PAGE, height)
    panels = figure.subplots(1, len(cohorts), sharex=True, sharey=True, squeeze=False)[0]
    lanes = {
        (method, protocol): row * (len(protocols) + 0.7) + lane
        for row, method in enumerate(methods)
        for lane, protocol in enumerate(protocols)
    }
    for axes, cohort in zip(panels, cohorts, strict=True):
        axes.axvline(0.5, color=QUIET, linewidth=0.8, linestyle=":", zorder=0)
        axes.grid(axis="x", color=PALE, linewidth=0.4)
        axes.set_axisbelow(True)
        for row in accuracy[accuracy["cohort"] == cohort].itertuples():
            lane = lanes[row.method, row.protocol]
            key = {"cohort": cohort, "method": row.method, "protocol": row.protocol}
            here = rows_of(scores, **key)
            _draw_lane(axes, lane, row, control_means(here) if len(here) else [])
        axes.set_title(f"{names('cohort', cohort)}\nn = {_subjects(scores, cohort)}")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    middle = (len(protocols) - 1) / 2
    panels[0].set_yticks(
        [lanes[method, protocols[0]] + middle for method in methods],
        [names("method", method) for method in methods],
    )
    panels[0].set_ylim(max(lanes.values()) + 0.8, -0.8)
    figure.supxlabel("Accuracy on the test part", fontsize=7.5)
    figure.legend(
        handles=_leakage_legend(accuracy, protocols, names),
        loc="outside upper center",
        ncols=4,
        columnspacing=1.2,
        handletextpad=0.3,
    )
    return figure


def _subjects(scores, cohort):
    """Return how many subjects a cohort has: training and test part of a split."""
    own = scores[scores["cohort"] == cohort]
    return int(own["train"].iloc[0] + own["test"].iloc[0]) if len(own) else "?"


def _draw_lane(axes, lane, row, controls):
    colour, marker = _PROTOCOLS[row.protocol]
    axes.plot(
        controls,
        np.full(len(controls), lane),
        "|",
        color="#9a9a9a",
        markersize=6,
        mew=0.9,
        zorder=2,
    )
    if np.isfinite(row.control_mean):
        axes.plot(row.control_mean, lane, "|", color=INK, markersize=9, mew=1.6, zorder=3)
    if np.isfinite(row.ci_low):
        ends = np.clip([row.ci_low, row.ci_high], 0, 1)
        axes.plot(ends, [lane, lane], color=colour, linewidth=1.1, zorder=4)
    axes.plot(row.mean, lane, marker, color=colour, markersize=5, mec="white", mew=0.5, zorder=5)
    if row.protocol == "paper" and np.isfinite(row.paper_mean):
        axes.plot(
            row.paper_mean,
            lane - 0.42,
            "D",
            color="white",
            markersize=4,
            mec=INK,
            mew=0.9,
            zorder=6,
        )


def _leakage_legend(accuracy, protocols, names):
    from matplotlib.lines import Line2D

    def entry(label, **style):
        return Line2D([], [], linestyle="none", label=label, **style)

    handles = []
    if "paper" in protocols and accuracy["paper_mean"].notna().any():
        handles.append(
            entry("the paper's number", marker="D", color="white", markersize=4, mec=INK)
        )
    ours = "ours, " if names.paper else ""
    for protocol in protocols:
        colour, marker = _PROTOCOLS[protocol]
        handles.append(
            entry(ours + names("protocol", protocol), marker=marker, color=colour, markersize=5)
        )
    if accuracy["control_mean"].notna().any():
        handles.append(
            entry(
                "permuted labels (bold: mean)", marker="|", color="#777777", markersize=7, mew=1.2
            )
        )
    return handles
