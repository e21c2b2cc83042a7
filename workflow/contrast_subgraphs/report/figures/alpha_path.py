"""How the contrast subgraphs change with alpha."""

import numpy as np

from ..names import region_label
from .figure import figure
from .style import PAGE, PALE, QUIET, new_figure

#: Columns of the path's chart of members.
_COLUMNS = 48


@figure("subgraphs")
def alpha_path(view):
    """Draw size and objective over alpha, with the regions entering and leaving.

    A block for each contrast, a row for each alpha: number of regions, objective (a bar up to the
    proven bound where the optimum is not proven), and a filled cell wherever a region belongs to
    the subgraph.
    """
    contrasts = view.contrasts
    looks = view.looks.contrasts
    names = [name for name in looks if name in contrasts]
    paths = {name: _path(contrasts[name]["subgraphs"]) for name in names}
    regions = {name: _order_of_leaving(path) for name, path in paths.items()}
    heights = [max(0.14 * len(paths[name]), 0.6) + _names_height(regions[name]) for name in names]
    figure = new_figure(PAGE, sum(heights) + 0.5)
    axes = figure.subplots(
        len(names), 3, squeeze=False, width_ratios=[0.8, 0.8, 5], height_ratios=heights
    )
    for row, name in enumerate(names):
        size, value, members = axes[row]
        if row:
            size.sharex(axes[0, 0])
            value.sharex(axes[0, 1])
        _draw_path(size, value, paths[name], looks[name])
        size.set_title(looks[name].label, loc="left")
        size.set_ylabel("Percentile, α")
        _draw_members(members, paths[name], regions[name], looks[name])
    for column, label in enumerate(("Regions", "Objective")):
        axes[-1, column].set_xlabel(label)
        axes[0, column].set_xlim(left=0)
    return figure


def _path(subgraphs):
    """Return the subgraphs from the smallest alpha on, equal alphas merged.

    Each is a copy whose ``percentile`` is a list: several percentiles can have one alpha.
    """
    merged = []
    for subgraph in sorted(subgraphs, key=lambda subgraph: subgraph["alpha"]):
        at = []
        if subgraph["percentile"] is not None:
            at = [subgraph["percentile"]]
        # Two percentiles of few different weights may give one alpha, and one set.
        if merged and np.isclose(merged[-1]["alpha"], subgraph["alpha"], rtol=1e-9, atol=0):
            merged[-1]["percentile"] += at
        else:
            merged.append({**subgraph, "percentile": at})
    return merged


def _order_of_leaving(path):
    """Return the regions of any subgraph of the path, those that stay longest first."""
    # Region -> the steps at which it belongs to the set.
    order = {}
    for step, subgraph in enumerate(path):
        for node, region in zip(subgraph["nodes"], subgraph["regions"], strict=True):
            order.setdefault((node, region), []).append(step)
    return sorted(order, key=lambda key: (-max(order[key]), -len(order[key]), key[0]))


def _names_height(regions):
    """Inches that the names of the regions take when they stand upright."""
    names = [region_label(name) for _, name in regions[:_COLUMNS]]
    return 0.25 + 0.062 * max(map(len, names), default=4)


def _draw_path(size, value, path, look):
    steps = np.arange(len(path))
    objective = np.array([subgraph["objective"] for subgraph in path])
    bound = np.array([subgraph["upper_bound"] for subgraph in path])
    size.plot([len(subgraph["nodes"]) for subgraph in path], steps, ".-", color=look.colour)
    value.plot(objective, steps, ".-", color=look.colour)
    # Where the optimum is not proved, a grey line reaches up to the bound.
    open_ = np.array([not subgraph["optimal"] for subgraph in path], dtype=bool)
    if open_.any():
        value.hlines(steps[open_], objective[open_], bound[open_], color=QUIET, linewidth=2.5)
    for axes in (size, value):
        axes.set_ylim(len(path) - 0.4, -0.6)
        axes.grid(axis="x", color=PALE, linewidth=0.5)
        axes.set_yticks([])
    size.set_yticks(steps, [_step_label(subgraph) for subgraph in path])
    size.tick_params(axis="y", length=0)


def _draw_members(axes, path, regions, look):
    shown = regions[:_COLUMNS]
    for step, subgraph in enumerate(path):
        there = [place for place, (node, _) in enumerate(shown) if node in subgraph["nodes"]]
        axes.bar(there, 0.78, bottom=step - 0.39, width=0.86, color=look.colour)
    axes.hlines(np.arange(len(path)), -0.5, len(shown) - 0.5, color=PALE, linewidth=0.4, zorder=0)
    # Cells of one width in all blocks, whether they fill them or not.
    axes.set(xlim=(-0.7, max(len(shown), 40) - 0.4), ylim=(len(path) - 0.4, -0.6))
    axes.set_xticks(range(len(shown)), [region_label(region) for _, region in shown])
    axes.tick_params(axis="x", labelrotation=90, length=0, pad=1)
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    if len(regions) > len(shown):
        text = f"and {len(regions) - len(shown)} regions that leave sooner"
        axes.set_title(text, loc="right", fontsize=7)


def _step_label(subgraph):
    if not subgraph["percentile"]:
        return f"{subgraph['alpha']:.3g}"
    at = ", ".join(f"{percentile:g}" for percentile in subgraph["percentile"])
    return f"{at}; {subgraph['alpha']:.3f}"
