"""The observed objectives against those of permuted labels."""

import numpy as np

from ...core.holm import LEVEL
from ..names import rows_of
from .figure import View, figure
from .set_picture import short
from .style import INK, PAGE, PALE, QUIET, new_figure


@figure("significance", by_cohort=False)
def significance(view):
    """Draw each contrast's objective over alpha against its null, a row for each cohort.

    In standard deviations of the null: the middle 90 % of permuted labels as a band, the
    family-wise threshold as a dashed line, the observed objectives as points, filled where they
    reach it.
    """
    table = view.results.significance
    cohorts = list(table["cohort"].unique())
    figure = new_figure(PAGE, 0.5 + 1.4 * len(cohorts))
    panels = figure.subplots(len(cohorts), 3, squeeze=False, sharey="row")
    for row, cohort in zip(panels, cohorts, strict=True):
        here = View(view.results, cohort)
        for axes, (contrast, look) in zip(row, here.looks.contrasts.items(), strict=True):
            rows = rows_of(table, cohort=cohort, contrast=contrast)
            _draw(axes, rows.reset_index(drop=True), look)
            axes.set_title(f"{short(here.label, 36)}\n{short(look.label, 36)}")
        row[0].set_ylabel("Objective, in sd\nof permutations")
    for axes in panels[-1]:
        axes.set_xlabel("Percentile that gives α")
    return figure


def _draw(axes, rows, look):
    steps = np.arange(len(rows))
    # Without any variation there is no unit to draw in.
    sd = rows["null_sd"].where(rows["null_sd"] > 0)
    low, high = ((rows[name] - rows["null_mean"]) / sd for name in ("null_low", "null_high"))
    axes.fill_between(steps, low.fillna(0), high.fillna(0), color=PALE, linewidth=0)
    axes.axhline(0, color=QUIET, linewidth=0.6)
    axes.plot(steps, rows["z_critical"], color=INK, linewidth=0.7, linestyle=(0, (4, 2)))
    axes.plot(steps, rows["z"], color=look.colour, linestyle=look.line)
    # Filled markers: differences beyond chance over all contrasts and penalties.
    beyond = (rows["p_familywise"] <= LEVEL).to_numpy()
    axes.scatter(
        steps,
        rows["z"],
        s=22,
        marker=look.marker,
        facecolor=[look.colour if one else "white" for one in beyond],
        edgecolor=look.dark,
        linewidth=0.8,
        zorder=3,
    )
    labels = [
        f"α={alpha:.2g}" if np.isnan(percentile) else f"{percentile:g}"
        for percentile, alpha in zip(rows["percentile"].astype(float), rows["alpha"], strict=True)
    ]
    axes.set_xticks(steps, labels)
