"""Warnings about the user's data: kept in a record beside a job's log, listed on the page."""

from pathlib import Path


def note_warning(path, text):
    """Append one warning to a record.

    Parameters
    ----------
    path : str or pathlib.Path
        The record, one warning per line.
    text : str
        Line breaks become spaces.
    """
    # One short write in append mode: processes that share a record do not mix their lines.
    with open(path, "a", encoding="utf-8", newline="\n") as file:
        file.write(" ".join(str(text).split()) + "\n")


def load_warnings(paths):
    """Return the warnings of several jobs, each once.

    Parameters
    ----------
    paths : iterable of str or pathlib.Path
        The records; a job that did not warn has none.

    Returns
    -------
    list of str
        In the order of `paths`, and sorted within a job, since processes that share one
        write in any order.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> note_warning(folder / "b.warnings", "site B has few people")
    >>> note_warning(folder / "a.warnings", "2 series are short")
    >>> load_warnings([folder / "a.warnings", folder / "b.warnings", folder / "c.warnings"])
    ['2 series are short', 'site B has few people']
    """
    found = {}
    for path in map(Path, paths):
        if path.is_file():
            found |= dict.fromkeys(sorted(path.read_text(encoding="utf-8").splitlines()))
    return list(found)
