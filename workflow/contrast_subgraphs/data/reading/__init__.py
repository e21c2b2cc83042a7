"""Files as people have them: all readings of a data set, and the one that fits.

`csv_files` makes all readings of a text (CSV and the like), for which `text` takes lines apart and
`edge_columns` finds the ends and the weight of an edge list. `suspects` finds what must not be read
as data, and `choose` keeps the one reading under which all files of a data set are consistent.
`layouts` knows how weights lie in an array, `containers` opens other files, `matlab` those of
MATLAB, `beside` finds names stored along with an array, and `lists` those in one text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...core.check_graphs import share_of_rounding
from ...core.checks import plural
from ...core.errors import InputError
from ...core.pairs import n_vertices_of
from ...core.reading_options import check_reading
from .choose import checked_readings, choose, count_from, count_words
from .containers import read_contents, sheet_lines
from .layouts import EdgeList, is_symmetric, matrices_of, of_edges
from .suspects import (
    check_orientation,
    check_totals_of_series,
    check_totals_of_volumes,
    no_region,
)
from .text import Style, decode
from .unread import check_orders

#: Endings of the files that hold series or matrices; texts also with ``.gz``.
TEXTS = (".csv", ".tsv", ".txt", ".1d")
ARRAYS = (".npy", ".npz", ".mat", ".h5", ".hdf5", ".netcc")
#: Those of them that hold several arrays, each with a name.
KEYED = tuple(ending for ending in ARRAYS if ending != ".npy")
SUFFIXES = (*TEXTS, ".xlsx", *(f"{ending}.gz" for ending in TEXTS), *ARRAYS)


def is_data(path: str | Path) -> bool:
    """Return whether a file has an ending that can be read."""
    return str(path).lower().endswith(SUFFIXES)


@dataclass(frozen=True)
class Reading:
    """How the files of one data set were read."""

    #: series or matrix.
    kind: str
    #: How many files there are.
    files: int
    #: How many regions each file has; None if they differ.
    regions: int | None
    #: Where the regions' names come from; empty without names.
    names: str = ""
    #: Whether texts had a line of names or numbers; None without texts.
    header: bool | None = None
    #: Whether texts had a column of names or numbers.
    index: bool | None = None
    decimal: str | None = None
    #: The names of people in a file of several.
    people: tuple[str, ...] = ()
    #: Further things that were understood (edge lists).
    notes: tuple[str, ...] = ()
    #: Whether texts were lists of edges.
    edges: bool = False
    #: What a file of several people lists that was not read.
    unread: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def sentence(self) -> str:
        """Return the reading as one line."""
        what = plural(self.regions, "region") if self.regions else "regions that differ"
        named = f"named by {self.names}" if self.names else "not named in them"
        parts = [f"{plural(self.files, 'file')}: {what}, {named}"]
        if self.header is not None and not self.names:
            found = {"a header": self.header, "an index": self.index}
            parts.append(" and ".join(name for name in found if found[name]) or "no header")
        elif self.index and self.kind == "series":
            parts.append("an index")
        if self.decimal:
            parts.append({",": "decimal commas", ".": "decimal points"}[self.decimal])
        return "; ".join([*parts, *self.notes])

    def record(self) -> dict[str, Any]:
        """Return what a JSON file keeps of it."""
        kept = asdict(self) | {"sentence": self.sentence()}
        del kept["unread"]
        return kept


@dataclass(frozen=True)
class Options:
    """What the user says about the files, and the atlas. Readings must agree with both."""

    header: bool | None = None
    index: bool | None = None
    decimal: str | None = None
    triangle: str | None = None
    #: The atlas's names and numbers.
    regions: tuple[list[str], list[str]] | None = None
    #: For an atlas with a name several times (see `text.labels`).
    numbered: dict | None = None

    @property
    def names(self) -> list[str]:
        """The names of the atlas's regions; none without an atlas."""
        return [] if self.regions is None else self.regions[0]

    @property
    def count(self) -> int | None:
        """How many regions the atlas has."""
        return None if self.regions is None else len(self.regions[0])

    def contradicts(self, style: Style) -> str:
        """Say which option a reading contradicts; empty if it agrees with all."""
        given = {"header": style.header, "index": bool(style.beside), "decimal": style.decimal}
        for name, value in given.items():
            wanted = getattr(self, name)
            if wanted is not None and wanted != value:
                return f"it cannot be read with `{name}: {str(wanted).lower()}`"
        return ""

    def lacks(self, names: list | None, count: int, what: str, other: int = 0) -> str:
        """Say why regions are not the atlas's; empty if they are, or without an atlas.

        `count`, `what`: how many rows or columns the file has; `other`: how many along its other
        axis.
        """
        if self.regions is None:
            return ""
        if names is None:
            if count == self.count:
                return ""
            turned = ". Is it transposed? Rows must be volumes" if other == self.count else ""
            return (
                f"it has {count} {what}, and the atlas has {self.count} regions. Without names in "
                f"the file they must be the same, in the same order{turned}"
            )
        if any(set(names) <= set(known) for known in self.regions):
            return ""
        unknown = next(name for name in names if name not in self.names)
        return f"the region {unknown!r} in its header is not in the atlas"


class _File(NamedTuple):
    """What a file holds."""

    #: The names of its regions.
    names: list[str] | None
    array: np.ndarray
    #: How weights lie in it, if it is not a matrix.
    layout: str = ""
    #: The names of its people, if it holds several.
    people: Sequence[str] = ()
    #: Whether lines of comments were left out.
    commented: bool = False
    #: What it lists that is not read (`unread`).
    unread: Mapping[str, Sequence[str]] = MappingProxyType({})


def read_files(
    paths: Sequence[str | Path],
    kind: str,
    *,
    key: str | None = None,
    header: bool | None = None,
    index: bool | None = None,
    decimal: str | None = None,
    triangle: str | None = None,
    atlas: pd.DataFrame | None = None,
    unlisted: float = 0.0,
) -> tuple[list[list[str] | None], list[np.ndarray], Reading]:
    """Read the files of one data set, all alike (options: see `files.read_groups`).

    Returns for each file the regions' names (None if it has none, or only numbers that count) and
    an array: volumes x regions, or the weights of all pairs (`core.graphs`); for several people
    (n_people, ...). A missing value is NaN. Readings whose regions are not the atlas's do not fit.
    """
    check_reading(decimal=decimal, triangle=triangle)
    known = None
    numbered = None
    if atlas is not None:
        known = atlas["name"].tolist(), [str(code) for code in atlas.get("code", ())]
        if "given" in atlas:
            numbered = {tuple(atlas["given"]): known[0]}
    options = Options(header, index, decimal, triangle, known, numbered)
    paths = [Path(path) for path in paths]
    if key is not None:
        _check_keyed(paths, key)
    opened = [_open(path, kind, key, options) for path in paths]
    texts = {path: one for path, one in zip(paths, opened, strict=True) if isinstance(one, dict)}
    style = None
    if texts:
        # One text alone often fits several readings; all files together rarely do.
        style, chosen = _of_texts(texts, kind, known, unlisted)
        opened = [chosen.get(path, one) for path, one in zip(paths, opened, strict=True)]
    names = [one.names for one in opened]
    arrays = [one.array for one in opened]
    _check_unread(paths, opened, kind, known)
    if kind == "series":
        _check_series(paths, arrays, names, atlas)
    sizes = {_regions(one.shape[-1], kind) for one in arrays}
    reading = Reading(
        kind,
        len(paths),
        regions=sizes.pop() if len(sizes) == 1 else None,
        names=_named_by(style, kind, any(one is not None for one in names)),
        people=tuple(opened[0].people) if len(paths) == 1 else (),
        unread=dict(opened[0].unread) if len(paths) == 1 else {},
        notes=_notes(opened, style),
    )
    if style:
        how = {"header": style.header, "index": bool(style.beside), "decimal": style.decimal}
        reading = replace(reading, edges=style.layout == "edges", **how)
    return names, arrays, reading


def _check_unread(paths, opened, kind, known):
    """Raise InputError if files whose regions have no names list the same things in other orders.

    `known`: the atlas's names and numbers of regions.
    """
    # Names that only count, such as V1, V2, ..., do not say which regions they are.
    bare = [k for k, one in enumerate(opened) if one.names is None or count_words(one.names)]
    check_orders(
        [paths[k] for k in bare],
        [opened[k].unread for k in bare],
        [_regions(opened[k].array.shape[-1], kind) for k in bare],
        known or (),
    )


def _check_keyed(paths, key):
    """Raise InputError if `key` is given but no file can hold several arrays."""
    keyed = {*KEYED, ".xlsx"}
    if not any(path.suffix.lower() in keyed for path in paths):
        raise InputError(
            f"`key: {key}` names an array or a sheet, and {paths[0].name} holds no more than one: "
            "leave `key` out"
        )


def _of_texts(texts, kind, known, unlisted):
    """Return the `Style` in which texts are written, and the `_File` of each path.

    `texts`: all readings of each path; `known`: the atlas's names and numbers of regions.
    """
    style, files = choose(list(texts), list(texts.values()), kind)
    if style.layout == "edges":
        lists = [
            EdgeList(path, one.raw.ends, one.array) for path, one in zip(texts, files, strict=True)
        ]
        regions, matrices = of_edges(lists, known, unlisted)
        files = [
            one._replace(array=matrix, names=regions)
            for one, matrix in zip(files, matrices, strict=True)
        ]
    several = files[0].array.ndim == (3 if kind == "series" else 2)
    found = [
        _File(
            one.names,
            one.array,
            one.layout,
            (several and one.raw.rows) or (),
            one.raw.comments,
            one.raw.unread,
        )
        for one in files
    ]
    return style, dict(zip(texts, found, strict=True))


def _notes(files, style):
    """Return what was understood of files, apart from their regions, each thing once."""
    notes = [one.layout for one in files if one.layout]
    if any(one.commented for one in files):
        notes.append("comment lines left out")
    if style is not None and style.thousands:
        notes.append("separators of thousands")
    return tuple(dict.fromkeys(notes))


def _check_series(paths, arrays, names, atlas):
    """Raise InputError if series are transposed, or hold means or sums of other rows or columns.

    With an atlas the columns are known to be its regions.
    """
    if atlas is None:
        check_orientation(paths, arrays, names)
    for path, array in zip(paths, arrays, strict=True):
        for values in array if array.ndim == 3 else [array]:
            try:
                check_totals_of_volumes(values)
                if atlas is None:
                    check_totals_of_series(values)
            except InputError as error:
                raise InputError(f"{path}: {error}") from error


def _open(path, kind, key, options):
    """Return the `_File` of an array file, or all readings of a text."""
    try:
        if path.suffix.lower() in ARRAYS:
            return _of_arrays(path, kind, key, options)
        if not is_data(path) and path.suffix.lower() in (".gz", ".nii", ".xls", ".pkl", ".rds"):
            raise InputError("such files cannot be read: save it as .csv, .npy or .mat")
        if path.suffix.lower() == ".xlsx":
            lines = sheet_lines(path, key)
        else:
            lines = decode(path.read_bytes())
        return checked_readings(lines, kind, options)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (OSError, ValueError, EOFError, KeyError, TypeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: it cannot be read: {reason}") from error


def _of_arrays(path, kind, key, options):
    """Return the `_File` of a file that is not text."""
    array, names, people, unread = read_contents(path, kind, key, options.regions, options.numbered)
    layout = ""
    if kind == "matrix":
        rounding = share_of_rounding(array.dtype)
        values, layout = matrices_of(array, rounding, options.triangle, options.count)
    else:
        values = np.array(array, dtype=float)
        if values.ndim not in (2, 3) or min(values.shape[-2:]) < 2:
            raise InputError(f"it must hold volumes x regions, not the shape {values.shape}")
        if is_symmetric(values):
            raise InputError("it is a symmetric matrix: set `kind: matrix`")
    count = _regions(values.shape[-1], kind)
    names = _of_all(names, count, options)
    other = values.shape[-2] if kind == "series" else 0
    wrong = options.lacks(names, count, "columns", other)
    if wrong:
        raise InputError(wrong)
    return _File(names, values, layout, people or (), unread=unread)


def _of_all(names, count, options):
    """Return the names of all regions; None if there are none, or only numbers that count."""
    if names is None:
        return None
    if len(names) != count:
        raise InputError(f"it has {len(names)} names, and weights of {count} regions")
    stranger = no_region(names, options.names)
    if stranger is not None:
        raise InputError(f"its column {stranger!r} is not a region: take it out")
    return None if count_from(names) else names


def _regions(columns, kind):
    return columns if kind == "series" else n_vertices_of(columns)


def _named_by(style, kind, named):
    """Return where the names of regions come from."""
    if not named:
        return ""
    if style is None:
        return "the files"
    if style.layout == "edges":
        return "the ends of the edges"
    places = {"a header": style.header, "a first column": style.beside and kind == "matrix"}
    return " and ".join(place for place in places if places[place]) or "a comment"
