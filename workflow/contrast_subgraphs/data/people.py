"""The table of people, and where each person's file is."""

import glob
import re
import string
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import read_named
from ..core.errors import InputError

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


def find_subjects(source, texts=()):
    """Return the people in the table of a source `folder`, and their files.

    Parameters
    ----------
    source : dict
        ``sources.folder`` of the config: ``subjects`` (table, CSV or TSV), ``id`` (its
        column of names), ``files`` (a pattern: ``{id}`` or ``{column}`` stand for what the
        table says, ``*`` for anything; without any of them, one stacked array), ``missing``,
        and columns for ``site``, ``age``, ``sex``, ``motion``.
    texts : sequence of str
        Further columns that are names, such as that of the groups: NA is one of them.

    Returns
    -------
    Subjects

    Raises
    ------
    InputError
        If the table or a column is not there, a name is missing or appears twice, a subject
        has no file (unless ``missing`` is ``skip``) or more than one.
    """
    path = existing_file(source.get("subjects"), "sources.folder.subjects", "the table of people")
    column, pattern = source.get("id") or "participant_id", source.get("files")
    fields = [name for _, name, _, _ in string.Formatter().parse(pattern or "") if name]
    table = read_people(path, [column, *fields, source.get("site"), *texts])
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
        found = existing_file(pattern, "sources.folder.files", "the stacked array", path.parent)
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


def warn_of_strangers(source, subjects, own=()):
    """Warn about files that fit the pattern but belong to nobody in the table."""
    if subjects.stacked or not subjects.files:
        return
    anyone = re.sub(r"\{[^}]*\}", "*", source["files"])
    known = {path.resolve() for path in subjects.files.values()}
    own = {Path(path).resolve() for path in (subjects.path, *own)}
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


def existing_file(path, key, what, beside=None):
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
            values = values.astype(object).where(values.notna(), "unknown").map(plain)
        if found != standard and (given or standard not in table):
            table[standard] = values
        elif found == standard:
            table[standard] = values
    table["FILE_ID"] = names
    table["SUB_ID"] = np.arange(1, len(table) + 1)
    if "SITE_ID" not in table:
        table["SITE_ID"] = "all"
    return table


def plain(value):
    """Return a site's name as text: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
