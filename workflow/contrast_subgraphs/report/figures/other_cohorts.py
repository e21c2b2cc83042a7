"""Each cohort's set in the people of the other cohorts: a matrix for each direction."""

import numpy as np

from ..formats import signed
from ..names import rows_of
from .figure import figure
from .set_picture import short
from .style import INK, PAGE, QUIET, Looks, new_figure

#: Names of cohorts are cut after this number of letters.
_NAMED = 18


@figure("elsewhere", by_cohort=False)
def other_cohorts(view):
    """Draw for each direction who chose (rows) and who is measured (columns), with intervals."""
    table = view.results.others
    if table is None or table.empty:
        figure = new_figure(PAGE, 0.6)
        text = "No two cohorts ask for the same contrast and have a set of it."
        figure.text(0.01, 0.4, text, fontsize=8, color=QUIET)
        return figure
    contrasts = list(dict.fromkeys(table["contrast"]))
    matrices = [_matrix(view, contrast) for contrast in contrasts]
    heights = [0.9 + 0.4 * len(chose) for chose, _, _ in matrices]
    widest = max(len(measured) for _, measured, _ in matrices)
    figure = new_figure(min(PAGE, 1.2 + 1.3 * widest), sum(heights))
    panels = figure.subplots(len(contrasts), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, contrast, matrix in zip(panels, contrasts, matrices, strict=True):
        chose = matrix[0]
        look = Looks.of(view.names, chose[0]).contrasts[contrast]
        _draw(axes, matrix, look, view.names)
    return figure


def _matrix(view, contrast):
    """Return who chose, who is measured, and the effect, low and high of each pair that there is.

    A cohort in itself has the effect in held-out people, at the same penalty.
    """
    rows = rows_of(view.results.others, contrast=contrast)
    there = {*rows["cohort"], *rows["elsewhere"]}
    order = [name for name in view.names.cohorts if name in there]
    chose = [name for name in order if name in set(rows["cohort"])]
    cells = {
        (row.cohort, row.elsewhere): (row.effect, row.low, row.high) for row in rows.itertuples()
    }
    for name in chose:
        # In its own people a set is measured in held-out folds: otherwise it would be too large.
        at = rows_of(rows, cohort=name)["percentile"].iloc[0]
        own = rows_of(view.results.effects, cohort=name, contrast=contrast, percentile=at)
        if own is not None and len(own):
            cells[name, name] = tuple(own.iloc[0][["effect", "low", "high"]])
    return chose, order, cells


def _draw(axes, matrix, look, names):
    """Draw one direction, darker for a larger difference in it."""
    from matplotlib.colors import LinearSegmentedColormap

    chose, measured, cells = matrix
    effects = np.full((len(chose), len(measured)), np.nan)
    for row, first in enumerate(chose):
        for column, second in enumerate(measured):
            effects[row, column] = cells.get((first, second), (np.nan,))[0]
    colours = LinearSegmentedColormap.from_list("more", ["#ffffff", look.colour])
    largest = max(np.nanmax(effects, initial=0.0), 1e-9)
    # Numbers are read on all of them: the darkest is pale.
    axes.imshow(effects, cmap=colours, vmin=0, vmax=2 * largest, aspect="auto")
    for row, first in enumerate(chose):
        for column, second in enumerate(measured):
            _write(axes, (column, row), cells.get((first, second)), first == second)
    labels = [short(names("cohort", name), _NAMED) for name in measured]
    axes.set_xticks(range(len(measured)), labels)
    axes.set_yticks(range(len(chose)), [short(names("cohort", name), _NAMED) for name in chose])
    axes.set_xlabel("Measured in")
    axes.set_ylabel("Chosen in")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(look.label, color=look.dark)


def _write(axes, place, cell, own):
    """Write a difference and its interval into a cell; with a frame where it is a cohort's own."""
    from matplotlib.patches import Rectangle

    text = ""
    style = {"ha": "center", "va": "center", "fontsize": 7, "color": INK}
    if cell is not None and np.isfinite(cell[0]):
        effect, low, high = cell
        text = signed(effect)
        if np.isfinite(low):
            text = f"{text}\n{signed(low)} to {signed(high)}"
        if low > 0:
            style["fontweight"] = "bold"
    elif cell is not None:
        text = "too few people"
        style["color"] = QUIET
    axes.text(*place, text, **style)
    if own and cell is not None:
        corner = place[0] - 0.48, place[1] - 0.46
        frame = {"fill": False, "edgecolor": QUIET, "linewidth": 0.8}
        axes.add_patch(Rectangle(corner, 0.96, 0.92, **frame))
