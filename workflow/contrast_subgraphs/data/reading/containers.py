"""Arrays from files that are not text, with the names stored there; Excel's sheets as text."""

import csv
import io
import re
from pathlib import Path

import numpy as np

from ...core.errors import InputError
from ...core.extras import optional
from .beside import Contents, check_names, texts_in, with_names
from .lists import bare, is_of_regions
from .matlab import arrays_of_matlab, datasets, fields, series_in_cells, without_targets

#: Usual names of the array in a file of several. If just one array has such a name, it is taken.
_KEYS = "Z z matrix connectivity correlation series timeseries data graphs".split()
#: The arrays of a sparse matrix of SciPy: those of any, and those of some.
_SPARSE = {"format", "shape", "data"}
_OF_SOME = {"indices", "indptr", "row", "col", "coords", "offsets", "_is_array"}


def read_contents(path, kind, key=None, atlas=None, numbered=None):
    """Read an array of numbers, in its own type, as `Contents`: with the names stored there.

    `atlas`, `numbered`: see `beside.with_names`.
    """
    match Path(path).suffix.lower():
        case ".npy":
            return Contents(_numeric(np.load(path, mmap_mode="r", allow_pickle=False)))
        case ".npz":
            arrays = _archived(path)
            if arrays.keys() >= _SPARSE:
                # Imported here: few files hold sparse matrices, and every job imports this file.
                from scipy.sparse import load_npz as load_sparse

                own = _SPARSE | _OF_SOME
                beside = {name: array for name, array in arrays.items() if name not in own}
                array = _numeric(load_sparse(path).toarray())
                return with_names(array, beside, kind, atlas, numbered)
        case ".netcc":
            found, names = _read_netcc(path, key)
            return Contents(found, check_names(names, numbered))
        case ".mat":
            arrays = arrays_of_matlab(path)
            cells = series_in_cells(arrays) if key is None else None
            if cells is not None:
                series, names = cells
                return Contents(_numeric(series), check_names(names, numbered))
        case _:
            arrays = datasets(path)
    chosen = _chosen(arrays, key)
    beside = {name: array for name, array in arrays.items() if name != chosen}
    array = without_targets(_numeric(arrays[chosen]), beside)
    return with_names(array, beside, kind, atlas, numbered)


def _archived(path):
    """Return the arrays of an .npz file; arrays of objects only if these are texts."""
    arrays = {}
    with np.load(path, allow_pickle=False) as archive:
        for name in archive.files:
            try:
                arrays |= fields(name, archive[name])
            except ValueError:
                with archive.zip.open(f"{name}.npy") as file:
                    arrays[name] = texts_in(file)
    return arrays


def _numeric(array):
    array = np.asanyarray(array)
    if array.dtype.kind == "c":
        raise InputError("it holds complex numbers")
    if array.dtype.kind not in "buif":
        raise InputError(f"it holds {array.dtype} instead of numbers")
    return array


def _chosen(arrays, key):
    """Return the name of the array: `key`, or the only one, or one with a usual name."""
    arrays = {name: array for name, array in arrays.items() if not name.startswith("__")}
    if key is not None and key not in arrays:
        raise InputError(f"it has no array {key!r} (`key`); it has {', '.join(sorted(arrays))}")
    if key is None:
        numeric = [n for n, a in arrays.items() if a.dtype.kind in "buif" and a.size > 1]
        # A single row or column of numbers says something about regions or people.
        tables = [n for n in numeric if arrays[n].ndim > 1 and min(arrays[n].shape) > 1]
        numeric = tables or numeric
        usual = [name for name in _KEYS if name in numeric]
        if len(numeric) != 1 and len(usual) != 1:
            raise InputError(
                f"it has the arrays {', '.join(sorted(arrays)) or '(none)'}: say which by `key`, "
                "or keep only one in the file"
            )
        key = (numeric if len(numeric) == 1 else usual)[0]
    return key


def _read_netcc(path, key):
    """Return a matrix of AFNI's 3dNetCorr: the first one (CC), or that called `key`."""
    lines = [line for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    if not re.match(r"# *\d+ *#", lines[0]):
        raise InputError("its first line does not say how many regions there are")
    count, rest = int(re.findall(r"\d+", lines[0])[0]), lines[3:]
    labelled = "WITH_ROI_LABELS" in lines[2]
    names = (rest if labelled else lines[2:])[0].split()
    starts = [k for k, line in enumerate(lines) if k > 2 and re.fullmatch(r"# *\w+", line.strip())]
    arrays = {
        lines[k].strip("# "): np.array(
            [line.split() for line in lines[k + 1 : k + 1 + count]], float
        )
        for k in starts
    }
    if not arrays or any(one.shape != (count, count) for one in arrays.values()):
        raise InputError(f"it does not hold matrices of {count} regions: is it cut?")
    found = arrays[_chosen(arrays, key or next(iter(arrays)))]
    if len(names) != count:
        raise InputError(f"it has {len(names)} names or numbers for {count} regions")
    return found, names


def sheet_lines(path, key=None):
    """Return a sheet of an Excel file (`key`, if several have content) as lines with tabs."""
    book = optional("openpyxl", "files").load_workbook(path, read_only=True, data_only=True)
    sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
    book.close()
    sheets = {name: rows for name, rows in sheets.items() if any(map(any, rows)) or name == key}
    if key is None and len(sheets) == 1:
        key = next(iter(sheets))
    if key not in sheets:
        raise InputError(f"it has the sheets {', '.join(sheets) or '(none)'}: say which by `key`")
    rows = [row for row in sheets[key] if any(cell is not None for cell in row)]
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    said = [_as_comment(name, own) for name, own in sheets.items() if name != key]
    return [*filter(None, said), *text.getvalue().splitlines()]


def _as_comment(name, rows):
    """Return a sheet of names of regions as a comment that lists them; None for any other sheet."""
    cells = [[cell for cell in row if cell is not None] for row in rows]
    column = [row[0] for row in cells if len(row) == 1]
    if not is_of_regions(bare(name)) or len(column) < sum(map(bool, cells)):
        return None
    return f"# {name}s: " + "\t".join(map(str, column))
