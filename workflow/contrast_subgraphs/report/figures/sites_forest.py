"""The difference at each site, and the mean over sites: a forest plot."""

import numpy as np
from scipy.special import stdtrit

from ..formats import signed
from ..names import rows_of
from .figure import figure
from .set_picture import short
from .style import INK, PAGE, PALE, QUIET, new_figure

#: Names of sites are cut after this number of letters.
_NAMED = 22


def _shown(view):
    """Return the directions that have a mean over sites."""
    means = rows_of(view.results.over_sites, cohort=view.cohort)
    if means is None:
        return []
    there = set(means["contrast"])
    return [name for name in list(view.looks.contrasts)[:2] if name in there]


@figure("sites", there=lambda view: bool(_shown(view)))
def sites_forest(view):
    """Draw the two directions side by side: a row for each site, and the mean below."""
    sites = rows_of(view.results.sites, cohort=view.cohort)
    means = rows_of(view.results.over_sites, cohort=view.cohort)
    shown = _shown(view)
    if not shown:
        figure = new_figure(PAGE, 0.6)
        text = "There are fewer than two sites with enough people of each group."
        figure.text(0.01, 0.4, text, fontsize=8, color=QUIET)
        return figure
    count = sites["site"].nunique()
    figure = new_figure(PAGE, 1.1 + 0.16 * (count + 2))
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for axes, contrast in zip(panels, shown, strict=True):
        rows = rows_of(sites, contrast=contrast).sort_values("site").reset_index(drop=True)
        mean = rows_of(means, contrast=contrast).iloc[0]
        _draw(axes, rows, mean, view.looks.contrasts[contrast])
        axes.set_xlabel(f"Difference of the {view.names.measure}")
    first = rows_of(sites, contrast=shown[0]).sort_values("site")
    labels = [
        f"{short(row.site, _NAMED)} ({row.n_first:.0f} + {row.n_second:.0f})"
        for row in first.itertuples()
    ]
    panels[0].set_yticks([*range(count), count + 0.6], [*labels, "Mean over sites"])
    panels[0].set_ylim(count + 1.4, -0.7)
    return figure


def _draw(axes, rows, mean, look):
    """Draw the sites of one direction, and their mean."""
    freedom = np.maximum(rows["n_first"] + rows["n_second"] - 2, 1)
    # 95 % intervals by t, since sites may be small.
    half = stdtrit(freedom, 0.975) * rows["error"]
    axes.axvline(0, color=QUIET, linewidth=0.8)
    axes.axvline(mean["mean"], color=look.colour, linewidth=0.6, linestyle=(0, (4, 3)))
    people = rows["n_first"] + rows["n_second"]
    for place, row in rows.iterrows():
        if np.isnan(row["effect"]):
            continue
        # Sites that are not in the mean are pale.
        colour = look.dark if row["used"] else PALE
        ends = row["effect"] - half[place], row["effect"] + half[place]
        axes.plot(ends, [place, place], color=colour, linewidth=0.9)
        size = 8 + 60 * people[place] / people.max()
        axes.scatter(row["effect"], place, s=size, marker="s", color=colour, zorder=3)
    bottom = len(rows) + 0.6
    if np.isfinite(mean["predicted_low"]):
        further = mean["predicted_low"], mean["predicted_high"]
        axes.plot(further, [bottom + 0.45] * 2, color=look.colour, linewidth=0.9)
    diamond_x = [mean["low"], mean["mean"], mean["high"], mean["mean"]]
    diamond_y = [bottom, bottom - 0.3, bottom, bottom + 0.3]
    axes.fill(diamond_x, diamond_y, color=look.colour, edgecolor=INK, linewidth=0.6)
    # Wide intervals of small sites would squeeze all others: they end in an arrow at the edge.
    inner = np.nanquantile(np.abs(rows["effect"]) + half, 0.8)
    of_mean = mean[["low", "high", "predicted_low", "predicted_high"]].astype(float)
    reach = 1.05 * np.nanmax([inner, *np.abs(of_mean), 1e-9])
    for sign, marker in ((-1, "<"), (1, ">")):
        beyond = sign * rows["effect"] + half > reach
        places = np.flatnonzero(beyond)
        if len(places) == 0:
            # A line of no points that is not clipped has its box at the corner of the figure,
            # and the layout would make room for it.
            continue
        edge = np.full(len(places), sign * reach)
        axes.plot(edge, places, marker, color=look.dark, markersize=4, clip_on=False)
    axes.set_xlim(-reach, reach)
    axes.xaxis.get_major_locator().set_params(nbins=5)
    axes.set_title(
        f"{look.label}: holds at {mean['holds']:.0f} of {mean['count']:.0f} sites\n"
        f"{signed(mean['mean'])} ({signed(mean['low'])} to {signed(mean['high'])}), "
        f"I² {mean['i2']:.0%}"
    )
