"""How the contrast subgraphs change with alpha, and with the subjects they come from."""

import numpy as np

from ..names import region_label
from .brain import draw_brain, scaled
from .figure import Figure
from .style import (
    PAGE,
    PALE,
    QUIET,
    Looks,
    new_figure,
    styled,
)

#: Bars of the stability figure.
_SHOWN = 15

#: Regions chosen in a smaller part of the splits are not drawn on the brain.
_SELDOM = 0.1


@styled
def alpha_path(contrasts, looks=None):
    """Draw size and objective over alpha, with the regions entering and leaving.

    Parameters
    ----------
    contrasts : dict
        For each contrast what its JSON file holds.
    looks : Looks, optional

    Returns
    -------
    matplotlib.figure.Figure
        One column for each contrast: number of regions, objective (a bar up to the
        proven bound where the optimum is not proven), and a filled cell wherever a
        region belongs to the subgraph.
    """
    looks = (looks or Looks()).contrasts
    names = [name for name in looks if name in contrasts]
    paths = {
        name: sorted(contrasts[name]["subgraphs"], key=lambda subgraph: subgraph["alpha"])
        for name in names
    }
    regions = {name: _order_of_leaving(paths[name]) for name in names}
    most = max(len(order) for order in regions.values())
    cells = 0.105 * max(most, 4)
    figure = new_figure(PAGE, 2.4 + cells)
    axes = figure.subplots(
        3, len(names), squeeze=False, height_ratios=[0.85, 0.85, cells], sharex="col"
    )
    for column, name in enumerate(names):
        size, value, members = axes[:, column]
        _draw_path(size, value, paths[name], looks[name])
        size.set_title(looks[name].label)
        _draw_members(members, paths[name], regions[name], most, looks[name])
    axes[0, 0].set_ylabel("Regions")
    axes[1, 0].set_ylabel("Objective")
    figure.align_ylabels(axes[:2, 0])
    return figure


def _order_of_leaving(path):
    """Return the regions of any subgraph of the path, those that stay longest first."""
    order = {}
    for step, subgraph in enumerate(path):
        for node, region in zip(subgraph["nodes"], subgraph["regions"], strict=True):
            steps = order.setdefault((node, region), [])
            steps.append(step)
    return sorted(order, key=lambda key: (-max(order[key]), -len(order[key]), key[0]))


def _draw_path(size, value, path, look):
    steps = np.arange(len(path))
    size.plot(steps, [len(subgraph["nodes"]) for subgraph in path], ".-", color=look.colour)
    objective = np.array([subgraph["objective"] for subgraph in path])
    bound = np.array([subgraph["upper_bound"] for subgraph in path])
    value.plot(steps, objective, ".-", color=look.colour)
    open_ = np.array([not subgraph["optimal"] for subgraph in path], dtype=bool)
    if open_.any():
        value.vlines(steps[open_], objective[open_], bound[open_], color=QUIET, linewidth=2.5)
    for axes in (size, value):
        axes.set_ylim(bottom=0)
        axes.margins(y=0.1)
        axes.grid(axis="y", color=PALE, linewidth=0.5)
        axes.tick_params(axis="x", length=0, labelbottom=False)


def _draw_members(axes, path, regions, most, look):
    inside = np.zeros((len(regions), len(path)))
    for step, subgraph in enumerate(path):
        for row, (node, _) in enumerate(regions):
            inside[row, step] = node in subgraph["nodes"]
    rows, steps = np.nonzero(inside)
    axes.barh(rows, 0.86, left=steps - 0.43, height=0.78, color=look.colour)
    axes.hlines(np.arange(len(regions)), -0.5, len(path) - 0.5, color=PALE, linewidth=0.4, zorder=0)
    axes.set(xlim=(-0.6, len(path) - 0.4), ylim=(most - 0.4, -0.7))
    axes.set_yticks(range(len(regions)), [region_label(region) for _, region in regions])
    axes.set_xticks(range(len(path)), [_step_label(subgraph) for subgraph in path])
    axes.tick_params(axis="y", length=0, pad=1)
    axes.tick_params(axis="x", labelrotation=90, labelbottom=True, top=False)
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def _step_label(subgraph):
    if subgraph["percentile"] is None:
        return f"α = {subgraph['alpha']:.3g}"
    return f"{subgraph['percentile']:g}, α = {subgraph['alpha']:.3f}"


@styled
def stability(stability, atlas, contrasts=None, looks=None):
    """Draw how often each region is chosen over the training splits.

    Parameters
    ----------
    stability : pandas.DataFrame
        Of one cohort, columns ``contrast``, ``percentile``, ``index``, ``region``,
        ``count`` and ``splits``; where ``percentile`` is ``chosen`` the alpha is the one
        that the inner cross-validation took.
    atlas : pandas.DataFrame
    contrasts : dict, optional
        What the contrasts' JSON files hold: regions that no subgraph of the whole
        cohort has are then drawn hollow.
    looks : Looks, optional

    Returns
    -------
    matplotlib.figure.Figure
        For each contrast two views of the brain (area of a marker: how often), and bars
        of the regions chosen most often.
    """
    stability = stability[stability["percentile"].astype(str) == "chosen"]
    looks = (looks or Looks()).contrasts
    names = [name for name in looks if (stability["contrast"] == name).any()]
    figure = new_figure(PAGE, 4.3)
    axes = figure.subplots(2, len(names), squeeze=False, height_ratios=[1.05, 1.6])
    for column, name in enumerate(names):
        table = stability[stability["contrast"] == name]
        share = (table["count"] / table["splits"]).to_numpy(float)
        order = np.lexsort((table["index"], -share))[:_SHOWN]
        look = looks[name]
        brain, bars = axes[:, column]
        chosen = share >= _SELDOM
        draw_brain(
            brain,
            atlas,
            table["index"].to_numpy(int)[chosen],
            scaled(share[chosen], 0.5, 60, top=1.0),
            look.colour,
            views="xz",
        )
        brain.set_title(looks[name].label)
        known = _ever_chosen(contrasts, name)
        nodes = table["index"].to_numpy(int)[order]
        bars.barh(
            np.arange(len(order)),
            share[order],
            height=0.7,
            facecolor=[
                look.colour if known is None or node in known else "white" for node in nodes
            ],
            edgecolor=look.colour,
            linewidth=0.8,
        )
        labels = [region_label(table["region"].iloc[place]) for place in order]
        bars.set_yticks(range(len(order)), labels)
        bars.tick_params(axis="y", length=0, pad=1)
        bars.set(xlim=(0, 1), ylim=(_SHOWN - 0.4, -0.6), xlabel="Part of the splits")
        bars.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        bars.grid(axis="x", color=PALE, linewidth=0.5)
        bars.set_axisbelow(True)
    return figure


def _ever_chosen(contrasts, name):
    if not contrasts or name not in contrasts:
        return None
    return {node for subgraph in contrasts[name]["subgraphs"] for node in subgraph["nodes"]}


ALPHA_PATH = Figure(
    name="alpha_path",
    title="The path over alpha",
    section="subgraphs",
    draw=lambda given, cohort: alpha_path(given.contrasts[cohort], given.names.looks(cohort)),
    alt=lambda about: (
        f"For each contrast of {about.label}: line plots of size and objective over alpha, and a "
        "chart of which regions belong to the subgraph at each alpha. The table of regions holds "
        "the sets."
    ),
    caption=lambda about: (
        f"How the contrast subgraphs of {about.label} change with alpha: number of regions, "
        "objective, and below a filled cell wherever a region belongs to the subgraph. Columns are "
        "the percentiles of the difference graph's weights, with the value of alpha; regions that "
        "stay longest are on top. A grey bar above a point reaches to the proven bound where the "
        "set is not proven optimal. The sets need not be nested: regions can enter as alpha grows."
    ),
)

STABILITY = Figure(
    name="stability",
    title="Stability over training splits",
    section="real",
    draw=lambda given, cohort: stability(
        given.stability[given.stability["cohort"] == cohort],
        given.atlas,
        given.contrasts[cohort],
        given.names.looks(cohort),
    ),
    alt=lambda about: (
        f"For each contrast of {about.label}: brains with markers that grow with how often a "
        "region is chosen, and a bar chart of the regions chosen most often."
    ),
    caption=lambda about: (
        f"How often each region of {about.label} is part of the contrast subgraph extracted from a "
        "training part, at the alpha that the inner cross-validation chose there "
        "({0} and {1} by CS-P1, symmetric by CS-P2). ".format(*about.directions)
        + "Brains: the area of a marker grows with the part of the splits, from a tenth on. Bars: "
        "the regions chosen most often; hollow ones are in no contrast subgraph of the whole "
        "cohort at any alpha of the config."
    ),
)
