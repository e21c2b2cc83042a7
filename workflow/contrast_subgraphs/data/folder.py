"""One's own data: a table of people, and one file for each with series or a matrix.

Files are read as people have them (`read_numbers`); what they hold is checked, and put in
the order of one set of regions.
"""

import glob
import hashlib
import re
import string
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import in_single, load_npz, read_named
from ..core.errors import InputError
from ..core.graphs import (
    SYMMETRIC,
    CohortGraphs,
    symmetric_up_to_rounding,
    warn_of_absent_regions,
)
from .atlases import load_aal
from .matrices import SubjectMatrices, square_of, upper_triangle
from .numbers import SUFFIXES, Numbers, read_numbers
from .series import SiteSeries, constant_rois, warn_of_short

#: Columns of a table of people: what the config calls it, its name in the results, and
#: the names that it is known by (without regard to capitals) if the config names none.
KNOWN_COLUMNS = {
    "site": ("SITE_ID", ("site", "site_id", "scanner", "center", "centre")),
    "age": ("AGE_AT_SCAN", ("age", "age_at_scan", "age_years", "age_at_scan_years")),
    "sex": ("SEX", ("sex", "gender")),
    "motion": ("func_mean_fd", ("func_mean_fd", "mean_fd", "meanfd", "motion", "fd_mean")),
}
#: What stands for a missing value in a table, beside pandas' own.
_MISSING = ("n/a", "-9999")


@dataclass(frozen=True)
class Subjects:
    """The people that the table lists, and where their files are.

    Attributes
    ----------
    path : pathlib.Path
        The table's.
    table : pandas.DataFrame
        The user's columns, and ``FILE_ID`` (the name), ``SUB_ID``, ``SITE_ID``, and where
        they are known ``AGE_AT_SCAN``, ``SEX``, ``func_mean_fd``.
    files : dict of pathlib.Path
        The file of each subject that has one; for a stacked array the same for all.
    stacked : bool
        Whether one file holds all subjects, in the order of the table.
    """

    path: Path
    table: pd.DataFrame
    files: dict
    stacked: bool


def find_subjects(source):
    """Return the people in the table of a source `folder`, and their files.

    Parameters
    ----------
    source : dict
        ``sources.folder`` of the config: ``subjects`` (table, CSV or TSV), ``id`` (its
        column of names), ``files`` (a pattern: ``{id}`` or ``{column}`` stand for what the
        table says, ``*`` for anything; without any of them, one stacked array), ``missing``,
        and columns for ``site``, ``age``, ``sex``, ``motion``.

    Returns
    -------
    Subjects

    Raises
    ------
    InputError
        If the table or a column is not there, a name is missing or appears twice, a subject
        has no file (unless ``missing`` is ``skip``) or more than one.
    """
    path = _existing(source.get("subjects"), "sources.folder.subjects", "the table of people")
    column, pattern = source.get("id") or "participant_id", source.get("files")
    fields = [name for _, name, _, _ in string.Formatter().parse(pattern or "") if name]
    table = read_people(path, [column, *fields, source.get("site")])
    if column not in table:
        raise InputError(
            f"{path} has no column {column!r} (`sources.folder.id`); it has "
            f"{', '.join(map(repr, table.columns))}"
        )
    table = _with_known_columns(table, source, path)
    names = table["FILE_ID"].tolist()
    if not pattern:
        raise InputError("sources.folder.files: say where each subject's file is, by `{id}`")
    unknown = [name for name in fields if name != "id" and name not in table]
    if unknown:
        raise InputError(
            f"sources.folder.files: `{{{unknown[0]}}}` is neither `{{id}}` nor a column of {path}"
        )
    if not fields and "*" not in pattern:
        found = _existing(pattern, "sources.folder.files", "the stacked array", path.parent)
        return Subjects(path, table, dict.fromkeys(names, found), stacked=True)
    if not fields:
        raise InputError(
            f"sources.folder.files: {pattern!r} does not say whose file is whose: put `{{id}}` "
            "where the name of the subject stands"
        )
    files, lacking = {}, []
    rows = table.to_dict("records")
    # Beside the table, or else in the folder in which the command was given.
    for folder in (path.parent, Path()):
        files, lacking = {}, []
        for name, row in zip(names, rows, strict=True):
            values = {field: glob.escape(str(row.get(field))) for field in fields}
            wanted = str(folder / pattern.format_map(values | {"id": glob.escape(name)}))
            matches = sorted(glob.glob(wanted))
            if len(matches) > 1:
                raise InputError(
                    f"the subject {name} has {len(matches)} files: {matches[0]} and {matches[1]}. "
                    "Make `sources.folder.files` more exact"
                )
            if matches:
                files[name] = Path(matches[0])
            else:
                lacking.append((name, wanted))
        if files:
            break
    if lacking and (source.get("missing", "error") == "error" or not files):
        name, wanted = lacking[0]
        more = f" (and {len(lacking) - 1} others have none)" if len(lacking) > 1 else ""
        raise InputError(
            f"there is no file of the subject {name}: {wanted}{more}. Correct the pattern "
            "(`files`), or in a config set `missing: skip` to work without them"
        )
    twice = [file for file, count in Counter(files.values()).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]} would be the file of more than one subject")
    return Subjects(path, table, files, stacked=False)


def warn_of_strangers(source, subjects):
    """Warn about files that fit the pattern but belong to nobody in the table."""
    if subjects.stacked or not subjects.files:
        return
    anyone = re.sub(r"\{[^}]*\}", "*", source["files"])
    known = {path.resolve() for path in subjects.files.values()}
    own = {path.resolve() for path in (subjects.path, atlas_path(source)) if path is not None}
    for folder in (subjects.path.parent, Path()):
        found = [Path(path) for path in sorted(glob.glob(str(folder / anyone)))]
        if known & {path.resolve() for path in found}:
            strangers = [path for path in found if path.resolve() not in known | own]
            if strangers:
                warnings.warn(
                    f"{len(strangers)} files belong to nobody in {source['subjects']} and are "
                    f"not used, such as {strangers[0]}",
                    stacklevel=2,
                )
            return


def _existing(path, key, what, beside=None):
    if not path:
        raise InputError(f"{key}: give the path of {what}")
    places = [Path(path).expanduser()]
    if beside is not None:
        places.insert(0, Path(beside) / path)
    for place in places:
        if place.is_file():
            return place
    raise InputError(f"{key}: there is no file {places[0]}")


def read_people(path, names=()):
    """Read a table of people, CSV or TSV, with ``n/a`` and -9999 for what is not known.

    Parameters
    ----------
    path : str or pathlib.Path
    names : iterable of str
        Columns that are names, even if they look like numbers (001).

    Returns
    -------
    pandas.DataFrame
        Columns of numbers are numbers, all others text.

    Raises
    ------
    InputError
        If it is not a table or has no rows.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the table {path} cannot be read as UTF-8: {error}") from error
    header = text.split("\n", 1)[0]
    separator = max("\t;,", key=header.count)
    try:
        table = read_named(
            path,
            [*names, *_names_in(header, separator)],
            _MISSING,
            sep=separator,
            encoding="utf-8-sig",
            skipinitialspace=True,
        )
    except (ValueError, IndexError) as error:
        raise InputError(f"the table {path} cannot be read: {error}") from error
    table.columns = [str(name).strip() for name in table.columns]
    if table.empty:
        raise InputError(f"the table {path} has no rows")
    # Spaces that nobody sees must not put anybody into another group.
    return table.apply(
        lambda column: column if pd.api.types.is_numeric_dtype(column) else column.str.strip()
    )


def _names_in(header, separator):
    """Columns of a header that are names: ids and sites, whatever they look like."""
    columns = [name.strip().strip('"') for name in header.rstrip("\r").split(separator)]
    sites = KNOWN_COLUMNS["site"][1]
    return [n for n in columns if n.lower() in sites or re.search(r"(^|_)(id|name)$", n.lower())]


def _with_known_columns(table, source, path):
    """Return the table with the columns that the later stages know."""
    column = source.get("id") or "participant_id"
    table = table.copy()
    if table[column].isna().any():
        line = int(np.argmax(table[column].isna().to_numpy())) + 2
        raise InputError(f"{path} has no {column} in line {line}")
    names = table[column].astype(str).str.strip()
    if names.duplicated().any():
        raise InputError(
            f"{path} has the {column} {names[names.duplicated()].iloc[0]} twice: every subject "
            "must have one row"
        )
    lower = {name.lower(): name for name in table.columns}
    for key, (standard, others) in KNOWN_COLUMNS.items():
        given = source.get(key)
        if given and given not in table:
            raise InputError(
                f"sources.folder.{key}: {path} has no column {given!r}; it has "
                f"{', '.join(map(repr, table.columns))}"
            )
        found = given or next((lower[name] for name in others if name in lower), None)
        if found is None:
            continue
        values = table[found]
        if key in ("age", "motion"):
            numbers = pd.to_numeric(values, errors="coerce")
            if (numbers.isna() & values.notna()).any():
                bad = values[numbers.isna() & values.notna()].iloc[0]
                raise InputError(f"{path} has {bad!r} in the column {found}: not a number")
            values = numbers
        if key == "site":
            values = values.astype(object).where(values.notna(), "unknown").map(_plain)
        if found != standard and (given or standard not in table):
            table[standard] = values
        elif found == standard:
            table[standard] = values
    table["FILE_ID"] = names
    table["SUB_ID"] = np.arange(1, len(table) + 1)
    if "SITE_ID" not in table:
        table["SITE_ID"] = "all"
    return table


def _plain(value):
    """Return a site's name as text: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


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
    warn_of_strangers(source, subjects)
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
    _check_positions(read, unnamed, subjects)
    regions, coverage = _common_regions(read, source, atlas, kind)
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


def _named(numbers, count, atlas, what):
    """Return the names of a file's regions: its own, or else the atlas's."""
    if numbers.names is not None:
        names = _of_the_atlas(numbers.names, atlas)
        twice = [name for name, n in Counter(names).items() if n > 1]
        if twice:
            raise InputError(f"the region {twice[0]} appears twice in it")
        return names
    if atlas is not None:
        if len(atlas) != count:
            raise InputError(
                f"it has {count} {what}, and the atlas has {len(atlas)} regions. Without names in "
                "the file they must be the same, in the same order"
            )
        codes = [str(code) for code in atlas.get("code", ())]
        counted = [{str(k + first) for k in range(count)} for first in (0, 1)]
        if set(codes) in counted and codes != sorted(codes, key=int):
            raise InputError(
                "it has no names of regions, or their numbers only, and the numbers of the atlas "
                "are not in the order of its rows: sort the rows of the atlas by number (or, if "
                "its rows are in the order of the file, leave the numbers out)"
            )
        return atlas["name"].tolist()
    return [str(index) for index in range(1, count + 1)]


def _of_the_atlas(names, atlas):
    """Return the atlas's names of regions that a header calls by name or by number."""
    if atlas is None:
        aal = load_aal()
        code = dict(zip(aal["code"].astype(str), aal["name"], strict=True))
        # AAL's numbers are like no other's: four digits, all of them known.
        return [code[name] for name in names] if set(names) <= set(code) else list(names)
    if set(names) <= set(atlas["name"]):
        return list(names)
    if "code" in atlas:
        code = dict(zip(atlas["code"].astype(str), atlas["name"], strict=True))
        if set(names) <= set(code):
            return [code[name] for name in names]
    unknown = [name for name in names if name not in set(atlas["name"])]
    raise InputError(f"the region {unknown[0]!r} in its header is not in the atlas")


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
        names = _named(numbers, values.shape[1], atlas, "columns")
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
    names = _named(numbers, len(matrix), atlas, "rows")
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


def _common_regions(read, source, atlas, kind):
    """Return the regions to work on, and ``{subject: (how many, which it lacks)}``.

    Parameters
    ----------
    read : dict
        For each subject what its file has data for, and the names of all its regions.
    """
    everything = list(dict.fromkeys(name for _, names in read.values() for name in names))
    if atlas is not None:
        place = {name: index for index, name in enumerate(atlas["name"])}
        everything.sort(key=place.__getitem__)
    there = {
        subject: set(data if kind == "series" else data[1]) for subject, (data, _) in read.items()
    }
    # A constant series counts as there in `error`: the stage graphs leaves its subject out.
    covered = {
        subject: there[subject] - (_constant(data) if kind == "series" else set())
        for subject, (data, _) in read.items()
    }
    coverage = {
        subject: (len(names), [name for name in everything if name not in names])
        for subject, names in covered.items()
    }
    worst = min(coverage, key=lambda subject: coverage[subject][0])
    if source.get("regions", "error") == "error":
        uneven = [subject for subject, names in there.items() if len(names) < len(everything)]
        if uneven:
            gone = [name for name in everything if name not in there[uneven[0]]]
            raise InputError(
                f"the subjects are not on the same regions: {uneven[0]} lacks {len(gone)} of "
                f"{len(everything)} ({', '.join(gone[:3])}{', ...' if len(gone) > 3 else ''}), "
                f"and {len(uneven) - 1} others lack some. Set `regions: common` to keep those "
                "that all have"
            )
        return everything, coverage
    regions = [name for name in everything if all(name in names for names in covered.values())]
    if len(regions) < 3:
        raise InputError(
            f"the subjects have only {len(regions)} regions in common: leave out those who lack "
            f"most, such as {worst}"
        )
    if len(regions) < len(everything):
        warnings.warn(
            f"{len(everything) - len(regions)} of {len(everything)} regions are left out, since "
            f"some subjects lack them ({worst} lacks {len(coverage[worst][1])}; all in "
            "all.coverage.tsv)",
            stacklevel=3,
        )
    return regions, coverage


def _check_positions(read, unnamed, subjects):
    """Regions without names are known by their place alone: all files must have as many."""
    sizes = {len(read[name][1]): name for name in unnamed}
    if len(sizes) > 1:
        (few, one), *_, (many, other) = sorted(sizes.items())
        raise InputError(
            f"the subjects are not on the same regions: {subjects.files[one]} has {few}, "
            f"{subjects.files[other]} has {many}. Without names in the files it is not known "
            "which are which"
        )
    if unnamed and len(unnamed) < len(read):
        named = next(name for name in read if name not in unnamed)
        raise InputError(
            f"{subjects.files[unnamed[0]]} has no names of regions, but {subjects.files[named]} "
            "has: give all or none, or an atlas"
        )


def _columns(one, regions):
    data, _ = one
    return np.column_stack([data[name] for name in regions])


def _triangle(one, regions):
    """Return the upper triangle of a subject's matrix, on some regions in their order."""
    (weights, names), _ = one
    if names == regions:
        return weights
    return _square(square_of(weights, len(names)), names, regions)[upper_triangle(len(regions))]


def _square(matrix, names, regions):
    """Return a matrix on some of its regions, in their order."""
    if names == regions:
        return matrix
    place = {name: index for index, name in enumerate(names)}
    order = [place[name] for name in regions]
    return matrix[np.ix_(order, order)]


def _constant(data):
    """Names of the regions without data, of a subject's series by region."""
    names = np.array(list(data))
    return set(names[constant_rois(np.column_stack(list(data.values())))]) if data else set()


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


# The atlas -----------------------------------------------------------------------------------

#: By which names the columns of an atlas's table are known.
_ATLAS_NAMES = {
    "name": ("name", "label", "region", "roi", "roi_name", "roi name", "region_name"),
    "code": ("code", "index", "number", "id", "roi_id", "roi number", "value"),
    "hemisphere": ("hemisphere", "hemi", "side"),
    "system": ("system", "network", "module", "lobe", "yeo", "network_label"),
    "x": ("x", "x_mni", "mni_x", "r"),
    "y": ("y", "y_mni", "mni_y", "a"),
    "z": ("z", "z_mni", "mni_z", "s"),
}


def atlas_path(source):
    """Return the path of the user's table of regions; None without one.

    Raises
    ------
    InputError
        If it is not there, neither beside the table of people nor as it is given.
    """
    if not source.get("atlas"):
        return None
    beside = Path(source["subjects"]).expanduser().parent if source.get("subjects") else None
    return _existing(source["atlas"], "sources.folder.atlas", "the table of regions", beside)


def atlas_of(source):
    """Return `read_atlas` of a source `folder` of the config; None without an atlas."""
    path = atlas_path(source)
    return None if path is None else read_atlas(path)


def read_atlas(path: str | Path) -> pd.DataFrame:
    """Read a table of regions.

    Parameters
    ----------
    path : str or pathlib.Path
        A CSV or TSV with a row per region, in the order of the data if these have no names;
        columns ``name`` (or ``label``), and any of ``code`` (or ``index``), ``hemisphere``,
        ``system`` (or ``network``), ``x``, ``y``, ``z`` (MNI, mm).

    Returns
    -------
    pandas.DataFrame
        ``name, hemisphere, system, x, y, z``, and ``code`` if it is there.

    Raises
    ------
    InputError
        If it cannot be read, has no names, a name twice or a place that is not a number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "atlas.csv"
    >>> _ = path.write_text("label,network\\nV1,Visual\\n")
    >>> read_atlas(path)[["name", "system"]].values.tolist()
    [['V1', 'Visual']]
    """
    given = read_people(path)
    lower = {str(name).lower(): name for name in given.columns}
    found = {
        wanted: next((lower[name] for name in names if name in lower), None)
        for wanted, names in _ATLAS_NAMES.items()
    }
    if found["name"] is None:
        if found["code"] is None:
            raise InputError(
                f"{path} has no column `name` (or `label`) of the regions; it has "
                f"{', '.join(map(repr, given.columns))}"
            )
        found["name"] = found["code"]
    table = pd.DataFrame({"name": given[found["name"]].astype(str).str.strip()})
    for column in ("hemisphere", "system"):
        known = given[found[column]] if found[column] else pd.Series("", index=table.index)
        table[column] = known.astype(object).where(known.notna(), "").astype(str)
    for column in ("x", "y", "z"):
        known = given[found[column]] if found[column] else pd.Series(np.nan, index=table.index)
        numbers = pd.to_numeric(known, errors="coerce")
        if (numbers.isna() & known.notna()).any():
            raise InputError(f"{path}: a place in the column {found[column]} is not a number")
        table[column] = numbers.astype(float)
    if table["name"].duplicated().any():
        raise InputError(
            f"{path} has the region {table['name'][table['name'].duplicated()].iloc[0]} twice"
        )
    if found["code"]:
        table["code"] = [_plain(value) for value in given[found["code"]]]
    return table


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
    group = dict(zip(table["FILE_ID"], table[column].map(_plain, na_action="ignore"), strict=True))
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
        matrices.append(_square(matrix, own, regions))
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
