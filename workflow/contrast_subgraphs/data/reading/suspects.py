"""What must not be read as data: totals, columns of runs, repeated headers."""

import re
import warnings

import numpy as np

from ...core.errors import InputError


class TotalsError(InputError):
    """The first or last row or column of a file is the sum or mean, ... of the others."""


#: Names of columns that hold no region, in lower case without signs.
_NO_REGIONS = frozenset(
    (
        *("run", "runs", "session", "sessionid", "ses", "subject", "subjectid", "subid", "sub"),
        *("participant", "participantid", "id", "group", "condition", "task", "block", "site"),
        *("age", "sex", "gender", "diagnosis", "dx"),
        *("trial", "trialtype", "stimulus", "event", "onset", "duration", "response"),
        *("time", "times", "timepoint", "timepoints", "timestamp", "seconds", "sec", "index"),
        *("frame", "frames", "volume", "volumes", "vol", "tr", "scan", "scans", "sample"),
        *("mean", "means", "average", "avg", "total", "totals", "sum", "sums", "std", "median"),
        *("rowmean", "rowsum", "rowtotal", "grandtotal", "count"),
        *("framewisedisplacement", "fd", "meanfd", "dvars", "stddvars", "rmsd", "censor"),
        *("outlier", "outliers", "motionoutlier", "filename", "unnamed"),
        *("strength", "strengths", "degree", "degrees", "rowmedian", "minimum", "maximum"),
    )
)
#: The beginnings of such names that continue with a number or letter (fMRIPrep's confounds).
_NO_REGION_BEGINS = re.compile(
    r"(trans|rot)[xyz]|([act]compcor|cosine|aromamotion|motionoutlier)\d"
    r"|(csf|csfwm|whitematter|globalsignal)(derivative1)?(power2)?$"
)
#: A match with totals that is more probable than this by chance does not count.
_CHANCE = 1e-8
#: With fewer different numbers, as in a graph of zeros and ones, medians and extremes are equal by
#: chance.
_FEWEST_DIFFERENT = 10
#: Numbers and totals are rounded: they may differ by this share of the variation.
_ROUNDED = 0.01
#: In this many pairs people's weights are compared with totals before all pairs are.
_FEW_PAIRS = 50
#: With at least this many even steps, a column numbers the volumes, run after run.
_STEPS = 10


def no_region(names, atlas=()):
    """Return the first name that cannot be a region's, such as ``run`` or ``time``; else None.

    `atlas`: names that are regions in any case. Short names in capitals are regions too: SUB and TR
    are regions of the mouse brain.
    """
    for name in names or ():
        bare = re.sub(r"[\W_]+", "", name)
        capitals = len(bare) < 4 and bare.isupper()
        bare = bare.lower()
        strange = bare in _NO_REGIONS or _NO_REGION_BEGINS.match(bare)
        if strange and not capitals and name not in atlas:
            return name
    return None


def repeated_header(values, columns):
    """Return the row (from 0) that repeats the numbers of the header; else None."""
    if columns is None or not all(name.isdigit() for name in columns):
        return None
    header = np.array(columns, dtype=float)
    again = np.flatnonzero(values[:, 0] == header[0])
    return next((row for row in again if np.array_equal(values[row], header)), None)


def counts_runs(column):
    """Whether a column numbers the volumes of several runs: even steps, with a few leaps back."""
    steps = np.diff(column)
    if len(steps) < _STEPS or not np.isfinite(steps).all() or steps[0] == 0:
        return False
    even = np.abs(steps - steps[0]) <= 1e-3 * abs(steps[0])
    leaps = steps[~even]
    return len(leaps) <= len(steps) / 5 and bool((np.sign(leaps) == -np.sign(steps[0])).all())


def _matches(found, expected, spread):
    """Whether numbers are as expected, up to rounding, and not by chance."""
    varies = spread > 0
    count = int(varies.sum())
    if count < 3 or not np.isfinite(found[varies]).all():
        return False
    near = np.abs(found - expected)[varies] <= _share(count) * spread[varies]
    return bool(near.all())


def _share(count):
    """Return the share of the variation by which this many numbers may differ without chance."""
    return min(_ROUNDED, _CHANCE ** (1 / count))


#: What a row or column of totals may hold: statistics of the rows of an array.
_MOMENTS = {
    "mean": lambda rows: rows.mean(axis=0),
    "sum": lambda rows: rows.sum(axis=0),
    "standard deviation": lambda rows: rows.std(axis=0, ddof=1),
    "standard deviation (of a population)": lambda rows: rows.std(axis=0),
    "variance": lambda rows: rows.var(axis=0, ddof=1),
    "sum of squares": lambda rows: (rows**2).sum(axis=0),
}
_RANKS = {
    "median": lambda rows: np.nanmedian(rows, axis=0),
    "maximum": lambda rows: np.nanmax(rows, axis=0),
    "minimum": lambda rows: np.nanmin(rows, axis=0),
}
#: The same without what is missing, as the diagonal of a matrix may be.
_OF_OTHERS = {
    "standard deviation": lambda rows: np.nanstd(rows, axis=0, ddof=1),
    "standard deviation (of a population)": lambda rows: np.nanstd(rows, axis=0),
    "variance": lambda rows: np.nanvar(rows, axis=0, ddof=1),
    "sum of squares": lambda rows: np.nansum(rows**2, axis=0),
    **_RANKS,
}


def check_totals_of_matrix(hollow):
    """Raise InputError if the first or last row of a matrix is a sum, mean, ... of all others.

    `hollow`: with zeros on the diagonal. The totals may include a former diagonal, the same in all.
    """
    if len(hollow) < 4:
        return
    for place, matrix in (("last", hollow), ("first", hollow[::-1, ::-1])):
        of = _totals_of_matrix(matrix)
        if of:
            others = "rows above" if place == "last" else "rows below"
            raise _totals(f"{place} row", of, others)


def _totals_of_matrix(hollow):
    """Return what the last row of a matrix is of the others; None if it is a row of weights."""
    n = len(hollow) - 1
    last = hollow[-1, :-1]
    above = hollow[:-1, :-1]
    if np.ptp(last) > 0:
        # The sums may include the diagonal, which adds the same to all.
        tolerance = 2 * _share(n) * np.std(last)
        measures = {
            "": above,
            " of absolute values": np.abs(above),
            " of positive values": np.maximum(above, 0),
        }
        for measure, rows in measures.items():
            sums = np.nansum(rows, axis=0)
            for of, factor in (("sum", 1), ("mean", n), ("mean", n - 1)):
                if np.ptp(last * factor - sums) <= tolerance * factor:
                    return f"{of}{measure}"
    if np.isnan(above).any() or len(np.unique(hollow)) < _FEWEST_DIFFERENT:
        return None
    # Other statistics may be taken over the others, or over all with a diagonal of 0 or 1.
    for own in (np.nan, 0, 1):
        rows = above.copy()
        np.fill_diagonal(rows, own)
        of = _statistic(last, rows, np.full(n, np.std(last)), _OF_OTHERS)
        if of:
            return of
    return None


def check_totals_of_volumes(values):
    """Raise InputError if the first or last row of series is a sum, mean, ... of the others."""
    if np.ndim(values) == 2:
        _check_ends(values, values[1:-1].std(axis=0), "row", "rows")


def check_totals_of_series(values):
    """Raise InputError if the first or last column of series is a sum, mean, ... of the others."""
    if np.ndim(values) == 2:
        _check_ends(values.T, None, "column", "columns")


def check_totals_of_people(rows):
    """Raise InputError if the first or last of people's weights are a sum, mean, ... of the others.

    `rows`: the weights of all pairs, one row a person.
    """
    # A few pairs are enough to rule it out, and leave the rest of a large file alone.
    few = rows[:, :_FEW_PAIRS].astype(float)
    try:
        _check_ends(few, few[1:-1].std(axis=0), "graph", "graphs")
    except TotalsError:
        whole = np.asarray(rows, dtype=float)
        _check_ends(whole, whole[1:-1].std(axis=0), "graph", "graphs")


def _check_ends(values, spread, line, lines):
    """Raise InputError if the first or last line is a statistic of all the others.

    `spread`: how much each number of a line varies; None for as much as the line itself.
    """
    ends = {"last": (values[-1], values[:-1]), "first": (values[0], values[1:])}
    for place, (one, rest) in ends.items():
        if len(rest) < 3:
            return
        how_much = spread
        if spread is None:
            how_much = np.full(len(one), one.std())
        statistics = _MOMENTS
        # With few different numbers, as in graphs of zeros and ones, ranks are equal by chance.
        if len(np.unique(one)) >= min(_FEWEST_DIFFERENT, len(one)):
            statistics = _MOMENTS | _RANKS
        of = _statistic(one, rest, how_much, statistics)
        if of:
            raise _totals(f"{place} {line}", of, f"other {lines}")


def _totals(line, of, others):
    """Return the error for a row or column that is not a region, volume or person."""
    return TotalsError(f"its {line} is the {of} of all {others}: leave out the totals")


def _statistic(line, rows, spread, statistics):
    """Return which statistic of the columns of rows a line is; None if it is none of them.

    The first columns are enough to rule out all but a few files.
    """
    few = slice(3)
    for of, statistic in statistics.items():
        away = np.abs(line[few] - statistic(rows[:, few]))
        if (away <= _ROUNDED * spread[few]).all():
            if _matches(line, statistic(rows), spread):
                return of
    return None


def check_orientation(paths, arrays, names):
    """Raise InputError if some series have as many rows as the others have columns.

    This is for files without names of regions, whose number of columns is all that is known. If all
    have more columns than rows, a warning says how they are read.
    """
    shapes = [
        (path, array.shape[-2:])
        for path, array, own in zip(paths, arrays, names, strict=True)
        if own is None
    ]
    columns = [shape[1] for _, shape in shapes]
    if len(set(columns)) == 1 and all(shape[0] < shape[1] for _, shape in shapes):
        path, shape = shapes[0]
        warnings.warn(
            f"{path} has {shape[0]} rows and {shape[1]} columns, without names of regions: they "
            f"are taken for {shape[0]} volumes of {shape[1]} regions",
            stacklevel=4,
        )
    if len(set(columns)) < 2:
        return
    usual = max(columns, key=columns.count)
    like = next(path for path, shape in shapes if shape[1] == usual)
    for path, shape in shapes:
        if shape[0] == usual != shape[1]:
            raise InputError(
                f"{path} has {shape[0]} rows and {shape[1]} columns, and {like} has {usual} "
                "columns: is one of them transposed? Rows must be volumes in all files"
            )
    rows = {shape[0] for _, shape in shapes}
    if len(rows) == 1:
        other = next(path for path, shape in shapes if shape[1] != usual)
        raise InputError(
            f"{like} and {other} have the same number of rows ({rows.pop()}) and different numbers "
            "of columns: are they transposed? Rows must be volumes, and columns regions"
        )
