"""What each person's file holds, checked: series, or the weights of all pairs of regions."""

import hashlib
import warnings
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.atomic_files import in_single
from ..core.checks import in_words
from ..core.errors import InputError
from ..core.large_arrays import stacked_rows
from ..core.pairs import n_vertices_of, square_of, upper_triangle
from ..core.reading_options import check_reading
from .reading import read_files
from .regions import check_places, name_regions
from .series import constant_rois

#: If a person's numbers are larger or smaller by this factor, their scale is another one.
_SCALE = 100
#: Means "not known" in ABIDE's tables. As a weight it would outweigh all others.
_NOT_KNOWN = -9999


class Person(NamedTuple):
    """What one person's file holds."""

    label: str
    path: Path
    #: Data of the regions in `own`: volumes x regions, or the upper triangle.
    data: np.ndarray
    #: The regions that there are data for.
    own: list
    #: All regions of the file.
    names: list
    #: Whether the file names them.
    named: bool
    #: Regions whose series do not change.
    constant: frozenset = frozenset()

    @property
    def is_series(self):
        """Whether there are volumes, rather than weights."""
        return self.data.ndim == 2

    def without_weight(self):
        """Return the regions of a matrix without a weight in any pair."""
        if self.is_series:
            return set()
        some = square_of(self.data != 0).any(axis=0)
        return {name for name, has in zip(self.own, some, strict=True) if not has}

    def on(self, regions):
        """Return the data of some regions, in their order."""
        if self.own == regions:
            return self.data
        place = {name: index for index, name in enumerate(self.own)}
        order = [place[name] for name in regions]
        if self.is_series:
            return self.data[:, order]
        square = square_of(self.data)[np.ix_(order, order)]
        return square[upper_triangle(len(regions))]


def read_persons(paths, kind, atlas=None, how=None, labels=None, windows=None, stacks=()):
    """Read and check the files of a data set: of one person each, except those in `stacks`.

    `how`: options of `read_files`; `labels`: what to call the people, if not by their files;
    `windows`: "mean" for the mean of each person's windows of dynamic connectivity.
    """
    check_reading(windows=windows)
    names, arrays, reading = read_files(paths, kind, atlas=atlas, **(how or {}))
    # Axes of one person's array.
    of_one = 2 if kind == "series" else 1
    people = []
    # The number of windows of each person.
    counts = []
    for k, (path, own) in enumerate(zip(paths, names, strict=True)):
        array = arrays[k]
        # Let the array go, so that there is little more than one copy in memory.
        arrays[k] = None
        count = array.shape[-1]
        if kind == "matrix":
            count = n_vertices_of(count)
        several = array.ndim > of_one
        if several and len(array) > 1 and (windows or path not in stacks):
            counts.append(len(array))
            array = _of_windows(path, array, kind, windows)
            several = False
        for place, values in enumerate(array if several else [array]):
            label = f"{path}, {place}" if several else str(path)
            try:
                regions = name_regions(own, count, atlas)
                data, kept, constant = _checked(values, regions, kind)
            except InputError as error:
                raise InputError(f"{label}: {error}") from error
            if labels is not None:
                label = labels[len(people)]
            people.append(Person(label, path, data, kept, regions, own is not None, constant))
    if windows and not counts:
        raise InputError(
            f"`windows: {windows}` is for files with several matrices of one person, and none "
            f"holds more than one, such as {paths[0]}: leave it out"
        )
    if atlas is None:
        check_places(people)
    return people, _with_windows(reading, counts)


def _with_windows(reading, counts):
    """Return the reading, with a note of how many windows each mean is over."""
    if not counts:
        return reading
    few = min(counts)
    many = max(counts)
    how_many = f"{few} to {many}"
    if few == many:
        how_many = f"{few}"
    note = f"means over the {how_many} windows of each person"
    return replace(reading, notes=(*reading.notes, note))


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
    """Return the data, the regions that have any, and those of them that are constant."""
    series = kind == "series"
    if not series and np.isfinite(values).all() and _NOT_KNOWN not in values:
        return values, list(names), frozenset()
    if not series:
        values = square_of(values)
    if (values == _NOT_KNOWN).any():
        row, column = np.argwhere(values == _NOT_KNOWN)[0]
        raise InputError(
            f'row {row + 1}, column {column + 1} holds -9999, which often means "not known": '
            "write n/a if it does"
        )
    # The diagonal does not count.
    most = len(values) if series else len(values) - 1
    there = np.isnan(values).sum(axis=0) < most
    own = [name for name, has in zip(names, there, strict=True) if has]
    data = values[:, there] if series else values[np.ix_(there, there)]
    if not np.isfinite(data).all():
        row, column = np.argwhere(~np.isfinite(data))[0]
        what = f"volume {row + 1} of region" if series else f"the weight of {own[row]} and"
        raise InputError(f"{what} {own[column]} is not a finite number")
    if not series:
        return in_single(data[upper_triangle(len(own))]), own, frozenset()
    constant = {own[place] for place in constant_rois(data)} if own else ()
    return data, own, frozenset(constant)


def stacked(people, regions):
    """Return the upper triangles of people's matrices; each person is let go once it is copied."""

    def rows():
        for k, one in enumerate(people):
            people[k] = None
            yield one.on(regions)

    return stacked_rows(rows(), len(people))


def warn_of_odd_numbers(labels, arrays):
    """Warn about the same numbers twice, nothing but zeros, or numbers on another scale."""
    seen = {}
    twins = []
    size = np.zeros(len(labels))
    for k, (name, array) in enumerate(zip(labels, arrays, strict=True)):
        # Equal bytes of hundreds of measured numbers are never chance: a file was copied.
        digest = hashlib.sha256(np.ascontiguousarray(array)).digest()
        other = seen.setdefault(digest, name)
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
