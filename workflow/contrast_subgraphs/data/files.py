"""The user's own files of two groups, as the command line and scripts name them."""

import glob
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.checks import plural
from ..core.columns import check_column, internal
from ..core.columns import groups as groups_in
from ..core.doubts import warn_of_absent_regions, warn_of_strength
from ..core.errors import InputError
from ..core.pairs import square_of
from ..core.reading_options import HOW
from ..design.cohort_graphs import CohortGraphs
from .folder import read_folder
from .patterns import files_that_fit
from .people import find_subjects
from .persons import read_persons, stacked, warn_of_odd_numbers
from .reading import SUFFIXES, Reading, is_data
from .regions import common_regions, read_atlas


class TwoGroups(NamedTuple):
    """Two groups as they were read."""

    graphs: CohortGraphs
    reading: Reading
    #: The rows of a table of people, in the order of the graphs.
    people: pd.DataFrame | None = None


def read_two_groups(
    places, names=None, atlas=None, how=None, regions="error", table=None, windows=None
):
    """Read what the command line names: two places of matrices, or one table of people.

    `names`: what the groups are called, or for a table the values of its column; `how`: options of
    `read_files`; `table`: for a table of people, its ``column`` of groups, and ``files`` and ``id``
    as in a config; `windows`: see `read_persons`.
    """
    if table is not None:
        source = {"subjects": places[0], "kind": "matrix", "regions": regions, **table}
        source |= how or {}
        source["windows"] = windows
        # The command line means a file in the working folder, not one next to the table.
        source["atlas"] = None if atlas is None else str(Path(atlas).resolve())
        return _of_table(source, table["column"], names)
    if Path(places[0]).resolve() == Path(places[1]).resolve():
        raise InputError(f"{places[0]} is given twice: give two groups")
    called = name_groups(*places, names)
    found = dict(zip(called, places, strict=True))
    return _of_places(found, _atlas(atlas), how, regions, windows)


def name_groups(first, second, names=None):
    """Return the names of two groups: those of the nearest folders or files that differ."""
    pair = Path(first), Path(second)
    parts = zip(*([_stem(place), *place.parts[-2::-1]] for place in pair), strict=False)
    safe = [tuple(_safe(name).strip("_") for name in pair) for pair in parts]
    own = next((pair for pair in safe if pair[0] != pair[1] and all(pair)), ("first", "second"))
    if names is None:
        return own
    found = tuple(map(_safe, names))
    if found == own[::-1]:
        raise InputError(
            f"--names {','.join(names)}: the folders have these names in the other order. --names "
            "calls the first group by the first name: give the folders in that order, or leave it "
            "out"
        )
    if found[0] == found[1]:
        raise InputError(f"--names {','.join(names)}: both become {found[0]}: give other names")
    return found


def _safe(name):
    return re.sub(r"\W+", "_", name)


def _stem(path):
    """Return a file's name without the ending that says its kind."""
    ending = next((e for e in SUFFIXES if path.name.lower().endswith(e)), path.suffix)
    return path.name[: len(path.name) - len(ending)]


def _of_table(source, column, names):
    """Return two groups of the people in a table; without a `column`, all of them as one."""
    subjects = find_subjects(source)
    subjects.warn()
    people = subjects.table.set_index(internal(subjects.table, "FILE_ID").to_numpy())
    group = {}
    # What is asked is checked before all files are read.
    if column is not None:
        check_column(people, column, source["subjects"])
        group = groups_in(people, column).dropna().to_dict()
        names = _asked_for(names, Counter(group.values()), column, source["subjects"])
    data, _, _, reading = read_folder(source, subjects)
    if column is None:
        graphs = CohortGraphs(data.weights, np.zeros(len(data)), data.subject, data.roi, ())
    else:
        graphs = _of_column(data, group, names, column)
    return TwoGroups(graphs, reading, people.loc[graphs.subject].reset_index(drop=True))


def _of_column(data, group, names, column):
    """Return the graphs of the people who are in one of two groups of a column."""
    known = [group.get(name) in names for name in data.subject.tolist()]
    subject = data.subject[known]
    weights = data.weights
    # A copy of the weights only if someone is left out: they may be a file on the disk.
    if len(subject) < len(data):
        weights = weights[known]
        warnings.warn(
            f"{len(data) - len(subject)} of {len(data)} people are in neither group and are left "
            "out",
            stacklevel=2,
        )
    y = np.array([names.index(group[name]) for name in subject.tolist()])
    if len(set(y.tolist())) < 2:
        raise InputError(f"no one with a file has the {column} {names[1 - y[0]]!r}")
    # Names of groups become names of contrasts and files. If that made both the same, they stay as
    # they are.
    safe = tuple(map(_safe, names))
    called = names if safe[0] == safe[1] else safe
    return _two_groups(weights, y, subject, data.roi, called)


def _two_groups(weights, y, subject, regions, names):
    """Return the graphs of two groups, and warn of what tells them apart without any brain."""
    warn_of_absent_regions(weights, y, names, regions)
    warn_of_strength(weights, y, names)
    return CohortGraphs(weights, y, subject, regions, names)


def _asked_for(names, there, column, table):
    """Return the two groups of a column that are compared: those in `names`, or the two there are.

    `there`: how many people each value of the column has.
    """
    counts = ", ".join(f"{name} ({count})" for name, count in sorted(there.items()))
    if names is None:
        if len(there) != 2:
            raise InputError(
                f"the column {column} of {table} has {len(there)} values, not two: {counts}. "
                "Choose two of them by --names, as control,patient"
            )
        return tuple(sorted(there))
    names = tuple(map(str, names))
    for name in names:
        if name not in there:
            raise InputError(f"no one in {table} has the {column} {name!r}; there are {counts}")
    return names


def _of_places(places, atlas, how, regions, windows):
    """Return two groups of the files in two places, by their names."""
    names = tuple(map(str, places))
    if len(names) != 2:
        raise InputError(f"a contrast is between two groups, not {len(names)}")
    files = [_paths(place) for place in places.values()]
    # Two overlapping patterns would compare some people with themselves.
    of_first = {file.resolve() for file in files[0]}
    for file in files[1]:
        if file.resolve() in of_first:
            raise InputError(f"{file} is in both groups: give two groups without a file in common")
    stacks = [own[0] for own in files if len(own) == 1]
    paths = [*files[0], *files[1]]
    people, reading = read_persons(paths, "matrix", atlas, how, windows=windows, stacks=stacks)
    kept, _ = common_regions(people, atlas, regions)
    labels = [one.label for one in people]
    y = np.array([int(one.path.resolve() not in of_first) for one in people])
    weights = stacked(people, kept)
    warn_of_odd_numbers(labels, weights)
    return TwoGroups(_two_groups(weights, y, np.array(labels), np.array(kept), names), reading)


def _atlas(path):
    return None if path is None else read_atlas(path)


# For the user's own scripts -----------------------------------------------------------------------


def read_groups(
    places: Mapping[str, str | Path | Iterable[str | Path]],
    *,
    atlas: str | Path | None = None,
    regions: str = "error",
    key: str | None = None,
    header: bool | None = None,
    index: bool | None = None,
    decimal: str | None = None,
    triangle: str | None = None,
    windows: str | None = None,
) -> CohortGraphs:
    """Read the matrices of two groups, all on the same regions in one order.

    Parameters
    ----------
    places : mapping of str to str or iterable of str or pathlib.Path
        From the name of each group to a folder, a pattern such as ``"patients/*.csv"``, a list of
        files, or one file of all people (a stack, or one row a person).
    atlas : str or pathlib.Path, optional
        A table of the regions (`read_atlas`).
    regions : {"error", "common", "drop"}
        Whether files with different regions are an error, or only the regions that all have are
        kept; with ``"drop"``, only those that also have a weight in every file.
    key : str, optional
        The array of ``.npz``, ``.mat`` and ``.h5`` files, or the sheet of ``.xlsx``.
    header, index : bool, optional
        Whether the first line, or column, of text files holds labels; needed only where both
        readings fit.
    decimal : {".", ","}, optional
    triangle : {"upper", "lower"}, optional
        Which triangle one person's row goes through, row by row.
    windows : {"mean"}, optional
        For files with windows of dynamic connectivity, one file a person: take their mean.

    Returns
    -------
    CohortGraphs
        ``weights`` (n_subjects, n_pairs; each pair once, in the order of `numpy.triu_indices`,
        float32 if that holds them), ``adjacency`` (the same as matrices; float64, symmetric,
        zero diagonal), ``y`` (0 for the first group, 1 for the second), ``labels`` (their names),
        ``subject`` (paths of the files) and ``roi`` (names of the regions, or numbers from 1).

    Raises
    ------
    InputError
        If a file cannot be read, has other regions, or can be read in several ways; the message
        names the file.

    See Also
    --------
    CohortGraphs : What it returns.
    difference_graph, permutation_test : Take it as it is.
    read_matrices : Matrices alone.

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
    how = dict(zip(HOW, (key, header, index, decimal, triangle), strict=True))
    return _of_places(places, _atlas(atlas), how, regions, windows).graphs


def read_matrices(
    paths: str | Path | Iterable[str | Path],
    *,
    key: str | None = None,
    header: bool | None = None,
    index: bool | None = None,
    decimal: str | None = None,
    triangle: str | None = None,
    windows: str | None = None,
) -> np.ndarray:
    """Read matrices, one file per subject, or one file of all.

    Parameters
    ----------
    paths, key, header, index, decimal, triangle, windows
        See `read_groups`.

    Returns
    -------
    numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        float64, symmetric, zero diagonal; in the order of the files' names, with the regions
        in the first file's order.

    Raises
    ------
    InputError
        If a file cannot be read, has other regions, or can be read in several ways; the message
        names the file.

    See Also
    --------
    read_groups : With groups and names.
    read_series : Time series.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("V1,M1\\n1,0.5\\n0.5,1\\n")
    >>> read_matrices([path]).tolist()
    [[[0.0, 0.5], [0.5, 0.0]]]
    """
    how = dict(zip(HOW, (key, header, index, decimal, triangle), strict=True))
    return square_of(np.stack(_at(paths, "matrix", how, windows), dtype=float))


def read_series(
    paths: str | Path | Iterable[str | Path],
    *,
    key: str | None = None,
    header: bool | None = None,
    index: bool | None = None,
    decimal: str | None = None,
) -> list[np.ndarray]:
    """Read time series, one file per subject.

    Parameters
    ----------
    paths, key, header, index, decimal
        See `read_groups`.

    Returns
    -------
    list of numpy.ndarray of shape (n_volumes, n_rois)
        In the order of the files' names; for `correlation_graphs`.

    Raises
    ------
    InputError
        If a file cannot be read, has other regions, or can be read in several ways; the message
        names the file.

    See Also
    --------
    correlation_graphs : Makes graphs of them.
    read_matrices : Matrices.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.tsv"
    >>> _ = path.write_text("V1\\tM1\\n1\\t5\\n3\\t3\\n2\\t4\\n")
    >>> [series.tolist() for series in read_series([path])]
    [[[1.0, 5.0], [3.0, 3.0], [2.0, 4.0]]]
    """
    how = {"key": key, "header": header, "index": index, "decimal": decimal}
    return _at(paths, "series", how)


def _at(paths, kind, how, windows=None):
    """Return each person's data in some files."""
    paths = _paths(paths)
    stacks = paths if len(paths) == 1 else ()
    people, _ = read_persons(paths, kind, how=how, windows=windows, stacks=stacks)
    regions, _ = common_regions(people)
    return [one.on(regions) for one in people]


def _paths(paths):
    """Return the files in a folder, of a pattern, or of a list."""
    if not isinstance(paths, (str, Path)):
        return _given(paths)
    folder = Path(paths).expanduser()
    found = _in_folder(folder) if folder.is_dir() else files_that_fit(folder)
    if not found:
        if not glob.has_magic(str(folder)) and not folder.exists():
            raise InputError(f"{paths} does not exist")
        raise InputError(f"{paths}: no {', '.join(SUFFIXES)} files there")
    twice = Counter(path.with_name(_stem(path)) for path in found)
    for path in found:
        if twice[path.with_name(_stem(path))] > 1:
            raise InputError(f"{path} exists with two endings: is it one person twice?")
    return found


def _given(paths):
    """Return files that are given one by one, each once."""
    found = [Path(path) for path in paths]
    if not found:
        raise InputError("there is no file to read")
    for path, count in Counter(path.expanduser().resolve() for path in found).items():
        if count > 1:
            raise InputError(f"{path} is given {count} times")
    return found


def _in_folder(folder):
    """Return the files in a folder that can hold data; warn of others."""
    there = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."]
    found = [path for path in there if is_data(path)]
    odd = [path for path in there if not is_data(path)]
    if found and odd:
        warnings.warn(
            f"{plural(len(odd), 'file')} in {folder} cannot hold a matrix and is passed over, such "
            f"as {odd[0].name}",
            stacklevel=5,
        )
    return found
