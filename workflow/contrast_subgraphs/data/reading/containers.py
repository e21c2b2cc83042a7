"""Arrays from files that are no text: NumPy's, MATLAB's, HDF5; and Excel's sheets as text."""

import csv
import io
import re
from pathlib import Path

import numpy as np
from scipy.sparse import issparse
from scipy.sparse import load_npz as load_sparse

from ...core.errors import InputError
from ...core.extras import optional

#: Names of arrays in files of several; one that alone has such a name is taken.
_KEYS = "Z z matrix connectivity correlation series timeseries data graphs".split()


def read_array(path, key=None):
    """Read an array of numbers, in its own type, and the names of its regions if it has them."""
    match Path(path).suffix.lower():
        case ".npy":
            return _numeric(np.load(path, mmap_mode="r", allow_pickle=False)), None
        case ".npz":
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            if {"indices", "indptr", "shape", "data"} <= arrays.keys():
                return _numeric(load_sparse(path).toarray()), None
            names = arrays.pop("names", np.empty(0))
            found = _chosen(arrays, key)
            own = names.dtype.kind == "U" and names.shape == found.shape[-1:]
            return found, names.tolist() if own else None
        case ".netcc":
            return _read_netcc(path, key)
        case ".mat":
            return _read_mat(path, key)
        case _:
            return _chosen(_datasets(path, turned=False), key), None


def _numeric(array):
    array = np.asanyarray(array)
    if array.dtype.kind == "c":
        raise InputError("it holds complex numbers")
    if array.dtype.kind not in "buif":
        raise InputError(f"it holds {array.dtype} instead of numbers")
    return array


def _chosen(arrays, key):
    """Return the array called `key`, or the only one, or one with a usual name."""
    arrays = {name: array for name, array in arrays.items() if not name.startswith("__")}
    if key is not None and key not in arrays:
        raise InputError(f"it has no array {key!r} (`key`); it has {', '.join(sorted(arrays))}")
    if key is None:
        numeric = [n for n, a in arrays.items() if a.dtype.kind in "buif" and a.size > 1]
        numeric = [n for n in numeric if min(arrays[n].shape) > 1] or numeric
        usual = [name for name in _KEYS if name in numeric]
        if len(numeric) != 1 and len(usual) != 1:
            raise InputError(
                f"it has the arrays {', '.join(sorted(arrays)) or '(none)'}: say which by `key`, "
                "or keep only one in the file"
            )
        key = (numeric if len(numeric) == 1 else usual)[0]
    return _numeric(arrays[key])


def _read_mat(path, key):
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(path, squeeze_me=False)
    except NotImplementedError:  # -v7.3 is HDF5, and its axes are turned
        arrays = _datasets(path, turned=True)
    except (MatReadError, TypeError) as error:
        raise InputError(f"it is not a MATLAB file: {error}") from error
    names = _texts(arrays.get("names"))
    data = arrays.get("data")
    if key is None and data is not None and data.dtype == object and names:
        # CONN's ROI_Subject*_Condition*.mat: a cell a region, of volumes x 1.
        cells = [np.asarray(cell) for cell in data.ravel()]
        kept = [i for i, cell in enumerate(cells) if cell.ndim == 2 and cell.shape[1] == 1]
        return _numeric(np.hstack([cells[i] for i in kept])), [names[i] for i in kept]
    arrays = {n: a.toarray() if issparse(a) else a for n, a in arrays.items()}
    found = _chosen({n: a for n, a in arrays.items() if isinstance(a, np.ndarray)}, key)
    if not names or found.ndim != 2 or len(names) not in found.shape:
        return found, None  # of a stack they may be the people's
    own = found[:, : len(names)]
    if len(own) == len(names) and np.allclose(np.triu(own, 1), np.tril(own, -1).T, equal_nan=True):
        return own, names  # CONN's resultsROI_*.mat: further targets may stand behind the regions
    if len(names) != found.shape[1]:
        raise InputError(
            f"it has {len(names)} names for {found.shape[1]} columns, and is no symmetric matrix: "
            "is it transposed? Rows must be volumes"
        )
    return found, names


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
    found = _chosen(arrays, key or next(iter(arrays)))
    return found, names if len(names) == count else None


def _datasets(path, turned):
    """Return the arrays of an HDF5 file by their paths; those of MATLAB with their axes turned."""
    h5py = optional("h5py", "files")

    def value(item):
        array = item[()]
        if array.dtype == object and turned:  # a cell array refers to its cells
            cells = [value(file[one]) for one in np.asarray(array).T.ravel()]
            array = np.empty(len(cells), dtype=object)
            array[:] = cells
            return array.reshape(1, -1)
        if turned and item.attrs.get("MATLAB_class") == b"char":
            return np.array(["".join(map(chr, array.ravel()))])
        return array.T if turned else array

    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.shape and not name.startswith("#"):
            found[name] = value(item)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return found


def _texts(array):
    if array is None:
        return None
    found = [np.asarray(one).ravel() for one in np.asarray(array, dtype=object).ravel()]
    if not all(len(one) == 1 and isinstance(one[0], str) for one in found):
        return None
    return [one[0].strip() for one in found]


def sheet_lines(path, key=None):
    """Return a sheet of an Excel file (`key`, where several are filled) as lines with tabs."""
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
    return text.getvalue().splitlines()
