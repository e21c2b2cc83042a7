"""SHA-256 of files that are not ours, remembered for as long as the files stay as they are.

A file is taken for unchanged as git takes it: if its size, its times of change and its number on
the disk (inode) are those of when it was read. The time of the last change of its metadata
(``st_ctime``) cannot be set by a program, and a file that is moved to another's place brings its
own number along. So both ``cp -p`` and a swap of two folders are noticed.
"""

import contextlib
import hashlib
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .atomic_files import save_text
from .errors import InputError
from .processes import progress

#: The clocks of some file systems tick every two seconds (FAT). A file that changed less than that
#: before it was read may have changed again at what is still the same time.
_TICK_NS = 2_000_000_000
#: Files read at the same time; hashing leaves Python's lock.
_READERS = min(4, os.cpu_count() or 1)


class FileDigest(NamedTuple):
    """What a file holds: its size and the SHA-256 of its content."""

    bytes: int
    sha256: str


def file_digests(paths, memory=None):
    """Return the digests of files, in their order.

    Parameters
    ----------
    paths : iterable of str or pathlib.Path
        The files.
    memory : str or pathlib.Path, optional
        A JSON file in which digests are kept: files that it knows, and that have not changed
        since, are not read again. Without it all are read.

    Returns
    -------
    list of FileDigest
        ``bytes`` and ``sha256`` of each file.

    Raises
    ------
    InputError
        If a file is not there or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_bytes(b"1,2")
    ...     file_digests([path])[0].bytes
    3
    """
    paths = [os.path.abspath(path) for path in paths]
    known = _remembered(memory)
    states = {path: _state(path) for path in paths}
    unread = [path for path, state in states.items() if not _unchanged(known.get(path), state)]
    began = time.time_ns()
    with ThreadPoolExecutor(_READERS) as readers:
        read = readers.map(_sha256, unread)
        for path, sha256 in zip(unread, progress(read, "hashing", len(unread)), strict=True):
            known[path] = [*states[path], sha256, began]
    if memory is not None and unread:
        # Where nothing can be written the files are read again the next time.
        with contextlib.suppress(OSError, InputError):
            save_text(memory, json.dumps(known))
    return [FileDigest(states[path][0], known[path][-2]) for path in paths]


def _state(path):
    """Return what tells a file from an earlier state of it: size, times, number on the disk."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _unchanged(entry, state):
    """Say whether a file is as it was when it was read, and was not being written at that time."""
    if entry is None:
        return False
    *known, _, read_at = entry
    last_change = max(state[1], state[2])
    return known == state and last_change + _TICK_NS < read_at


def _sha256(path):
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _remembered(memory):
    """Return what is kept of earlier digests: nothing where the file cannot be used."""
    if memory is None:
        return {}
    try:
        known = json.loads(Path(memory).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(known, dict) and all(
        isinstance(entry, list) and len(entry) == 6 for entry in known.values()
    )
    if whole:
        return known
    return {}
