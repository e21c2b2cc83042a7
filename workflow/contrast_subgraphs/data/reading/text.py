"""Text files: every reading of one file; `fit` decides between them."""

import csv
import gzip
import io
import itertools
import re
import zlib
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...core.errors import InputError
from .edge_columns import EdgeColumns, edge_columns, usual_columns

#: Of a header that stands in the file once more.
GLUED = "its line {} repeats the header: are these several runs in one file? Leave the line out"
#: Of more columns than these, nothing is an edge list.
_MOST_COLUMNS = 12
_WORDS = ("n/a", "na", "nan", "null", "none", "-nan", "nan(ind)", "-nan(ind)", "#n/a")
_WORDS += ("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan")
_MISSING = ["", *{f(w) for w in _WORDS for f in (str, str.upper, str.capitalize)}, "NaN", "N/A"]
_MISSING += ["-NaN", "1.#IND00", "-1.#IND00", "1.#QNAN0", "NaN(ind)", "-NaN(ind)"]
_LOWER = {word.lower() for word in _MISSING}
_WHOLE = re.compile(r"\d+([.,]0*)?")
_NUMBER = r"[-+]?(\d+{0}?\d*|{0}\d+)([eE][-+]?\d+)?|[-+]?inf(inity)?|[-+]?1\.#INF0*"
_NUMBERS = {mark: re.compile(_NUMBER.format(re.escape(mark)), re.IGNORECASE) for mark in ".,"}


class Style(NamedTuple):
    """What a reading takes for granted; the files of a data set are all read in one style."""

    separator: str | None  # None: spaces
    decimal: str
    thousands: bool  # whether the other mark groups digits by three
    marked: bool  # whether the header is a comment line
    layout: str  # "table" or "edges"
    header: bool = False
    beside: int = 0  # columns of labels


class Candidate(NamedTuple):
    """What a file holds under one reading."""

    values: np.ndarray
    columns: list | None = None
    rows: list | None = None
    ends: tuple = ()  # of an edge list: the labels of both ends
    comments: bool = False  # whether there were lines of them
    corner: float | None = None  # a number above the first column, under a header


class Misfit(NamedTuple):
    """Why a reading does not fit, and how far it came."""

    rank: int
    why: str


def decode(content):
    """Return the lines of a text, in whichever coding, with plain signs and spaces."""
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"it is a damaged .gz file: {error}") from error
    coding = "utf-8-sig"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        coding = "utf-16"
    elif b"\0" in content:
        if content[1::2].count(b"\0") < 0.9 * (len(content) // 2):
            raise InputError("it is not a text file")
        coding = "utf-16-le"
    try:
        text = content.decode(coding)
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # names of regions with accents, from old programs
    if not text.isascii():
        text = re.sub(r"(?<=\d)[\xa0\u202f\u2009](?=\d)", "_", text)  # not what separates fields
        text = re.sub(r"[\xa0\u202f\u2009]", " ", text).replace("\u2212", "-")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line for line in lines if line.strip(" ")]
    if not any(line.strip() for line in lines):
        raise InputError("it is empty")
    if lines[0].lstrip().lower().startswith(("<!doctype", "<html")):
        raise InputError("it is a web page")
    return lines


def number(field, decimal="."):
    """Return a field as a number, NaN for what is missing, or None."""
    field = field.strip().strip('"')
    if field.lower() in _LOWER:
        return np.nan
    if not _NUMBERS[decimal].fullmatch(field):
        return None
    return float(re.sub(r"1\.#INF0*", "inf", field).replace(",", "."))


def whole(field):
    """Return whether a label is a whole number, also when written as 2001.0."""
    return bool(_WHOLE.fullmatch(field))


def labels(fields, numbered=None):
    """Return distinct texts or whole numbers as labels; else None, or a sentence that says why.

    `numbered`: of an atlas that has a name several times: all of its names, as a tuple, and what
    they are called. Where the fields are these, each is known by its place.
    """
    names = [_label(field) for field in fields]
    texts = sum(number(n) is None and number(n, ",") is None for n in names)
    if 2 * texts < len(names) and not all(map(whole, names)):
        return None
    if any(not whole(n) and n.lower() not in _LOWER and _fraction(n) for n in names):
        return None
    if not all(names):
        return None
    if len(set(names)) < len(names):
        if numbered and tuple(names) in numbered:
            return list(numbered[tuple(names)])
        return f"the region {next(n for n in names if names.count(n) > 1)} appears twice in it"
    return names


def _label(field):
    """Return a label without quotes; ``#2001``, AFNI's ``Mean_2001`` and 2001.0 are 2001."""
    name = field.strip().strip('"').strip()
    name = re.sub(r"^[#%]+ *(?=\d)|^Mean_(?=\d+$)", "", name)
    return re.split("[.,]", name)[0] if whole(name) else name


def _fraction(field):
    return number(field) is not None or number(field, ",") is not None


def readings(lines, kind, numbered=None):
    """Yield ``(style, Candidate or Misfit)`` of each reading of a file; `numbered`: of `labels`."""
    for marked, rows in _without_comments(lines):
        for separator in _separators(rows):
            for decimal, thousands in _marks(rows[1:] or rows, separator):
                style = Style(separator, decimal, thousands, marked, "table")
                for grid in _grids(rows, style, kind):
                    if isinstance(grid, Misfit):
                        yield style, grid
                        continue
                    if kind == "matrix":
                        yield from _of_edges(
                            grid[0], rows[1:], grid[2], style, len(rows) < len(lines)
                        )
                    yield from _of_grid(*grid, style, len(rows) < len(lines), kind, numbered)


def _without_comments(lines):
    """Yield ``(whether the first line was marked, lines)``, the marked ones but one left out.

    A line that begins with ``#`` or ``%`` is a comment only if it cannot be data: `#B` may be the
    name of a region.
    """
    marks = [line.lstrip(' "').startswith(("#", "%")) for line in lines]
    if any(marks) and not all(marks):
        usual = [line for line, mark in zip(lines, marks, strict=True) if not mark]
        first = marks.index(False)
        marks = [
            mark and not _may_be_data(line, usual, above=k < first)
            for k, (line, mark) in enumerate(zip(lines, marks, strict=True))
        ]
    rows = [line for line, mark in zip(lines, marks, strict=True) if not mark]
    if not rows:
        raise InputError("it has nothing but comment lines")
    above = marks.index(False)
    _check_headers(lines[above - 1] if above else "", lines, rows)
    if above:
        yield True, [_unmarked(lines[above - 1]), *rows]
    yield False, rows


def _unmarked(line):
    """Return a line without the marks of comments, at its beginning or before each field."""
    return re.sub(r'(^|(?<=[\s,;"]))[#%]+ ?', "", line)


def _check_headers(marked, lines, rows):
    """Raise InputError if the header stands once more below: several runs in one file.

    `marked`: a comment line above the data, which is a header if it has as many fields; `rows`:
    the lines that are no comments.
    """
    for header in (marked, rows[0]):
        first = lines.index(header) if header else 0
        again = [k for k in range(first + 1, len(lines)) if lines[k] == header]
        if not header or not again:
            continue
        for separator in _separators(rows):
            fields = split(_unmarked(header) if header is marked else header, separator)
            alike = len(fields) == len(split(rows[-1], separator)) > 1
            numbers = [field for field in fields if _fraction(field)]
            codes = header is marked and all(map(whole, numbers))
            if alike and (codes or not numbers):
                raise InputError(GLUED.format(again[0] + 1))


def _may_be_data(line, usual, above):
    """Whether a marked line has words and numbers where the `usual` lines have them.

    Then its first field is a name, which no numbers are. `above`: the line stands above all usual
    ones, where numbers may be those of the columns.
    """
    samples = usual[-3:]
    for separator in _separators(usual):
        fields = split(line, separator)
        columns = list(zip(*(split(sample, separator) for sample in samples), strict=False))
        name = fields[0].strip(' "#%')
        if len(columns) != len(fields) or len(fields) < 2 or not name or _fraction(name):
            continue
        numeric = [all(map(_fraction, column)) for column in columns]
        if numeric[0] or any(
            one and not _fraction(field) for one, field in zip(numeric, fields, strict=True)
        ):
            continue
        header = above and all(map(whole, fields[1:]))
        if any(numeric) and not header:
            return True
    return False


def _separators(rows):
    body = rows[1:] or rows
    found = [mark for mark in "\t;," if 2 * sum(mark in line for line in rows) > len(rows)]
    if not found or (found == [","] and all(" " in line.strip() for line in body)):
        found.append(None)
        if any("  " in line or line[0] == " " or line[-1] == " " for line in body):
            found.append(" ")  # a missing value between two spaces
    return found


def _marks(body, separator):
    """Yield decimal marks, and whether the other one separates thousands."""
    text = "\n".join(body)
    for decimal, other in (".,", ",."):
        apart = (separator == "," and '"' not in text) or (
            separator is None and re.search(r",(\s|$)", text)
        )
        if decimal == "," and apart:
            continue
        if decimal == "." or "," in text:
            yield decimal, False
        if other in text and not (separator == other and '"' not in text):
            yield from [(decimal, True)] * _groups_thousands(body, separator, decimal, other)


def _groups_thousands(body, separator, decimal, other):
    """Whether all fields with a mark group digits by three, and whole numbers stand beside."""
    early = (
        rf"(?<![\d{other}])0\{other}\d|\d{{4}}\{other}\d|\{other}\d{{1,2}}(?!\d)|\{other}\d{{4}}"
    )
    if separator != other and any(re.search(early, line) for line in body):
        return False
    grouped = re.compile(rf"[-+]?[1-9]\d{{0,2}}(\{other}\d{{3}})+(\{decimal}\d*)?")
    marked, beside = False, False
    for line in body:
        for field in split(line, separator):
            if other in field and any(c.isdigit() for c in field):
                if number(field, other) is None and not grouped.fullmatch(field):
                    continue
                if not grouped.fullmatch(field):
                    return False
                marked, beside = True, beside or field.count(other) > 1 or decimal in field
            beside = beside or (field.isdigit() and int(field) > 1) or decimal in field
    return marked and beside


def split(line, separator):
    """Return the fields of a line; separator None: spaces and tabs."""
    if separator is None:
        if '"' in line:
            return [field.strip('"') for field in re.findall(r'"[^"]*"|[^\s"]+', line)]
        return line.split()
    if '"' not in line:
        return [field.strip() for field in line.split(separator)]
    reader = csv.reader([line], delimiter=separator, skipinitialspace=separator != " ")
    return [field.strip() for field in next(reader)]


def _grids(rows, style, kind):
    """Yield the grid of a text, also without a last column that is empty in every line."""
    grid = _grid(rows, style)
    if isinstance(grid, Misfit):
        yield grid
        return
    first, left, table, code = grid
    width = table.shape[1]
    empty = width > 1 and len(table) > 1 and table[width - 1].isna().all()
    if empty and (len(first) < width or first[-1] == ""):  # an end that begins no column
        yield first[: width - 1], left, table.iloc[:, :-1], code
        if kind == "series":
            return
    yield grid


def _grid(rows, style):
    """Return the first line's fields, the first column's, the table, a code in it; or a Misfit."""
    separator, decimal, thousands = style[:3]
    first, body = split(rows[0], separator), rows[1:]
    counts = [
        line.count(separator) + 1
        if separator is not None and '"' not in line
        else len(split(line, separator))
        for line in body
    ]
    everywhere = [*counts, len(first)]
    width = max(counts or everywhere, key=everywhere.count)
    for line, count in enumerate(counts, start=2):
        if count != width:
            more = "more" if count > width else "fewer"
            return Misfit(
                1, f"line {line} has {more} fields than most lines ({count}, not {width})"
            )
    if len(first) not in (width, width - 1):
        text = f"its first line has {len(first)} fields, the lines below have {width}"
        return Misfit(1, text)
    if separator not in (None, " "):  # pandas takes "nan " for a word
        spaces = re.compile(rf" +(?={re.escape(separator)}|$)")
        body = [spaces.sub("", line) if " " in line else line for line in body]
    table = pd.DataFrame(index=range(0), columns=range(width), dtype=float)
    if body:
        try:
            table = pd.read_csv(
                io.StringIO("\n".join(body)),
                sep=r"\s+" if separator is None else separator,
                header=None,
                decimal=decimal,
                thousands={".": ",", ",": "."}[decimal] if thousands else None,
                na_values=_MISSING,
                keep_default_na=False,
                skipinitialspace=separator != " ",
                low_memory=False,
            )
        except ValueError as error:
            return Misfit(1, f"it cannot be read as a table: {error}")
        if separator == " " and width > 1 and table.isna().all().any():
            return Misfit(1, "its fields are not apart by one space each")
    if table.shape != (len(body), width):
        return Misfit(1, "its lines are not those of a table")
    left = [
        line.split(separator, 1)[0].strip() if '"' not in line else split(line, separator)[0]
        for line in body
    ]
    code = separator not in (None, " ") and re.search(
        rf'{re.escape(separator)}[ "]*[-+]?0\d+[ "]*(?={re.escape(separator)}|$)',
        "\n".join(body),
        re.MULTILINE,
    )
    return first, left, table, code and code[0].strip(f'{separator} "')


def _of_grid(first, left, table, code, style, comments, kind, numbered):
    """Yield the readings of a grid: with and without a line and a column of labels."""
    width = table.shape[1]
    decimal = style.decimal
    numeric = [pd.api.types.is_numeric_dtype(t) and t.kind != "b" for t in table.dtypes]
    words = (_words(table[column]) for column in table)
    texts = next((j for j, one in enumerate(words) if not one), width)  # columns of words in front
    bad = next((j for j in range(texts, width) if not numeric[j]), None)
    if texts == width:
        yield style, _no_number(table[table.columns[-1]], width - 1, False, decimal)
    top = [number(f.replace(" .,"[1 + (decimal == ".")], "") if style.thousands else f, decimal)
           for f in first]  # fmt: skip
    full = np.full((len(table) + 1, width), np.nan)
    full[1:, [j for j in range(width) if numeric[j]]] = table.loc[:, numeric].to_numpy(float)
    if len(top) == width:
        full[0] = [np.nan if one is None else one for one in top]
    for header, index in itertools.product((False, True), (texts, texts + 1) if texts else (0, 1)):
        if width - index < 1 or (style.marked and not header):
            continue
        columns, found = None, None
        if bad is not None and bad >= index:
            found = _no_number(table[table.columns[bad]], bad, header, decimal)
        elif code and kind == "series":
            found = Misfit(2, f"it holds {code!r}: a code, or a number cut in two?")
        elif header:
            columns = labels(first[max(index - (len(first) < width), 0) :], numbered)
            if not isinstance(columns, list):
                found = (
                    Misfit(3, columns) if columns else Misfit(2, "its first line holds no labels")
                )
            elif len(columns) != width - index:
                text = f"its header has {len(columns)} names above {width - index} columns"
                found = Misfit(1, text)
            elif not len(table):
                found = Misfit(3, "it has a header but no numbers")
        elif len(first) != width:
            found = Misfit(1, f"its first line has {len(first)} fields, the next one {width}")
        elif None in top[index:]:
            at = top.index(None, index)
            found = Misfit(2, f"row 1, column {at + 1} holds {first[at]!r}, which is no number")
        rows = None
        if index:
            rows = left if index == 1 else table.iloc[:, index - 1].map(_plain).tolist()
            rows = rows if header else [first[index - 1], *rows]
        corner = top[index - 1] if header and index and len(first) == width else None
        corner = None if corner is None or np.isnan(corner) else corner
        found = found or Candidate(full[header:, index:], columns, rows, (), comments, corner)
        yield style._replace(header=header, beside=index), found


def _words(column):
    """Whether a column holds words, and no number at all."""
    if column.dtype.kind in "iufb":
        return False
    return all(number(str(value)) is None and number(str(value), ",") is None for value in column)


def _plain(value):
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _no_number(column, place, header, decimal):
    """Say which field of a column is no number."""
    for row, value in enumerate(column.astype(object), start=2 - header):
        if not isinstance(value, (float, int)) or isinstance(value, bool):
            if number(str(value), decimal) is None:
                text = (
                    f"row {row}, column {place + 1} holds {str(value)[:40]!r}, which is no number"
                )
                return Misfit(2, text)
    return Misfit(2, f"column {place + 1} holds something that is no number")


def _of_edges(first, body, table, style, comments):
    """Yield the readings of a grid as an edge list: two ends and a weight in each line.

    `body`: the lines below the first one. A header says which columns these are; without one that
    does there are three columns, or four of which the first numbers the lines.
    """
    width = table.shape[1]
    if not 3 <= width <= _MOST_COLUMNS or len(first) not in (width, width - 1):
        return
    fields = ["", *first] if len(first) < width else first
    words = not any(_fraction(field) for field in fields if field)
    found = edge_columns(fields) if words else None
    named = found is not None
    index = width - 3
    if isinstance(found, str) and len(body) <= width + 1:  # rather a matrix of such regions
        return
    if not named and (index not in (0, 1) or len(first) < width):
        return
    columns = list(zip(*(split(line, style.separator) for line in body), strict=False))
    if len(columns) < width:
        return
    if not named:
        if index and list(columns[0][:2]) not in (["0", "1"], ["1", "2"]):
            return
        found = usual_columns(columns[index:width])
        if isinstance(found, EdgeColumns):
            one, other = found.ends
            found = EdgeColumns((one + index, other + index), found.weight + index)
    style = style._replace(beside=index if not named else 0, layout="edges", header=True)
    if isinstance(found, str):
        yield style, Misfit(5, found)
        return
    top = number(fields[found.weight], style.decimal)
    header = named or top is None
    weights = table.iloc[:, found.weight]
    if not pd.api.types.is_numeric_dtype(weights) or weights.dtype == bool:
        yield style, _no_number(weights, found.weight, header, style.decimal)
        return
    values = weights.to_numpy(float)
    ends = [columns[end] for end in found.ends]
    if not header:
        values = np.r_[top, values]
        ends = [(fields[at], *end) for at, end in zip(found.ends, ends, strict=True)]
    if len(values) < 4 or (style.marked and not header):  # hardly a graph: easily something else
        return
    ends = tuple([_label(one) for one in end] for end in ends)
    if isinstance(labels(list(dict.fromkeys([*ends[0], *ends[1]]))), list):
        yield style._replace(header=header), Candidate(values, None, None, ends, comments)
