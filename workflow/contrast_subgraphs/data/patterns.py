"""Patterns of files: what stands for a person, what stands for anything, and what is literal."""

import glob
import os
import re
from pathlib import Path
from typing import NamedTuple

from ..core.errors import InputError
from .matching import (
    NO_DIGIT_AFTER,
    NO_DIGIT_BEFORE,
    NO_LETTER_AFTER,
    NO_LETTER_BEFORE,
    that_fit,
    without_marks,
)

#: What stands between a colon and the end of a field: zeros in front, or a fill and a width.
_SPEC = re.compile(r"0?\d{0,2}d|0\d{1,2}|[^{}\d]?[<>^]\d{1,2}|\d[<>^]\d{1,2}|")


class Field(NamedTuple):
    """A place for the value in a column of the table, such as ``{id}`` or ``{id:03d}``."""

    column: str
    spec: str = ""
    #: The field as it stands in the pattern.
    text: str = ""

    def fill(self, value):
        """Return a value as the name of a file has it."""
        value = str(value)
        if self.spec.endswith("d") or re.fullmatch(r"0\d+", self.spec):
            if not value.isdecimal():
                raise InputError(
                    f"sources.folder.files: `{{{self.text}}}` is for numbers, not {value!r}"
                )
            return format(int(value), f"{self.spec.removesuffix('d')}d")
        return format(value, self.spec)


class Pattern:
    """Where each person's file is: texts, `Field`s, and ``*``, ``?``, ``[...]`` as in a shell.

    ``{{`` and ``}}`` are literal braces. What exists just as it is written is not a pattern: a
    folder may be called ``study [old]``.
    """

    def __init__(self, text, columns=(), id_column=None):
        """Take a pattern apart.

        `columns`: those of the table; `id_column`: the one that ``{id}`` stands for.
        """
        self.text = text
        # Texts and fields, in their order.
        self.parts = []
        columns = {str(column) for column in columns}
        for piece in re.split(r"(\{\{|\}\}|\{[^{}]*\}|[{}])", text):
            if piece in ("{", "}"):
                raise InputError(
                    f"sources.folder.files: in {text!r} a brace has no partner: write `{{id}}` "
                    "for the name of a person, or `{{` or `}}` for a brace itself"
                )
            if piece in ("{{", "}}"):
                self.parts.append(piece[0])
            elif piece.startswith("{"):
                self.parts.append(_field(piece[1:-1], columns, id_column))
            elif piece:
                self.parts.append(piece)
        self.fields = [part for part in self.parts if isinstance(part, Field)]

    def filled(self, values):
        """Return the place with all values filled in; `values`: from each column to its value."""
        place = ""
        for part in self.parts:
            if isinstance(part, Field):
                part = part.fill(values[part.column])
            place += part
        return place

    def files(self, folder, rows):
        """Return the files of each person in a folder, and the patterns in which they are.

        `rows`: for each person the values of the columns.
        """
        # For each person a place, or a pattern of `matching`.
        asked = []
        for values in rows:
            place = os.path.join(folder, self.filled(values))
            exact = not glob.has_magic(place) or os.path.isfile(place)
            if not exact:
                place = self._as_glob(folder, values)
            asked.append((exact, place))
        signed = [wanted for exact, wanted in asked if not exact]
        fitting = iter(that_fit(signed))
        found = []
        for exact, wanted in asked:
            if not exact:
                found.append(next(fitting))
            elif os.path.lexists(wanted):
                found.append([wanted])
            else:
                found.append([])
        return found, [without_marks(wanted) for _, wanted in asked]

    def of_anyone(self, folder):
        """Return all files in a folder that fit the pattern, for anyone."""
        parts = [part if isinstance(part, str) else "*" for part in self.parts]
        return files_that_fit("".join(parts), folder)

    def _as_glob(self, folder, values):
        """Return the pattern of a person's files, with marks where the name meets a star.

        `{id}*` must not give sub-1 the file of sub-10: the name ends where its digits end.
        """
        raw = ""
        marked = ""
        for k, part in enumerate(self.parts):
            if isinstance(part, str):
                raw += part
                marked += part
                continue
            value = part.fill(values[part.column])
            own = part.column == "id"
            before = self.parts[k - 1] if k else ""
            after = self.parts[k + 1] if k + 1 < len(self.parts) else ""
            if own and isinstance(before, str) and before.endswith("*"):
                marked += NO_DIGIT_BEFORE if value[:1].isdigit() else NO_LETTER_BEFORE
            marked += glob.escape(value)
            if own and isinstance(after, str) and after.startswith("*"):
                marked += NO_DIGIT_AFTER if value[-1:].isdigit() else NO_LETTER_AFTER
            raw += value
        return _literal_where_there(Path(folder), raw, marked)


def _field(content, columns, id_column):
    """Return the field for what stands in braces: a column's name, perhaps with a width."""
    name, _, spec = content.partition(":")
    if content in columns:
        name, spec = content, ""
    if not name:
        raise InputError(
            "sources.folder.files: `{}` names no column: write `{id}` for the name of a person"
        )
    if not _SPEC.fullmatch(spec):
        raise InputError(
            f"sources.folder.files: in `{{{content}}}`, `:{spec}` is not understood. `{{{name}}}` "
            f"is the text of the table, and `{{{name}:03d}}` a number with zeros in front"
        )
    return Field("id" if name == id_column else name, spec, content)


def check_fields(pattern, columns, path):
    """Raise InputError unless each field of a pattern is ``{id}`` or a column of the table."""
    for field in pattern.fields:
        if field.column != "id" and field.column not in columns:
            raise InputError(
                f"sources.folder.files: `{{{field.text}}}` is neither `{{id}}` nor a column of "
                f"{path}. Write a column in braces as it is called; `{{{{` is a literal brace"
            )


def braces_doubled(text):
    """Return a text for a pattern in which its braces are literal."""
    return str(text).replace("{", "{{").replace("}", "}}")


def files_that_fit(path, folder="."):
    """Return the files that fit a pattern, sorted; what exists as it is written is not a pattern.

    `folder`: where a relative pattern begins.
    """
    return [Path(one) for one in sorted(glob.glob(_literal_where_there(Path(folder), str(path))))]


def _literal_where_there(folder, raw, marked=None):
    """Return a pattern for `glob` in which the parts that exist as they are written are literal.

    `folder`: where a relative pattern begins, itself literal; `raw`: the pattern as it is written;
    `marked`: the same part by part, with values escaped.
    """
    place = folder
    found = []
    marked = raw if marked is None else marked
    for part, own in zip(raw.split("/"), marked.split("/"), strict=True):
        if place is not None:
            place = Path(f"{part}/") if not found and part == "" else place / part
        if glob.has_magic(part):
            if place is not None and os.path.lexists(place):
                own = glob.escape(part)
            else:
                place = None
        found.append(own)
    pattern = "/".join(found)
    if os.path.isabs(raw):
        return pattern
    return os.path.join(glob.escape(str(folder)), pattern)
