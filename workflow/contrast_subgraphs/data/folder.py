"""The user's own data: people and their files become series or matrices on the same regions."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd

from ..core.atomic_files import load_npz
from ..core.columns import internal
from ..core.errors import InputError
from ..core.graphs import SubjectGraphs
from ..core.reading_options import HOW
from .people import find_subjects, warn_of_strangers
from .persons import read_persons, stacked, warn_of_odd_numbers
from .reading.choose import count_from
from .reading.unread import moved
from .regions import atlas_of, atlas_path, common_regions
from .series import SiteSeries, warn_of_short


def read_folder(source, subjects=None):
    """Read every subject's file as ``sources.folder`` of the config says, on the same regions.

    `subjects`: what `find_subjects` has found for it.

    Returns the data of the people with a file, in the order of the table; a table of all people;
    the regions that each file has data for; and the `Reading`.
    """
    subjects = subjects or find_subjects(source)
    path = atlas_path(source)
    warn_of_strangers(source, subjects, [] if path is None else [path])
    kind = source.get("kind", "series")
    atlas = atlas_of(source)
    names = list(subjects.files)
    people, reading = _people(source, subjects, names, kind, atlas)
    regions, coverage = common_regions(people, atlas, source.get("regions", "error"))
    volumes = {}
    if kind == "series":
        columns = [one.on(regions) for one in people]
        warn_of_odd_numbers(names, columns)
        data = SiteSeries.stack(names, columns, regions)
        volumes = dict(zip(names, np.diff(data.start).tolist(), strict=True))
        _warn_of_short(subjects, volumes)
    else:
        weights = stacked(people, regions)
        warn_of_odd_numbers(names, weights)
        data = SubjectGraphs(weights, np.array(names), np.array(regions))
    lacking = [(name, count, ", ".join(gone)) for name, (count, gone) in coverage.items()]
    table = pd.DataFrame(lacking, columns=["subject", "regions", "lacking"])
    return data, _who_is_there(subjects, volumes), table, reading


def _people(source, subjects, names, kind, atlas):
    """Return what the files of all people hold, one `Person` for each, and the `Reading`."""
    paths = [path for own in subjects.runs.values() for path in own]
    how = {name: source.get(name) for name in HOW}
    windows = source.get("windows")
    if subjects.stacked:
        if windows:
            raise InputError(
                f"{paths[0]} is one file of all people: `windows` is for a file of each (`{{id}}`)"
            )
        people, reading = read_persons(paths, kind, atlas, how, stacks=paths)
        return _of_one_file(people, reading, names)
    labels = [name for name, own in subjects.runs.items() for _ in own]
    people, reading = read_persons(paths, kind, atlas, how, labels, windows)
    if len(people) > len(names):
        people = _joined(people)
    return people, reading


def _warn_of_short(subjects, volumes):
    """Warn about series that are far shorter than the others of their site."""
    people = internal(subjects.table, "FILE_ID").tolist()
    site_of = dict(zip(people, internal(subjects.table, "SITE_ID").tolist(), strict=True))
    sites = {}
    for name, count in volumes.items():
        sites.setdefault(site_of[name], {})[name] = count
    for site in sorted(sites):
        warn_of_short(site, sites[site])


def _who_is_there(subjects, volumes):
    """Return a row for each person of the table: whether there is a file, and why not."""
    table = pd.DataFrame({"subject": internal(subjects.table, "FILE_ID").tolist()})
    there = table["subject"].isin(list(subjects.files))
    table["status"] = np.where(there, "fetched", "missing")
    table["reason"] = np.where(there, "", "no file")
    table["volumes"] = [volumes.get(name, 0) for name in table["subject"]]
    return table


def _joined(people):
    """Return one person for the runs of each: their series one after the other, or mean weights.

    Only regions that all runs have are kept.
    """
    found = []
    for _, group in itertools.groupby(people, key=lambda one: one.label):
        runs = list(group)
        own = [name for name in runs[0].own if all(name in one.own for one in runs)]
        constant = frozenset().union(*(one.constant for one in runs))
        if runs[0].is_series:
            joined = _one_after_the_other(runs, own, constant)
        else:
            joined = np.mean([one.on(own) for one in runs], axis=0)
        found.append(runs[0]._replace(data=joined, own=own, constant=constant & set(own)))
    return found


def _one_after_the_other(runs, regions, constant):
    """Return the series of several runs as one.

    Each run is first brought to mean 0 and variance 1. Otherwise, if runs differ in their level,
    all regions would correlate.
    """
    data = [one.on(regions) for one in runs]
    if len(runs) > 1:
        # A constant region has no variance to divide by: it stays at 0 and is left out later.
        flat = [name in constant for name in regions]
        with np.errstate(invalid="ignore"):
            data = [(one - one.mean(axis=0)) / np.std(one, axis=0, ddof=1) for one in data]
        data = [np.where(flat, 0.0, one) for one in data]
    return np.vstack(data)


#: The names may be written as in the table, or as numbers: 7 is sub-007.
_SPELLINGS = (str, lambda name: re.sub(r"^(sub-)?0*(?=\d)", "", name))


def _of_one_file(people, reading, names):
    """Return the people of one file in the order of the table, by their names or their places.

    Also return the reading, which says whose order was taken.
    """
    path = people[0].path
    if len(people) != len(names):
        raise InputError(
            f"{path} holds {len(people)} subjects, but the table lists {len(names)}: they must be "
            "the same, in the same order"
        )
    for how in _SPELLINGS:
        row = {how(name): k for k, name in enumerate(reading.people)}
        if len(row) == len(names) and set(row) == set(map(how, names)):
            people = [people[row[how(name)]] for name in names]
            note = "people found by the names in it"
            break
    else:
        if reading.people and not count_from(list(reading.people)):
            lost = next(name for name in reading.people if name not in names)
            raise InputError(f"{path} has a row for {lost}, who is not in the table of people")
        _check_order(path, reading, names)
        note = f"people in the order of the table: first {names[0]}, last {names[-1]}"
    people = [one._replace(label=name) for one, name in zip(people, names, strict=True)]
    return people, replace(reading, notes=(*reading.notes, note))


def _check_order(path, reading, names):
    """Raise InputError if something in a file of all people lists them in another order."""
    for what, entries in reading.unread.items():
        for how in _SPELLINGS:
            spelled = {how(name): name for name in names}
            within = _names_within(map(how, entries), spelled)
            if moved(within, names, len(names)):
                raise InputError(
                    f"{path}: in its {what}, which is not read, the people of the table stand in "
                    "another order. If this is the order of its people, give it as an array "
                    "called `subjects`; if not, leave it out"
                )


def _names_within(entries, spelled):
    """Return the name that stands in each entry, such as a path; "" for none or several.

    `spelled`: names by how they are spelled in entries.
    """
    longest_first = sorted(spelled, key=len, reverse=True)
    one_of = "|".join(map(re.escape, longest_first))
    # The person 1 is not in 10.csv.
    word = re.compile(f"(?<![^\\W_])(?:{one_of})(?![^\\W_])")
    found = [set(word.findall(entry)) for entry in entries]
    return [spelled[min(own)] if len(own) == 1 else "" for own in found]


def load_subjects(path):
    """Read a site's ``data/series/<site>.npz``: series or matrices, whichever it holds."""
    # Files of series have `roi_code`, those of matrices `roi`.
    names = load_npz(path, "subject", optional=("roi",))
    if "roi" in names:
        return SubjectGraphs.load(path)
    return SiteSeries.load(path)
