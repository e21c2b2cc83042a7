"""One's own data: a table of people, and one file for each with series or a matrix.

Files are read as people have them (`read_numbers`); what they hold is checked, and put in
the order of one set of regions.
"""

import glob
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import in_single, load_npz
from ..core.errors import InputError
from ..core.graphs import (
    SYMMETRIC,
    CohortGraphs,
    symmetric_up_to_rounding,
    warn_of_absent_regions,
)
from .matrices import SubjectMatrices, square_of, upper_triangle
from .people import find_subjects, plain, warn_of_strangers
from .reading.numbers import SUFFIXES, Numbers, read_numbers
from .regions import (
    atlas_of,
    atlas_path,
    check_positions,
    common_regions,
    in_order,
    name_regions,
    read_atlas,
)
from .series import SiteSeries, warn_of_short

# Reading ------------------------------------------------------------------------------------


def read_folder(source):
    """Read every subject's file, checked and on the same regions.

    Parameters
    ----------
    source : dict
        ``sources.folder`` of the config: beside what `find_subjects` reads, ``kind``
        (``series`` or ``matrix``), ``key`` (of the array in ``.npz`` and ``.mat``),
        ``regions`` and ``atlas``.

    Returns
    -------
    data : SiteSeries or SubjectMatrices
        Of the subjects that have a file, in the order of the table.
    table : pandas.DataFrame
        ``subject``, ``status`` (``fetched`` or ``missing``), ``reason``, ``volumes``.
    coverage : pandas.DataFrame
        ``subject``, ``regions`` (how many its file has data for), ``lacking`` (names).

    Raises
    ------
    InputError
        Naming the file and what is wrong with it.
    """
    subjects = find_subjects(source)
    path = atlas_path(source)
    warn_of_strangers(source, subjects, [] if path is None else [path])
    kind, key = source.get("kind", "series"), source.get("key")
    atlas = atlas_of(source)
    read, unnamed = {}, []
    for name, numbers in _each(subjects, kind, key):
        if numbers.names is None and atlas is None:
            unnamed.append(name)
        try:
            if kind == "series":
                read[name] = _check_series(numbers, atlas)
            else:
                (matrix, own), everything = _check_matrix(numbers, atlas)
                read[name] = (in_single(matrix[upper_triangle(len(own))]), own), everything
        except InputError as error:
            raise InputError(f"{subjects.files[name]}: {error}") from error
    check_positions(read, unnamed, subjects)
    regions, coverage = common_regions(read, source, atlas, kind)
    names = list(read)
    if kind == "series":
        columns = [_columns(read.pop(name), regions) for name in names]
        _warn_of_twins(names, columns)
        data = SiteSeries.stack(names, columns, regions)
        volumes = dict(zip(names, np.diff(data.start).tolist(), strict=True))
        site_of = subjects.table.set_index("FILE_ID")["SITE_ID"]
        for site in sorted(set(site_of[names])):
            warn_of_short(site, {name: volumes[name] for name in names if site_of[name] == site})
    else:
        # Filled while what was read is let go, so that there is little more than one copy.
        kinds = {weights.dtype for (weights, _), _ in read.values()}
        shape = len(names), len(regions) * (len(regions) - 1) // 2
        weights = np.empty(shape, np.result_type(*kinds))
        for row, name in zip(weights, names, strict=True):
            row[:] = _triangle(read.pop(name), regions)
        _warn_of_twins(names, weights)
        data, volumes = SubjectMatrices(np.array(names), weights, np.array(regions)), {}
    everyone = subjects.table["FILE_ID"].tolist()
    table = pd.DataFrame(
        {
            "subject": everyone,
            "status": ["fetched" if name in coverage else "missing" for name in everyone],
            "reason": ["" if name in coverage else "no file" for name in everyone],
            "volumes": [volumes.get(name, 0) for name in everyone],
        }
    )
    told = pd.DataFrame(
        [(name, count, ", ".join(lacking)) for name, (count, lacking) in coverage.items()],
        columns=["subject", "regions", "lacking"],
    )
    return data, table, told


def _warn_of_twins(names, arrays):
    """Warn about subjects with the very same numbers: one person twice, or in both groups."""
    seen, twins = {}, []
    for name, array in zip(names, arrays, strict=True):
        digest = hashlib.sha256(np.ascontiguousarray(array)).digest()
        other = seen.setdefault(digest, name)
        if other is not name:
            twins.append((other, name))
    if twins:
        one, other = twins[0]
        warnings.warn(
            f"{one} and {other}{f' (and {len(twins) - 1} others)' * (len(twins) > 1)} hold the "
            "same numbers: is it one person twice?",
            stacklevel=3,
        )


def _each(subjects, kind, key):
    """Yield ``(name, Numbers)`` of each subject with a file."""
    if not subjects.stacked:
        for name, path in subjects.files.items():
            yield name, _read_named(path, kind, key)
        return
    path = next(iter(subjects.files.values()))
    stack = _read_named(path, "stack", key)
    if len(stack.values) != len(subjects.files):
        raise InputError(
            f"{path} holds {len(stack.values)} subjects, but the table lists "
            f"{len(subjects.files)}: they must be the same, in the same order"
        )
    for name, values in zip(subjects.files, stack.values, strict=True):
        yield name, Numbers(values, stack.names, stack.rounding)


def _check_unknown(values):
    """Refuse what ABIDE's tables have for "not known": as a weight it would outweigh all others."""
    if (values == -9999).any():
        row, column = np.argwhere(values == -9999)[0]
        raise InputError(
            f'row {row + 1}, column {column + 1} holds -9999, which often means "not known": '
            "write n/a if it does"
        )


def _check_series(numbers, atlas):
    values = numbers.values
    _check_unknown(values)
    if values.ndim != 2 or min(values.shape) < 2:
        raise InputError(f"it must hold volumes x regions, not the shape {values.shape}")
    square = values.shape[0] == values.shape[1] and np.allclose(values, values.T, equal_nan=True)
    if square:
        raise InputError("it is a symmetric matrix: set `kind: matrix`")
    if len(values) < 3:
        raise InputError(f"it has only {len(values)} volumes")
    try:
        names = name_regions(numbers, values.shape[1], atlas, "columns")
    except InputError as error:
        turned = atlas is not None and len(values) == len(atlas)
        hint = ". Is it transposed? Rows must be volumes" if turned else ""
        raise InputError(f"{error}{hint}") from error
    lacking = np.isnan(values).all(axis=0)
    bad = ~np.isfinite(values) & ~lacking
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(f"volume {row + 1} of region {names[column]} is not a finite number")
    return {name: values[:, i] for i, name in enumerate(names) if not lacking[i]}, names


def _check_matrix(numbers, atlas):
    matrix = np.array(numbers.values, dtype=float)
    _check_unknown(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise InputError(
            f"it must be a square matrix, not of the shape {matrix.shape}: for series set "
            "`kind: series`"
        )
    names = name_regions(numbers, len(matrix), atlas, "rows")
    np.fill_diagonal(matrix, 0)
    matrix = symmetric(matrix, numbers.rounding)
    lacking = np.isnan(matrix).sum(axis=0) >= len(matrix) - 1
    kept = matrix[np.ix_(~lacking, ~lacking)]
    if not np.isfinite(kept).all():
        row, column = np.argwhere(~np.isfinite(kept))[0]
        had = [name for name, gone in zip(names, lacking, strict=True) if not gone]
        raise InputError(f"the weight of {had[row]} and {had[column]} is not a finite number")
    return (kept, [n for n, gone in zip(names, lacking, strict=True) if not gone]), names


def symmetric(matrix, rounding=SYMMETRIC):
    """Return a matrix that is symmetric up to rounding, or has one triangle, as symmetric.

    Parameters
    ----------
    matrix : numpy.ndarray of shape (n, n)
        NaN where there is nothing.
    rounding : float
        See `core.graphs.symmetric_up_to_rounding`.

    Returns
    -------
    numpy.ndarray of shape (n, n)

    Raises
    ------
    InputError
        If the triangles differ by more than rounding.

    Examples
    --------
    >>> symmetric(np.array([[0, 2.0], [0, 0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    if np.array_equal(matrix, matrix.T, equal_nan=True):
        return matrix
    upper, lower = np.triu(matrix, 1), np.tril(matrix, -1)
    above = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    for one, other in ((upper, lower), (lower, upper)):
        # One triangle only: the other is all blank, or zero wherever this one has a value.
        # What this one lacks stays NaN.
        place = above if one is upper else above.T
        nothing = np.isnan(other[place.T])
        zero = (other[place.T] == 0) | (nothing & np.isnan(one.T[place.T]))
        if nothing.all() or zero.all():
            return np.where(place, one, one.T)
    return symmetric_up_to_rounding(matrix, "it", rounding, first=1)


def _columns(one, regions):
    data, _ = one
    return np.column_stack([data[name] for name in regions])


def _triangle(one, regions):
    """Return the upper triangle of a subject's matrix, on some regions in their order."""
    (weights, names), _ = one
    if names == regions:
        return weights
    return in_order(square_of(weights, len(names)), names, regions)[upper_triangle(len(regions))]


def load_subjects(path):
    """Read the series or the matrices of a site's subjects, whichever the file holds.

    Parameters
    ----------
    path : str or pathlib.Path
        ``data/series/<site>.npz``.

    Returns
    -------
    SiteSeries or SubjectMatrices
    """
    names = load_npz(path, "subject", optional=("roi",))  # series have `roi_code`
    return (SubjectMatrices if "roi" in names else SiteSeries).load(path)


# For the user's own scripts -----------------------------------------------------------------------


def read_groups(
    places: Mapping[str, str | Path | Iterable[str | Path]],
    key: str | None = None,
    atlas: str | Path | None = None,
) -> CohortGraphs:
    """Read the matrices of two groups, all on the same regions in one order.

    Parameters
    ----------
    places : mapping of str to str or iterable of str or pathlib.Path
        The name of each group, and a folder, a pattern such as ``"patients/*.csv"``, the
        files, or one stacked array.
    key : str, optional
        Of the array in ``.npz`` and ``.mat`` files.
    atlas : str or pathlib.Path, optional
        A table of the regions (`read_atlas`).

    Returns
    -------
    CohortGraphs
        ``adjacency`` (n_subjects, n_rois, n_rois; float64, symmetric, zero diagonal), ``y`` (0
        for the first group, 1 for the second), ``labels`` (their names), ``subject`` (paths of
        the files) and ``roi`` (names of the regions; their numbers from 1 if neither the files
        nor an atlas have names).

    Raises
    ------
    InputError
        Naming the file that is missing, is not a square and symmetric matrix, is in both
        groups or has other regions than the first.

    Warns
    -----
    UserWarning
        If two files hold the same numbers, or one group has no edge at a region where the
        other has some.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("V1,M1\\n1,0.5\\n0.5,1\\n")
    >>> _ = (folder / "b.csv").write_text("M1,V1\\n1,0.3\\n0.3,1\\n")
    >>> people = read_groups({"well": folder / "a*.csv", "ill": folder / "b*.csv"})
    >>> people.roi.tolist(), people.labels.tolist(), people.adjacency[:, 0, 1].tolist()
    (['V1', 'M1'], ['well', 'ill'], [0.5, 0.3])
    """
    names = tuple(map(str, places))
    if len(names) != 2:
        raise InputError(f"a contrast is one of two groups, not of {len(names)}")
    files = [_paths(place) for place in places.values()]
    of_first = {file.resolve() for file in files[0]}
    for file in files[1]:
        if file.resolve() in of_first:
            raise InputError(f"{file} is in both groups: give two groups without a file in common")
    table = None if atlas is None else read_atlas(atlas)
    subjects, matrices, regions = _read_stack([*files[0], *files[1]], key, table)
    told = [str(path) if place is None else f"{path}, {place}" for path, place in subjects]
    _warn_of_twins(told, matrices)
    y = np.array([0 if subject.resolve() in of_first else 1 for subject, _ in subjects])
    roi = np.array(regions or range(1, matrices.shape[1] + 1), dtype=str)
    warn_of_absent_regions(matrices, y, names, roi)
    return CohortGraphs(matrices, y, np.array(told), roi, names)


def read_table(source, column, groups=None):
    """Read the matrices of two groups of people in a table.

    Parameters
    ----------
    source : dict
        As of `read_folder`: ``subjects`` (the table), ``id``, ``files``, ``atlas``.
    column : str
        The table's column that says the group.
    groups : sequence of two str, optional
        Which of its values, and in which order; by default both, sorted.

    Returns
    -------
    CohortGraphs
        As of `read_groups`; ``subject`` are the names in the table.

    Raises
    ------
    InputError
        As `read_folder` does, or if the column is not there or has not two values.

    Warns
    -----
    UserWarning
        If people of the table are in neither group.
    """
    table = find_subjects(source).table
    if column not in table:
        raise InputError(
            f"{source['subjects']} has no column {column!r}; it has "
            f"{', '.join(map(repr, table.columns))}"
        )
    group = dict(zip(table["FILE_ID"], table[column].map(plain, na_action="ignore"), strict=True))
    there = Counter(value for value in group.values() if not pd.isna(value))
    told = ", ".join(f"{name} ({count})" for name, count in sorted(there.items()))
    if groups is None and len(there) != 2:
        raise InputError(
            f"the column {column} of {source['subjects']} has {len(there)} values, not two: "
            f"{told}. Choose two of them by --names, as control,patient"
        )
    groups = tuple(sorted(there) if groups is None else map(str, groups))
    for name in groups:
        if name not in there:
            raise InputError(
                f"nobody in {source['subjects']} has the {column} {name!r}; there are {told}"
            )
    data, _, _ = read_folder({**source, "kind": "matrix"})
    chosen = [(groups.index(group[name]), name, w) for name, w in data if group[name] in groups]
    if len(chosen) < len(data):
        warnings.warn(
            f"{len(data) - len(chosen)} of {len(data)} people are in neither group and are left "
            "out",
            stacklevel=2,
        )
    y, subjects, matrices = map(np.array, zip(*chosen, strict=True))
    safe = tuple(re.sub(r"\W+", "_", name) for name in groups)
    groups = groups if safe[0] == safe[1] else safe
    warn_of_absent_regions(matrices, y, groups, data.roi)
    return CohortGraphs(matrices, y, subjects, data.roi, groups)


def _read_stack(paths, key=None, atlas=None):
    """Return ``(path, place in a stacked array)`` of each subject, matrices, and names."""
    first, regions, named, subjects, matrices = None, [], False, [], []
    for path, place, numbers in _each_matrix(paths, key):
        try:
            (matrix, own), everything = _check_matrix(numbers, atlas)
            if len(own) < len(everything):
                raise InputError("it has regions without any weight")
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if first is None:
            first, regions, named = path, own, numbers.names is not None
        if atlas is None and named != (numbers.names is not None):
            raise InputError(
                f"only one of {path} and {first} names its regions: whether they are in the "
                "same order cannot be told. Give all files names, or none"
            )
        if set(own) != set(regions):
            raise InputError(f"{path} has other regions ({len(own)}) than {first} ({len(regions)})")
        subjects.append((path, place))
        matrices.append(in_order(matrix, own, regions))
    return subjects, np.stack(matrices), regions if named or atlas is not None else None


def _each_matrix(paths, key):
    """Yield path, place (None for a file of one) and Numbers of each matrix."""
    for path in paths:
        numbers = _read_named(path, "matrix", key)
        if numbers.values.ndim != 3:
            yield path, None, numbers
            continue
        for index, values in enumerate(numbers.values):
            yield path, index, Numbers(values, numbers.names, numbers.rounding)


def _read_named(path, kind, key):
    try:
        return read_numbers(path, kind, key)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def read_matrices(paths: str | Path | Iterable[str | Path], key: str | None = None) -> np.ndarray:
    """Read matrices, one file per subject, for example all CSVs of a folder.

    Parameters
    ----------
    paths : str or iterable of str or pathlib.Path
        A folder, a pattern such as ``"patients/*.csv"``, the files, or one stacked array.
    key : str, optional
        Of the array in ``.npz`` and ``.mat`` files.

    Returns
    -------
    numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        float64, symmetric, zero diagonal; in the order of the files' names, with the regions
        in the first file's order. For two groups see `read_groups`.

    Raises
    ------
    InputError
        Naming the file that is missing, is not a square and symmetric matrix, or has other
        regions than the first.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("V1,M1\\n1,0.5\\n0.5,1\\n")
    >>> read_matrices(folder).tolist()
    [[[0.0, 0.5], [0.5, 0.0]]]
    """
    return _read_stack(_paths(paths), key)[1]


def read_series(
    paths: str | Path | Iterable[str | Path], key: str | None = None
) -> list[np.ndarray]:
    """Read time series, one file per subject.

    Parameters
    ----------
    paths : str or iterable of str or pathlib.Path
        A folder, a pattern such as ``"patients/*.tsv"``, or the files.
    key : str, optional
        Of the array in ``.npz`` and ``.mat`` files.

    Returns
    -------
    list of numpy.ndarray of shape (n_volumes, n_rois)
        In the order of the files' names. `graphs.correlation.correlation_graphs` makes
        graphs of them.

    Raises
    ------
    InputError
        Naming the file that is missing, holds no numbers, or has other regions than the
        first.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.tsv").write_text("V1\\tM1\\n1\\t5\\n2\\t3\\n4\\t4\\n")
    >>> [series.tolist() for series in read_series(folder)]
    [[[1.0, 5.0], [2.0, 3.0], [4.0, 4.0]]]
    """
    found = _paths(paths)
    series, names = [], None
    for path in found:
        try:
            numbers = read_numbers(path, "series", key)
            data, own = _check_series(numbers, None)
            if len(data) < len(own):
                raise InputError("it has regions without data")
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if names is not None and set(own) != set(names):
            raise InputError(
                f"{path} has other regions ({len(own)}) than {found[0]} ({len(names)})"
            )
        names = own if names is None else names
        series.append(np.column_stack([data[name] for name in names]))
    return series


def _paths(paths):
    """Return the files of a folder or a pattern, or those that are given."""
    if isinstance(paths, (str, Path)):
        folder = Path(paths).expanduser()
        if folder.is_dir():
            found = sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES)
            found = [path for path in found if path.name[0] != "."]
        else:
            found = [Path(path) for path in sorted(glob.glob(str(folder)))]
        if not found:
            raise InputError(f"{paths}: no {', '.join(SUFFIXES)} files there")
        return found
    found = [Path(path) for path in paths]
    if not found:
        raise InputError("there is no file to read")
    for path, count in Counter(path.expanduser().resolve() for path in found).items():
        if count > 1:
            raise InputError(f"{path} is given {count} times")
    return found
