"""The two directed contrast subgraphs with the scatter plots they give (Figures 1 and 5)."""

import numpy as np

from ...contrast.features import edge_counts, mean_weights
from .brain import has_centroids
from .figure import figure
from .set_picture import by_share, draw_key, draw_set, drawn, key_lines, row_height, subgraph_at
from .style import PAGE, QUIET, group_legend, new_figure, scatter_groups

#: Vertices and edges of the rule in Section 1.2: more than 62 edges among 15 vertices.
RULE_REGIONS = 15
RULE_EDGES = 62


@figure("subgraphs")
def contrast_large(view):
    """Draw the two contrast subgraphs of Problem 1 and the edges of each subject in them."""
    return _pair(view, "contrast_large", 0.5)


def _other_sets(view):
    """Say whether `contrast_small` has sets that `contrast_large` has not."""
    return view.nodes("contrast_small") != view.nodes("contrast_large")


@figure("subgraphs", there=_other_sets)
def contrast_small(view):
    """Draw the same for larger values of alpha."""
    return _pair(view, "contrast_small", 1.0, view.sets("contrast_large"))


def _not_drawn_otherwise(view):
    """Say whether no `contrast_large` shows the sets of the cohort with the clearest difference."""
    view = view.clearest
    if view.cohort not in view.results.config["report"]["cohorts"]:
        return True
    return view.nodes("contrast_clearest") != view.nodes("contrast_large")


@figure("subgraphs", by_cohort=False, there=_not_drawn_otherwise)
def contrast_clearest(view):
    """Draw the same of the cohort with the clearest difference, whatever cohorts are pictured."""
    # The paper's rules are of its own sets, not of these.
    return _pair(view.clearest, "contrast_clearest", None)


def _pair(view, figure, rule, other=None):
    """Draw the two sets of a figure: the darker a marker, the more half samples choose it.

    `rule`: slope of the paper's rule: 0.5 (Section 1.2: half as many edges, and more than 62 edges
    if the second set has 15 vertices) or 1 (Section 4.1), or None; `other`: percentiles of another
    figure: where its set is the same, the title says so.
    """
    percentiles = view.sets(figure)
    directions = list(view.looks.contrasts)[:2]
    found = {name: subgraph_at(view.contrasts[name], percentiles[name]) for name in directions}
    chosen = {name: np.array(one["nodes"], dtype=int) for name, one in found.items()}
    sets = {name: drawn(view, name, one, view.least(one)) for name, one in found.items()}
    # A set that may be chance stands below the one that is more than chance.
    sets = dict(sorted(sets.items(), key=lambda one: one[1].perhaps != ""))
    same = {name: _same_as(view.contrasts[name], nodes, other) for name, nodes in chosen.items()}
    heights = [_height(view, chosen[name], same[name]) for name in sets]
    keys = [0.01 + 0.118 * key_lines(len(one.names)) for one in sets.values()]
    # Brains stand below each other with names to the right; circles stand side by side.
    if has_centroids(view.results.atlas):
        upper = sum(heights)
    else:
        upper = 0.4 + max(map(sum, zip(heights, keys, strict=True)))
    figure = new_figure(PAGE, upper + 2.6)
    above, below = figure.subfigures(2, 1, height_ratios=[upper, 2.6])
    _draw_both(above, view, sets, percentiles, same, heights, keys)
    if view.slope:
        _against_the_value(below.subplots(1, 2), view, chosen, percentiles)
    else:
        _draw_features(below, view, sets, chosen, percentiles, rule)
    return figure


def _height(view, nodes, same):
    """Height in inches of a set's picture, or of the line that says why there is none."""
    if same is not None or not len(nodes):
        return 0.3
    return row_height(view.results.atlas, len(nodes))


def _in_both(sets):
    return set.intersection(*(set(np.asarray(one.nodes).tolist()) for one in sets.values()))


def _draw_both(above, view, sets, percentiles, same, heights, keys):
    """Draw the sets; one that is empty, or that another figure shows, is a line of text."""
    # Brains stand below each other, their names to the right; circles next to each other.
    brains = has_centroids(view.results.atlas)
    shape = {"ncols": 2}
    after_title = "\n"
    if brains:
        shape = {"height_ratios": heights, "nrows": 2}
        after_title = ": "
    both = _in_both(sets)
    cells = zip(above.subfigures(**shape), heights, keys, sets.items(), strict=True)
    for cell, *ratios, (name, one) in cells:
        title = f"{one.look.label}, percentile {percentiles[name]:g}{one.perhaps}"
        if same[name] is not None or not len(one.nodes):
            why = "no pair differs by more than α"
            if len(one.nodes):
                why = f"the same set as at the percentile {same[name]:g}"
            cell.suptitle(f"{title}:\n{why}", x=0.01, ha="left")
            continue
        cell.suptitle(f"{title}{after_title}{one.said}", x=0.01, ha="left")
        split = {"nrows": 2, "height_ratios": ratios}
        if brains:
            split = {"ncols": 2, "width_ratios": [1.9, 1]}
        brain, key = cell.subplots(**split)
        draw_set(brain, view.results.atlas, *one.parts)
        labels = []
        for label, node in zip(one.names, one.nodes, strict=False):
            if node in both:
                label = f"{label} *"
            labels.append(label)
        draw_key(key, labels)


def _draw_features(below, view, sets, chosen, percentiles, rule):
    """Draw what each subject has inside the two sets, and the paper's rules in words."""
    looks = view.looks
    counts = edge_counts(view.graphs.weights, list(chosen.values()))
    left, right = below.subfigures(1, 2, width_ratios=[1.35, 1])
    axes = left.subplots()
    scatter_groups(axes, counts, view.graphs.y, looks)
    top = np.maximum(1.08 * counts.max(axis=0), 1)
    axes.set(xlim=(-0.02 * top[0], top[0]), ylim=(-0.02 * top[1], top[1]))
    whole = not view.names.weighted
    what = "Sum of weights"
    if whole:
        what = "Edges"
    for axis, name in zip((axes.xaxis, axes.yaxis), chosen, strict=True):
        axis.get_major_locator().set_params(integer=whole)
        axis.set_label_text(f"{what} in the {looks.contrasts[name].label} subgraph")
    words = right.subplots()
    words.axis("off")
    handles, labels = axes.get_legend_handles_labels()
    texts = []
    if _in_both(sets) and all(one.names for one in sets.values()):
        texts = ["* in both sets", ""]
    shares = {name: view.share(name, percentiles[name]) for name in chosen}
    _draw_shares(words, shares, looks)
    second = list(chosen.values())[1]
    texts += _draw_rules(axes, counts, view, rule, len(second))
    group_legend(words, handles, labels, loc="upper left", bbox_to_anchor=(0, 1))
    if texts:
        style = {"fontsize": 7, "color": "#4a4a4a", "va": "top", "linespacing": 1.35}
        words.text(0.02, 0.53, "\n".join(texts), transform=words.transAxes, **style)


def _against_the_value(panels, view, chosen, percentiles):
    """Draw what each subject has inside held-out sets, or else the two shown, over the variable."""
    graphs = view.graphs
    looks = view.looks.groups
    value = graphs.numbers
    # Groups have a colour each, as with an interaction; a variable alone has one for all.
    y = np.zeros(len(value))
    if not graphs.numeric:
        y = graphs.y
    for axes, (name, nodes) in zip(panels, chosen.items(), strict=True):
        inside = view.held_out(name, percentiles[name])
        where = "inside held-out sets"
        if inside is None:
            # Without held-out sets, the label of the axis does not claim them.
            inside = mean_weights(graphs.weights, [nodes], empty=np.nan)[:, 0]
            where = "inside"
        for group in np.unique(y).astype(int):
            here = y == group
            if y.any():
                look = looks[group]
                what = f"{look.label} ({here.sum()})"
            else:
                look = view.looks.contrasts[name]
                what = f"n = {here.sum()}"
            style = {"marker": look.marker, "facecolor": look.colour, "edgecolor": "white"}
            axes.scatter(value[here], inside[here], s=16, linewidth=0.4, label=what, **style)
        axes.set(xlabel=view.variable, ylabel=f"{view.names.measure.capitalize()} {where}")
        axes.set_title(view.looks.contrasts[name].label)
    group_legend(panels[0], loc="best")


def _draw_shares(axes, shares, looks):
    """Add the key of `by_share`."""
    import pandas as pd

    known = [name for name, share in shares.items() if share is not None]
    if not known:
        return
    levels = pd.Series([0, 0.5, 1])
    axes.text(0.02, 0.77, "Part of the half samples that choose a region:", fontsize=7, va="center")
    for row, name in enumerate(known):
        colours = by_share(looks.contrasts[name].dark, levels, range(3))
        axes.scatter([0.06, 0.24, 0.46], [0.69 - 0.07 * row] * 3, s=60, c=colours)
        for x, level in zip((0.06, 0.24, 0.46), levels, strict=True):
            axes.text(x + 0.04, 0.69 - 0.07 * row, f"{level:.0%}", fontsize=7, va="center")
    axes.set(xlim=(0, 1), ylim=(0, 1))


def _same_as(contrast, nodes, other):
    """Return the other figure's percentile if its set is the very same, or None."""
    at = (other or {}).get(contrast["contrast"])
    if at is None or set(subgraph_at(contrast, at)["nodes"]) != set(nodes.tolist()):
        return None
    return at


def _draw_rules(axes, counts, view, slope, regions):
    """Draw the paper's rules as dotted lines; return them in words, with whom they pick."""
    if not view.names.paper or slope is None:
        return []
    first, second = view.directions
    line = {"color": QUIET, "linewidth": 0.9, "linestyle": ":", "zorder": 2, "scalex": False}
    right = axes.get_xlim()[1]
    axes.plot([0, right], [0, slope * right], scaley=False, **line)
    below = counts[:, 1] < slope * counts[:, 0]
    # The rule of Section 4.1, or with the slope 0.5 that of Section 1.2.
    rule = "fewer"
    compared = "than"
    if slope == 0.5:
        rule = "fewer than half as many"
        compared = "as"
    texts = [
        "The paper's rules (dotted):",
        f"below the slanted line, {rule} edges",
        f"in {second} {compared} in {first}:",
        f"   {_picked(below, view, (0, 1))}",
    ]
    if slope == 0.5 and regions == RULE_REGIONS:
        del line["scalex"]
        axes.axhline(RULE_EDGES, **line)
        above = counts[:, 1] > RULE_EDGES
        texts += [
            f"above the level line, more than {RULE_EDGES} edges",
            f"in {second}:",
            f"   {_picked(above, view, (1, 0))}",
        ]
    return texts


def _picked(which, view, order):
    return ", ".join(
        f"{int((which & (view.graphs.y == group)).sum())} {view.groups[group]}" for group in order
    )
