"""Where people's files are in a folder of the user's data, and what lists the people."""

import glob
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.checks import in_words
from ..core.columns import as_written, columns_of, identifiers, missing_entries, typed
from ..core.errors import InputError
from ..data import bids
from ..data.patterns import Pattern, braces_doubled, check_fields
from ..data.people import KNOWN_COLUMNS, read_people, spellings
from ..data.reading import is_data

#: A column with more values than these is not taken for the groups.
MOST_GROUPS = 6
#: With more people than this, the names of a few files are enough to find the pattern.
_FEW_PEOPLE = 50


@dataclass(frozen=True)
class Layout:
    """The people and where their files are: ``id``, ``files`` and so on of a source `folder`."""

    people: pd.DataFrame
    column: str
    pattern: str
    #: The path of the table; None if it is to be written next to the config.
    path: Path | None
    #: For each person the files, one for each run; empty without files.
    files: list
    kind: str | None = None
    key: str | None = None
    atlas: Path | None = None
    image: dict = field(default_factory=dict)
    #: Sentences about what was found.
    found: list = field(default_factory=list)
    #: For BIDS derivatives: what was chosen.
    dataset: bids.Dataset | None = None
    #: For BIDS derivatives: the table of people, if there is one.
    participants: Path | None = None

    @property
    def with_files(self):
        """The rows of the people that have a file."""
        return [row for row, own in enumerate(self.files) if own]


class _Kind(NamedTuple):
    """What the name of a file says about it."""

    #: The line of the pipeline that gives such names; 99 for any other name.
    rank: int
    kind: str | None = None
    key: str | None = None


_ANY = _Kind(99)


def layout_of(folder, *, entities, kind, people, files, runs, labels=()):
    """Return the `Layout` of a folder, or raise InputError; the options are those of `init`.

    `labels`: for BIDS derivatives, the people who are taken; by default all.
    """
    if files is None and bids.is_dataset(folder):
        layout = _of_bids(folder, entities, kind, people, runs, labels)
        if layout is not None:
            return layout
    if entities:
        raise InputError(
            f"{in_words(f'{name}: {value}' for name, value in entities.items())}: this chooses "
            "among the names of BIDS derivatives, and these are none: leave it out"
        )
    layout = _of_table(folder, people, files) or _of_group_folders(folder)
    if layout is None:
        raise InputError(
            f"{folder} has no table (.csv or .tsv) with a column that names files in it, and no "
            "folders of files for each group: see docs/own_data.md for what is needed"
        )
    return layout


def _of_bids(folder, entities, kind, people, runs, labels):
    """Return the layout of BIDS derivatives; None if no name in it is known."""
    known = bids.of_people(folder, bids.known_files(folder), labels)
    if not known:
        return None
    dataset = bids.choose(folder, known, entities, kind)
    table, path, lacking = bids.participants(folder, list(dataset.files), people)
    _check_asked(labels, dataset, path, lacking)
    gone = bids.without_files(path, list(dataset.files))
    found = list(dataset.found)
    found.append(f"people: {path}" if path else "no participants.tsv: no groups")
    if lacking:
        found.append(f"no row in it, and left out: {in_words(lacking, most=3)}")
    if gone and not labels:
        found.append(f"no such file, and left out: {in_words(gone, most=3)}")
    called = {name.lower() for name in columns_of(table)}
    if called.isdisjoint(KNOWN_COLUMNS["motion"][1]):
        means = bids.mean_displacement(folder, dataset, runs)
        if means is not None:
            table["mean_fd"] = [means[name.removeprefix("sub-")] for name in table[bids.ID]]
            found.append("mean framewise displacement: column mean_fd, from the dataset")
    return Layout(
        table,
        bids.ID,
        _in_folder(folder, dataset.pattern.replace("sub-{id}", "{id}")),
        None,
        [dataset.files[name.removeprefix("sub-")] for name in table[bids.ID]],
        dataset.kind,
        dataset.key or None,
        bids.atlas_table(folder, dataset.entities.get("atlas")),
        found=found,
        dataset=dataset,
        participants=path,
    )


def _check_asked(labels, dataset, path, lacking):
    """Raise InputError if someone who was asked for would be left out without notice."""
    for label in labels:
        bare = label.removeprefix("sub-")
        if bare not in dataset.files:
            entities = ", ".join(f"{name}-{value}" for name, value in dataset.entities.items())
            raise InputError(f"sub-{bare} has no file of {dataset.kind} ({entities})")
        if f"sub-{bare}" in lacking:
            raise InputError(f"{path} has no row for sub-{bare}")


def _data_files(folder):
    """Return ``{place: _Kind}`` for the files that may be people's."""
    found = {}
    for path in bids.walk(folder):
        known = next(_of_pipelines(path.name), _ANY if is_data(path) else None)
        # Pipelines write other files along with their results.
        if known is not None and known.kind != "none":
            found[path.relative_to(folder).as_posix()] = known
    return found


def _of_pipelines(name) -> Iterator[_Kind]:
    """Yield what a file is if a pipeline gives such names."""
    for rank, (_, kind, key, pattern) in enumerate(bids.pipelines()):
        if pattern.fullmatch(name):
            yield _Kind(rank, kind, key or None)


# A table that names files ------------------------------------------------------------------------


class _Ids(NamedTuple):
    """A column of a table that may name the people's files."""

    #: The path of the table.
    path: Path
    column: str
    #: Texts; None where there is none.
    values: pd.Series
    #: The table as it is written.
    texts: pd.DataFrame

    @property
    def known(self):
        """Whether each person has a name."""
        return ~missing_entries(self.values)

    def rows(self, spelling):
        """Return the values of a pattern's fields for each person who is listed once."""
        once = self.known & ~self.values.duplicated().to_numpy()
        spelt = self.values.map(spelling, na_action="ignore")
        rows = self.texts.map(str).assign(id=spelt)
        return rows[once].to_dict("records")


def _of_table(folder, people, files):
    """Return the layout of a folder with a table of people; None if no table names files."""
    there = _data_files(folder)
    tables = _tables(folder)
    if people:
        columns = list(_columns(Path(people), read_people(people)))
    else:
        columns = [ids for path, table in _readable(tables) for ids in _columns(path, table)]
    if files:
        columns = _with_fields(columns, files)
    twice = []
    for spelling in (str, *(one for _, one in spellings())):
        found = []
        for ids in columns:
            # All columns found are of one table.
            if found and found[0].path != ids.path.absolute():
                break
            rows = ids.rows(spelling)
            if len(rows) < len(ids.texts):
                if len(rows) > 2 and _names_files(rows, there, ids, files):
                    twice.append(_not_once(ids))
                continue
            best = _best_or_none(rows, there, ids, files, needed=not found)
            if best is not None:
                atlas = next((path for path in tables if "atlas" in path.name.lower()), None)
                found.append(_named_by(ids, rows, best, there, folder, atlas))
        if found:
            return _surest(found)
    if twice:
        raise InputError(twice[0])
    if files:
        raise InputError(f"no file is where --files says, such as {folder / files}")
    return None


def _best_or_none(rows, there, ids, files, needed):
    """Return `_best`; None in place of its error once another column is found."""
    try:
        return _best(rows, there, ids, files)
    except InputError:
        if needed:
            raise
        return None


def _with_fields(columns, files):
    """Return the columns of tables that have all fields of a pattern; at least one must."""
    found = []
    wrong = None
    for ids in columns:
        try:
            names = ids.texts.columns
            check_fields(Pattern(files, names), names, ids.path.name)
            found.append(ids)
        except InputError as error:
            wrong = wrong or error
    if wrong is not None and not found:
        raise wrong
    return found


def _surest(layouts):
    """Return the layout in which most people have a file, of those from a table's columns.

    Both row numbers and names of people may match the names of files; which of them does so by
    chance is not known.
    """
    counts = [len(layout.with_files) for layout in layouts]
    surest = [one for one, count in zip(layouts, counts, strict=True) if count == max(counts)]
    first = surest[0]
    for other in surest[1:]:
        if other.files != first.files:
            raise InputError(
                f"the columns {first.column} and {other.column} of {first.path.name} both name "
                f"files, but not the same ones: choose with --files, such as "
                f"{first.pattern.replace('{id}', f'{{{first.column}}}')}"
            )
    return first


def _tables(folder):
    """Return the tables in a folder; those with a usual name for tables of people come first."""
    endings = (".csv", ".tsv", ".xlsx")
    tables = sorted(path for path in folder.iterdir() if path.suffix.lower() in endings)
    usual = ("participants", "pheno", "subjects")
    return sorted(tables, key=lambda path: not path.name.startswith(usual))


def _readable(tables):
    """Yield those tables that can be read, each with its path."""
    for path in tables:
        try:
            yield path, read_people(path)
        except InputError:
            continue


def _columns(path, table):
    """Yield the columns of a table of several people, as `_Ids`."""
    # As written: a subject 001 is not 1.
    texts = as_written(table)
    if len(table) < 2:
        return
    for column in texts.columns:
        values = pd.Series(identifiers(table, column), table.index, dtype=object)
        yield _Ids(path, column, values, texts)


def _named_by(ids, rows, best, there, folder, atlas):
    """Return the layout of the people whose files a column of a table names."""
    place = Pattern(best.pattern, rows[0])
    own = [place.filled(row) for row in rows]
    pattern = best.pattern
    if ids.path.parent.absolute() != folder:
        pattern = _in_folder(folder, pattern)
    return Layout(
        typed(ids.texts.assign(**{ids.column: ids.values})),
        ids.column,
        pattern,
        ids.path.absolute(),
        [[folder / one] if one in there else [] for one in own],
        best.kind,
        best.key,
        atlas,
        found=[
            f"{ids.path.name}: {len(rows)} people, named by the column {ids.column}",
            f"{sum(one in there for one in own)} of them have a file {best.pattern}",
            *best.said,
        ],
    )


def _names_files(rows, there, ids, files):
    """Whether the values of a column occur in the paths of files."""
    try:
        return _best(rows, there, ids, files) is not None
    except InputError:
        return True


def _not_once(ids):
    """Say why a column that names files cannot be that of the people."""
    if not ids.known.all():
        line = int(np.argmin(ids.known)) + 2
        return f"{ids.path} has no {ids.column} in line {line}: each person needs one"
    twice = ids.values[ids.values.duplicated()].iloc[0]
    return f"{ids.path} has the {ids.column} {twice} twice: it must have one row for each person"


class _Best(NamedTuple):
    """The pattern by which most people have a file."""

    pattern: str
    kind: str | None
    key: str | None
    #: Which other patterns were not taken.
    said: list


class _Found(NamedTuple):
    """The files that fit a pattern."""

    #: The rank of the first file.
    rank: int
    places: tuple


def _best(rows, there, ids, files):
    """Return the pattern, of the best rank, by which most people have a file; None without one."""
    places = there.keys() - {ids.path.name}
    found = {}
    for pattern in [files] if files else _patterns(rows, places, ids):
        place = Pattern(pattern, rows[0])
        own = tuple(one for row in rows if (one := _filled(place, row)) in places)
        if own:
            found[pattern] = _Found(there[own[0]].rank, own)
    least = 0 if files else len(rows) / 2
    usual = {pattern: one for pattern, one in found.items() if len(one.places) > least}
    if not usual:
        return None
    first = min((-len(one.places), one.rank) for one in usual.values())
    # One pattern for those that find the same files.
    best = {}
    for pattern, one in usual.items():
        if (-len(one.places), one.rank) == first:
            best[one.places] = pattern
    if len(best) > 1:
        listed = "\n  ".join(sorted(best.values()))
        raise InputError(f"the people have several files: choose with --files\n  {listed}")
    ((own, pattern),) = best.items()
    rare = {other: one for other, one in found.items() if other not in usual}
    others = [
        f"{other} ({len(one.places)} people)"
        for other, one in (rare | usual).items()
        if len(one.places) > 1 and not {*one.places} & {*own}
    ]
    said = [f"not taken: {in_words(others, most=3)} (--files)"] if others else []
    return _Best(pattern, there[own[0]].kind, there[own[0]].key, said)


def _patterns(rows, places, ids):
    """Return patterns with fields for a person's name and for the entries of columns."""
    found = {}
    others = [c for c in ids.texts.columns if c != ids.column and not re.search("[{}:/]", c)]
    for row in _some(rows):
        name = row["id"]
        before = _same_kind(name[0])
        after = _same_kind(name[-1])
        token = re.compile(rf"(?<!{before}){re.escape(name)}(?!{after})")
        for place in places:
            if not token.search(place):
                continue
            pattern = token.sub("{id}", braces_doubled(place))
            found[pattern] = None
            # Such as {group}/{id}.csv.
            for other in others:
                parts = pattern.split("/")
                filled = [f"{{{other}}}" if part == row[other] else part for part in parts]
                found["/".join(filled)] = None
    return list(found)


def _some(rows):
    """Return the rows of all people, or of a few if there are many."""
    if len(rows) <= _FEW_PEOPLE:
        return rows
    return [rows[k] for k in (0, 1, len(rows) // 2, len(rows) - 1)]


def _same_kind(letter):
    """Return what must not follow, or precede, the letter or digit at which a name ends."""
    return r"\d" if letter.isdigit() else r"[^\W_]"


def _filled(place, row):
    """Return where a person's file would be; None if a text is given where a number is needed."""
    try:
        return place.filled(row)
    except InputError:
        return None


# Folders of groups, images -----------------------------------------------------------------------


def _of_group_folders(folder):
    """Return the layout of a folder with one folder of files for each group; None for others."""
    there = _data_files(folder)
    best = min((known.rank for known in there.values()), default=_ANY.rank)
    places = [Path(place) for place, known in sorted(there.items()) if known.rank == best]
    table = pd.DataFrame(
        [(p.name.split(".")[0], str(p.parent), p.name) for p in places if len(p.parts) == 2],
        columns=["participant_id", "group", "file"],
    )
    groups = table["group"].unique().tolist()
    if not 2 <= len(groups) <= MOST_GROUPS or len(table) < len(places):
        return None
    # Both groups may have an 01.
    if table["participant_id"].duplicated().any():
        table["participant_id"] = table["group"] + "_" + table["participant_id"]
    first = there[places[0].as_posix()]
    atlases = (path for path in sorted(folder.glob("*atlas*")) if path.suffix in (".csv", ".tsv"))
    return Layout(
        table,
        "participant_id",
        _in_folder(folder, "{group}/{file}"),
        None,
        [[folder / place] for place in places],
        first.kind,
        first.key,
        next(atlases, None),
        found=[f"a folder of files for each group: {in_words(groups)}"],
    )


def _in_folder(folder, pattern):
    """Return a pattern in a folder; braces in the folder's name are literal."""
    return f"{braces_doubled(folder)}/{pattern}"


def with_images(layout, atlas_image):
    """Return the layout together with how images become series."""
    if atlas_image is None:
        raise InputError(
            "there are images, which need an image of the regions in the same space: give it with "
            "--atlas-image"
        )
    atlas = Path(atlas_image).absolute()
    if not atlas.is_file():
        raise InputError(f"there is no file {atlas} (--atlas-image)")
    beside = [Path(re.sub(r"\.nii(\.gz)?$", end, str(atlas))) for end in (".tsv", ".csv")]
    table = next((path for path in beside if path.is_file()), layout.atlas)
    said = f"images become series of the regions of {atlas.name}"
    image = {"atlas": str(atlas), "confounds": None, "low_pass": None}
    if _has_confounds(layout):
        image |= {"confounds": "simple", "low_pass": 0.1}
        said += "; confounds: simple, below 0.1 Hz"
    else:
        said += "; taken as they are"
    return replace(layout, image=image, atlas=table, found=[*layout.found, said])


def _has_confounds(layout):
    """Whether fMRIPrep's confounds are next to its images."""
    first = layout.files[layout.with_files[0]][0]
    prefix = re.split(r"_(space|res|den|desc)-", first.name)[0]
    confounds = first.parent.glob(f"{glob.escape(prefix)}_desc-confounds*_timeseries.tsv")
    return "desc-preproc" in first.name and any(confounds)
