"""Names of regions that one text lists: in an array, an attribute or a comment."""

import csv
import json
import re

#: What arrays of the regions' names are called; capitals, signs and a final s do not count.
_OF_REGIONS = frozenset(
    (
        *("name", "label", "roi", "region", "node", "parcel", "area", "channel", "column"),
        *("roiname", "regionname", "nodename", "parcelname", "areaname", "channelname", "chname"),
        *("roilabel", "regionlabel", "nodelabel", "parcellabel", "atlaslabel", "labelname"),
        *("columnname", "columnlabel", "colname", "variablename", "brainregion", "brainarea"),
    )
)
#: What may stand around such a word: ``names of the regions``, ``order of regions``, ``ROI list``.
_AROUND = re.compile("^(list|order|name|label)s?of(the|all)?|(list|order|ing)$")
#: What stands between names that are written as one text, the surest sign first.
_BETWEEN = "\t;|,"
#: The marks of a comment, and something that is given a name: ``# regions: V1, M1``.
_COMMENT = re.compile(
    r'[\s"]*(?P<mark>[#%;!]|//)?[\s#%;/!]*(?P<name>[^\W\d][\w -]*?)\s*[:=](?P<text>.*)'
)
#: A comment that names one region, or column, by its number: ``# 1: V1``, ``# Column 1: V1``.
_NUMBERED = re.compile(
    r'[\s"]*[#%]\s*(?P<word>[^\W\d]*)\s*(?P<number>\d+)\s*[:=.)-]\s*(?P<name>[^\s"].*?)[",;\s]*'
)
#: Fewer fields with a sign between them, or with only spaces, may be prose.
_FEWEST = 3
_FEWEST_WORDS = 20


def bare(name):
    """Return the last part of an array's path without signs, capitals and the plural's s."""
    last = re.split(r"[/.]", name)[-1]
    return re.sub(r"[\W_]+", "", last).lower().removesuffix("s")


def is_of_regions(word):
    """Return whether what is called so (`bare`) holds the names of regions."""
    return word in _OF_REGIONS or _AROUND.sub("", word).removesuffix("s") in _OF_REGIONS


def listed(text: str) -> list[str] | None:
    """Return the names that one text lists: a list of JSON, or names with signs between them.

    None if it does not look like a list, as a title does not.

    >>> listed('["V1", "M1"]'), listed("V1; M1"), listed("AAL")
    (['V1', 'M1'], ['V1', 'M1'], None)
    """
    text = text.strip()
    if text.startswith("{"):
        # Whether the keys are the names, or the values, is not known: one text, which never fits.
        return [text]
    if text.startswith(("[", "(")):
        try:
            return list(map(str, json.loads(text)))
        except ValueError:
            # Python shows a list with single quotes, and NumPy an array without commas.
            found = re.findall(r"'([^']*)'|([^\s,'()\[\]]+)", text)
            return [quoted or plain for quoted, plain in found]
    for sign in _BETWEEN:
        if sign in text.strip(sign):
            [names] = csv.reader([text.strip(sign)], delimiter=sign, skipinitialspace=True)
            return [name.strip() for name in names]
    return None


def names_in_text(name, text, counts):
    """Return the names of regions that one text lists; None if it is something else.

    `name`: what the text is called; `counts`: how many regions there may be. Names with nothing but
    spaces between them, or under a singular, are a list only if there are so many of them: titles
    have spaces and commas, too.
    """
    text = text.replace("\n", "\t").strip().rstrip(",;")
    plural = name.lower().rstrip().endswith(("s", "list", "order"))
    names = listed(text)
    if names is not None and (text.startswith(("[", "{", "(")) or plural or len(names) in counts):
        return names
    names = text.split()
    if len(names) in counts and plural:
        return names
    return None


def names_in_comments(lines):
    """Return lines without those that list names of regions, and these as ``[(name, text)]``.

    Such a line is ``# regions: V1, M1`` or AFNI's ``#  ColumnLabels = "V1 ; M1"``; the list may
    also stand in the comments below it, or each name with its number. Comments with several fields
    may list names too: they have the name "", and stay among the lines.
    """
    found = []
    rest = []
    numbered = []
    below = None
    for line in lines:
        said = _COMMENT.fullmatch(line)
        one = _NUMBERED.fullmatch(line)
        marked = line.lstrip(' "').startswith(("#", "%"))
        if said and is_of_regions(bare(said["name"])) and (said["mark"] or not rest):
            below = None
            text = said["text"].replace('"', "").strip(" ,;")
            found.append((said["name"], text))
            if not text:
                below = []
        elif below is not None and marked:
            below.append(line.strip(' "#%-'))
            found[-1] = (found[-1][0], "\t".join(one for one in below if one))
        else:
            below = None
            rest.append(line)
            if one:
                numbered.append(one)
            elif marked:
                found += [("", "\t".join(fields)) for fields in _fields(line)]
    found += _by_number(numbered)
    return rest, tuple((name, text) for name, text in found if text)


def _fields(line):
    """Yield the fields of a comment that may be names: with signs between them, or many words."""
    text = line.strip(' "#%')
    fields = listed(text)
    fewest = _FEWEST
    if fields is None:
        fields = text.split()
        fewest = _FEWEST_WORDS
    choices = [fields]
    # The first field may say what the others are.
    if fields and is_of_regions(bare(fields[0])):
        choices.append(fields[1:])
    for names in choices:
        if len(names) >= fewest and not any(re.fullmatch(r"[\d.,+-]*", one) for one in names):
            yield names


def _by_number(numbered):
    """Return the names in comments that number them, if they count, as ``[(word, text)]``."""
    numbers = [int(one["number"]) for one in numbered]
    if len(numbers) < _FEWEST or numbers not in (
        list(range(first, first + len(numbers))) for first in (0, 1)
    ):
        return []
    word = numbered[0]["word"]
    called = ""
    # Points of a text have numbers, too: only those of regions or columns must fit.
    if is_of_regions(bare(word)):
        called = f"{word}s"
    return [(called, "\t".join(one["name"] for one in numbered))]
