"""Names stored along with an array in its file: of its regions, or of its people."""

import json
import math
import pickle
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ...core.checks import in_words
from ...core.errors import InputError
from .lists import bare, is_of_regions, listed, names_in_text
from .text import labels
from .unread import as_columns, in_arrays

#: What arrays of the regions' numbers are called: they are the names if there are no others.
_OF_NUMBERS = frozenset(
    (
        *("code", "roi", "label", "region", "node", "parcel", "roicode", "roiid", "roinumber"),
        *("roiindex", "regionid", "regioncode", "regionindex", "nodeid", "labelid", "parcelid"),
    )
)
#: Words in the names of arrays that say something else about each region...
_OF_SOMETHING_ELSE = re.compile("hemi|side|colou?r|diagnos|sex|site|date")
#: ... or that are names if there are no others and each occurs once: regions may be networks.
_OF_PARTS = re.compile("network|system|lobe|yeo|module|communit|cluster|group|type|class|tissue")
#: What arrays of the people's names are called.
_OF_PEOPLE = re.compile(
    "(sub|subj|subject|participant|patient|people|person)s?(id|name|label|code|number|list)?"
    "|(file)?id|filename"
)


_CLOSED = (
    "its array {!r} holds something that is not text, so that the names of the regions are not "
    "known: save it as texts (in MATLAB: cellstr), or leave it out"
)


class Contents(NamedTuple):
    """An array, and the names stored along with it in its file."""

    array: np.ndarray
    names: list | None = None
    # The names of the people of a file of several.
    people: list | None = None
    # What further arrays list (`unread.in_arrays`).
    unread: Mapping[str, list] = MappingProxyType({})


def texts_of(array):
    """Return what an array, or a cell array, holds as texts; None if it holds anything else.

    These may be texts, bytes, objects, cells, or rows of letters (`scipy.io` makes them texts).
    """
    if array is None:
        return None
    array = np.asarray(array)
    if array.dtype.kind not in "USO":
        return None
    found = [_text(one) for one in array.ravel()]
    if None in found:
        return None
    return found


def _spread(name, word, given, counts):
    """Return an array as it is, but one text that lists names as an array of these."""
    texts = texts_of(given)
    if not is_of_regions(word) or texts is None or len(texts) != 1:
        return given
    names = names_in_text(name, texts[0], counts)
    if names is None:
        return given
    return np.array(names, dtype=object)


def _text(one):
    while isinstance(one, np.ndarray) and one.size == 1:
        one = one.ravel()[0]
    if isinstance(one, np.ndarray) and one.size == 0:
        return ""
    if isinstance(one, bytes):
        try:
            one = one.decode("utf-8")
        except UnicodeDecodeError:
            one = one.decode("latin-1")
    if isinstance(one, str):
        return one.strip(" \0")
    return None


class _OnlyTexts(pickle.Unpickler):
    """Open arrays of texts, and nothing else: other objects could run a program."""

    _KNOWN = (
        *(("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")),
        *((f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")),
        *((f"numpy.{core}.multiarray", "scalar") for core in ("core", "_core")),
    )

    def find_class(self, module, name):
        if (module, name) in self._KNOWN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not opened")


def texts_in(file):
    """Return the texts in an open .npy file of objects; None for each if they are not texts."""
    version = np.lib.format.read_magic(file)
    headers = {(1, 0): np.lib.format.read_array_header_1_0}
    shape, _, _ = headers.get(version, np.lib.format.read_array_header_2_0)(file)
    try:
        return np.asarray(_OnlyTexts(file).load(), dtype=object).reshape(shape)
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError):
        return np.full(shape, None, dtype=object)


def with_names(array, beside: Mapping, kind, atlas=None, numbered=None):
    """Return an array as `Contents`: with the names of its regions and people, checked.

    `beside`: the other arrays of the file, by name; `atlas`: the names and numbers of its regions,
    which decide if arrays disagree; `numbered`: see `text.labels`.
    """
    counts, people = _counts(array, kind)
    beside = _opened(beside)
    candidates: dict[str, list] = {}
    misfits: list[str] = []
    of_people = None
    for name, given in beside.items():
        word = bare(name)
        if is_of_regions(word) and _is_closed(given):
            raise InputError(_CLOSED.format(name))
        if people is not None and _OF_PEOPLE.fullmatch(word):
            of_people = _checked_people(name, given, people, counts) or of_people
            continue
        text = given
        given = beside[name] = _spread(name, word, text, counts)
        if given.size == people and people not in counts and word in ("name", "label"):
            of_people = _people(given) or of_people
            continue
        if given.size not in counts or given.size < 2 or _is_table(given):
            # One text alone may be a title, unless it is written as a list.
            several = given.size > 1 or given is not text
            if is_of_regions(word) and several and texts_of(given) is not None:
                misfits.append(name)
            continue
        _check_whose(name, word, given, people, counts)
        own = _regions(name, word, given, numbered)
        if own is not None:
            candidates[name] = own
    if not any(is_of_regions(bare(name)) for name in candidates):
        _check_turned(array, beside, kind, counts)
        _check_number(misfits, beside, counts)
    unread = _unread(beside, counts, people)
    if not candidates:
        return Contents(array, None, of_people, unread)
    return Contents(array, _one(candidates, beside, atlas), of_people, unread)


def _unread(beside, counts, people):
    """Return what arrays list that has an entry for each region, or each person."""
    columns = {}
    for name, given in beside.items():
        for called, column in as_columns(name, given).items():
            columns[called] = texts_of(column) or []
    found = in_arrays(columns)
    return {name: own for name, own in found.items() if len(own) in {*counts, people}}


def _opened(beside):
    """Return arrays by name; of a mapping in JSON, or a dict of Python, each entry by itself."""
    found = {}
    for name, given in beside.items():
        found[name] = np.asarray(given)
        if found[name].size != 1:
            continue
        mapping = found[name].ravel()[0]
        texts = texts_of(found[name])
        if texts is not None and texts[0].startswith("{") and not is_of_regions(bare(name)):
            try:
                mapping = json.loads(texts[0])
            except ValueError:
                continue
        if isinstance(mapping, dict):
            entries = {f"{name}/{key}": _as_array(value) for key, value in mapping.items()}
            found |= _opened(entries)
    return found


def _as_array(value):
    """Return what a mapping holds as an array; lists of texts stay texts."""
    if isinstance(value, dict):
        found = np.empty((), dtype=object)
        found[()] = value
        return found
    try:
        return np.asarray(value)
    except ValueError:
        # Lists of different lengths are no names.
        return np.full(1, None, dtype=object)


def _is_table(given):
    """Whether an array has several rows and several columns."""
    return given.ndim > 1 and sum(length > 1 for length in given.shape) > 1


def _check_whose(name, word, given, people, counts):
    """Raise InputError if names may be those of the people or of the regions."""
    clear = re.search("roi|region|node|parcel|area", word)
    if people in counts and is_of_regions(word) and not clear and texts_of(given) is not None:
        raise InputError(
            f"its array {name!r} may name its {people} people or its {given.size} regions: "
            "call it subjects or regions"
        )


def _check_number(misfits, beside, counts):
    """Raise InputError if there are more or fewer names than regions.

    Without it the regions would be numbered without a word, and those of files with names in
    another order would be mixed up. Names of the columns of another table in the file are left.
    """
    others = {given.shape[-1] for given in beside.values() if _is_numeric_table(given)}
    for name in misfits:
        given = beside[name]
        if given.size in others:
            continue
        shape = " x ".join(str(length) for length in given.shape)
        needed = in_words(sorted(counts), "or")
        raise InputError(
            f"its array {name!r} holds {shape} texts, and there are {needed} regions: give one "
            "name for each region, or if these are no names of regions, call the array something "
            "else or leave it out"
        )


def _is_numeric_table(given):
    return given.dtype.kind in "iufb" and _is_table(given)


def is_of_people(name):
    """Return whether what is called so holds the names of people."""
    return _OF_PEOPLE.fullmatch(bare(name)) is not None


def _checked_people(name, given, people, counts):
    """Return the names of people; raise InputError if there are more or fewer, or one twice.

    Without it, people would be taken in the order of the table.
    """
    texts = _texts_or_numbers(given)
    if texts is not None and len(texts) == 1:
        texts = listed(texts[0])
    # One text or number alone may say anything.
    if texts is None or len(texts) < 2 or (len(texts) in counts and len(texts) != people):
        return None
    if len(texts) != people:
        raise InputError(
            f"its array {name!r} holds {len(texts)} names, and there are {people} people: correct "
            "it, call it something else, or leave it out"
        )
    if len(set(texts)) < len(texts):
        twice = next(one for one in texts if texts.count(one) > 1)
        raise InputError(
            f"its array {name!r} names the person {twice} twice: correct it, call it something "
            "else, or leave it out"
        )
    return texts


def _is_closed(given):
    """Whether this stands for a string array of MATLAB, which only MATLAB can open."""
    return given.dtype == object and given.size == 1 and given.ravel()[0] is None


def _counts(array, kind):
    """Return the numbers of regions that an array may have, and of people; None for one person."""
    shape = array.shape
    if array.ndim == 3:
        if kind == "series":
            return {shape[2]}, shape[0]
        # People are along the last axis.
        if shape[0] == shape[1] != shape[2]:
            return {shape[0]}, shape[2]
        return {shape[2]}, shape[0]
    if array.ndim == 2 and (kind == "series" or shape[0] == shape[1]):
        return {shape[1]}, None
    # A row for each person.
    pairs = shape[-1]
    found = set()
    side = (1 + math.isqrt(1 + 8 * pairs)) // 2
    # A triangle, without its diagonal or with it.
    if side * (side - 1) // 2 == pairs:
        found |= {side, side - 1}
    if math.isqrt(pairs) ** 2 == pairs:
        found.add(math.isqrt(pairs))
    return found, shape[0] if array.ndim == 2 else None


def _people(given):
    """Return the names of people, as texts; whole numbers are names too."""
    found = _texts_or_numbers(given)
    return found if found is not None and len(set(found)) == len(found) else None


def _texts_or_numbers(given):
    """Return texts, or whole numbers as texts (MATLAB keeps these as floats); else None."""
    found = texts_of(given)
    if found is None and given.dtype.kind in "iuf":
        values = given.ravel()
        if np.isfinite(values).all() and not (values % 1).any():
            found = [str(int(one)) for one in values]
    return found


def _regions(name, word, given, numbered):
    """Return the names of regions that an array holds, or None if it holds something else."""
    if _OF_SOMETHING_ELSE.search(word) or _OF_PEOPLE.fullmatch(word):
        return None
    if given.dtype.kind in "iuf":
        whole = word in _OF_NUMBERS and np.isfinite(given).all() and not (given % 1).any()
        codes = [str(int(one)) for one in given.ravel()] if whole else []
        return codes if codes and len(set(codes)) == len(codes) else None
    usual = is_of_regions(word)
    texts = texts_of(given)
    if texts is None:
        if usual and given.dtype.kind not in "bc":
            raise InputError(_CLOSED.format(name))
        return None
    found = labels(texts, numbered)
    if isinstance(found, list):
        return found
    # If many are the same, they say something about regions, such as a network or lobe.
    many = 2 * len(set(texts)) > len(texts) and not _OF_PARTS.search(word)
    if found is not None and (usual or many):
        raise InputError(f"in its array {name!r}, {found}")
    if found is None and usual:
        raise InputError(
            f"its array {name!r} holds no names, or not all of them: correct it, or leave it out"
        )
    return None


def _one(candidates, beside, atlas):
    """Return the names on which all candidates agree; an atlas's names, or texts, come first."""
    if atlas is not None:
        fitting = {
            name: own
            for name, own in candidates.items()
            if any(set(own) <= set(known) for known in atlas)
        }
        candidates = fitting or candidates
    in_texts = {n: own for n, own in candidates.items() if texts_of(beside[n]) is not None}
    sure = {n: own for n, own in in_texts.items() if not _OF_PARTS.search(bare(n))}
    (first, names), *others = (sure or in_texts or candidates).items()
    for other, own in others:
        if own != names:
            at = next(k for k in range(len(names)) if names[k] != own[k])
            raise InputError(
                f"its arrays {first!r} and {other!r} differ in the names of regions: region "
                f"{at + 1} is {names[at]!r} or {own[at]!r}. Leave one of them out, or give an "
                "atlas with the names of one"
            )
    return names


def _check_turned(array, beside, kind, counts):
    """Raise InputError if names fit the rows of series, and none its columns."""
    if kind != "series" or array.ndim != 2 or len(array) in counts:
        return
    for name, given in beside.items():
        if np.size(given) == len(array) and is_of_regions(bare(name)):
            if texts_of(given) is not None:
                raise InputError(
                    f"it has {len(array)} names ({name}) for {array.shape[1]} columns, and is not "
                    "a symmetric matrix: is it transposed? Rows must be volumes"
                )


def named_targets(beside: Mapping) -> Sequence:
    """Return how many names each array of names holds: further targets may follow the regions."""
    found = {name: texts_of(given) for name, given in beside.items()}
    usual = [own for name, own in found.items() if own and is_of_regions(bare(name))]
    return sorted({len(own) for own in usual})


def check_names(names, numbered=None):
    """Return names of regions as labels, or raise InputError if one occurs twice."""
    found = labels(names, numbered)
    if isinstance(found, str):
        raise InputError(found)
    if found is None:
        raise InputError(f"it holds no names of regions: {in_words(names, most=3)}")
    return found
