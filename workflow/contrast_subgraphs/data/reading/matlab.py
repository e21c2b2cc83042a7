"""MATLAB's files, and HDF5, the format of the newer ones."""

import numpy as np

from ...core.check_graphs import SYMMETRIC, near
from ...core.errors import InputError
from ...core.extras import optional
from .beside import is_of_people, named_targets, texts_of

#: Attributes with which HDF5 itself, and libraries above it, describe axes and types.
_OF_HDF5 = ("CLASS", "NAME", "DIMENSION_LABELS", "MATLAB_class", "MATLAB_fields")


def arrays_of_matlab(path):
    """Return the arrays of a MATLAB file, also those in structs, by their paths."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError
    from scipy.sparse import issparse

    try:
        given = loadmat(path, squeeze_me=False)
    except NotImplementedError:
        # A file of version -v7.3 is HDF5, and its axes are turned.
        return datasets(path, turned=True)
    except (MatReadError, TypeError) as error:
        raise InputError(f"it is not a MATLAB file: {error}") from error
    arrays = {}
    for name, array in given.items():
        if not name.startswith("__"):
            arrays |= fields(name, array.toarray() if issparse(array) else array)
    return arrays


def fields(name, array):
    """Return ``{path: array}`` for an array; for a struct or a table, the arrays of its fields.

    Only MATLAB opens its string arrays ("a" rather than 'a'): their texts are not known.
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
        found |= fields(f"{name}/{field}", own[0] if own.size == 1 else own)
    return found


def series_in_cells(arrays):
    """Return series and names of CONN's ROI_Subject*_Condition*.mat; None for any other file.

    Each region has a cell of volumes x 1; a cell with more columns is not a region.
    """
    names = texts_of(arrays.get("names"))
    data = arrays.get("data")
    if data is None or data.dtype != object or not names:
        return None
    cells = [np.asarray(cell) for cell in data.ravel()]
    kept = [i for i, cell in enumerate(cells) if cell.ndim == 2 and cell.shape[1] == 1]
    if len(cells) != len(names):
        raise InputError(f"it has {len(names)} names for {len(cells)} cells of data")
    return np.hstack([cells[i] for i in kept]), [names[i] for i in kept]


def without_targets(array, beside):
    """Return a matrix without the columns after its regions: CONN's further targets."""
    if array.ndim != 2 or array.shape[0] >= array.shape[1]:
        return array
    own = array[:, : len(array)]
    if len(array) not in named_targets(beside):
        return array
    symmetric = near(np.triu(own, 1), np.tril(own, -1).T, SYMMETRIC).all()
    return own if symmetric else array


def datasets(path, turned=False):
    """Return the arrays of an HDF5 file by their paths; those of MATLAB, with their axes, `turned`.

    Names may be an attribute of an array, of a group or of the file: they are found as
    ``array.attribute``. Attributes of numbers are left out, as they could pass for the data,
    unless they number people.
    """
    h5py = optional("h5py", "files")

    found = {}

    def visit(name, item):
        if name.startswith("#"):
            return
        # MATLAB has no single value without axes.
        if isinstance(item, h5py.Dataset) and item.shape is not None and (item.shape or not turned):
            array = item[()]
            if turned:
                array = _of_matlab(item, item.file)
            found.update(fields(name, np.asarray(array)))
        for attribute, given in item.attrs.items():
            said = texts_of(given) is not None or is_of_people(attribute)
            if attribute not in _OF_HDF5 and said:
                found[f"{name}.{attribute}"] = np.asarray(given)

    with h5py.File(path, "r") as file:
        visit("", file)
        file.visititems(visit)
    return found


def _of_matlab(item, file):
    """Return an array of a MATLAB -v7.3 file, with its axes as they are in MATLAB."""
    array = item[()]
    # A cell array refers to its cells.
    if array.dtype == object:
        cells = [_of_matlab(file[one], file) for one in np.asarray(array).T.ravel()]
        found = np.empty((1, len(cells)), dtype=object)
        found[0, :] = cells
        return found
    match item.attrs.get("MATLAB_class"):
        case b"char":
            # A row of letters for each text.
            return np.array(["".join(map(chr, row)) for row in np.atleast_2d(array.T)])
        case b"string":
            # Only MATLAB opens these.
            return np.full(1, None, dtype=object)
    return array.T
