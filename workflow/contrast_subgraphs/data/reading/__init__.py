"""Files as people have them: every reading of a data set, and the one that fits.

`text` makes all readings of a text, `choose` keeps the one under which all files of a data set
are consistent, `layouts` knows how weights lie in an array, `containers` opens other files,
`matlab` those of MATLAB, and `beside` finds names beside an array.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...core.checks import check_option, plural
from ...core.errors import InputError
from ...core.graphs import n_vertices_of, share_of_rounding
from .choose import checked_readings, choose, count_from
from .containers import read_contents, sheet_lines
from .layouts import EdgeList, is_symmetric, matrices_of, of_edges
from .suspects import check_orientation, check_totals_of_series, no_region
from .text import Style, decode

#: Endings of the files that hold series or matrices; texts also with ``.gz``.
TEXTS = (".csv", ".tsv", ".txt", ".1d")
ARRAYS = (".npy", ".npz", ".mat", ".h5", ".hdf5", ".netcc")
SUFFIXES = (*TEXTS, ".xlsx", *(f"{ending}.gz" for ending in TEXTS), *ARRAYS)


def is_data(path: str | Path) -> bool:
    """Return whether a file has an ending of those that can be read."""
    return str(path).lower().endswith(SUFFIXES)


@dataclass(frozen=True)
class Reading:
    """How the files of one data set were read."""

    kind: str  # series or matrix
    files: int  # how many
    regions: int | None  # how many each file has; None if they differ
    names: str = ""  # where the regions' names are from; empty without names
    header: bool | None = None  # whether texts had a line of names or numbers; None without texts
    index: bool | None = None  # whether they had a column of them
    decimal: str | None = None
    people: tuple[str, ...] = ()  # what a file of several people calls them
    notes: tuple[str, ...] = ()  # what else was understood (edge lists)

    def sentence(self) -> str:
        """Return the reading as one line."""
        what = plural(self.regions, "region") if self.regions else "regions that differ"
        named = f"named by {self.names}" if self.names else "not named in them"
        parts = [f"{plural(self.files, 'file')}: {what}, {named}"]
        if self.header is not None and not self.names:
            labels = [n for n, has in (("a header", self.header), ("an index", self.index)) if has]
            parts.append(" and ".join(labels) or "no header")
        elif self.index and self.kind == "series":
            parts.append("an index")
        if self.decimal:
            parts.append("decimal commas" if self.decimal == "," else "decimal points")
        return "; ".join([*parts, *self.notes])

    def record(self) -> dict[str, Any]:
        """Return what a JSON file keeps of it."""
        return asdict(self) | {"sentence": self.sentence()}


@dataclass(frozen=True)
class Options:
    """What the user says about the files, and the atlas: readings must agree with it."""

    header: bool | None = None
    index: bool | None = None
    decimal: str | None = None
    triangle: str | None = None
    regions: tuple[list[str], list[str]] | None = None  # the atlas's names and numbers
    numbered: dict | None = None  # of an atlas that has a name several times (`text.labels`)

    @property
    def names(self) -> list[str]:
        """The names of the atlas's regions; none without an atlas."""
        return [] if self.regions is None else self.regions[0]

    @property
    def count(self) -> int | None:
        """How many regions the atlas has."""
        return None if self.regions is None else len(self.regions[0])

    def contradicts(self, style: Style) -> str:
        """Say which option a reading does not agree with; empty if it does with all."""
        given = {"header": style.header, "index": bool(style.beside), "decimal": style.decimal}
        for name, value in given.items():
            wanted = getattr(self, name)
            if wanted is not None and wanted != value:
                return f"it cannot be read with `{name}: {str(wanted).lower()}`"
        return ""

    def lacks(self, names: list | None, count: int, what: str, other: int = 0) -> str:
        """Say why regions are not the atlas's; empty if they are, or without an atlas."""
        if self.regions is None:
            return ""
        if names is None and count != self.count:
            return (
                f"it has {count} {what}, and the atlas has {self.count} regions. Without names in "
                "the file they must be the same, in the same order"
                + ". Is it transposed? Rows must be volumes"
                * (other == self.count)
            )
        if names is not None and not any(set(names) <= set(known) for known in self.regions):
            unknown = next(name for name in names if name not in self.regions[0])
            return f"the region {unknown!r} in its header is not in the atlas"
        return ""


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
) -> tuple[list[list[str] | None], list[np.ndarray], Reading]:
    """Read the files of one data set, all alike (options: see `folder.read_groups`).

    Returns of each file the regions' names (None if it has none, or they only count) and an
    array: volumes x regions, or the weights of all pairs (`core.graphs`); of several people
    (n_people, ...); NaN where a value is missing. Readings with other regions than the atlas's do
    not fit.
    """
    check_option("decimal", decimal, (None, ".", ","))
    check_option("triangle", triangle, (None, "upper", "lower"))
    known = None
    numbered = None
    if atlas is not None:
        known = atlas["name"].tolist(), [str(code) for code in atlas.get("code", ())]
        if "given" in atlas:
            numbered = {tuple(atlas["given"]): known[0]}
    options = Options(header, index, decimal, triangle, known, numbered)
    paths = [Path(path) for path in paths]
    names: list = [None] * len(paths)
    arrays: list = [None] * len(paths)
    notes: dict[str, None] = {}
    texts, style, people = [], None, ()
    for k, path in enumerate(paths):
        one = _open(path, kind, key, options)
        if isinstance(one, dict):
            texts.append((k, one))
        else:
            names[k], arrays[k], layout, people = one
            notes |= {layout: None} if layout else {}
    if texts:
        own = [paths[k] for k, _ in texts]
        style, files = choose(own, [found for _, found in texts], kind)
        if style.layout == "edges":
            lists = [
                EdgeList(Path(path), one.raw.ends, one.array)
                for path, one in zip(own, files, strict=True)
            ]
            regions, matrices = of_edges(lists, known)
            files = [
                f._replace(array=m, names=regions) for f, m in zip(files, matrices, strict=True)
            ]
        for (k, _), one in zip(texts, files, strict=True):
            names[k], arrays[k] = one.names, one.array
            notes |= {one.layout: None} if one.layout else {}
        notes |= {"comment lines left out": None} if any(f.raw.comments for f in files) else {}
        notes |= {"separators of thousands": None} if style.thousands else {}
        several = files[0].array.ndim == (3 if kind == "series" else 2)
        people = tuple(files[0].raw.rows or ()) if several else ()
    if kind == "series":
        if atlas is None:
            check_orientation(paths, arrays, names)
        for path, array in zip(paths, arrays, strict=True) if atlas is None else ():
            for values in array if array.ndim == 3 else [array]:
                try:
                    check_totals_of_series(values)
                except InputError as error:
                    raise InputError(f"{path}: {error}") from error
    sizes = {_regions(one.shape[-1], kind) for one in arrays}
    count = sizes.pop() if len(sizes) == 1 else None
    named = _named_by(style, kind, any(one is not None for one in names))
    people = tuple(people) if len(paths) == 1 else ()
    reading = Reading(kind, len(paths), count, named, people=people, notes=tuple(notes))
    if style:
        how = {"header": style.header, "index": bool(style.beside), "decimal": style.decimal}
        reading = replace(reading, **how)
    return names, arrays, reading


def _open(path, kind, key, options):
    """Return ``names, array, layout, people`` of an array's file, or all readings of a text."""
    try:
        if path.suffix.lower() not in ARRAYS:
            if not is_data(path) and path.suffix.lower() in (".gz", ".nii", ".xls", ".pkl", ".rds"):
                raise InputError("such files cannot be read: save it as .csv, .npy or .mat")
            excel = path.suffix.lower() == ".xlsx"
            lines = sheet_lines(path, key) if excel else decode(path.read_bytes())
            return checked_readings(lines, kind, options)
        array, names, people = read_contents(path, kind, key, options.regions, options.numbered)
        if kind == "matrix":
            rounding = share_of_rounding(array.dtype)
            values, layout = matrices_of(array, rounding, options.triangle, options.count)
        else:
            values, layout = np.array(array, dtype=float), ""
            if values.ndim not in (2, 3) or min(values.shape[-2:]) < 2:
                raise InputError(f"it must hold volumes x regions, not the shape {values.shape}")
            if is_symmetric(values):
                raise InputError("it is a symmetric matrix: set `kind: matrix`")
        count = _regions(values.shape[-1], kind)
        names = _of_all(names, count, options)
        wrong = options.lacks(names, count, "columns", values.shape[-2] if kind == "series" else 0)
        if wrong:
            raise InputError(wrong)
        return names, values, layout, people or ()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (OSError, ValueError, EOFError, KeyError, TypeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(f"{path}: it cannot be read: {reason}") from error


def _of_all(names, count, options):
    """Return the names of all regions; None if there are none, or they only count."""
    if names is None or len(names) != count:
        return None
    stranger = no_region(names, options.regions[0] if options.regions else ())
    if stranger is not None:
        raise InputError(f"its column {stranger!r} is of no region: take it out")
    return None if count_from(names) else names


def _regions(columns, kind):
    return columns if kind == "series" else n_vertices_of(columns)


def _named_by(style, kind, named):
    """Return where names of regions are from."""
    if not named:
        return ""
    if style is None:
        return "the files"
    if style.layout == "edges":
        return "the ends of the edges"
    beside = style.beside and kind == "matrix"
    return " and ".join(["a header"] * style.header + ["a first column"] * bool(beside))
