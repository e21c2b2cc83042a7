"""The user's own data: people and their files become series or matrices on the same regions."""

import glob
import hashlib
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.atomic_files import in_single, load_npz
from ..core.checks import check_option, in_words, plural
from ..core.columns import groups as groups_in
from ..core.columns import internal
from ..core.errors import InputError
from ..core.graphs import (
    CohortGraphs,
    SubjectGraphs,
    n_vertices_of,
    square_of,
    stacked_rows,
    upper_triangle,
    warn_of_absent_regions,
    warn_of_strength,
)
from .patterns import files_that_fit
from .people import check_column, find_subjects, warn_of_strangers
from .reading import SUFFIXES, Reading, is_data, read_files
from .reading.choose import count_from
from .regions import atlas_of, atlas_path, check_places, common_regions, name_regions, read_atlas
from .series import SiteSeries, constant_rois, warn_of_short

#: What a config says about how files are read, beside their kind.
_HOW = ("key", "header", "index", "decimal", "triangle")
#: From this factor on, one person's numbers are not on the scale of the rest.
_SCALE = 100


class Person(NamedTuple):
    """What one person's file holds."""

    label: str
    path: Path
    data: np.ndarray  # of `own`: volumes x regions, or the upper triangle
    own: list  # the regions that there are data for
    names: list  # all regions of the file
    named: bool  # whether the file names them
    constant: frozenset = frozenset()  # regions whose series do not change

    def without_weight(self):
        """Return the regions of a matrix of which no pair has any weight."""
        if self.data.ndim == 2:
            return set()
        some = square_of(self.data != 0).any(axis=0)
        return {name for name, has in zip(self.own, some, strict=True) if not has}

    def on(self, regions):
        """Return the data of some regions, in their order."""
        if self.own == regions:
            return self.data
        place = {name: index for index, name in enumerate(self.own)}
        order = [place[name] for name in regions]
        if self.data.ndim == 2:
            return self.data[:, order]
        square = square_of(self.data)[np.ix_(order, order)]
        return square[upper_triangle(len(regions))]


def read_persons(paths, kind, atlas=None, how=None, labels=None, windows=None, stacks=()):
    """Read the files of a data set, checked: of one person each, but for those in `stacks`.

    `how`: options of `read_files`; `labels`: what to call the people, if not by their files;
    `windows`: "mean" for the mean of each person's windows of dynamic connectivity.
    """
    check_option("windows", windows, (None, "mean"))
    names, arrays, reading = read_files(paths, kind, atlas=atlas, **(how or {}))
    people = []
    series = kind == "series"
    counts = set()  # of the windows of each person
    for k, (path, own) in enumerate(zip(paths, names, strict=True)):
        array, arrays[k] = arrays[k], None  # let go, so that there is little more than one copy
        count, several = array.shape[-1], array.ndim == 2 + series
        if several and len(array) > 1 and (windows or path not in stacks):
            counts.add(len(array))
            array, several = _of_windows(path, array, kind, windows), False
        for place, values in enumerate(array if several else [array]):
            label = f"{path}, {place}" if several else str(path)
            try:
                regions = name_regions(own, count if series else n_vertices_of(count), atlas)
                data, kept, constant = _checked(values, regions, kind)
            except InputError as error:
                raise InputError(f"{label}: {error}") from error
            label = label if labels is None else labels[len(people)]
            people.append(Person(label, path, data, kept, regions, own is not None, constant))
    if atlas is None:
        check_places(people)
    if counts:
        few = min(counts)
        many = max(counts)
        how_many = f"{few}" if few == many else f"{few} to {many}"
        note = f"means over the {how_many} windows of each person"
        reading = replace(reading, notes=(*reading.notes, note))
    return people, reading


def _of_windows(path, array, kind, windows):
    """Return the mean of one person's matrices in windows of time."""
    if kind == "series":
        raise InputError(
            f"{path} holds {len(array)} series, and is of one person: save each run as a file of "
            "its own (`runs: join` joins them)"
        )
    if windows is None:
        raise InputError(
            f"{path} holds {len(array)} matrices, and is of one person. If they are windows of "
            "dynamic connectivity, set `windows: mean` (--windows mean) for their mean; if they "
            "are of several people, give one file with all of them, or a file for each"
        )
    return np.mean(array, axis=0, dtype=float)


def _checked(values, names, kind):
    """Return the data of the regions that there are any for, these, and those without change."""
    series = kind == "series"
    if not series and np.isfinite(values).all() and -9999 not in values:
        return values, list(names), frozenset()
    values = values if series else square_of(values)
    if (values == -9999).any():  # of ABIDE's tables: as a weight it would outweigh all others
        row, column = np.argwhere(values == -9999)[0]
        raise InputError(
            f'row {row + 1}, column {column + 1} holds -9999, which often means "not known": '
            "write n/a if it does"
        )
    lacking = np.isnan(values).sum(axis=0) >= len(values) - (not series)
    own = [name for name, gone in zip(names, lacking, strict=True) if not gone]
    data = values[:, ~lacking] if series else values[np.ix_(~lacking, ~lacking)]
    if not np.isfinite(data).all():
        row, column = np.argwhere(~np.isfinite(data))[0]
        what = f"volume {row + 1} of region" if series else f"the weight of {own[row]} and"
        raise InputError(f"{what} {own[column]} is not a finite number")
    if not series:
        return in_single(data[upper_triangle(len(own))]), own, frozenset()
    return data, own, frozenset(np.array(own)[constant_rois(data)].tolist() if own else ())


def _warn_of_odd(labels, arrays):
    """Warn about the very same numbers twice, none at all, or numbers on another scale."""
    seen, twins, size = {}, [], np.zeros(len(labels))
    for k, (name, array) in enumerate(zip(labels, arrays, strict=True)):
        other = seen.setdefault(hashlib.sha256(np.ascontiguousarray(array)).digest(), name)
        if other is not name:
            twins.append(f"{other} with {name}")
        if array.any():
            size[k] = np.median(np.abs(array[array != 0]))
    usual = np.median(size[size > 0]) if size.any() else 1.0
    odd = (size > 0) & ((size > _SCALE * usual) | (size < usual / _SCALE))
    labels = np.array(labels, dtype=object)
    for names, words in (
        (twins, "the same numbers twice: is it one person twice?"),
        (labels[size == 0], "nothing but zeros: leave them out if they were not measured"),
        (labels[odd], f"on another scale than the rest (usually {usual:.3g}): in another unit?"),
    ):
        if len(names):
            warnings.warn(f"{in_words(names, most=3)}: {words}", stacklevel=3)


# A table of people ------------------------------------------------------------------------------


def read_folder(source, subjects=None):
    """Read every subject's file as ``sources.folder`` of the config says, on the same regions.

    `subjects`: what `find_subjects` has found for it.

    Returns the data of those with a file, in the order of the table; a table of all; which
    regions each file has data for; the `Reading`.
    """
    subjects = subjects or find_subjects(source)
    path = atlas_path(source)
    warn_of_strangers(source, subjects, [] if path is None else [path])
    kind, atlas = source.get("kind", "series"), atlas_of(source)
    how = {name: source.get(name) for name in _HOW}
    names = list(subjects.files)
    paths = [path for own in subjects.runs.values() for path in own]
    labels = [name for name, own in subjects.runs.items() for _ in own]
    windows = source.get("windows")
    stacks = paths if subjects.stacked else ()
    if windows and subjects.stacked:
        raise InputError(
            f"{paths[0]} is one file of all people: `windows` is for a file of each (`{{id}}`)"
        )
    labels = None if subjects.stacked else labels
    people, reading = read_persons(paths, kind, atlas, how, labels, windows, stacks)
    if subjects.stacked:
        people, reading = _of_one_file(people, reading, names)
    elif len(people) > len(names):
        people = _joined(people)
    regions, coverage = common_regions(people, atlas, source.get("regions", "error"))
    volumes = {}
    if kind == "series":
        columns = [one.on(regions) for one in people]
        _warn_of_odd(names, columns)
        data = SiteSeries.stack(names, columns, regions)
        volumes = dict(zip(names, np.diff(data.start).tolist(), strict=True))
        sites = internal(subjects.table, "SITE_ID").tolist()
        site_of = dict(zip(internal(subjects.table, "FILE_ID"), sites, strict=True))
        for site in sorted({site_of[name] for name in names}):
            warn_of_short(site, {name: volumes[name] for name in names if site_of[name] == site})
    else:
        weights = _stacked(people, regions)
        _warn_of_odd(names, weights)
        data = SubjectGraphs(weights, np.array(names), np.array(regions))
    table = pd.DataFrame({"subject": internal(subjects.table, "FILE_ID").tolist()})
    there = table["subject"].isin(list(coverage))
    table["status"] = np.where(there, "fetched", "missing")
    table["reason"] = np.where(there, "", "no file")
    table["volumes"] = [volumes.get(name, 0) for name in table["subject"]]
    lacking = pd.DataFrame(
        [(name, count, ", ".join(lacking)) for name, (count, lacking) in coverage.items()],
        columns=["subject", "regions", "lacking"],
    )
    return data, table, lacking, reading


def _joined(people):
    """Return one person for the runs of each: their series one after the other, or mean weights.

    Each run's series have mean 0 and variance 1 first: where runs differ in their level, all
    regions would go together. A region counts that all runs have.
    """
    found = []
    for _, group in itertools.groupby(people, key=lambda one: one.label):
        runs = list(group)
        own = [name for name in runs[0].own if all(name in one.own for one in runs)]
        data = [one.on(own) for one in runs]
        constant = frozenset().union(*(one.constant for one in runs))
        if len(runs) > 1 and data[0].ndim == 2:
            with np.errstate(invalid="ignore"):
                data = [(one - one.mean(axis=0)) / np.std(one, axis=0, ddof=1) for one in data]
            data = [np.where([name in constant for name in own], 0.0, one) for one in data]
        joined = np.vstack(data) if data[0].ndim == 2 else np.mean(data, axis=0)
        found.append(runs[0]._replace(data=joined, own=own, constant=constant & set(own)))
    return found


def _of_one_file(people, reading, names):
    """Return the people of one file in the order of the table, by their names or their places.

    And the reading, which says whose order it was.
    """
    path = people[0].path
    if len(people) != len(names):
        raise InputError(
            f"{path} holds {len(people)} subjects, but the table lists {len(names)}: they must be "
            "the same, in the same order"
        )
    # As they are, or as numbers: 7 is sub-007.
    for how in (str, lambda name: re.sub(r"^(sub-)?0*(?=\d)", "", name)):
        row = {how(name): k for k, name in enumerate(reading.people)}
        if len(row) == len(names) and set(row) == set(map(how, names)):
            people = [people[row[how(name)]] for name in names]
            note = "people found by the names in it"
            break
    else:
        if reading.people and not count_from(list(reading.people)):
            lost = next(name for name in reading.people if name not in names)
            raise InputError(f"{path} has a row of {lost}, who is not in the table of people")
        note = f"people in the order of the table: first {names[0]}, last {names[-1]}"
    people = [one._replace(label=name) for one, name in zip(people, names, strict=True)]
    return people, replace(reading, notes=(*reading.notes, note))


def _stacked(people, regions):
    """Return the upper triangles of people's matrices, who are let go one by one."""

    def rows():
        for k, one in enumerate(people):
            people[k] = None
            yield one.on(regions)

    return stacked_rows(rows(), len(people))


def load_subjects(path):
    """Read a site's ``data/series/<site>.npz``: series or matrices, whichever it holds."""
    names = load_npz(path, "subject", optional=("roi",))  # series have `roi_code`
    return (SubjectGraphs if "roi" in names else SiteSeries).load(path)


# Two groups ---------------------------------------------------------------------------------------


class TwoGroups(NamedTuple):
    """Two groups as they were read."""

    graphs: CohortGraphs
    reading: Reading
    people: pd.DataFrame | None = None  # the rows of a table of people, in the graphs' order


def read_two_groups(
    places, names=None, atlas=None, how=None, regions="error", table=None, windows=None
):
    """Read what the command line names: two places of matrices, or one table of people.

    `names`: of the groups; of a table, the values of its column; `how`: options of `read_files`;
    `table`: of a table: its column of groups ``column``, ``files`` and ``id``, as in a config;
    `windows`: see `read_persons`.
    """
    if table is not None:
        source = {"subjects": places[0], "kind": "matrix", "regions": regions, **table}
        source["windows"] = windows
        # Not one beside the table.
        source |= (how or {}) | {"atlas": atlas and str(Path(atlas).resolve())}
        return _of_table(source, table["column"], names)
    if Path(places[0]).resolve() == Path(places[1]).resolve():
        raise InputError(f"{places[0]} is given twice: give two groups")
    called = name_groups(*places, names)
    found = dict(zip(called, places, strict=True))
    atlas = None if atlas is None else read_atlas(atlas)
    return _of_places(found, atlas, how, regions, windows)


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


def _of_table(source, column, groups):
    """Return two groups of the people in a table; without a `column` all of them, as one."""
    subjects = find_subjects(source)
    subjects.warn()
    people = subjects.table.set_index(internal(subjects.table, "FILE_ID").to_numpy())
    if column is None:
        data, _, _, reading = read_folder(source, subjects)
        graphs = CohortGraphs(data.weights, np.zeros(len(data)), data.subject, data.roi, ())
        return TwoGroups(graphs, reading, people.loc[data.subject].reset_index(drop=True))
    check_column(people, column, source["subjects"])
    group = groups_in(people, column).dropna().to_dict()
    there = Counter(group.values())
    counts = ", ".join(f"{name} ({count})" for name, count in sorted(there.items()))
    if groups is None and len(there) != 2:
        raise InputError(
            f"the column {column} of {source['subjects']} has {len(there)} values, not two: "
            f"{counts}. Choose two of them by --names, as control,patient"
        )
    groups = tuple(sorted(there) if groups is None else map(str, groups))
    for name in groups:
        if name not in there:
            raise InputError(
                f"nobody in {source['subjects']} has the {column} {name!r}; there are {counts}"
            )
    data, _, _, reading = read_folder(source, subjects)
    known = [group.get(name) in groups for name in data.subject.tolist()]
    names, weights = data.subject[known], data.weights
    if len(names) < len(data):
        weights = weights[known]
        warnings.warn(
            f"{len(data) - len(names)} of {len(data)} people are in neither group and are left out",
            stacklevel=2,
        )
    y = np.array([groups.index(group[name]) for name in names.tolist()])
    if len(set(y.tolist())) < 2:
        raise InputError(f"nobody with a file has the {column} {groups[1 - y[0]]!r}")
    safe = tuple(map(_safe, groups))
    groups = groups if safe[0] == safe[1] else safe
    warn_of_absent_regions(weights, y, groups, data.roi)
    warn_of_strength(weights, y, groups)
    graphs = CohortGraphs(weights, y, names, data.roi, groups)
    return TwoGroups(graphs, reading, people.loc[names].reset_index(drop=True))


def _of_places(places, atlas=None, how=None, regions="error", windows=None):
    """Return two groups of the files in two places, by their names."""
    names = tuple(map(str, places))
    if len(names) != 2:
        raise InputError(f"a contrast is one of two groups, not of {len(names)}")
    files = [_paths(place) for place in places.values()]
    of_first = {file.resolve() for file in files[0]}
    for file in files[1]:
        if file.resolve() in of_first:
            raise InputError(f"{file} is in both groups: give two groups without a file in common")
    stacks = [own[0] for own in files if len(own) == 1]
    paths = [*files[0], *files[1]]
    people, reading = read_persons(paths, "matrix", atlas, how, windows=windows, stacks=stacks)
    kept, _ = common_regions(people, atlas, regions)
    labels = [one.label for one in people]
    y = np.array([0 if one.path.resolve() in of_first else 1 for one in people])
    weights = _stacked(people, kept)
    _warn_of_odd(labels, weights)
    warn_of_absent_regions(weights, y, names, kept)
    warn_of_strength(weights, y, names)
    return TwoGroups(CohortGraphs(weights, y, np.array(labels), np.array(kept), names), reading)


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
        The name of each group, and a folder, a pattern such as ``"patients/*.csv"``, the
        files, or one file of all (a stack, or one row a person).
    atlas : str or pathlib.Path, optional
        A table of the regions (`read_atlas`).
    regions : {"error", "common", "drop"}
        Whether files of other regions are an error, or only the regions of all are kept; with
        ``"drop"`` only those that also have a weight in every file.
    key : str, optional
        The array of ``.npz``, ``.mat`` and ``.h5`` files, or the sheet of ``.xlsx``.
    header, index : bool, optional
        Whether the first line, or column, of texts holds names or numbers, where both fit.
    decimal : {".", ","}, optional
    triangle : {"upper", "lower"}, optional
        Which triangle one person's row goes through, row by row.
    windows : {"mean"}, optional
        Of files with windows of dynamic connectivity, one file a person: take their mean.

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
        Naming the file that cannot be read, has other regions, or fits several readings.

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
    how = dict(zip(_HOW, (key, header, index, decimal, triangle), strict=True))
    atlas = None if atlas is None else read_atlas(atlas)
    return _of_places(places, atlas, how, regions, windows).graphs


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

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("V1,M1\\n1,0.5\\n0.5,1\\n")
    >>> read_matrices([path]).tolist()
    [[[0.0, 0.5], [0.5, 0.0]]]
    """
    how = dict(zip(_HOW, (key, header, index, decimal, triangle), strict=True))
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
    """Return the files of a folder or a pattern, or those that are given."""
    if not isinstance(paths, (str, Path)):
        found = [Path(path) for path in paths]
        if not found:
            raise InputError("there is no file to read")
        for path, count in Counter(path.expanduser().resolve() for path in found).items():
            if count > 1:
                raise InputError(f"{path} is given {count} times")
        return found
    folder = Path(paths).expanduser()
    if folder.is_dir():
        there = [p for p in sorted(folder.iterdir()) if p.is_file() and p.name[0] != "."]
        found = [path for path in there if is_data(path)]
        if found and len(found) < len(there):
            odd = next(path for path in there if not is_data(path))
            warnings.warn(
                f"{plural(len(there) - len(found), 'file')} in {folder} cannot hold a matrix and "
                f"is passed over, such as {odd.name}",
                stacklevel=4,
            )
    else:
        found = files_that_fit(folder)
    if not found:
        if not glob.has_magic(str(folder)) and not folder.exists():
            raise InputError(f"{paths} does not exist")
        raise InputError(f"{paths}: no {', '.join(SUFFIXES)} files there")
    twice = Counter(path.with_name(_stem(path)) for path in found)
    for path in found:
        if twice[path.with_name(_stem(path))] > 1:
            raise InputError(f"{path} is there with two endings: is it one person twice?")
    return found
