"""CSV and other tables of text: every reading of one file; `choose` decides between them."""

import io
import itertools
import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from .edge_columns import EdgeColumns, edge_columns, usual_columns
from .text import (
    MISSING,
    Candidate,
    Misfit,
    Rank,
    Style,
    fraction,
    label,
    labels,
    marks,
    number,
    separators,
    split,
    without_comments,
)

#: A table with more columns than this is not an edge list.
_MOST_COLUMNS = 12
#: A list with fewer edges is hardly a graph, and easily something else.
_FEWEST_EDGES = 4
#: The mark of thousands that goes with each decimal mark.
_THOUSANDS = {".": ",", ",": "."}


class Grid(NamedTuple):
    """A text as a table, before it is known whether it has labels."""

    #: The fields of the first line.
    first: list
    #: The first fields of the lines below.
    left: list
    #: The lines below the first.
    table: pd.DataFrame
    #: A field with a leading zero, as numbers of people have it.
    code: str | None

    @property
    def width(self):
        """The number of columns."""
        return self.table.shape[1]


def readings(lines, kind, numbered=None):
    """Yield ``(style, Candidate or Misfit)`` for each reading; `numbered`: see `text.labels`."""
    for marked, rows in without_comments(lines):
        comments = len(rows) < len(lines)
        for separator in separators(rows):
            for decimal, thousands in marks(rows[1:] or rows, separator):
                style = Style(separator, decimal, thousands, marked, "table")
                for grid in _grids(rows, style, kind):
                    if isinstance(grid, Misfit):
                        yield style, grid
                        continue
                    if kind == "matrix":
                        yield from _of_edges(grid, rows[1:], style, comments)
                    yield from _of_grid(grid, style, comments, kind, numbered)


def _grids(rows, style, kind):
    """Yield the grid of a text, also without a last column that is empty in every line."""
    grid = _grid(rows, style)
    if isinstance(grid, Misfit):
        yield grid
        return
    last = grid.width - 1
    empty = last > 0 and len(grid.table) > 1 and grid.table[last].isna().all()
    # The last column is empty and the header ends before it: lines end with a separator.
    if empty and (len(grid.first) <= last or grid.first[-1] == ""):
        yield grid._replace(first=grid.first[:last], table=grid.table.iloc[:, :-1])
        if kind == "series":
            return
    yield grid


def _grid(rows, style):
    """Return a text as a `Grid`, or a Misfit."""
    separator = style.separator
    first = split(rows[0], separator)
    body = rows[1:]
    counts = [_count_of_fields(line, separator) for line in body]
    everywhere = [*counts, len(first)]
    width = max(counts or everywhere, key=everywhere.count)
    for line, count in enumerate(counts, start=2):
        if count != width:
            more = "more" if count > width else "fewer"
            text = f"line {line} has {more} fields than most lines ({count}, not {width})"
            return Misfit(Rank.TABLE, text)
    if len(first) not in (width, width - 1):
        text = f"its first line has {len(first)} fields, the lines below have {width}"
        return Misfit(Rank.TABLE, text)
    # pandas takes "nan " for a word.
    if separator not in (None, " "):
        spaces = re.compile(rf" +(?={re.escape(separator)}|$)")
        body = [spaces.sub("", line) for line in body]
    table = _table(body, style, width)
    if isinstance(table, Misfit):
        return table
    left = [_first_field(line, separator) for line in body]
    return Grid(first, left, table, _code_in(body, separator))


def _count_of_fields(line, separator):
    if separator is not None and '"' not in line:
        return line.count(separator) + 1
    return len(split(line, separator))


def _first_field(line, separator):
    if '"' in line:
        return split(line, separator)[0]
    return line.split(separator, 1)[0].strip()


def _table(body, style, width):
    """Return lines as a table of `width` columns, or a Misfit."""
    if not body:
        return pd.DataFrame(index=range(0), columns=range(width), dtype=float)
    separator = style.separator
    try:
        table = pd.read_csv(
            io.StringIO("\n".join(body)),
            sep=r"\s+" if separator is None else separator,
            header=None,
            decimal=style.decimal,
            thousands=_THOUSANDS[style.decimal] if style.thousands else None,
            na_values=MISSING,
            keep_default_na=False,
            skipinitialspace=separator != " ",
            low_memory=False,
        )
    except ValueError as error:
        return Misfit(Rank.TABLE, f"it cannot be read as a table: {error}")
    if separator == " " and width > 1 and table.isna().all().any():
        return Misfit(Rank.TABLE, "its fields are not separated by one space each")
    if table.shape != (len(body), width):
        return Misfit(Rank.TABLE, "its lines are not those of a table")
    return table


def _code_in(body, separator):
    """Return a field with a leading zero that is not the first of its line; None without one."""
    if separator in (None, " "):
        return None
    mark = re.escape(separator)
    field = rf'{mark}[ "]*[-+]?0\d+[ "]*(?={mark}|$)'
    found = re.search(field, "\n".join(body), re.MULTILINE)
    return None if found is None else found[0].strip(f'{separator} "')


# As a table --------------------------------------------------------------------------------------


def _of_grid(grid, style, comments, kind, numbered):
    """Yield the readings of a grid: with and without a line and a column of labels."""
    numeric = [pd.api.types.is_numeric_dtype(t) and t.kind != "b" for t in grid.table.dtypes]
    words = (_words(grid.table[column]) for column in grid.table)
    # All columns of words at the front are labels.
    texts = next((place for place, one in enumerate(words) if not one), grid.width)
    if texts == grid.width:
        last = texts - 1
        yield style, _no_number(grid.table.iloc[:, last], last, False, style.decimal)
    # The next column may hold labels too, if these are numbers.
    indices = (texts, texts + 1) if texts else (0, 1)
    wrong = next((place for place in range(texts, grid.width) if not numeric[place]), None)
    top = _numbers_on_top(grid, style)
    full = np.full((len(grid.table) + 1, grid.width), np.nan)
    full[1:, np.flatnonzero(numeric)] = grid.table.loc[:, numeric].to_numpy(float)
    if len(top) == grid.width:
        full[0] = [np.nan if one is None else one for one in top]
    # Every combination is a reading of its own. Which one is right is not decided here: only all
    # files together show what is a label (`choose`).
    for header, index in itertools.product((False, True), indices):
        if index >= grid.width or (style.marked and not header):
            continue
        columns = None
        if wrong is not None and wrong >= index:
            found = _no_number(grid.table.iloc[:, wrong], wrong, header, style.decimal)
        elif grid.code and kind == "series":
            text = f"it holds {grid.code!r}: a code, or a number cut in two?"
            found = Misfit(Rank.NUMBERS, text)
        elif header:
            columns, found = _header(grid, index, numbered)
        else:
            found = _no_row(grid, top, index)
        rows = _labels_beside(grid, index, header)
        corner = _corner(grid, top, index, header)
        values = full[header:, index:]
        found = found or Candidate(values, columns, rows, (), comments, corner)
        yield style._replace(header=header, beside=index), found


def _numbers_on_top(grid, style):
    """Return the fields of the first line as numbers, None for what is not a number."""
    fields = grid.first
    if style.thousands:
        fields = [field.replace(_THOUSANDS[style.decimal], "") for field in fields]
    return [number(field, style.decimal) for field in fields]


def _header(grid, index, numbered):
    """Return the labels in the first line, after `index` columns of labels, and what is wrong."""
    without_corner = len(grid.first) < grid.width
    columns = labels(grid.first[max(index - without_corner, 0) :], numbered)
    width = grid.width - index
    if isinstance(columns, str):
        return columns, Misfit(Rank.LABELS, columns)
    if columns is None:
        return None, Misfit(Rank.NUMBERS, "its first line holds no labels")
    if len(columns) != width:
        text = f"its header has {len(columns)} names above {width} columns"
        return columns, Misfit(Rank.TABLE, text)
    if not len(grid.table):
        return columns, Misfit(Rank.LABELS, "it has a header but no numbers")
    return columns, None


def _no_row(grid, top, index):
    """Say why the first line is not a line of numbers; None if it is."""
    if len(grid.first) != grid.width:
        text = f"its first line has {len(grid.first)} fields, the next one {grid.width}"
        return Misfit(Rank.TABLE, text)
    if None in top[index:]:
        at = top.index(None, index)
        text = f"row 1, column {at + 1} holds {grid.first[at]!r}, which is not a number"
        return Misfit(Rank.NUMBERS, text)
    return None


def _labels_beside(grid, index, header):
    """Return the last of `index` columns of labels; None if there are none."""
    if not index:
        return None
    rows = grid.left
    if index > 1:
        rows = grid.table.iloc[:, index - 1].map(_plain).tolist()
    return rows if header else [grid.first[index - 1], *rows]


def _corner(grid, top, index, header):
    """Return the number above a column of labels, in a line of labels; None without one."""
    if not header or not index or len(grid.first) < grid.width:
        return None
    corner = top[index - 1]
    return None if corner is None or np.isnan(corner) else corner


def _words(column):
    """Whether a column holds words and no numbers at all."""
    if column.dtype.kind in "iufb":
        return False
    return all(number(str(value)) is None and number(str(value), ",") is None for value in column)


def _plain(value):
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _no_number(column, place, header, decimal):
    """Say which field of a column is not a number."""
    for row, value in enumerate(column.astype(object), start=2 - header):
        numeric = isinstance(value, (float, int)) and not isinstance(value, bool)
        if not numeric and number(str(value), decimal) is None:
            shown = str(value)[:40]
            text = f"row {row}, column {place + 1} holds {shown!r}, which is not a number"
            return Misfit(Rank.NUMBERS, text)
    return Misfit(Rank.NUMBERS, f"column {place + 1} holds something that is not a number")


# As a list of edges ------------------------------------------------------------------------------


def _of_edges(grid, body, style, comments):
    """Yield the readings of a grid as an edge list: two ends and a weight in each line.

    `body`: the lines below the first one.
    """
    width = grid.width
    if not 3 <= width <= _MOST_COLUMNS or len(grid.first) not in (width, width - 1):
        return
    fields = grid.first
    if len(fields) < width:
        fields = ["", *fields]
    columns = list(zip(*(split(line, style.separator) for line in body), strict=False))
    found, index = _edge_columns(fields, columns, len(grid.first) < width, len(body))
    if found is None:
        return
    style = style._replace(beside=index or 0, layout="edges", header=True)
    if isinstance(found, str):
        yield style, Misfit(Rank.REGIONS, found)
        return
    top = number(fields[found.weight], style.decimal)
    header = index is None or top is None
    weights = grid.table.iloc[:, found.weight]
    if not pd.api.types.is_numeric_dtype(weights) or weights.dtype == bool:
        yield style, _no_number(weights, found.weight, header, style.decimal)
        return
    values = weights.to_numpy(float)
    ends = [columns[end] for end in found.ends]
    if not header:
        values = np.r_[top, values]
        ends = [(fields[at], *end) for at, end in zip(found.ends, ends, strict=True)]
    if len(values) < _FEWEST_EDGES or (style.marked and not header):
        return
    ends = tuple([label(one) for one in end] for end in ends)
    if isinstance(labels(list(dict.fromkeys([*ends[0], *ends[1]]))), list):
        yield style._replace(header=header), Candidate(values, None, None, ends, comments)


def _edge_columns(fields, columns, without_corner, count):
    """Return the `EdgeColumns`, why they are not known, or None if it is not an edge list.

    Also return how many columns of labels stand in front; None if a header names the columns.
    Without such a header there are three columns, or four of which the first numbers the lines.
    """
    width = len(fields)
    words = not any(fraction(field) for field in fields if field)
    found = edge_columns(fields) if words else None
    # With as few lines as regions, this is rather a matrix of regions with such names.
    if isinstance(found, str) and count <= width + 1:
        return None, None
    if len(columns) < width:
        return None, None
    if found is not None:
        return found, None
    index = width - 3
    if index not in (0, 1) or without_corner:
        return None, None
    if index and list(columns[0][:2]) not in (["0", "1"], ["1", "2"]):
        return None, None
    found = usual_columns(columns[index:width])
    if isinstance(found, EdgeColumns):
        one, other = found.ends
        found = EdgeColumns((one + index, other + index), found.weight + index)
    return found, index
