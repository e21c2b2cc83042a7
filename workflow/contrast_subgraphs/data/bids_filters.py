"""How users name files of a BIDS dataset: labels, and the filter files of BIDS Apps."""

import json
from pathlib import Path

from ..core.checks import did_you_mean, in_words
from ..core.errors import InputError
from .bids import NONE

#: What PyBIDS, and with it filter files, call the entities of names.
LONG_NAMES = {
    "subject": "sub",
    "session": "ses",
    "acquisition": "acq",
    "ceagent": "ce",
    "reconstruction": "rec",
    "direction": "dir",
    "hemisphere": "hemi",
    "resolution": "res",
    "density": "den",
    "segmentation": "atlas",
    "parcellation": "atlas",
    "seg": "atlas",
    "description": "desc",
    "statistic": "stat",
    "measure": "meas",
}
#: Keys of a filter that do not choose among files of one kind.
_OF_ALL = ("datatype", "extension", "suffix")
#: Queries in filter files for other software, about files that are not read here.
_OF_OTHERS = ("fmap", "sbref", "flair", "t1w", "t2w", "roi", "xfm", "anat", "mask", "boldref")


def without_prefix(value, *entities):
    """Return a label without the entity that it may begin with.

    Parameters
    ----------
    value : str
        Such as ``sub-01`` or ``01``.
    *entities : str
        Such as ``sub``.

    Returns
    -------
    str
        The label alone.

    Examples
    --------
    >>> without_prefix("sub-01", "sub"), without_prefix("01", "sub")
    ('01', '01')
    """
    for entity in entities:
        value = value.removeprefix(f"{entity}-")
    return value


def read_filters(path):
    """Read the filter file of a BIDS App.

    Parameters
    ----------
    path : str or Path
        A JSON object with one object for each query, such as ``{"bold": {"session": "1"}}``. All
        queries about files that this software reads must agree.

    Returns
    -------
    dict
        From each entity, as in the names of files, to its value; ``none`` for files without it.

    Raises
    ------
    InputError
        If the file cannot be read, or asks for something that cannot be chosen.
    """
    try:
        queries = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if not isinstance(queries, dict) or not all(isinstance(q, dict) for q in queries.values()):
        raise InputError(f'{path} must hold an object of objects, like {{"bold": {{"task": "a"}}}}')
    found: dict = {}
    for query, filters in queries.items():
        if query.lower() in _OF_OTHERS:
            continue
        for key, value in filters.items():
            if key in _OF_ALL:
                raise InputError(f"{path}: {query}.{key} cannot be chosen here; leave it out")
            name = LONG_NAMES.get(key, key)
            value = _one_value(path, f"{query}.{key}", value)
            if found.setdefault(name, value) != value:
                raise InputError(f"{path}: {key} is {found[name]} and {value}: say it once")
    return found


def _one_value(path, place, value):
    """Return the value of a filter as it stands in the names of files."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or value == "Query.NONE":
        return NONE
    if isinstance(value, bool) or not isinstance(value, str | int) or value in ("*", "Query.ANY"):
        raise InputError(f"{path}: {place} must be one label, or null for none, not {value!r}")
    return str(value)


def one_label(option, values):
    """Return the one value of an option of BIDS Apps that may have several.

    Parameters
    ----------
    option : str
        Its name, for the error.
    values : sequence of str
        What was given.

    Returns
    -------
    str or None
        The value; None if none was given.

    Raises
    ------
    InputError
        If there are several.
    """
    if len(set(values)) > 1:
        raise InputError(
            f"{option}: {in_words(values)} cannot be compared as one: run each by itself, with an "
            "output folder of its own"
        )
    return next(iter(values), None)


def check_dataset(folder):
    """Raise InputError unless a folder describes itself as a BIDS dataset.

    Parameters
    ----------
    folder : str or Path
        The top of the dataset.

    Raises
    ------
    InputError
        If there is no ``dataset_description.json``, or it says too little.
    """
    path = Path(folder, "dataset_description.json")
    skip = "(--skip-bids-validation takes it as it is)"
    if not path.is_file():
        raise InputError(f"{folder} is not a BIDS dataset: it has no {path.name} {skip}")
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error} {skip}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} must hold an object {skip}")
    for key in ("Name", "BIDSVersion"):
        if not content.get(key):
            raise InputError(f"{path} has no {key}{did_you_mean(key, content)} {skip}")
