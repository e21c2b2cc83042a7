"""Lines and fields of text files: what may be a number, a label, a mark, a comment."""

import csv
import gzip
import re
import zlib
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ...core.errors import InputError

#: The error for a header that occurs once more in the file.
GLUED = "its line {} repeats the header: are these several runs in one file? Leave the line out"
_WORDS = ("n/a", "na", "nan", "null", "none", "-nan", "nan(ind)", "-nan(ind)", "#n/a")
_WORDS += ("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan")
#: What stands for a missing number.
MISSING = ["", *{f(w) for w in _WORDS for f in (str, str.upper, str.capitalize)}, "NaN", "N/A"]
MISSING += ["-NaN", "1.#IND00", "-1.#IND00", "1.#QNAN0", "NaN(ind)", "-NaN(ind)"]
_LOWER = {word.lower() for word in MISSING}
_WHOLE = re.compile(r"\d+([.,]0*)?")
_NUMBER = r"[-+]?(\d+{0}?\d*|{0}\d+)([eE][-+]?\d+)?|[-+]?inf(inity)?|[-+]?1\.#INF0*"
_NUMBERS = {mark: re.compile(_NUMBER.format(re.escape(mark)), re.IGNORECASE) for mark in ".,"}


class Style(NamedTuple):
    """What a reading assumes. All files of a data set are read in one style."""

    #: None means any spaces.
    separator: str | None
    decimal: str
    #: Whether the other mark groups digits by three.
    thousands: bool
    #: Whether the header is a comment line.
    marked: bool
    #: "table" or "edges".
    layout: str
    header: bool = False
    #: How many columns of labels there are.
    beside: int = 0


class Candidate(NamedTuple):
    """What a file holds under one reading."""

    values: np.ndarray
    columns: list | None = None
    rows: list | None = None
    #: The labels of both ends, for an edge list.
    ends: tuple = ()
    #: Whether there were comment lines.
    comments: bool = False
    #: A number above the first column, under a header.
    corner: float | None = None
    #: What comments call a list that may be of the regions, and its text.
    said: tuple = ()
    #: What comments list (`unread.in_comments`).
    unread: Mapping[str, list] = MappingProxyType({})


class Rank(IntEnum):
    """How far a reading came. The one that came furthest is probably what was meant."""

    # It is not what the user says about the files.
    OPTION = 0
    # Its lines are not those of a table.
    TABLE = 1
    # Something is not a number, or not a label.
    NUMBERS = 2
    # Its labels cannot be those of regions.
    LABELS = 3
    # Its numbers are not a matrix.
    MATRIX = 4
    # Its regions are not those of the atlas, or of its edges.
    REGIONS = 5
    # A row or a column is not the one it should be.
    ORDER = 6
    # A row or a column is not a region.
    STRANGER = 7
    # Nothing else can be meant: no other reading counts.
    CERTAIN = 9


class Misfit(NamedTuple):
    """Why a reading does not fit, and how far it came."""

    rank: Rank
    why: str


def decode(content):
    """Return the lines of a text, in any coding, with plain signs and spaces."""
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
        # Old programs write names of regions with accents in this coding.
        text = content.decode("latin-1")
    if not text.isascii():
        # A space between digits does not separate fields.
        text = re.sub(r"(?<=\d)[\xa0\u202f\u2009](?=\d)", "_", text)
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

    `numbered`: for an atlas with a name several times, from all of its names (a tuple) to what they
    are called. If the fields are these names, each is known by its place.
    """
    names = [label(field) for field in fields]
    texts = sum(number(n) is None and number(n, ",") is None for n in names)
    if 2 * texts < len(names) and not all(map(whole, names)):
        return None
    if any(not whole(n) and n.lower() not in _LOWER and fraction(n) for n in names):
        return None
    if not all(names):
        return None
    if len(set(names)) < len(names):
        if numbered and tuple(names) in numbered:
            return list(numbered[tuple(names)])
        return f"the region {next(n for n in names if names.count(n) > 1)} appears twice in it"
    return names


def label(field):
    """Return a label without quotes; ``#2001``, AFNI's ``Mean_2001`` and 2001.0 are 2001."""
    name = field.strip().strip('"').strip()
    name = re.sub(r"^[#%]+ *(?=\d)|^Mean_(?=\d+$)", "", name)
    if whole(name):
        name = re.split("[.,]", name)[0]
    return name


def fraction(field):
    """Return whether a field is a number, with either decimal mark."""
    return number(field) is not None or number(field, ",") is not None


def without_comments(lines):
    """Yield ``(whether the first line was marked, lines)``, without the other marked lines.

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
    """Raise InputError if the header occurs once more below: several runs in one file.

    `marked`: a comment line above the data, which is a header if it has as many fields; `rows`:
    the lines that are not comments.
    """
    for header in (marked, rows[0]):
        if not header:
            continue
        first = lines.index(header)
        again = [k for k in range(first + 1, len(lines)) if lines[k] == header]
        if again and _is_header(header, rows, header is marked):
            raise InputError(GLUED.format(again[0] + 1))


def _is_header(line, rows, marked):
    """Whether a line has a word above each column, or a code if the line is `marked`."""
    shown = _unmarked(line) if marked else line
    for separator in separators(rows):
        fields = split(shown, separator)
        numbers = [field for field in fields if fraction(field)]
        alike = len(fields) == len(split(rows[-1], separator)) > 1
        codes = marked and all(map(whole, numbers))
        if alike and (codes or not numbers):
            return True
    return False


def _may_be_data(line, usual, above):
    """Whether a marked line has words and numbers where the `usual` lines have them.

    Then its first field is a name, not a number. `above`: the line is above all usual lines, where
    numbers may be those of the columns.
    """
    for separator in separators(usual):
        fields = split(line, separator)
        samples = [split(sample, separator) for sample in usual[-3:]]
        columns = list(zip(*samples, strict=False))
        name = fields[0].strip(' "#%')
        if len(columns) != len(fields) or len(fields) < 2 or not name or fraction(name):
            continue
        numeric = [all(map(fraction, column)) for column in columns]
        words_among_numbers = any(
            one and not fraction(field) for one, field in zip(numeric, fields, strict=True)
        )
        if numeric[0] or words_among_numbers:
            continue
        header = above and all(map(whole, fields[1:]))
        if any(numeric) and not header:
            return True
    return False


def separators(rows):
    """Return what may separate the fields of all lines; None for any spaces."""
    body = rows[1:] or rows
    found = [mark for mark in "\t;," if 2 * sum(mark in line for line in rows) > len(rows)]
    if not found or (found == [","] and all(" " in line.strip() for line in body)):
        found.append(None)
        if any("  " in line or line[0] == " " or line[-1] == " " for line in body):
            # Between two spaces there may be a missing value.
            found.append(" ")
    return found


def marks(body, separator):
    """Yield decimal marks, and whether the other one separates thousands."""
    text = "\n".join(body)
    quoted = '"' in text
    # A comma that ends a field is not a decimal mark.
    apart = separator == "," and not quoted
    apart = apart or (separator is None and re.search(r",(\s|$)", text))
    for decimal, other in (".,", ",."):
        if decimal == "," and apart:
            continue
        if decimal == "." or "," in text:
            yield decimal, False
        within = other in text and (quoted or separator != other)
        if within and _groups_thousands(body, separator, decimal, other):
            yield decimal, True


def _groups_thousands(body, separator, decimal, other):
    """Whether all fields with a mark group digits by three, among other whole numbers."""
    early = (
        rf"(?<![\d{other}])0\{other}\d|\d{{4}}\{other}\d|\{other}\d{{1,2}}(?!\d)|\{other}\d{{4}}"
    )
    if separator != other and any(re.search(early, line) for line in body):
        return False
    grouped = re.compile(rf"[-+]?[1-9]\d{{0,2}}(\{other}\d{{3}})+(\{decimal}\d*)?")
    marked = False
    beside = False
    for line in body:
        for field in split(line, separator):
            if other in field and any(sign.isdigit() for sign in field):
                fits = grouped.fullmatch(field)
                # This field is a name.
                if not fits and number(field, other) is None:
                    continue
                if not fits:
                    return False
                marked = True
                beside = beside or field.count(other) > 1
            beside = beside or decimal in field or (field.isdecimal() and int(field) > 1)
    return marked and beside


def split(line, separator):
    """Return the fields of a line; None separates by spaces and tabs."""
    if separator is None:
        if '"' in line:
            return [field.strip('"') for field in re.findall(r'"[^"]*"|[^\s"]+', line)]
        return line.split()
    if '"' not in line:
        return [field.strip() for field in line.split(separator)]
    reader = csv.reader([line], delimiter=separator, skipinitialspace=separator != " ")
    return [field.strip() for field in next(reader)]
