"""Which reading fits all files of a data set. What is the same in every file is a label."""

import re
from typing import NamedTuple

import numpy as np

from ...core.check_graphs import SYMMETRIC_SINGLE, near
from ...core.checks import in_words
from ...core.errors import InputError
from ...core.pairs import n_vertices_of, square_of
from .beside import check_names
from .csv_files import readings
from .layouts import AsymmetryError, is_symmetric, matrices_of
from .lists import names_in_comments, names_in_text
from .suspects import TotalsError, counts_runs, no_region, repeated_header
from .text import GLUED, Candidate, Misfit, Rank, labels, number, whole
from .unread import in_comments

#: What is less probable than this is not taken for chance.
_CHANCE = 1e-5


class Checked(NamedTuple):
    """What a file holds under a reading that is consistent in itself."""

    array: np.ndarray
    names: list | None
    raw: Candidate
    layout: str = ""


def count_from(names):
    """Whether names only number the regions: 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(names == [str(k + first) for k in range(len(names))] for first in (0, 1))


def count_words(names):
    """Whether names are a word with the regions' numbers: V1, V2, ... or ROI_0, ROI_1, ..."""
    word = names[0].removesuffix("1").removesuffix("0")
    return all(one.startswith(word) for one in names) and count_from(
        [one.removeprefix(word) for one in names]
    )


def checked_readings(lines, kind, options):
    """Return each reading of a file, checked by itself: ``{style: Checked or Misfit}``."""
    found = {}
    unread = in_comments(lines)
    lines, said = names_in_comments(lines)
    for style, one in readings(lines, kind, options.numbered):
        if isinstance(one, Candidate):
            one = _check(one._replace(said=said, unread=unread), style, kind, options)
        if not isinstance(found.get(style), Checked):
            found[style] = one
    for one in found.values():
        if isinstance(one, Misfit) and one.rank == Rank.CERTAIN:
            raise InputError(one.why)
    return found


def _check(candidate, style, kind, options):
    """Return a reading of a file as `Checked`, or why it does not fit."""
    wrong = options.contradicts(style)
    if wrong:
        return Misfit(Rank.OPTION, wrong)
    if style.layout == "edges":
        return _check_edges(candidate)
    stranger = no_region(candidate.columns, options.names)
    if stranger is not None:
        return Misfit(Rank.STRANGER, f"its column {stranger!r} is not a region: take it out")
    try:
        if kind == "series":
            return _check_series(candidate, options)
        return _check_matrix(candidate, options)
    except (TotalsError, _CommentError) as error:
        return Misfit(Rank.ORDER, str(error))
    except AsymmetryError as error:
        return Misfit(Rank.MATRIX, str(error))
    except InputError as error:
        return Misfit(Rank.LABELS, str(error))


def _check_series(candidate, options):
    values, columns, rows = candidate[:3]
    if is_symmetric(values) and np.nanmin(values) < np.nanmax(values):
        return Misfit(Rank.CERTAIN, "it is a symmetric matrix: set `kind: matrix`")
    again = repeated_header(values, columns)
    if again is not None:
        return Misfit(Rank.CERTAIN, GLUED.format(again + 2))
    if rows is not None and any(rows):
        numbers = [number(row.replace(",", ".")) for row in rows]
        texts = numbers.count(None)
        # One number in all rows may be the subject's.
        constant = len(set(numbers)) == 1 and numbers[0] not in (0, None)
        if 0 < texts < len(rows) or not (texts or constant or _monotone(numbers)):
            text = "its first column neither rises nor falls nor holds words"
            return Misfit(Rank.NUMBERS, text)
        if texts and _names_regions(rows, columns, values.shape[1]):
            text = "its rows have names, its columns do not: is it transposed? Rows must be volumes"
            return Misfit(Rank.CERTAIN, text)
    if values.shape[1] < 2:
        text = f"it must hold volumes x regions, not the shape {values.shape}"
        return Misfit(Rank.NUMBERS, text)
    if len(values) < 3:
        return Misfit(Rank.NUMBERS, f"it has only {len(values)} volumes")
    names = _that_name(columns, _said_names(candidate, values.shape[1], columns, options))
    wrong = options.lacks(names, values.shape[1], "columns", len(values))
    if wrong:
        return Misfit(Rank.REGIONS, wrong)
    return Checked(values, names, candidate)


def _check_edges(candidate):
    """Return a list of edges as `Checked`, or why it does not fit."""
    ends = {*candidate.ends[0], *candidate.ends[1]}
    lists = [one for one, text in candidate.said if one and names_in_text(one, text, {len(ends)})]
    # Whether the numbers are places in such a list, from 0 or from 1, is not known.
    if lists and all(map(whole, ends)):
        text = (
            f"its comment {lists[0]!r} names regions, and its edges have numbers: give an atlas "
            "with the columns `name` and `code`, or leave the comment out"
        )
        return Misfit(Rank.CERTAIN, text)
    return Checked(candidate.values, None, candidate, "edge lists")


def _said_names(candidate, count, others, options):
    """Return the names of regions that comments list, or raise InputError if they do not fit.

    `others`: the names in a header or a first column, with which they must agree.
    """
    found = None
    for name, text in candidate.said:
        listed = names_in_text(name, text, {count})
        # Under no name it may be anything else.
        if listed is None or (not name and len(listed) != count):
            continue
        if len(listed) != count:
            raise _CommentError(
                f"its comment {name!r} lists {len(listed)} names, and there are {count} regions: "
                "correct it, call it something else, or leave it out"
            )
        own = check_names(listed, options.numbered)
        naming = [one for one in (found, others) if one and not count_words(one)]
        known = next((one for one in naming if not all(map(whole, one))), own)
        if own != known:
            raise _CommentError(f"its comment {name!r} names other regions than the rest of it")
        found = own
    return found


class _CommentError(InputError):
    """A comment lists names of other regions than there are."""


def _that_name(*several):
    """Return the first labels that do more than number the regions; None if there are none.

    Programs call columns without names V1, V2, ...: such labels are taken if there are no others.
    """
    naming = [one for one in several if one is not None and not count_from(one)]
    naming.sort(key=count_words)
    return next(iter(naming), None)


def _check_matrix(candidate, options):
    stranger = no_region(candidate.rows, options.names)
    if stranger is not None:
        text = f"its row {stranger!r} is neither a region nor a person: take it out"
        return Misfit(Rank.STRANGER, text)
    values, columns, rows = candidate[:3]
    if rows is not None:
        rows = labels(rows, options.numbered) if any(rows) else None
        if isinstance(rows, str):
            return Misfit(Rank.NUMBERS, rows)
        if rows is None and any(candidate.rows):
            return Misfit(Rank.NUMBERS, "its first column holds no labels")
    weights, layout = matrices_of(values, SYMMETRIC_SINGLE, options.triangle, options.count)
    if not layout:
        return _check_square(candidate, values, columns, rows, weights, options)
    again = repeated_header(values, columns)
    if again is not None:
        return Misfit(Rank.CERTAIN, GLUED.format(again + 2))
    count = n_vertices_of(weights.shape[-1])
    names = _that_name(_said_names(candidate, count, None, options))
    wrong = options.lacks(names, count, "regions")
    if wrong:
        return Misfit(Rank.REGIONS, wrong)
    return Checked(weights, names, candidate._replace(rows=rows), layout)


def _check_square(candidate, values, columns, rows, weights, options):
    """Check a file that holds one matrix, whose upper triangle is `weights`."""
    count = len(values)
    if rows is None or rows == columns:
        again = repeated_header(values, columns)
        if again is not None and not np.array_equal(values, values.T):
            return Misfit(Rank.ORDER, GLUED.format(again + 2))
    if candidate.corner is not None and not (count > 3 and _monotone(map(float, rows))):
        return Misfit(Rank.MATRIX, "a number stands above its first column")
    missing = np.isnan(np.diag(values))
    if missing[0] and not missing.all() and np.isfinite(values[0, 1:]).any():
        return Misfit(Rank.MATRIX, "its first row and column look like labels but are not")
    if columns is not None and rows is not None:
        wrong = _apart(columns, rows)
        if wrong:
            return Misfit(Rank.ORDER, wrong)
    names = _that_name(columns, rows)
    names = _that_name(names, _said_names(candidate, count, names, options))
    wrong = options.lacks(names, count, "rows")
    if wrong:
        return Misfit(Rank.REGIONS, wrong)
    return Checked(weights, names, candidate)


def _names_regions(rows, columns, count):
    """Whether rows are named after regions: their names do more than count, and columns only count.

    `count`: the number of columns. If rows only count (roi_1, roi_2, ...), more columns than rows
    show it: there are more volumes than regions.
    """
    words_of_rows = {_without_numbers(row) for row in rows}
    if columns is None or count_from(columns):
        return len(words_of_rows) == len(rows) or (len(set(rows)) == len(rows) < count)
    words_of_columns = {_without_numbers(name) for name in columns}
    counted = len(columns) > 2 and len(words_of_columns) == 1 and "" not in words_of_columns
    return counted and len(words_of_rows) == len(rows)


def _without_numbers(name):
    return re.sub(r"\d+", "", name)


def _apart(columns, rows):
    """Say where the labels of rows and columns differ, unless one of them only counts."""
    if columns == rows:
        return None
    shared = set(columns) & set(rows)
    if not shared or any(map(count_from, (columns, rows))) and set(columns) != set(rows):
        rising = all(map(whole, rows)) and _monotone(map(float, rows))
        # Row1, Row2, ... only count too.
        bare = [[one.removeprefix(n[0][:-1]) for one in n] for n in (columns, rows)]
        if any(map(count_from, (columns, rows, *bare))) or rising:
            return None
    row = next(k for k in range(len(rows)) if rows[k] != columns[k])
    return (
        f"its rows and columns are not the same regions in the same order: row {row + 1} is "
        f"{rows[row]!r}, column {row + 1} is {columns[row]!r}"
    )


def _monotone(numbers):
    steps = np.diff(np.array(list(numbers), dtype=float))
    return bool(np.all(steps > 0) or np.all(steps < 0))


# All files ----------------------------------------------------------------------------------


def choose(paths, found, kind):
    """Return the one reading that fits all files, from the `checked_readings` of each."""
    fits = [{s: one for s, one in of.items() if isinstance(one, Checked)} for of in found]
    common = [style for style in fits[0] if all(style in of for of in fits)]
    sets = {style: [of[style] for of in fits] for style in common}
    why = {style: _unlike(style, files) for style, files in sets.items()}
    left = {style: files for style, files in sets.items() if not why[style]}
    for style in list(left):
        # Drop readings that take labels for data, or a second header below a marked one for data.
        more = [s for s in left if s.header >= style.header and s.beside >= style.beside]
        more = [s for s in more if s[:3] == style[:3] and s != style and s.layout == style.layout]
        if not style.marked and style.header and any(s.marked for s in left):
            del left[style]
        elif reason := _labelled(style, left[style], kind, more):
            why[style] = Misfit(Rank.ORDER, reason)
            del left[style]
    # Three edges are three rows and columns, but not a symmetric matrix: a table counts first.
    if any(style.layout == "table" for style in left):
        left = {style: files for style, files in left.items() if style.layout == "table"}
    if not left:
        _none_fits(paths, found, fits, why)
    return _only(paths[0], left, kind)


def _unlike(style, files):
    """Say why labels that differ between files are not labels: they share too few numbers."""
    if style.header and style.layout == "table":
        first = set(files[0].raw.columns)
        for one in files:
            columns = one.raw.columns
            own = len(first & set(columns)) < min(len(first), len(columns)) / 2
            if own and (style.marked or all(map(whole, columns))):
                text = "its first line differs from the first file's, as data do"
                return Misfit(Rank.LABELS, text)
    return None


def _labelled(style, files, kind, more):
    """Say why a line or column cannot be data, though a reading takes it for data.

    `more`: the readings that take more lines or columns for labels.
    """
    if style.layout == "edges":
        return ""
    values = [one.raw.values for one in files]
    table = kind == "series" or bool(files[0].layout)
    above = not style.header and any(other.header for other in more)
    if _line(values, table, above):
        below = " below its header" if style.header else ""
        return f"its first line{below} holds numbers that look like labels but are not"
    if kind == "series":
        beside = not style.beside and any(other.beside for other in more)
        return _labelled_columns(style, values, beside)
    return ""


def _labelled_columns(style, values, beside):
    """Say which column of series is not a region; `beside`: another reading has labels there."""
    body = values if style.header else [one[1:] for one in values]
    if beside and _column([one[:, 0] for one in body]):
        return "its first column numbers the volumes"
    for place in range(min(one.shape[1] for one in body)):
        columns = [one[:, place : place + 1].ravel() for one in body]
        shown = place + 1 + style.beside
        if _column(columns, 20):
            return f"column {shown} numbers the volumes: take it out"
        rest = [np.delete(one, place, 1) for one in body]
        if all(map(np.ptp, columns)) and _whole_beside_fractions(columns, rest):
            return (
                f"column {shown} holds whole numbers, the others fractions (a run, a group?): "
                "take it out"
            )
    return ""


def _line(values, table, above):
    """Whether first lines cannot be data: the same in all files, rising, or whole above fractions.

    `table`: a line is a volume or person, not a region; `above`: another reading has labels.
    """
    lines = [one[0][np.isfinite(one[0])] for one in values]
    if any(len(set(line)) < 2 for line in lines):
        return False
    if (above or not table) and any(len(set(line)) < len(line) for line in lines):
        return False
    if above or table:
        same = all(np.array_equal(line, lines[0]) for line in lines)
        if same and any(not np.array_equal(one, values[0], equal_nan=True) for one in values):
            return True
    if table and (_rise(lines, 10 if above else 7) or all(map(_counts, lines))):
        return True
    if table:
        below = [one[1:] for one in values]
    else:
        # Each pair once: the other triangle would count all numbers twice.
        below = [one[1:, 1:][np.triu_indices(len(one) - 1, 1)] for one in values]
    return _whole_beside_fractions(lines, below)


def _rise(lines, steps):
    """Whether all lines rise or fall for at least this many steps, which chance hardly does."""
    return all(map(_monotone, lines)) and sum(len(line) - 1 for line in lines) >= steps


def _counts(line):
    """Whether a line counts in whole numbers."""
    first = line[0]
    counting = np.arange(len(line)) + first
    return len(line) > 4 and first % 1 == 0 and np.array_equal(line, counting)


def _whole_beside_fractions(lines, rest):
    """Whether all numbers of some lines or columns are whole, and not by chance."""
    if any((line % 1 != 0).any() for line in lines):
        return False
    numbers = np.concatenate([one[np.isfinite(one)].ravel() for one in rest])
    share = (np.sum(numbers % 1 == 0) + 1) / (len(numbers) + 2)
    return share ** sum(map(len, lines)) < _CHANCE


def _column(columns, steps=10):
    """Whether columns of series number the volumes: they rise or fall for at least some steps."""
    if all(np.isnan(one).all() for one in columns):
        return len(columns) > 1 and steps == 10
    if all(map(counts_runs, columns)):
        return True
    if not all(len(one) > 1 and np.isfinite(one).all() and _monotone(one) for one in columns):
        return False
    gaps = [np.diff(one) for one in columns]
    even = all(len(o) > 2 and (np.abs(o - o[0]) <= 1e-3 * abs(o[0])).all() for o in gaps)
    return (even and steps == 10) or sum(len(one) - 1 for one in columns) >= steps


def _only(path, left, kind):
    """Return the reading that is left; those with the same numbers and names are one."""
    kinds = []
    for style, files in left.items():
        like = (place for place, (_, others) in enumerate(kinds) if _alike(files, others))
        place = next(like, None)
        if place is None:
            kinds.append((style, files))
        elif files[0].names and not kinds[place][1][0].names:
            kinds[place] = style, files
    # Several readings with different numbers: a guess could turn a label into a region without
    # notice.
    if len(kinds) == 1:
        return kinds[0]
    apart = _options_apart(kinds[0][0], kinds[1][0])
    arrays = [_whole_array(style, files[0], kind) for style, files in kinds[:2]]
    at = _first_that_differs(*arrays)
    told = [
        f"{_shape(array, files[0].names, at)} ({_with(style, apart)})"
        for array, (style, files) in zip(arrays, kinds, strict=False)
    ]
    options = [f"`{name}`" for name in apart or ["key"]]
    raise InputError(
        f"{path} can be read in {len(kinds)} ways that differ: {' or '.join(told)}. Say which by "
        f"{in_words(options)}"
    )


def _alike(files, others):
    """Whether two readings find the same numbers and names."""
    for one, other in zip(files, others, strict=True):
        if not np.array_equal(one.array, other.array, equal_nan=True):
            return False
        if one.names and other.names and one.names != other.names:
            return False
    return True


def _options_apart(one, other):
    """Return the options that choose between two readings."""
    names = ("header", "index", "decimal")
    apart = [name for name in names if _says(one, name) != _says(other, name)]
    if one.thousands != other.thousands and "decimal" not in apart:
        apart.append("decimal")
    return apart


def _whole_array(style, one, kind):
    """Return what a file holds as it would be shown: a whole matrix, not a triangle."""
    if kind == "series" or style.layout == "edges":
        return one.array
    return square_of(one.array)


def _first_that_differs(array, other):
    """Return the place of the first number that differs, or of the second number if none does."""
    if array.shape == other.shape and not np.array_equal(array, other, equal_nan=True):
        return tuple(np.argwhere(~near(array, other, 0))[0])
    return (0,) * (array.ndim - 1) + (1,)


def _says(style, name):
    if name == "index":
        return bool(style.beside)
    return getattr(style, name)


def _shape(array, names, at):
    numbers = " x ".join(map(str, array.shape))
    named = f" named {', '.join(names[:2])}, ..." if names else ""
    return f"{numbers} numbers{named}, such as {array[at]:g}"


def _with(style, apart):
    grouped = ", grouped by three" if style.thousands else ""
    words = {
        "header": "header" if style.header else "no header",
        "index": "index" if style.beside else "no index",
        "decimal": f"decimal {style.decimal!r}{grouped}",
    }
    return ", ".join(words[name] for name in apart)


def _none_fits(paths, found, fits, why):
    """Raise InputError for the file that fits least, with what is wrong in its best reading."""
    if any(why.values()):
        _, reason = max((w for w in why.values() if w), key=lambda w: w.rank)
        raise InputError(f"{paths[-1]}: {reason}")
    for path, of, good in zip(paths, found, fits, strict=True):
        misfits = [one for one in of.values() if isinstance(one, Misfit)]
        best = max(misfits, key=lambda one: one.rank, default=Misfit(Rank.OPTION, ""))
        if not good or best.rank >= Rank.ORDER:
            raise InputError(f"{path}: {best.why}")
    # Each file fits some reading, but no reading fits all: name the file that differs from most.
    counts = {style: sum(style in of for of in fits) for of in fits for style in of}
    usual = max(counts, key=counts.__getitem__)
    odd = next(k for k, of in enumerate(fits) if usual not in of)
    like = next(k for k, of in enumerate(fits) if usual in of)
    wrong = found[odd].get(usual)
    if isinstance(wrong, Misfit) and wrong.rank >= Rank.LABELS:
        raise InputError(f"{paths[odd]}: {wrong.why}")
    raise InputError(
        f"{paths[odd]} is not written like {paths[like]}: {describe(next(iter(fits[odd])))} "
        f"instead of {describe(usual)}. All files of a data set must be alike"
    )


def describe(style):
    """Return what a style is, in words."""
    marks = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces", None: "spaces"}
    labels_in = [n for n, has in (("a header", style.header), ("an index", style.beside)) if has]
    return f"{marks[style.separator]}, {in_words(labels_in) or 'no labels'}"
