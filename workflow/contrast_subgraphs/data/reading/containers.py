"""Arrays from files that are no text: NumPy's, MATLAB's, HDF5; and Excel's sheets as text."""

import csv
import io
import pickle
import re
from pathlib import Path

import numpy as np
from scipy.sparse import issparse
from scipy.sparse import load_npz as load_sparse

from ...core.errors import InputError
from ...core.extras import optional
from ...core.graphs import SYMMETRIC, near
from .beside import Contents, check_names, named_targets, texts_of, with_names

#: Names of arrays in files of several; one that alone has such a name is taken.
_KEYS = "Z z matrix connectivity correlation series timeseries data graphs".split()


def read_contents(path, kind, key=None, atlas=None, numbered=None):
    """Read an array of numbers, in its own type, as `Contents`: with the names beside it.

    `atlas`, `numbered`: see `beside.with_names`.
    """
    match Path(path).suffix.lower():
        case ".npy":
            return Contents(_numeric(np.load(path, mmap_mode="r", allow_pickle=False)))
        case ".npz":
            arrays = _archived(path)
            if {"indices", "indptr", "shape", "data"} <= arrays.keys():
                return Contents(_numeric(load_sparse(path).toarray()))
        case ".netcc":
            found, names = _read_netcc(path, key)
            return Contents(found, names and check_names(names, numbered))
        case ".mat":
            arrays = _of_matlab(path)
            cells = _series_in_cells(arrays, key)
            if cells is not None:
                return Contents(cells[0], check_names(cells[1], numbered))
        case _:
            arrays = _datasets(path, turned=False)
    chosen = _chosen(arrays, key)
    beside = {name: array for name, array in arrays.items() if name != chosen}
    array = _without_targets(_numeric(arrays[chosen]), beside)
    return with_names(array, beside, kind, atlas, numbered)


def _archived(path):
    """Return the arrays of an .npz file; objects as far as they are texts."""
    arrays = {}
    with np.load(path, allow_pickle=False) as archive:
        for name in archive.files:
            try:
                arrays[name] = archive[name]
            except ValueError:
                with archive.zip.open(f"{name}.npy") as file:
                    arrays[name] = _objects(file)
    return arrays


class _Texts(pickle.Unpickler):
    """Opens arrays of texts, and nothing else: other objects could run a program."""

    _KNOWN = (
        *(("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")),
        *((f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")),
        *((f"numpy.{core}.multiarray", "scalar") for core in ("core", "_core")),
    )

    def find_class(self, module, name):
        if (module, name) in self._KNOWN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not opened")


def _objects(file):
    """Return an array of objects in an open .npy file; of None where they are not texts."""
    version = np.lib.format.read_magic(file)
    headers = {(1, 0): np.lib.format.read_array_header_1_0}
    shape, _, _ = headers.get(version, np.lib.format.read_array_header_2_0)(file)
    try:
        return np.asarray(_Texts(file).load(), dtype=object).reshape(shape)
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError):
        return np.full(shape, None, dtype=object)


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
        # A row or column of numbers says something of regions or people.
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


def _of_matlab(path):
    """Return the arrays of a MATLAB file, also those in structs, by their paths."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        given = loadmat(path, squeeze_me=False)
    except NotImplementedError:  # -v7.3 is HDF5, and its axes are turned
        return _datasets(path, turned=True)
    except (MatReadError, TypeError) as error:
        raise InputError(f"it is not a MATLAB file: {error}") from error
    arrays = {}
    for name, array in given.items():
        if not name.startswith("__"):
            arrays |= _fields(name, array.toarray() if issparse(array) else array)
    return arrays


def _fields(name, array):
    """Return ``{path: array}`` of an array of MATLAB; of a struct those of its fields.

    Only MATLAB opens its string arrays ("a" rather than 'a'): they are texts of which nothing is
    known.
    """
    from scipy.io.matlab import MatlabOpaque

    if not isinstance(array, np.ndarray):
        return {}
    if isinstance(array, MatlabOpaque):
        owner = texts_of(array["s0"]) or [name]
        return {owner[0] or name: np.full(1, None, dtype=object)}
    if array.dtype.names is None:
        return {name: array}
    found = {}
    for field in array.dtype.names:
        own = array[field].ravel()
        found |= _fields(f"{name}/{field}", own[0] if own.size == 1 else own)
    return found


def _series_in_cells(arrays, key):
    """Return series and names of CONN's ROI_Subject*_Condition*.mat; None of any other file.

    Each region has a cell of volumes x 1; what has more columns is no region.
    """
    names = texts_of(arrays.get("names"))
    data = arrays.get("data")
    if key is not None or data is None or data.dtype != object or not names:
        return None
    cells = [np.asarray(cell) for cell in data.ravel()]
    kept = [i for i, cell in enumerate(cells) if cell.ndim == 2 and cell.shape[1] == 1]
    if len(cells) != len(names):
        raise InputError(f"it has {len(names)} names for {len(cells)} cells of data")
    return _numeric(np.hstack([cells[i] for i in kept])), [names[i] for i in kept]


def _without_targets(array, beside):
    """Return a matrix without what stands behind its regions: CONN's further targets."""
    if array.ndim != 2 or array.shape[0] >= array.shape[1]:
        return array
    own = array[:, : len(array)]
    if len(array) not in named_targets(beside):
        return array
    symmetric = near(np.triu(own, 1), np.tril(own, -1).T, SYMMETRIC).all()
    return own if symmetric else array


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
        of_matlab = item.attrs.get("MATLAB_class") if turned else None
        if of_matlab == b"char":  # a row of letters for each text
            return np.array(["".join(map(chr, row)) for row in np.atleast_2d(array.T)])
        if of_matlab == b"string":  # only MATLAB opens them
            return np.full(1, None, dtype=object)
        return array.T if turned else array

    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.shape and not name.startswith("#"):
            found[name] = value(item)
            for attribute, given in item.attrs.items():  # names may be said of an array
                if texts_of(given) is not None and np.size(given) > 1:
                    found[f"{name}.{attribute}"] = np.asarray(given)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return found


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
