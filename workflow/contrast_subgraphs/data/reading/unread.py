"""What a file says that is not read, in comments and in further arrays: does it name the regions?

Without names that are read, the order of the regions is taken for the same in all files. Where the
same entries stand in another order in one of them, it may not be.
"""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...core.errors import InputError
from .lists import listed
from .text import fraction, whole

#: What is compared: by a name, entries in an order.
Unread = Mapping[str, Sequence[str]]
#: Rows of more numbers than these are no coordinates.
_COLUMNS = 4
_MARKS = ' "#%;!-/'


def in_comments(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return what comments may list: their lines, fields and words, and lines of whole numbers.

    >>> in_comments(["# order of regions:", "# V1", "# M1"])["comments, by line"]
    ['order of regions:', 'V1', 'M1']
    """
    texts = [line.strip(_MARKS) for line in lines if line.lstrip(' "').startswith(("#", "%"))]
    found = {}
    for how, between in (("line", r"\n"), ("field", r"[\n,;|\t:=]"), ("word", r"[\s,;|:=()\[\]]")):
        parts = [part.strip(_MARKS + "'") for part in re.split(between, "\n".join(texts))]
        # A date, or a number of volumes, is in comments too.
        found[f"comments, by {how}"] = [part for part in parts if part and not fraction(part)]
    numbers = [re.findall(r"[^\s,;|]+", text.rpartition(":")[2]) for text in texts]
    for k, entries in enumerate(numbers):
        if len(entries) > 1 and all(map(whole, entries)):
            found[f"comments, numbers {k}"] = entries
    return {name: entries for name, entries in found.items() if entries}


def in_arrays(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return what further arrays may list: entries that occur once each.

    `columns`: by the name of the array, its entries as texts.
    """
    found = {}
    for name, entries in columns.items():
        if len(entries) == 1:
            entries = listed(entries[0]) or entries[0].split()
        if len(set(entries)) == len(entries) > 1:
            found[f"array {name!r}"] = list(entries)
    return found


def moved(one: Sequence[str], other: Sequence[str], count: int) -> bool:
    """Return whether at least `count` entries are in both, once each, and in another order.

    >>> moved(["by ann", "V1", "M1"], ["by bob", "M1", "V1"], 2)
    True
    """
    shared = _once(one) & _once(other)
    if len(shared) < count:
        return False
    orders = [[entry for entry in entries if entry in shared] for entries in (one, other)]
    return orders[0] != orders[1]


def _once(entries):
    return {entry for entry, times in Counter(entries).items() if times == 1}


def check_orders(
    paths: Sequence[object],
    unread: Sequence[Unread],
    counts: Sequence[int],
    atlas: Sequence[Sequence[str]] = (),
) -> None:
    """Raise InputError if files without names hold the same entries in different orders.

    Parameters
    ----------
    paths : sequence
        Of the files whose regions have no names that are read.
    unread : sequence of mapping
        What each file holds (`in_comments`, `in_arrays`).
    counts : sequence of int
        How many regions each file has.
    atlas : sequence of sequence of str
        The names and the numbers of the atlas's regions, if there is one.

    Warns
    -----
    UserWarning
        If only arrays of whole numbers differ: these may be ranks as well as an order.

    Raises
    ------
    InputError
        Naming the first two files that differ.
    """
    warned = set()
    first: dict = {}
    for path, lists, count in zip(paths, unread, counts, strict=True):
        for name, entries in lists.items():
            others = [(known, "the atlas") for known in atlas]
            if name in first:
                others.append(first[name])
            first.setdefault(name, (entries, path))
            for known, whose in others:
                if not moved(entries, known, count):
                    continue
                text = _said(path, name, whose)
                if name.startswith("comments") or not all(map(whole, entries)):
                    raise InputError(text)
                if name not in warned:
                    warnings.warn(text, stacklevel=2)
                warned.add(name)


def _said(path, name, whose):
    what = f"its {name}"
    how = "call it `regions`"
    if name.startswith("comments"):
        what = "its comments"
        how = "write them as one line, `# regions: V1, M1, ...`"
    return (
        f"{path}: {what} and those of {whose} hold the same entries in another order, and are not "
        f"read. If they are the regions of this file, {how}; if not, leave them out"
    )


def as_columns(name: str, array: np.ndarray) -> dict[str, np.ndarray]:
    """Return an array by its name: the rows of numbers as texts, or each column of texts by itself.

    A table of many columns of numbers says something else, and is left out.

    >>> list(as_columns("info", np.array([["1", "V1"], ["2", "M1"]])))
    ['info, column 1', 'info, column 2']
    >>> as_columns("mni", np.array([[-12, 3], [12, 3]]))["mni"].tolist()
    ['-12 3', '12 3']
    """
    table = array
    if array.ndim == 2 and min(array.shape) > 1:
        # The longer axis is that of the regions.
        if len(array) < array.shape[1]:
            table = array.T
        if array.dtype.kind in "USO":
            return {f"{name}, column {k + 1}": column for k, column in enumerate(table.T)}
    if array.dtype.kind not in "iuf" or array.ndim > 2:
        return {name: array}
    table = np.squeeze(table).reshape(len(table) if min(array.shape) > 1 else array.size, -1)
    if table.shape[1] > _COLUMNS:
        return {}
    return {name: np.array([" ".join(f"{one:.10g}" for one in row) for row in table])}
