"""Which reading fits all files of a data set: what is the same in every file is a label."""

import re
from typing import NamedTuple

import numpy as np

from ...core.checks import in_words
from ...core.errors import InputError
from ...core.graphs import SYMMETRIC_SINGLE, n_vertices_of, near, square_of
from .layouts import is_symmetric, matrices_of
from .suspects import counts_runs, no_region, repeated_header
from .text import GLUED, Candidate, Misfit, labels, number, readings, whole

#: Below this probability something is not taken for chance.
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


def checked_readings(lines, kind, options):
    """Return each reading of a file, checked by itself: ``{style: Checked or Misfit}``."""
    found = {}
    for style, one in readings(lines, kind, options.numbered):
        if isinstance(one, Candidate):
            wrong = options.contradicts(style)
            one = Misfit(0, wrong) if wrong else _check(one, style, kind, options)
        if not isinstance(found.get(style), Checked):
            found[style] = one
    for one in found.values():
        if isinstance(one, Misfit) and one.rank == 9:
            raise InputError(one.why)
    return found


def _check(candidate, style, kind, options):
    if style.layout == "edges":
        return Checked(candidate.values, None, candidate, "edge lists")
    try:
        known = options.regions[0] if options.regions else ()
        stranger = no_region(candidate.columns, known)
        if stranger is not None:
            return Misfit(7, f"its column {stranger!r} is of no region: take it out")
        stranger = no_region(candidate.rows, known) if kind == "matrix" else None
        if stranger is not None:
            return Misfit(7, f"its row {stranger!r} is of no region and no person: take it out")
        check = _check_series if kind == "series" else _check_matrix
        return check(candidate, options)
    except InputError as error:
        ranks = {"totals": 6, "not symmetric": 4}
        return Misfit(next((k for word, k in ranks.items() if word in str(error)), 3), str(error))


def _check_series(candidate, options):
    values, columns, rows = candidate[:3]
    if is_symmetric(values) and np.nanmin(values) < np.nanmax(values):
        return Misfit(9, "it is a symmetric matrix: set `kind: matrix`")
    again = repeated_header(values, columns)
    if again is not None:
        return Misfit(9, GLUED.format(again + 2))
    if rows is not None and any(rows):
        numbers = [number(row.replace(",", ".")) for row in rows]
        texts = numbers.count(None)
        constant = len(set(numbers)) == 1 and numbers[0] not in (0, None)  # the subject's number?
        if 0 < texts < len(rows) or not (texts or constant or _monotone(numbers)):
            return Misfit(2, "its first column neither rises nor falls nor holds words")
        if texts and _names_regions(rows, columns, values.shape[1]):
            return Misfit(
                9, "its rows have names, its columns none: is it transposed? Rows must be volumes"
            )
    if values.shape[1] < 2:
        return Misfit(2, f"it must hold volumes x regions, not the shape {values.shape}")
    if len(values) < 3:
        return Misfit(2, f"it has only {len(values)} volumes")
    names = None if columns is None or count_from(columns) else columns
    wrong = options.lacks(names, values.shape[1], "columns", len(values))
    return Misfit(5, wrong) if wrong else Checked(values, names, candidate)


def _check_matrix(candidate, options):
    values, columns, rows = candidate[:3]
    rows = labels(rows, options.numbered) if rows is not None and any(rows) else None
    if isinstance(rows, str) or (rows is None and any(candidate.rows or ())):
        return Misfit(2, rows or "its first column holds no labels")
    weights, layout = matrices_of(values, SYMMETRIC_SINGLE, options.triangle, options.count)
    if layout:
        again = repeated_header(values, columns)
        if again is not None:
            return Misfit(9, GLUED.format(again + 2))
        candidate = candidate._replace(rows=rows)
        wrong = options.lacks(None, n_vertices_of(weights.shape[-1]), "regions")
        return Misfit(5, wrong) if wrong else Checked(weights, None, candidate, layout)
    array = square_of(weights)
    again = repeated_header(values, columns) if rows is None or rows == columns else None
    if again is not None and not np.array_equal(values, values.T):
        return Misfit(6, GLUED.format(again + 2))
    if candidate.corner is not None and not (len(array) > 3 and _monotone(map(float, rows))):
        return Misfit(4, "a number stands above its first column")
    missing = np.isnan(np.diag(values))
    if missing[0] and not missing.all() and np.isfinite(values[0, 1:]).any():
        return Misfit(4, "its first row and column look like labels, and are none")
    if columns is not None and rows is not None:
        wrong = _apart(columns, rows)
        if wrong:
            return Misfit(6, wrong)
    names = next((n for n in (columns, rows) if n is not None and not count_from(n)), None)
    wrong = options.lacks(names, len(array), "rows")
    return Misfit(5, wrong) if wrong else Checked(weights, names, candidate)


def _names_regions(rows, columns, count):
    """Whether names of rows are those of regions: they do more than count, and columns count.

    `count`: of the columns. Where rows only count (roi_1, roi_2, ...), more columns than rows say
    it: volumes are many.
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
        # Row1, Row2, ... only count, too.
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
        # A line or column of labels, read as data; or a second header below a marked one.
        more = [s for s in left if s.header >= style.header and s.beside >= style.beside]
        more = [s for s in more if s[:3] == style[:3] and s != style and s.layout == style.layout]
        if not style.marked and style.header and any(s.marked for s in left):
            del left[style]
        elif reason := _labelled(style, left[style], kind, more):
            why[style] = Misfit(6, reason)
            del left[style]
    if any(style.layout == "table" for style in left):  # three edges are no symmetric matrix
        left = {style: files for style, files in left.items() if style.layout == "table"}
    if not left:
        _none_fits(paths, found, fits, why)
    return _only(paths[0], left, kind)


def _unlike(style, files):
    """Say why labels that differ between files are none: the numbers on top share too little."""
    if style.header and style.layout == "table":
        first = set(files[0].raw.columns)
        for one in files:
            columns = one.raw.columns
            own = len(first & set(columns)) < min(len(first), len(columns)) / 2
            if own and (style.marked or all(map(whole, columns))):
                return Misfit(3, "its first line differs from the first file's, as data do")
    return None


def _labelled(style, files, kind, more):
    """Say why a line or column cannot be data, though a reading takes it for data."""
    values = [one.raw.values for one in files]
    if style.layout == "edges":
        return ""
    table = kind == "series" or bool(files[0].layout)
    if _line(values, table, not style.header and any(s.header for s in more)):
        below = " below its header" if style.header else ""
        return f"its first line{below} holds numbers as labels are, and they are none"
    if kind == "series":
        skip = 0 if style.header else 1
        if any(s.beside for s in more) and not style.beside:
            if _column([one[skip:, 0] for one in values]):
                return "its first column numbers the volumes"
        for place in range(min(one.shape[1] for one in values)):
            columns = [one[skip:, place : place + 1].ravel() for one in values]
            if _column(columns, 20):
                return f"column {place + 1 + style.beside} numbers the volumes: take it out"
            rest = [np.delete(one[skip:], place, 1) for one in values]
            if all(map(np.ptp, columns)) and _whole_beside_fractions(columns, rest):
                return (
                    f"column {place + 1 + style.beside} holds whole numbers beside fractions (a "
                    "run, a group?): take it out"
                )
    return ""


def _line(values, table, above):
    """Whether first lines cannot be data: the same in all files, rising, or whole above fractions.

    `table`: a line is of a volume or person, not of a region; `above`: another reading has labels.
    """
    lines = [one[0][np.isfinite(one[0])] for one in values]
    if any(len(set(line)) < 2 for line in lines):
        return False
    if (above or not table) and any(len(set(line)) < len(line) for line in lines):
        return False
    same = all(np.array_equal(line, lines[0]) for line in lines)
    if same and (above or table):
        if any(not np.array_equal(v, values[0], equal_nan=True) for v in values):
            return True
    if (
        table
        and all(map(_monotone, lines))
        and sum(len(line) - 1 for line in lines) >= (10 if above else 7)
    ):
        return True
    if (
        table
        and not any((line % 1).any() for line in lines)
        and all(len(o) > 4 and (o == np.arange(len(o)) + o[0]).all() for o in lines)
    ):
        return True
    below = [o[1:] if table else o[1:, 1:][np.triu_indices(len(o) - 1, 1)] for o in values]
    return _whole_beside_fractions(lines, below)


def _whole_beside_fractions(lines, rest):
    """Whether it is no chance that all numbers of some lines or columns are whole."""
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
        for place, (_, others) in enumerate(kinds):
            pairs = list(zip(files, others, strict=True))
            if any(not np.array_equal(a.array, b.array, equal_nan=True) for a, b in pairs):
                continue
            if any(a.names and b.names and a.names != b.names for a, b in pairs):
                continue
            if files[0].names and not others[0].names:
                kinds[place] = style, files
            break
        else:
            kinds.append((style, files))
    if len(kinds) == 1:
        return kinds[0]
    (one, first), (other, _) = kinds[:2]
    apart = [
        name for name in ("header", "index", "decimal") if _says(one, name) != _says(other, name)
    ]
    if one.thousands != other.thousands and "decimal" not in apart:
        apart.append("decimal")
    array, same = shown = [
        f[0].array if kind == "series" or s.layout == "edges" else square_of(f[0].array)
        for s, f in kinds[:2]
    ]
    at = (0,) * (array.ndim - 1) + (1,)
    if array.shape == same.shape and not np.array_equal(array, same, equal_nan=True):
        at = tuple(np.argwhere(~near(array, same, 0))[0])
    told = " or ".join(
        f"{_shape(values, f[0].names, at)} ({_with(s, apart)})"
        for values, (s, f) in zip(shown, kinds, strict=False)
    )
    raise InputError(
        f"{path} can be read in {len(kinds)} ways that differ: {told}. Say which by "
        f"{in_words([f'`{name}`' for name in apart or ['key']])}"
    )


def _says(style, name):
    return bool(style.beside) if name == "index" else getattr(style, name)


def _shape(array, names, at):
    names = f" named {', '.join(names[:2])}, ..." if names else ""
    return f"{' x '.join(map(str, array.shape))} numbers{names}, such as {array[at]:g}"


def _with(style, apart):
    words = {
        "header": f"{'' if style.header else 'no '}header",
        "index": f"{'' if style.beside else 'no '}index",
        "decimal": f"decimal {style.decimal!r}{', grouped by three' * style.thousands}",
    }
    return ", ".join(words[name] for name in apart)


def _none_fits(paths, found, fits, why):
    """Raise InputError for the file that fits least, with what its best reading lacks."""
    if any(why.values()):
        _, reason = max((w for w in why.values() if w), key=lambda w: w.rank)
        raise InputError(f"{paths[-1]}: {reason}")
    for path, of, good in zip(paths, found, fits, strict=True):
        misfits = [one for one in of.values() if isinstance(one, Misfit)] or [Misfit(0, "")]
        best = max(misfits, key=lambda one: one.rank)
        if not good or best.rank > 5:
            raise InputError(f"{path}: {best.why}")
    counts = {style: sum(style in of for of in fits) for of in fits for style in of}
    usual = max(counts, key=counts.__getitem__)
    odd = next(k for k, of in enumerate(fits) if usual not in of)
    like = next(k for k, of in enumerate(fits) if usual in of)
    wrong = found[odd].get(usual)
    if isinstance(wrong, Misfit) and wrong.rank > 2:
        raise InputError(f"{paths[odd]}: {wrong.why}")
    raise InputError(
        f"{paths[odd]} is not written as {paths[like]} is: {describe(next(iter(fits[odd])))} "
        f"instead of {describe(usual)}. All files of a data set must be alike"
    )


def describe(style):
    """Return what a style is, in words."""
    marks = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces", None: "spaces"}
    labels_in = [n for n, has in (("a header", style.header), ("an index", style.beside)) if has]
    return f"{marks[style.separator]}, {in_words(labels_in) or 'no labels'}"
