"""Arrays of numbers from files as people have them.

Text with tabs, commas, semicolons or spaces, a header or none, names of rows or none,
decimal commas, ``n/a``; ``.npy``, ``.npz``, ``.mat`` (also CONN's). Whatever is not
certain is an error, since a wrong guess would look like data.
"""

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ...core.errors import InputError
from ...core.graphs import SYMMETRIC, SYMMETRIC_SINGLE, share_of_rounding

#: Endings of the files that hold series or matrices.
SUFFIXES = (".csv", ".tsv", ".txt", ".1d", ".npy", ".npz", ".mat")
#: How a value that is not known is written.
_MISSING = ("", "n/a", "na", "nan", "null", "none")
_MISSING_TEXTS = [*_MISSING, "N/A", "NA", "NaN", "NAN", "NULL", "Null", "None"]
#: Names of columns that number the rows.
_INDEX = ("", "index", "unnamed: 0", "time", "volume", "frame", "tr", "sub-brick", "file", "row")
#: Names of arrays in ``.npz`` and ``.mat`` files; one that alone has such a name is taken.
_KEYS = "Z z matrix connectivity correlation series timeseries data graphs".split()
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?inf(inity)?", re.IGNORECASE)
#: What numbers with separators of thousands look like.
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")
_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Numbers:
    """What a file holds.

    Attributes
    ----------
    values : numpy.ndarray
        float64; NaN where a value is missing. Of shape (n_volumes, n_rois), (n_rois,
        n_rois), or for a stack (n_subjects, n_rois, n_rois or n_volumes).
    names : list of str or None
        Of the regions, if the file says them.
    rounding : float
        Up to which share two of its numbers are the same.
    """

    values: np.ndarray
    names: list | None
    rounding: float = SYMMETRIC


def read_numbers(path, kind, key=None):
    """Read an array of numbers.

    Parameters
    ----------
    path : str or pathlib.Path
    kind : {"series", "matrix", "stack"}
        What is looked for; it decides only whether a row or column too many is one of names.
    key : str, optional
        Of the array in ``.npz`` and ``.mat`` files.

    Returns
    -------
    Numbers

    Raises
    ------
    InputError
        Saying what is wrong, without the file's name.
    """
    path = Path(path)
    try:
        match path.suffix.lower():
            case ".npy":
                return _of_array(np.load(path, allow_pickle=False), None)
            case ".npz":
                with np.load(path, allow_pickle=False) as archive:
                    arrays = {name: archive[name] for name in archive.files}
                return _of_arrays(arrays, key)
            case ".mat":
                return _read_mat(path, key)
            case ".h5" | ".hdf5" | ".nii" | ".gz" | ".xlsx" | ".xls" | ".pkl":
                raise InputError(
                    f"files of the kind {path.suffix} cannot be read: save it as .csv, .npy or .mat"
                )
            case _:
                return parse_text(path.read_bytes(), kind)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"it cannot be read: {error}") from error


def _numeric(array):
    array = np.asarray(array)
    if array.dtype.kind == "c":
        raise InputError("it holds complex numbers")
    if array.dtype.kind not in "buif":
        raise InputError(f"it holds {array.dtype} instead of numbers")
    return array.astype(float)


def _of_array(array, names):
    return Numbers(_numeric(array), names, share_of_rounding(np.asarray(array).dtype))


def _of_arrays(arrays, key, names=None):
    """Return the array called `key`, or the only one, or one with a usual name."""
    arrays = {name: array for name, array in arrays.items() if not name.startswith("__")}
    if key is not None and key not in arrays:
        raise InputError(f"it has no array {key!r} (`key`); it has {', '.join(sorted(arrays))}")
    numeric = [
        name for name, a in arrays.items() if np.asarray(a).dtype.kind in "buif" and np.ndim(a) > 1
    ]
    if key is None:
        usual = [name for name in _KEYS if name in numeric]
        if len(numeric) == 1:
            key = numeric[0]
        elif len(usual) == 1:
            key = usual[0]
        else:
            raise InputError(
                f"it has the arrays {', '.join(sorted(arrays)) or '(none)'}: say which by `key` "
                "in the config, or keep only one in the file"
            )
    return _of_array(arrays[key], names)


def _read_mat(path, key):
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(path, squeeze_me=False)
    except NotImplementedError as error:
        raise InputError("it was saved with -v7.3: save it with -v7, or as .csv") from error
    except (MatReadError, TypeError) as error:
        raise InputError(f"it is not a MATLAB file: {error}") from error
    names = _texts(arrays.get("names"))
    data = arrays.get("data")
    if key is None and data is not None and data.dtype == object and names:
        # CONN's ROI_Subject*_Condition*.mat: a cell a region, of volumes x 1.
        cells = [np.asarray(cell) for cell in data.ravel()]
        kept = [i for i, cell in enumerate(cells) if cell.ndim == 2 and cell.shape[1] == 1]
        return Numbers(_numeric(np.hstack([cells[i] for i in kept])), [names[i] for i in kept])
    found = _of_arrays(arrays, key)
    if names and found.values.ndim == 2 and len(names) == len(found.values):
        # CONN's resultsROI_*.mat: further targets may stand behind the regions.
        return Numbers(found.values[:, : len(names)], names, found.rounding)
    return found


def _texts(array):
    if array is None:
        return None
    found = [np.asarray(one).ravel() for one in np.asarray(array, dtype=object).ravel()]
    if not all(len(one) == 1 and isinstance(one[0], str) for one in found):
        return None
    return [one[0].strip() for one in found]


# Text -----------------------------------------------------------------------------------------


def parse_text(content, kind):
    """Read a table of numbers from text.

    Parameters
    ----------
    content : bytes
    kind : {"series", "matrix"}

    Returns
    -------
    Numbers

    Raises
    ------
    InputError
        If it is empty, has rows of different lengths or something that is not a number.

    Examples
    --------
    >>> found = parse_text(b"a;b\\r\\n0,5;1\\r\\nn/a;2\\r\\n", "series")
    >>> found.names, found.values.tolist()
    (['a', 'b'], [[0.5, 1.0], [nan, 2.0]])
    """
    if kind == "stack":
        raise InputError("all subjects in one file: only .npy, .npz and .mat can hold that")
    # 1. Lines, and what stands between the fields.
    lines = [line for line in _decode(content).splitlines() if line.strip()]
    if lines[0].lstrip().lower().startswith(("<!doctype", "<html")):
        raise InputError("it is a web page")
    separator = next(filter(None, map(_separator, [*lines[1:2], lines[0]])), None)
    if separator is not None and all(line.rstrip(" ").endswith(separator) for line in lines):
        lines = [line.rstrip(" ")[:-1] for line in lines]  # an end that begins no column
    # 2. A header: a first line that is no numbers, or numbers them.
    first, second = (_fields(line, separator) for line in (lines * 2)[:2])
    header = None
    if _is_header(first, second, len(lines), kind):
        header, lines = [name.lstrip("#").strip() for name in first], lines[1:]
    if not lines:
        raise InputError("it has a header but no numbers")
    # 3. The table; its rows must be of one length.
    table = _table(lines, separator, header is not None)
    if header is not None and len(header) == table.shape[1] - 1:
        header = ["", *header]  # as R writes it: no name above the names of the rows
    if header is not None and len(header) != table.shape[1]:
        raise InputError(f"its header has {len(header)} names above {table.shape[1]} columns")
    # 4. Columns that hold no data: names and numbers of the rows.
    kept = [c for c in table.columns if not _is_index(c, header, table, kind)]
    values = np.column_stack([_numbers(table[c], c) for c in kept]) if kept else table.to_numpy()
    names = None
    if header is not None:
        names = [_region(header[c]) for c in kept]
        if _counts(names):
            names = None
    if kind == "matrix" and names is not None and len(names) == len(table):
        left_out = [c for c in table.columns if c not in kept]
        _check_rows(table[left_out[0]] if left_out else None, names)
    return Numbers(values, names, SYMMETRIC_SINGLE)  # text is rounded


def _check_rows(rows, names):
    """Raise InputError unless the rows of a matrix are in the order of its columns."""
    if rows is None:
        return
    numbers = pd.api.types.is_numeric_dtype(rows)
    called = [_region(str(name).lstrip("#").strip()) for name in rows]
    # Rows may be numbered from 0, or have names of another kind than the columns.
    if numbers and set(called) != set(names):
        return
    for row, (a, b) in enumerate(zip(called, names, strict=True)):
        if a == b or a not in names or b not in called:
            continue
        raise InputError(
            f"its rows and columns are not the same regions in the same order: row {row + 1} is "
            f"{a!r}, column {row + 1} is {b!r}"
        )


def _decode(content):
    if not content.strip():
        raise InputError("it is empty")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if b"\0" in content:
            raise InputError("it is not a text file") from None
        return content.decode("latin-1")  # names of regions with accents, from old programs


def _separator(line):
    """Return what separates the fields of a line; None: spaces."""
    for separator in "\t;":
        if separator in line:
            return separator
    parts = line.split()
    if "," in line and not (len(parts) > 1 and all(map(_COMMA.fullmatch, parts))):
        return ","
    return None


def _fields(line, separator):
    if separator is None:
        return [field.strip('"') for field in line.split()]
    return [field.strip() for field in next(csv.reader([line], delimiter=separator))]


def _table(lines, separator, has_header):
    """Return the fields of the lines as a table, numbers where a column has no others."""
    counts = [_count(line, separator) for line in lines]
    width = max(set(counts), key=counts.count)
    for number, found in enumerate(counts, start=1 + has_header):
        if found != width:
            more = "more" if found > width else "fewer"
            raise InputError(f"line {number} has {more} fields than the others")
    body = "\n".join(lines)
    commas = separator != "," and "," in body
    _check_thousands(lines, separator, "," if commas else ".")
    try:
        return pd.read_csv(
            io.StringIO(body),
            sep=r"\s+" if separator is None else separator,
            header=None,
            decimal="," if commas else ".",
            na_values=_MISSING_TEXTS,
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
        )
    except ValueError as error:
        raise InputError(f"it cannot be read as a table: {error}") from error


def _check_thousands(lines, separator, mark):
    """Refuse 5,007 beside 205: read as decimals, such numbers would be 1000 times too small."""
    found, whole = None, False
    for line in lines if any(mark in line for line in lines) else ():
        for field in _fields(line, separator):
            if mark in field and _is_number(field):
                if not _THOUSANDS.fullmatch(field):
                    return
                found = found or field
            whole = whole or (field.isdigit() and int(field) > 1)
    if found and whole:
        raise InputError(
            f"{found} may be a number with a separator of thousands, since whole numbers stand "
            "beside it and all that have the mark have three digits behind it: save it without "
            "such separators (or the whole numbers as decimals)"
        )


def _count(line, separator):
    if separator is None:
        return len(line.split())
    return len(_fields(line, separator)) if '"' in line else line.count(separator) + 1


def _is_number(field):
    return field.lower() in _MISSING or bool(_NUMBER.fullmatch(field) or _COMMA.fullmatch(field))


def _is_header(first, second, n_lines, kind):
    if kind == "matrix" and n_lines == len(second) + 1 and len(first) == len(second):
        return True  # p + 1 lines of p numbers
    names = sum(not _is_number(field) for field in first)
    if names:
        # Names of rows stand in every line, and a stray word among numbers is damage.
        texts = 0 if n_lines == 1 else sum(not _is_number(field) for field in second)
        return names > texts and 2 * names >= len(first)
    if kind == "matrix" and n_lines == len(first) and first[0]:
        return False  # square already
    return _counts([field for field in first if field])


def _counts(names):
    """Whether names only number the columns: 0, 1, 2, ... or 1, 2, 3, ..."""
    return len(names) > 2 and any(
        names == [str(i) for i in range(start, start + len(names))] for start in (0, 1)
    )


def _is_index(column, header, table, kind):
    values = table[column]
    name = None if header is None else header[column].lower()
    if not pd.api.types.is_numeric_dtype(values):
        # Names stand in every row; where some are numbers, something is wrong with it.
        texts = not any(_is_number(str(value)) for value in values.dropna())
        return texts and (column == 0 or name in _INDEX)
    rising = len(values) > 1 and not values.isna().any() and _rises(values.tolist())
    if name is not None and name in _INDEX:
        return rising
    return column == 0 and kind == "matrix" and rising and table.shape[1] == len(table) + 1


def _rises(numbers):
    return all(b - a == 1 for a, b in zip(numbers, numbers[1:], strict=False))


def _region(name):
    """Return a region's name as a header has it; AFNI's ``Mean_2001`` is 2001."""
    return re.sub(r"^Mean_(?=\d+$)", "", name)


def _numbers(values, column):
    if pd.api.types.is_bool_dtype(values) or not pd.api.types.is_numeric_dtype(values):
        for row, value in enumerate(values.astype(object)):
            if not (isinstance(value, float) or _is_number(str(value))) or isinstance(value, bool):
                raise InputError(
                    f"row {row + 1}, column {column + 1} holds {str(value)[:40]!r}, which is no "
                    "number"
                )
        raise InputError(f"column {column + 1} has decimal commas and decimal points")
    return values.to_numpy(float)
