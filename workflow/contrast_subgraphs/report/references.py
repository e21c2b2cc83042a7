"""The references of a text: marks in it, a list of references, and BibTeX.

Marks are those of pandoc, ``[@key]`` or ``[@key; @other]``. The keys are those of
``references.yaml``, the only place with the entries.
"""

import functools
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from ..core.errors import InputError
from ..core.extras import optional

#: A mark in a text.
_MARK = re.compile(r"\[(@\w+(?:; @\w+)*)\]")
#: Keys of an entry that are not BibTeX's.
_OWN = ("type", "short")
#: Characters with another meaning in LaTeX.
_LATEX = {sign: "\\" + sign for sign in "&%$#_"}


@functools.cache
def references() -> dict[str, dict[str, Any]]:
    """Return all entries: key -> BibTeX fields, ``type``, and ``short`` for use in the text.

    Returns
    -------
    dict
        In the order of the file.

    Examples
    --------
    >>> references()["lanciano2020"]["short"]
    'Lanciano et al., 2020'
    """
    text = (files(__package__) / "references.yaml").read_text(encoding="utf-8")
    return optional("yaml", "workflow").safe_load(text)


def cited(text: str) -> list[str]:
    """Return the keys that a text cites, each once, in the order of the list of references.

    Parameters
    ----------
    text : str
        With marks such as ``[@holm1979]``.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If a key has no entry.

    Examples
    --------
    >>> cited("Corrected [@holm1979], tested [@zalesky2010; @holm1979].")
    ['holm1979', 'zalesky2010']
    """
    found = set()
    for mark in _MARK.findall(text):
        found |= {key.removeprefix("@") for key in mark.split("; ")}
    unknown = sorted(found - references().keys())
    if unknown:
        raise InputError(f"there is no reference {unknown[0]}")
    return [key for key in references() if key in found]


def with_names(text: str) -> str:
    """Return a text with authors and years in place of the marks.

    Examples
    --------
    >>> with_names("Corrected [@holm1979; @lanciano2020].")
    'Corrected (Holm, 1979; Lanciano et al., 2020).'
    """

    def named(mark):
        keys = [key.removeprefix("@") for key in mark[1].split("; ")]
        return f"({'; '.join(references()[key]['short'] for key in keys)})"

    cited(text)
    return _MARK.sub(named, text)


def reference_list(keys: Iterable[str], version: str = "") -> list[str]:
    """Return references for readers, one text each.

    Parameters
    ----------
    keys : iterable of str
    version : str
        Of this software, for its own entry.

    Examples
    --------
    >>> reference_list(["holm1979"])[0][:58]
    'Holm, Sture. A Simple Sequentially Rejective Multiple Test'
    """
    return [_in_words(_entry(key, version)) for key in keys]


def bibtex(keys: Iterable[str], version: str = "") -> str:
    """Return references as BibTeX.

    Parameters
    ----------
    keys : iterable of str
    version : str
        Of this software, for its own entry.

    Examples
    --------
    >>> print(bibtex(["holm1979"]).splitlines()[0])
    @article{holm1979,
    """
    entries = []
    for key in keys:
        entry = _entry(key, version)
        lines = [f"@{entry['type']}{{{key},"]
        for name, value in entry.items():
            if name not in _OWN:
                lines.append(f"  {name} = {{{_escaped(name, str(value))}}},")
        entries.append("\n".join([*lines, "}", ""]))
    return "\n".join(entries)


def _entry(key, version):
    entry = references()[key]
    if key == "contrastsubgraphs" and version:
        return entry | {"version": version}
    return entry


def _escaped(name, value):
    """Return a field's value, escaped except in DOIs and authors."""
    if name in ("doi", "author"):
        return value
    return "".join(_LATEX.get(sign, sign) for sign in value)


def _in_words(entry):
    """Return authors, title, place of publication, year and DOI of an entry."""
    authors = entry["author"].strip("{}").split(" and ")
    if authors[-1] == "others":
        authors[-1] = "et al"
    printed = [entry.get(name, "") for name in ("journal", "booktitle", "howpublished")]
    place = " ".join(filter(None, [*printed, entry.get("publisher", "")]))
    volume = str(entry.get("volume", ""))
    if volume and "number" in entry:
        volume = f"{volume}({entry['number']})"
    pages = str(entry.get("pages", "")).replace("--", "\N{EN DASH}")
    where = ":".join(filter(None, [volume, pages]))
    version = ""
    if "version" in entry:
        version = f"version {entry['version']}"
    year = str(entry.get("year", ""))
    rest = ", ".join(filter(None, [" ".join(filter(None, [place, where])), version, year]))
    doi = ""
    if "doi" in entry:
        doi = f"doi:{entry['doi']}"
    ended = filter(None, ["; ".join(authors), entry["title"], rest])
    said = ". ".join(one.removesuffix(".") for one in ended)
    return " ".join(filter(None, [f"{said}.", doi]))
