"""Which files fit which of many patterns: each folder is listed once, for all of them.

`glob` looks through a whole folder for each pattern. With a pattern for each of 20,000 people who
all have their files in one folder, that takes minutes.
"""

import fnmatch
import functools
import glob
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

#: Signs in a pattern, in addition to those of `glob`: no digit, or no letter, may stand before this
#: place, or after it.
NO_DIGIT_BEFORE = "\ue000"
NO_LETTER_BEFORE = "\ue001"
NO_DIGIT_AFTER = "\ue002"
NO_LETTER_AFTER = "\ue003"
_AS_REGEX = str.maketrans(
    {
        NO_DIGIT_BEFORE: r"(?<!\d)",
        NO_LETTER_BEFORE: "(?<![A-Za-z])",
        NO_DIGIT_AFTER: r"(?!\d)",
        NO_LETTER_AFTER: "(?![A-Za-z])",
    }
)
_MARKS = "".join(map(chr, _AS_REGEX))
_NO_MARKS = str.maketrans("", "", _MARKS)
#: Names that no folder lists: the empty one after a final slash, the folder itself, its parent.
_NOT_LISTED = ("", ".", "..")
#: Stands for a text in a name while the rest of the name is compared.
_PLACE = "\ue004"
#: An escaped sign, which counts as a letter, or a sign with a meaning.
_SIGNS = re.compile(rf"(\[[*?[]\]|\[!?\]?[^\]]*\]|[*?{_MARKS}])")


def without_marks(pattern: str) -> str:
    """Return a pattern as `glob` takes it.

    >>> without_marks(f"sub-1{NO_DIGIT_AFTER}*")
    'sub-1*'
    """
    return pattern.translate(_NO_MARKS)


def that_fit(patterns: Sequence[str]) -> list[list[str]]:
    """Return the paths that fit each of some patterns, sorted.

    Parameters
    ----------
    patterns : sequence of str
        As for `glob.glob`; marks such as `NO_DIGIT_AFTER` may stand in them, too.

    Returns
    -------
    list of list of str
        For each pattern what `glob.glob` finds, as far as it agrees with the marks.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("s1.csv", "s10.csv"):
    ...     open(os.path.join(folder, name), "w").close()
    >>> one, all_of_them = that_fit([f"{folder}/s1{NO_DIGIT_AFTER}*", f"{folder}/*.csv"])
    >>> [os.path.basename(path) for path in one], len(all_of_them)
    (['s1.csv'], 2)
    """
    parts = [os.path.split(pattern) for pattern in patterns]
    folders = list(dict.fromkeys(folder for folder, _ in parts))
    found = dict(zip(folders, _folders(folders), strict=True))
    # The names that are asked for in each folder.
    names = defaultdict(list)
    for folder, name in parts:
        names[folder].append(name)
    fitting: dict = {}
    for folder, asked in names.items():
        asked = list(dict.fromkeys(asked))
        fit = _in_folders(found[folder], asked)
        fitting |= {(folder, name): own for name, own in zip(asked, fit, strict=True)}
    return [fitting[part] for part in parts]


def _folders(patterns):
    """Return the folders that fit each of some patterns."""
    signed = [one for one in patterns if _has_signs(one)]
    found = dict(zip(signed, that_fit(signed), strict=True)) if signed else {}
    return [
        [path for path in found.get(one, [one]) if os.path.isdir(path or ".")] for one in patterns
    ]


def _has_signs(pattern):
    return glob.has_magic(pattern) or any(mark in pattern for mark in _MARKS)


def _in_folders(folders, patterns):
    """Return the paths in some folders whose names fit each of some patterns."""
    files = sorted((folder, name) for folder in folders for name in _names_in(folder))
    # 1. Each pattern gets the rarest of its literal texts, usually the person's own name.
    asked = _named(patterns)
    # 2. One pass over all names finds which of these texts they hold, and where.
    holding = _holding([name for _, name in files], {one.text for one in asked})
    fitting = []
    for pattern, one in zip(patterns, asked, strict=True):
        if pattern in _NOT_LISTED:
            fitting.append([os.path.join(folder, pattern) for folder in folders])
            continue
        # 3. Only those few names are compared with the rest of the pattern.
        hidden = pattern.startswith(".")
        fit = {}
        for number, start in holding[one.text]:
            folder, name = files[number]
            around = name[:start] + _PLACE + name[start + len(one.text) :]
            if (hidden or name[0] != ".") and _regex(one.around).match(around):
                fit[os.path.join(folder, name)] = None
        fitting.append(list(fit))
    return fitting


def _names_in(folder):
    """Return the names in a folder; none, as `glob` does, if it cannot be read."""
    try:
        return os.listdir(folder or ".")
    except OSError:
        return []


class _Named(NamedTuple):
    """The pattern of a name, taken apart."""

    #: A text that all fitting names hold.
    text: str
    #: The pattern with `_PLACE` instead of this text.
    around: str


def _named(patterns):
    """Return patterns of names as `_Named`, each with its text that is in the fewest others."""
    pieces = [_pieces(pattern) for pattern in patterns]
    count = Counter(text for one in pieces for text in {text for text, _ in one if text})
    found = []
    for one in pieces:
        texts = [text for text, _ in one if text]
        rarest = min(texts, key=lambda text: (count[text], -len(text)), default="")
        place = next((k for k, (text, _) in enumerate(one) if text == rarest), 0)
        around = [glob.escape(text) or sign for text, sign in one]
        if rarest:
            around[place] = _PLACE
        else:
            # No text is common to all names. The empty text is, at their beginning.
            around.insert(0, _PLACE)
        found.append(_Named(rarest, "".join(around)))
    return found


def _pieces(pattern):
    """Return ``(text, "")`` for literal parts of a pattern and ``("", sign)`` for its signs."""
    pieces = []
    text = ""
    for number, piece in enumerate(_SIGNS.split(pattern)):
        escaped = re.fullmatch(r"\[([*?[])\]", piece)
        if number % 2 == 0:
            text += piece
        elif escaped:
            text += escaped[1]
        else:
            pieces += [(text, ""), ("", piece)]
            text = ""
    pieces.append((text, ""))
    return [piece for piece in pieces if piece != ("", "")]


def _holding(names, texts):
    """Return ``{text: [(number of a name that holds it, where it begins)]}``."""
    lengths = sorted({len(text) for text in texts})
    found = defaultdict(list)
    for number, name in enumerate(names):
        for length in lengths:
            last = len(name) - length if length else 0
            for start in range(last + 1):
                if (text := name[start : start + length]) in texts:
                    found[text].append((number, start))
    return found


@functools.lru_cache(maxsize=4096)
def _regex(pattern):
    return re.compile(fnmatch.translate(pattern).translate(_AS_REGEX))
