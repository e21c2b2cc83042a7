"""BIDS derivatives: each person's files, and what else the dataset knows about the people."""

import json
import os
import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.checks import did_you_mean, in_words
from ..core.columns import as_written, columns_of, identifiers, typed
from ..core.errors import InputError
from .patterns import braces_doubled
from .people import read_people

#: The column of people's names in a table of people.
ID = "participant_id"
#: Entities that number the runs of one person, session and task.
RUNS = ("run", "dir")
#: Entities that name the atlas.
ATLAS = ("atlas", "seg", "parcellation")
#: Entity -> the option that chooses it; any other one is chosen by --entity.
OPTIONS = {"atlas": "--atlas", "ses": "--session", "task": "--task"}
#: The value of an entity that a name does not have.
NONE = "none"
#: What this software calls itself in the datasets that it writes.
GENERATOR = "contrast-subgraphs"
#: The file at the top of every dataset.
DESCRIPTION = "dataset_description.json"
_PASSED_OVER = ("figures", "log", "logs", "work", "sourcedata", "atlases", "code", "freesurfer")


@dataclass(frozen=True)
class BidsFile:
    """A file whose name says what it is: entities, what holds the numbers, the array's name."""

    path: Path
    entities: dict
    kind: str
    key: str
    pipeline: str


@dataclass(frozen=True)
class Dataset:
    """What was chosen from a dataset: for each person's label the files, one for each run."""

    #: series, matrix or image.
    kind: str
    key: str
    files: dict
    #: The place of the files, with ``{id}`` for the label and ``*`` where runs differ.
    pattern: str
    #: The entities that all files have in common.
    entities: dict
    #: Sentences about what there is.
    found: list


@cache
def pipelines():
    """Return ``(pipeline, kind, key, name)`` of the files that are known: name is a regex."""
    text = (files(__package__) / "pipelines.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [(pipeline, kind, key, re.compile(name)) for pipeline, kind, key, name in rows]


def entities_of(name):
    """Return the entities that a file's name says."""
    pairs = [part.split("-", 1) for part in name.split("_")[:-1] if "-" in part]
    return {"atlas" if key in ATLAS else key: value for key, value in pairs}


def walk(folder):
    """Yield every file below a folder, by name, also in linked folders; each folder once.

    Datasets that this software wrote there are passed over: an earlier result is not data.
    """
    seen = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        below = Path(place) != Path(folder)
        if real in seen or (below and DESCRIPTION in names and is_own(place)):
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _PASSED_OVER)
        yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))


def description_of(folder):
    """Return what a dataset says about itself; an empty dict if nothing can be read.

    Parameters
    ----------
    folder : str or Path
        The top of the dataset.

    Returns
    -------
    dict
        The content of its ``dataset_description.json``.
    """
    try:
        content = json.loads(Path(folder, DESCRIPTION).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def programs_of(description):
    """Return the programs that made a dataset, from what `description_of` returns.

    Parameters
    ----------
    description : dict

    Returns
    -------
    list of dict
        The entries of ``GeneratedBy`` with a ``Name``; others are invalid.
    """
    found = description.get("GeneratedBy")
    if not isinstance(found, list):
        return []
    return [one for one in found if isinstance(one, dict) and one.get("Name")]


def is_own(folder):
    """Return whether this software wrote the dataset in a folder.

    Parameters
    ----------
    folder : str or Path
        The top of a dataset.

    Returns
    -------
    bool
        Whether the first entry of its ``GeneratedBy`` names this software.
    """
    made_by = description_of(folder).get("GeneratedBy")
    if not isinstance(made_by, list) or not made_by or not isinstance(made_by[0], dict):
        return False
    return made_by[0].get("Name") == GENERATOR


def of_people(folder, everything, labels):
    """Return the files of some people of a dataset.

    Parameters
    ----------
    folder : str or Path
        The dataset, for the error.
    everything : list of BidsFile
        What `known_files` found in it.
    labels : sequence of str
        Whose files, with or without ``sub-``; if empty, those of all people.

    Returns
    -------
    list of BidsFile
        Only theirs.

    Raises
    ------
    InputError
        If someone has no file; the message names the people who have one.
    """
    if not labels:
        return everything
    wanted = [label.removeprefix("sub-") for label in labels]
    there = sorted({file.entities["sub"] for file in everything})
    for label in wanted:
        if label not in there:
            # For 5, someone called 05 is a better guess than 15.
            same = [one for one in there if one.lstrip("0") == label.lstrip("0")]
            near = did_you_mean(label, there)
            if same:
                near = f": did you mean {same[0]}?"
            raise InputError(
                f"{folder} has no file of sub-{label} that is known by its name{near}; "
                f"it has files of {in_words(there, most=20)}"
            )
    return [file for file in everything if file.entities["sub"] in wanted]


def known_files(folder):
    """Return the files of persons in a dataset that hold something this software reads."""
    found = []
    for path in walk(folder):
        entities = entities_of(path.name)
        if "sub" not in entities:
            continue
        for pipeline, kind, key, name in pipelines():
            if "?P<id>" not in name.pattern and name.search(path.name):
                # The first pattern that knows the name decides. One of kind none says that the
                # file is not data: without it a sidecar of a matrix could be read as one.
                if kind != "none" and name.search(path.name).end() == len(path.name):
                    found.append(BidsFile(path, entities, kind, key, pipeline))
                break
    return found


def is_dataset(folder):
    """Whether a folder is of BIDS: it says so, or its files are named by entities."""
    described = (Path(folder) / DESCRIPTION).is_file()
    return described or any(
        p.is_dir() and p.name.startswith("sub-") for p in Path(folder).iterdir()
    )


def choose(folder, everything, chosen, kind=None):
    """Return the files of one atlas, session, task and so on: one for each person and run.

    `everything`: what `known_files` found; `chosen`: entity -> value, or ``none``; `kind`: by
    default series, if there are any.
    """
    folder = Path(folder)
    kinds = Counter(file.kind for file in everything)
    kind = kind or next((one for one in ("series", "matrix", "image") if kinds[one]), None)
    left = _of_kind(folder, everything, kind, kinds)
    found = []
    others = [f"{count} files of kind {one}" for one, count in kinds.items() if one != kind]
    if others:
        found.append(f"taken: {kind}; there are also {in_words(others)} (--kind)")
    for entity, value in chosen.items():
        left, others = _with_entity(folder, left, entity, str(value))
        if others:
            found.append(f"not taken: {_not_taken(others, entity)}")
    names = dict.fromkeys(key for file in left for key in file.entities)
    # All runs of a person are taken, unless one was chosen: then it is part of what all have.
    several = [name for name in RUNS if name not in chosen]
    facets = [name for name in names if name not in ("sub", *several)]
    _check_one_value(folder, left, facets)
    people = {}
    for path, label in sorted((file.path, file.entities["sub"]) for file in left):
        people.setdefault(label, []).append(path)
    first = left[0]
    common = {name: first.entities[name] for name in facets if name in first.entities}
    said = ", ".join(f"{name}-{value}" for name, value in common.items())
    found.append(f"{first.pipeline}: {kind} of {len(people)} people ({said})")
    runs = {len(own) for own in people.values()}
    if runs != {1}:
        found.append(f"runs of a person: {in_words(sorted(runs), 'or')}")
    return Dataset(kind, first.key, people, _pattern(folder, left), common, found)


def _of_kind(folder, everything, kind, kinds):
    """Return the files of a kind, all from one pipeline; `kinds`: how many there are of each."""
    left = [file for file in everything if file.kind == kind]
    tops = {file.path.relative_to(folder).parts[:2] for file in left}
    if len(tops) > 1 and {top[0] for top in tops} == {"derivatives"}:
        places = sorted("/".join((str(folder), *top)) for top in tops)
        raise InputError(f"choose one of {in_words(places)}")
    if not left:
        counts = [f"{count} of kind {one}" for one, count in kinds.items()]
        raise InputError(
            f"{folder} has no file of {kind or 'series, matrices or images'} that is known by its "
            f"name; it has {in_words(counts) or 'no other'}"
        )
    return left


def _with_entity(folder, files, entity, value):
    """Return the files that have a value of an entity, and the others."""
    values = _values(files, entity)
    if value not in values:
        raise InputError(
            f"{folder} has no {entity}-{value}{did_you_mean(value, values)}; it has "
            f"{_counted(files, entity)}"
        )
    taken = []
    others = []
    for file in files:
        if file.entities.get(entity, NONE) == value:
            taken.append(file)
        else:
            others.append(file)
    return taken, others


def _check_one_value(folder, files, facets):
    """Raise InputError, with the options that choose, if files differ in an entity."""
    asked = [
        f"{OPTIONS.get(name, f'--entity {name}=VALUE')}: {_counted(files, name)}"
        for name in facets
        if len(_values(files, name)) > 1
    ]
    if asked:
        listed = "\n  ".join(asked)
        raise InputError(f"{folder} has files of several kinds: choose with\n  {listed}")


def _values(found, entity):
    return sorted({file.entities.get(entity, NONE) for file in found})


def _counted(found, entity):
    """List the values of an entity, each with the number of its people."""
    counts = _people_with(found, entity)
    return ", ".join(f"{value} ({count} people)" for value, count in counts.items())


def _not_taken(found, entity):
    """Say which values of an entity the other files have, and for how many people."""
    said = []
    for value, count in _people_with(found, entity).items():
        name = f"{entity}-{value}"
        if value == NONE:
            name = f"no {entity}"
        said.append(f"{name} of {count} people")
    return ", ".join(said)


def _people_with(found, entity):
    """Return how many people have a file with each value of an entity."""
    people = {value: set() for value in _values(found, entity)}
    for file in found:
        people[file.entities.get(entity, NONE)].add(file.entities["sub"])
    return {value: len(who) for value, who in people.items()}


def _pattern(folder, found):
    """Return the one place of all files, with ``{id}`` for the person and ``*`` for the run."""
    # The files of all people must lie in the same place, or a pattern would find only some of
    # them.
    patterns = set()
    runs = len({tuple(file.entities.get(name) for name in RUNS) for file in found}) > 1
    for file in found:
        place = braces_doubled(file.path.relative_to(folder).as_posix())
        place = place.replace(f"sub-{file.entities['sub']}", "sub-{id}")
        for name in RUNS if runs else ():
            place = re.sub(rf"_{name}-[^_/]+", "", place)
        patterns.add(place)
    if len(patterns) > 1:
        raise InputError(
            f"the files of {folder} lie in different places for different people: "
            f"{in_words(sorted(patterns), most=3)}. Make links that are named alike"
        )
    pattern = patterns.pop()
    # The number of the run stands somewhere after the session and task, before the space and
    # atlas.
    if runs:
        folders, _, name = pattern.rpartition("/")
        before = [p for p in name.split("_") if p.split("-")[0] in ("sub", "ses", "task", "acq")]
        after = name.split("_")[len(before) :]
        pattern = posixpath.join(folders, "_".join(before) + "_*" + "_".join(after))
    return pattern


def participants(folder, labels, table=None):
    """Return the table of people with files, its path, and the people with files but no row.

    Unless `table` names one, it is ``participants.tsv`` of the dataset or of a folder above it, or
    another table with the people's names in some column, which becomes ``participant_id``.
    """
    folder = Path(folder).resolve()
    names = [f"sub-{label}" for label in labels]
    places = [place / "participants.tsv" for place in (folder, *folder.parents[:3])]
    further = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".csv", ".tsv", ".xlsx"))
    for path in [Path(table)] if table else [p for p in [*places, *further] if p.is_file()]:
        given = _naming(path, names)
        if given is None:
            if table or path.name == "participants.tsv":
                raise InputError(f"no column of {path} names the people of {folder} ({names[0]})")
            continue
        if given[ID].duplicated().any():
            twice = given[ID][given[ID].duplicated()].iloc[0]
            raise InputError(f"{path} has {twice} twice: one row for each person is needed")
        there = given[given[ID].isin(names)].reset_index(drop=True)
        return there, path, [name for name in names if name not in set(there[ID])]
    return pd.DataFrame({ID: names}), None, []


def without_files(path, labels):
    """Return the people of a table, if there is one, who have no file."""
    names = {f"sub-{label}" for label in labels}
    given = None if path is None else _naming(path, sorted(names))
    return [] if given is None else [name for name in given[ID] if name not in names]


def _naming(path, names):
    """Return a table with the column of the people's names first; None if no column has them."""
    given = read_people(path)
    for column in sorted(columns_of(given), key=lambda one: one != ID):
        own = pd.Series(identifiers(given, column), given.index, dtype=object)
        ids = "sub-" + own.map(str).str.removeprefix("sub-")
        if ids.isin(names).sum() > len(names) / 2:
            rest = as_written(given).drop(columns=[column, ID], errors="ignore")
            rest.insert(0, ID, ids)
            # A table with a row for each session may say the same of a person several times.
            return typed(rest.drop_duplicates())
    return None


def mean_displacement(folder, dataset, runs="join"):
    """Return each person's mean framewise displacement (mm) over their runs; None if unknown.

    It is read from files of motion or confounds in the dataset, or in the folder ``fmriprep`` next
    to it.
    """
    same = {key: dataset.entities[key] for key in ("ses", "task") if key in dataset.entities}
    chosen = {}
    for place in (Path(folder), Path(folder).resolve().parent / "fmriprep"):
        for path in walk(place) if place.is_dir() and not chosen else ():
            if re.search(r"(_motion|desc-confounds\w*_(timeseries|regressors))\.tsv$", path.name):
                entities = entities_of(path.name)
                if all(entities.get(key) == value for key, value in same.items()):
                    run = tuple(entities.get(name) for name in RUNS)
                    chosen.setdefault((entities.get("sub"), run), path)
    means = {}
    for label, paths in dataset.files.items():
        values = []
        for path in paths[: 1 if runs == "first" else None]:
            run = tuple(entities_of(path.name).get(name) for name in RUNS)
            motion = chosen.get((label, run))
            table = pd.read_csv(motion, sep="\t", na_values="n/a") if motion else pd.DataFrame()
            values.append(table.get("framewise_displacement", pd.Series([np.nan])).to_numpy(float))
        values = np.concatenate(values)
        means[label] = float(np.nanmean(values)) if np.isfinite(values).any() else np.nan
    return means if any(np.isfinite(value) for value in means.values()) else None


def atlas_table(folder, name):
    """Return the path of the table of an atlas's regions in a dataset; None if there is none."""
    wanted = re.compile(rf"(atlas|seg)-{re.escape(name or '')}(_.*)?_dseg\.tsv$")
    paths = sorted(Path(folder).glob("**/*_dseg.tsv")) if name else []
    return next((path for path in paths if wanted.search(path.name)), None)
