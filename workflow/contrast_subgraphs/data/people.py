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

from ..core.checks import in_words, plural
from ..core.columns import (
    NO_SITE,
    PREFIX,
    SITES,
    as_written,
    check_column,
    codes_nowhere,
    columns_of,
    doubts,
    identifiers,
    internal,
    numbers,
    typed,
    with_internal,
)
from ..core.errors import InputError
from .patterns import Pattern, check_fields
from .reading.containers import sheet_lines
from .reading.text import decode, split

#: Known columns of a table of people: the key of the config, the name in the results, and the names
#: that are recognized (ignoring capitals) if the config names none.
KNOWN_COLUMNS = {
    "site": ("SITE_ID", SITES),
    "age": ("AGE_AT_SCAN", ("age", "age_at_scan", "age_years", "age_at_scan_years")),
    "sex": ("SEX", ("sex", "gender")),
    "motion": ("func_mean_fd", ("func_mean_fd", "mean_fd", "meanfd", "motion", "fd_mean")),
}


@dataclass(frozen=True)
class Subjects:
    """The people that the table lists, and where their files are.

    The table has the user's columns (`core.columns.typed`), and for `core.columns.internal`
    ``FILE_ID`` (the name), ``SUB_ID``, ``SITE_ID``, and where they are known ``AGE_AT_SCAN``,
    ``SEX``, ``func_mean_fd``.
    """

    #: The path of the table.
    path: Path
    table: pd.DataFrame
    #: The file of each subject that has one; for a stacked array the same for all.
    files: dict
    #: Whether one file holds all subjects, in the order of the table.
    stacked: bool
    #: All files of each subject that has one: several with ``runs: join``.
    runs: dict
    #: Sentences about what may not be as it looks.
    notes: tuple = ()

    def warn(self):
        """Warn of all notes. Each is shown once in a run, however often the people are read."""
        for note in self.notes:
            warnings.warn(note, stacklevel=2)


def find_subjects(source):
    """Return the people in the table that ``sources.folder`` of the config names, with files."""
    path, table, lost_codes = read_subjects(source)
    notes = (*doubts(table, path), *lost_codes)
    files = source.get("files")
    if not files:
        raise InputError("sources.folder.files: say where each subject's file is, by `{id}`")
    pattern = Pattern(files, table.columns, _id_column(source))
    check_fields(pattern, table.columns, path)
    if not pattern.fields:
        return _of_one_file(path, table, pattern, notes)
    # Numbers stay as they are written: 001 in the name of a file is not 1.
    texts = as_written(table)
    runs, lacking, how = _their_files(path.parent, pattern, texts, source.get("runs"))
    if lacking and (source.get("missing", "error") == "error" or not runs):
        name, wanted = lacking[0]
        more = f" (and {len(lacking) - 1} more have none)" if len(lacking) > 1 else ""
        raise InputError(
            f"there is no file of the subject {name}: {wanted}{more}. Correct the pattern "
            "(`files`), or in a config set `missing: skip` to work without them"
        )
    # One file for two people: they would have the same graph, and the test would count it twice.
    count = Counter(file for own in runs.values() for file in own)
    twice = [file for file, times in count.items() if times > 1]
    if twice:
        raise InputError(f"{twice[0]} would be the file of more than one subject")
    files = {name: own[0] for name, own in runs.items()}
    if how:
        name, file = next(iter(files.items()))
        notes += (f"files have the names of the table {how}: {name} is {file.name}",)
    return Subjects(path, table, files, stacked=False, runs=runs, notes=notes)


def read_subjects(source):
    """Return the path of the table that ``sources.folder`` names, and the table of `Subjects`.

    Also return a sentence for each code for "not known" that is nowhere in it, and one about people
    without a site.
    """
    path = existing_file(source.get("subjects"), "sources.folder.subjects", "the table of people")
    column = _id_column(source)
    texts = read_texts(path)
    codes = source.get("missing_codes") or ()
    table = typed(texts, codes=codes)
    check_column(table, column, f"sources.folder.id: {path}")
    lost_codes = [
        f"{path}: missing_codes: no column holds {code}" for code in codes_nowhere(texts, codes)
    ]
    table = _with_known_columns(table, column, source, path)
    return path, table, [*lost_codes, *_without_site(table, path)]


def _without_site(table, path):
    """Return a sentence about people whose site is not known; none if there are no sites."""
    site = internal(table, "SITE_ID")
    lost = int((site == NO_SITE).sum())
    if not lost or site.nunique() < 2:
        return []
    return [
        f"{path}: {lost} of {plural(len(table), 'person')} have no site: where sites are held "
        f"constant or held out, they are a site of their own, {NO_SITE!r}"
    ]


def _id_column(source):
    return source.get("id") or "participant_id"


def _of_one_file(path, table, pattern, notes):
    """Return the people of a table whose data are all in one file."""
    file = pattern.filled({})
    if "*" in file and not any((folder / file).is_file() for folder in (path.parent, Path())):
        raise InputError(
            f"sources.folder.files: {pattern.text!r} does not say whose file is whose: put "
            "`{id}` where the name of the subject stands"
        )
    names = internal(table, "FILE_ID").tolist()
    found = existing_file(file, "sources.folder.files", "the stacked array", path.parent)
    files = dict.fromkeys(names, found)
    return Subjects(path, table, files, stacked=True, runs={names[0]: (found,)}, notes=notes)


def spellings():
    """Yield ways in which files may spell a subject, for when no file has the name of the table."""
    yield "with sub-", lambda name: f"sub-{name}"
    yield "without sub-", lambda name: name.removeprefix("sub-")
    yield "without zeros", lambda name: re.sub(r"^(sub-)?0+(?=\d)", r"\1", name)
    yield "as a number", lambda name: re.sub(r"^sub-0*(?=\d)", "", name)
    for width in range(2, 9):
        yield f"with {width} digits", functools.partial("{:0>{w}}".format, w=width)
        yield f"with sub- and {width} digits", functools.partial("sub-{:0>{w}}".format, w=width)


def _their_files(beside, pattern, table, runs):
    """Return ``{subject: paths}``, and for subjects without files the name and what was looked for.

    Also return how files spell the names, if not as the table does; else an empty text.
    """
    # Next to the table, or else in the folder in which the command was given.
    for folder in (beside, Path()):
        files, lacking = _spelt(folder, pattern, table, runs, str)
        if files:
            return files, lacking, ""
    for folder in (beside, Path()):
        found = _spelt_otherwise(folder, pattern, table, runs)
        if found:
            break
    if len(found) > 1:
        raise InputError(
            "no file has a subject's name as it stands in the table, and different files fit names "
            f"{in_words(found.values())}: say it in the pattern (`files`), such as `sub-{{id:03d}}`"
        )
    if not found:
        return *_spelt(beside, pattern, table, runs, str), ""
    names = internal(table, "FILE_ID").tolist()
    ((paths, how),) = found.items()
    return dict(zip(names, paths, strict=True)), [], how


def _spelt_otherwise(folder, pattern, table, runs):
    """Return ``{the paths of all: how names are spelt}`` for each spelling that fits all people."""
    found = {}
    for how, spelling in spellings():
        try:
            files, lacking = _spelt(folder, pattern, table[:1], runs, spelling)
            # The first person shows at once that most spellings do not apply.
            if files:
                files, lacking = _spelt(folder, pattern, table, runs, spelling)
        except InputError:
            continue
        if not lacking and len(set(files.values())) == len(files):
            found.setdefault(tuple(files.values()), how)
    return found


def _spelt(folder, pattern, table, runs, spelling):
    """Return the subjects' files under one spelling of their names, and the subjects without."""
    columns = {field.column for field in pattern.fields}
    names = internal(table, "FILE_ID").tolist()
    rows = [
        {column: row.get(column) for column in columns} | {"id": spelling(name)}
        for name, row in zip(names, table.to_dict("records"), strict=True)
    ]
    found, wanted = pattern.files(folder, rows)
    files = {}
    for name, matches in zip(names, found, strict=True):
        matches = sorted(matches, key=_as_counted)
        if len(matches) > 1 and not runs:
            raise InputError(
                f"the subject {name} has {len(matches)} files: {matches[0]} and {matches[1]}. "
                "Make `sources.folder.files` more exact, or set `runs: join` (or first)"
            )
        if matches:
            files[name] = tuple(map(Path, matches if runs == "join" else matches[:1]))
    lacking = [
        (name, place) for name, place in zip(names, wanted, strict=True) if name not in files
    ]
    return files, lacking


def _as_counted(path):
    """Return what sorts paths as people count: run-2 comes before run-10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path)]


def strangers(source, subjects, own=()):
    """Return the files that fit the pattern but belong to no one in the table.

    `own`: further files that are known, such as the table of regions.
    """
    # With `first`, the later runs fit the pattern and are left out on purpose.
    if subjects.stacked or source.get("runs") == "first":
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
    """Warn about files that fit the pattern but belong to no one in the table."""
    found = strangers(source, subjects, own)
    if found:
        warnings.warn(
            f"{plural(len(found), 'file')} of no one in {source['subjects']}, such as "
            f"{found[0]}: not used",
            stacklevel=2,
        )


def existing_file(path, key, what, beside=None):
    """Return the path of a file that the config names, next to another one or in this folder."""
    if not path:
        raise InputError(f"{key}: give the path of {what}")
    places = [Path(path).expanduser()]
    if beside is not None:
        places.insert(0, Path(beside) / path)
    found = [place for place in places if place.is_file()]
    if not found:
        raise InputError(f"{key}: there is no file {places[0]}")
    return found[0]


def read_people(path):
    """Read a table of people: its columns with their types, and what was written."""
    return typed(read_texts(path))


def read_texts(path):
    """Read a table of people (CSV, TSV or Excel) as texts, NaN where a field is empty."""
    try:
        excel = str(path).lower().endswith(".xlsx")
        lines = sheet_lines(path) if excel else decode(Path(path).read_bytes())
        separator = max("\t;,", key=lines[0].count)
        columns = [name.strip() for name in split(lines[0], separator)]
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise InputError(f"it has the column {twice[0]!r} twice")
        # pandas would drop the last fields of such a line without a word.
        for number, line in enumerate(lines, start=1):
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
    ours = [name for name in table.columns if name.startswith(PREFIX)]
    if ours:
        raise InputError(f"{path} has the column {ours[0]!r}: no name may begin with {PREFIX}")
    # An invisible space must not put a person into another group.
    return table.apply(lambda column: column.str.strip()).replace("", np.nan)


def _with_known_columns(table, column, source, path):
    """Return the table with the user's columns and those that the later stages know."""
    # As they are written: 001 and 1 are two people.
    names = pd.Series(identifiers(table, column), index=table.index, dtype=object)
    unnamed = [k for k, name in enumerate(names) if name is None]
    if unnamed:
        raise InputError(f"{path} has no {column} in line {unnamed[0] + 2}")
    if names.duplicated().any():
        raise InputError(
            f"{path} has the {column} {names[names.duplicated()].iloc[0]} twice: every subject "
            "must have one row"
        )
    own = columns_of(table)
    found = {}
    for key, (standard, others) in KNOWN_COLUMNS.items():
        name = source.get(key)
        if name:
            check_column(table, name, f"sources.folder.{key}: {path}")
        elif standard in own:
            name = standard
        else:
            name = _usual(own, others, key, path)
        if name is None:
            continue
        if key in ("age", "motion"):
            try:
                found[standard] = numbers(table, name)
            except InputError as error:
                raise InputError(f"{path}: {error}") from error
        elif key == "site":
            sites = identifiers(table, name)
            found[standard] = [NO_SITE if site is None else plain(site) for site in sites]
        else:
            found[standard] = table[name]
    # Later stages work site by site. Without a column, everyone is at one site.
    found.setdefault("SITE_ID", "all")
    found |= {"FILE_ID": names, "SUB_ID": np.arange(1, len(table) + 1)}
    for standard, values in found.items():
        table = with_internal(table, standard, values)
    return table


def _usual(columns, names, key, path):
    """Return the column with the first of some names that there is; None if there is none."""
    for name in names:
        called = [column for column in columns if column.lower() == name]
        if len(called) > 1:
            raise InputError(
                f"{path} has the columns {in_words(called)}: say which is meant by "
                f"sources.folder.{key}, or take one out"
            )
        if called:
            return called[0]
    return None


def plain(value):
    """Return a site's name as text: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
