"""The table of people, and where each person's file is."""

import functools
import io
import os
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import STR_NA_VALUES
from ..core.checks import did_you_mean, in_words, plural
from ..core.errors import InputError
from .patterns import Pattern, check_fields, mentioned
from .reading.containers import sheet_lines
from .reading.text import decode, split

#: Columns of a table of people: what the config calls it, its name in the results, and
#: the names that it is known by (without regard to capitals) if the config names none.
KNOWN_COLUMNS = {
    "site": ("SITE_ID", ("site", "site_id", "scanner", "center", "centre")),
    "age": ("AGE_AT_SCAN", ("age", "age_at_scan", "age_years", "age_at_scan_years")),
    "sex": ("SEX", ("sex", "gender")),
    "motion": ("func_mean_fd", ("func_mean_fd", "mean_fd", "meanfd", "motion", "fd_mean")),
}
#: What stands for a missing value in a table, beside pandas' own.
MISSING = ("n/a", "-9999", "-9999.0")


@dataclass(frozen=True)
class Subjects:
    """The people that the table lists, and where their files are.

    The table has the user's columns, and ``FILE_ID`` (the name), ``SUB_ID``, ``SITE_ID``, and
    where they are known ``AGE_AT_SCAN``, ``SEX``, ``func_mean_fd``.
    """

    path: Path  # of the table
    table: pd.DataFrame
    files: dict  # of each subject that has one; of a stacked array the same for all
    stacked: bool  # whether one file holds all subjects, in the order of the table
    runs: dict  # all files of each subject that has one: several with ``runs: join``


def find_subjects(source, texts=()):
    """Return the people in the table that ``sources.folder`` of the config names, and their files.

    `texts`: further columns that are names, such as that of the groups: NA is one of them.
    """
    path = existing_file(source.get("subjects"), "sources.folder.subjects", "the table of people")
    column, files = source.get("id") or "participant_id", source.get("files")
    table = read_people(path, [column, *mentioned(files or ""), source.get("site"), *texts])
    check_column(table, column, f"sources.folder.id: {path}")
    table = _with_known_columns(table, column, source, path)
    names = table["FILE_ID"].tolist()
    if not files:
        raise InputError("sources.folder.files: say where each subject's file is, by `{id}`")
    pattern = Pattern(files, table.columns, column)
    check_fields(pattern, table.columns, path)
    if not pattern.fields:
        one = pattern.filled({})
        if "*" in one and not any((folder / one).is_file() for folder in (path.parent, Path())):
            raise InputError(
                f"sources.folder.files: {files!r} does not say whose file is whose: put `{{id}}` "
                "where the name of the subject stands"
            )
        found = existing_file(one, "sources.folder.files", "the stacked array", path.parent)
        return Subjects(path, table, dict.fromkeys(names, found), True, {names[0]: (found,)})
    runs, lacking = _their_files(path.parent, pattern, table, source.get("runs"))
    if lacking and (source.get("missing", "error") == "error" or not runs):
        name, wanted = lacking[0]
        more = f" (and {len(lacking) - 1} more have none)" if len(lacking) > 1 else ""
        raise InputError(
            f"there is no file of the subject {name}: {wanted}{more}. Correct the pattern "
            "(`files`), or in a config set `missing: skip` to work without them"
        )
    twice = [f for f, n in Counter(f for own in runs.values() for f in own).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0]} would be the file of more than one subject")
    files = {name: own[0] for name, own in runs.items()}
    return Subjects(path, table, files, stacked=False, runs=runs)


def check_column(table, column, where):
    """Raise InputError unless a table has a column; `where`: what the message begins with."""
    if column not in table:
        raise InputError(
            f"{where} has no column {column!r}{did_you_mean(column, table.columns)}; "
            f"it has {in_words(map(repr, table.columns), most=30)}"
        )


def spellings():
    """Yield how files may spell a subject, if none has a file by its own name."""
    yield "with sub-", lambda name: f"sub-{name}"
    yield "without sub-", lambda name: name.removeprefix("sub-")
    yield "without zeros", lambda name: re.sub(r"^(sub-)?0+(?=\d)", r"\1", name)
    yield "as a number", lambda name: re.sub(r"^sub-0*(?=\d)", "", name)
    for width in range(2, 9):
        yield f"with {width} digits", functools.partial("{:0>{w}}".format, w=width)
        yield f"with sub- and {width} digits", functools.partial("sub-{:0>{w}}".format, w=width)


def _their_files(beside, pattern, table, runs):
    """Return ``{subject: paths}``, and of those without one the name and what was looked for."""
    # Beside the table, or else in the folder in which the command was given.
    for folder in (beside, Path()):
        files, lacking = _spelt(folder, pattern, table, runs, str)
        if files:
            return files, lacking
    found = {}
    for folder in (beside, Path()):
        for how, spelling in spellings():
            try:
                files, gone = _spelt(folder, pattern, table, runs, spelling, every=True)
            except InputError:
                continue
            if not gone and len(set(files.values())) == len(files):
                found.setdefault(tuple(files.values()), how)
        if found:
            break
    if len(found) > 1:
        raise InputError(
            "no file has a subject's name as it stands in the table, and different files fit names "
            f"{in_words(found.values())}: say it in the pattern (`files`), such as `sub-{{id:03d}}`"
        )
    if not found:
        return _spelt(beside, pattern, table, runs, str)
    names = table["FILE_ID"].tolist()
    ((paths, how),) = found.items()
    warnings.warn(
        f"files have the names of the table {how}: {names[0]} is {paths[0][0].name}", stacklevel=4
    )
    return dict(zip(names, paths, strict=True)), []


def _spelt(folder, pattern, table, runs, spelling, every=False):
    """Return the files of subjects whose names are spelt in some way, and those without any."""
    files, lacking = {}, []
    columns = {field.column for field in pattern.fields}
    for name, row in zip(table["FILE_ID"].tolist(), table.to_dict("records"), strict=True):
        values = {column: row.get(column) for column in columns} | {"id": spelling(name)}
        matches, wanted = pattern.files(folder, values)
        # run-2 comes before run-10
        matches.sort(key=lambda m: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", m)])
        if len(matches) > 1 and not runs:
            raise InputError(
                f"the subject {name} has {len(matches)} files: {matches[0]} and {matches[1]}. "
                "Make `sources.folder.files` more exact, or set `runs: join` (or first)"
            )
        if matches:
            files[name] = tuple(map(Path, matches if runs == "join" else matches[:1]))
        else:
            lacking.append((name, wanted))
            if every:
                break
    return files, lacking


def strangers(source, subjects, own=()):
    """Return the files that fit the pattern but are of no one in the table.

    `own`: further files that are known, such as the table of regions.
    """
    if subjects.stacked or source.get("runs") == "first":  # the later runs
        return []
    pattern = Pattern(source["files"], subjects.table.columns)
    of_people = {os.path.abspath(path) for runs in subjects.runs.values() for path in runs}
    known = of_people | {os.path.abspath(path) for path in (subjects.path, *own)}
    for folder in (subjects.path.parent, Path()):
        found = pattern.of_anyone(folder)
        if any(os.path.abspath(path) in of_people for path in found):
            return [path for path in found if os.path.abspath(path) not in known]
    return []


def warn_of_strangers(source, subjects, own=()):
    """Warn about files that fit the pattern but are of no one in the table."""
    found = strangers(source, subjects, own)
    if found:
        warnings.warn(
            f"{plural(len(found), 'file')} of no one in {source['subjects']}, such as "
            f"{found[0]}: not used",
            stacklevel=2,
        )


def existing_file(path, key, what, beside=None):
    """Return the path of a file that the config names, beside another one or in this folder."""
    if not path:
        raise InputError(f"{key}: give the path of {what}")
    places = [Path(beside) / path] if beside is not None else []
    places.append(Path(path).expanduser())
    found = [place for place in places if place.is_file()]
    if not found:
        raise InputError(f"{key}: there is no file {places[0]}")
    return found[0]


def read_people(path, names=()):
    """Read a table of people, CSV, TSV or Excel, with ``n/a`` and -9999 for what is not known.

    `names`: columns that are names, even if they look like numbers (001).
    """
    try:
        excel = str(path).lower().endswith(".xlsx")
        lines = sheet_lines(path) if excel else decode(Path(path).read_bytes())
        separator = max("\t;,", key=lines[0].count)
        columns = [name.strip() for name in split(lines[0], separator)]
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise InputError(f"it has the column {twice[0]!r} twice")
        for number, line in enumerate(lines, start=1):  # pandas would leave the last fields out
            if any(field.strip() for field in split(line, separator)[len(columns) :]):
                raise InputError(
                    f"its line {number} has more fields than the header ({len(columns)}). Names of "
                    "the rows need a name above them (in R: row.names = FALSE)"
                )
        table = pd.read_csv(
            io.StringIO("\n".join(lines)),
            sep=separator,
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            skipinitialspace=True,
            index_col=False,
        )
    except (OSError, ValueError, IndexError) as error:
        raise InputError(f"the table {path} cannot be read: {error}") from error
    table.columns = [str(name).strip() for name in table.columns]
    if table.empty:
        raise InputError(f"the table {path} has no rows")
    # Spaces that nobody sees must not put anybody into another group.
    table = table.apply(lambda column: column.str.strip()).replace("", np.nan)
    sites = KNOWN_COLUMNS["site"][1]
    for name in table.columns:
        if name in names or name.lower() in sites or re.search(r"(^|_)(id|name)$", name.lower()):
            continue
        known = table[name].where(~table[name].isin([*STR_NA_VALUES, *MISSING]))
        numbers = pd.to_numeric(known, errors="coerce")
        if known.isin(["True", "False", "TRUE", "FALSE"]).all():
            table[name] = known.str.lower() == "true"
        else:
            table[name] = numbers if (numbers.isna() == known.isna()).all() else known
    return table


def _with_known_columns(table, column, source, path):
    """Return the table with the columns that the later stages know."""
    table, names = table.copy(), table[column]
    if names.isna().any():
        raise InputError(f"{path} has no {column} in line {int(np.argmax(names.isna())) + 2}")
    if names.duplicated().any():
        raise InputError(
            f"{path} has the {column} {names[names.duplicated()].iloc[0]} twice: every subject "
            "must have one row"
        )
    lower = {name.lower(): name for name in table.columns}
    for key, (standard, others) in KNOWN_COLUMNS.items():
        given = source.get(key)
        if given:
            check_column(table, given, f"sources.folder.{key}: {path}")
        found = given or next((lower[name] for name in others if name in lower), None)
        if found is None:
            continue
        values = table[found]
        if key in ("age", "motion"):
            given_as, values = values, pd.to_numeric(values, errors="coerce")
            bad = given_as[values.isna() & given_as.notna()]
            if len(bad):
                raise InputError(f"{path} has {bad.iloc[0]!r} in the column {found}: not a number")
        if key == "site":
            values = values.astype(object).where(values.notna(), "unknown").map(plain)
        if found == standard or given or standard not in table:
            table[standard] = values
    table["FILE_ID"] = names
    table["SUB_ID"] = np.arange(1, len(table) + 1)
    if "SITE_ID" not in table:
        table["SITE_ID"] = "all"
    return table


def plain(value):
    """Return a site's name as text: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
