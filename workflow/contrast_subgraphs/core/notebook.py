"""How notebooks show a result: words, a small table, a picture where matplotlib is installed."""

import base64
import io
from html import escape
from typing import Any

import numpy as np

#: Rows of a table that are shown, and names in a picture.
ROWS = 10
#: Inches of a picture.
SIZE = (5.0, 2.6)
#: Colors of what was observed, and of what it is compared with.
INK = "#1f4e79"
QUIET = "#b8b8b8"


def as_html(result: Any) -> str:
    """Return HTML of a result; whatever fails is left out, so that a cell never ends in an error.

    Parameters
    ----------
    result : core.results.Result

    Examples
    --------
    >>> from contrast_subgraphs import contrast_subgraph
    >>> "proved" in as_html(contrast_subgraph([[0, 2], [2, 0]], alpha=0.5))
    True
    """
    parts = [f"<p>{escape(result._said())}</p>"]
    for part in (_table, _picture):
        # A picture that cannot be drawn must not hide the answer.
        try:
            parts.append(part(result))
        except Exception:
            continue
    return f"<div><strong>{type(result).__name__}</strong>{''.join(parts)}</div>"


def _table(result):
    """Return the first rows of a result's table."""
    if not hasattr(result, "table"):
        return ""
    table = result.table()
    columns = list(result._columns or table.columns)
    shown = table[columns].head(ROWS)
    text = shown.to_html(index=False, border=0, float_format=lambda number: f"{number:.4g}")
    if len(table) > len(shown):
        text += f"<p>{len(shown)} of {len(table)} rows; all: .table()</p>"
    return text


def _picture(result):
    """Return a result's picture inside the HTML; an empty text without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(SIZE, layout="constrained")
    axes = figure.subplots()
    if not result._draw(axes):
        return ""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{escape(result._said())}" src="data:image/png;base64,{data}">'


# --- pictures -------------------------------------------------------------------------------


def draw_null(axes, observed, null, what):
    """Draw what permuted labels give, and what was observed."""
    if len(null) == 0:
        return False
    axes.hist(null, bins=min(40, max(5, len(null) // 10)), color=QUIET, label="permuted labels")
    axes.axvline(observed, color=INK, label="observed")
    axes.set_xlabel(what)
    axes.set_yticks([])
    axes.legend(frameon=False, fontsize=8)
    return True


def draw_intervals(axes, names, middle, low, high, what):
    """Draw estimates with their intervals, one below the other."""
    middle = np.asarray(middle, dtype=float)[:ROWS]
    if not np.isfinite(middle).any():
        return False
    place = np.arange(len(middle))
    ends = np.array([low[: len(middle)], high[: len(middle)]], dtype=float)
    axes.hlines(place, *ends, color=INK)
    axes.plot(middle, place, "o", color=INK)
    axes.axvline(0, color=QUIET, linewidth=1)
    axes.set_yticks(place, [str(name) for name in names[: len(middle)]], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    return True


def draw_bars(axes, names, values, what, line=None):
    """Draw a bar for each name, and a line that they are compared with."""
    values = np.asarray(values, dtype=float)[:ROWS]
    if not np.isfinite(values).any():
        return False
    place = np.arange(len(values))
    axes.barh(place, values, color=INK)
    axes.set_yticks(place, [str(name) for name in names[: len(values)]], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    if line is not None and np.isfinite(line):
        axes.axvline(line, color=QUIET, linestyle="--")
    return True


def draw_weights(axes, weights, rows, columns):
    """Draw weights of pairs of regions as a heat map, with the names where there is room."""
    if weights is None or weights.size == 0:
        return False
    largest = np.abs(weights).max() or 1.0
    image = axes.imshow(weights, cmap="RdBu_r", vmin=-largest, vmax=largest)
    axes.figure.colorbar(image, label="weight")
    axes.set_xticks([])
    axes.set_yticks([])
    if len(rows) <= 2 * ROWS:
        axes.set_yticks(np.arange(len(rows)), rows, fontsize=7)
    if len(columns) <= 2 * ROWS:
        axes.set_xticks(np.arange(len(columns)), columns, fontsize=7, rotation=90)
    return True
