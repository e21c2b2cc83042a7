"""The user's own files from which a run's results are made: whose they are and what they hold.

Everything that the workflow reads from the user's disk is listed here. Any change (of a content, a
name, the table of people) changes the manifest's digest, on which every result depends.
"""

import functools
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..core.atomic_files import load_table, save_table
from ..core.checks import in_words
from ..core.errors import InputError
from ..core.file_digests import FileDigest, file_digests
from .abide import Release
from .images import files_beside
from .people import find_subjects, strangers
from .published import local_archive
from .regions import atlas_path

#: The role of files that are listed only by their names, since nothing in them is read.
NOT_READ = "not used"
NOTHING = FileDigest(0, "")
_COLUMNS = ("role", "subject", "path", "bytes", "sha256")


class OwnFile(NamedTuple):
    """A file that a source reads."""

    #: people, atlas, data, beside, archive, phenotypes or "not used".
    role: str
    #: The person whose file it is; "" for files of no one person.
    subject: str
    path: Path


@dataclass(frozen=True)
class Manifest:
    """The files of a source, in the order in which they are read.

    Attributes
    ----------
    table : pandas.DataFrame
        ``role, subject, path, bytes, sha256``, a row each. Paths are relative to the folder of the
        table of people (or of the release), so that a study can move as a whole.
    """

    table: pd.DataFrame

    @classmethod
    def of(cls, files, memory=None):
        """Return the manifest of files.

        Parameters
        ----------
        files : list of OwnFile
            What `own_files` returns.
        memory : str or pathlib.Path, optional
            Where digests of unchanged files are kept (see `file_digests`).

        Returns
        -------
        Manifest
            Without rows if there are no files.

        Raises
        ------
        InputError
            If a file cannot be read.
        """
        # The digest must not change when the whole study moves to another folder or machine.
        base = Path(os.path.abspath(files[0].path)).parent if files else None
        read = [one.path for one in files if one.role != NOT_READ]
        digests = dict(zip(read, file_digests(read, memory), strict=True))
        rows = [
            (one.role, one.subject, _seen_from(base, one.path), *digests.get(one.path, NOTHING))
            for one in files
        ]
        return cls(pd.DataFrame(rows, columns=list(_COLUMNS)))

    @property
    def digest(self):
        """16 hexadecimal digits that change with any of the files; "" without any."""
        return self._digest_of(self.table)

    def digest_of(self, subject, *roles):
        """Return the digest of one person's files, or of those with some roles."""
        own = self.table["subject"] == subject
        if roles:
            own &= self.table["role"].isin(roles)
        return self._digest_of(self.table[own])

    @staticmethod
    def _digest_of(table):
        if table.empty:
            return ""
        rows = list(table.itertuples(index=False, name=None))
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]

    def save(self, path):
        """Write it as a table."""
        save_table(self.table, path)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote."""
        table = load_table(path, _COLUMNS, dtype=dict.fromkeys(_COLUMNS, str))
        return cls(table.fillna("").astype({"bytes": int}))

    def changed_since(self, earlier):
        """Return the paths of the files that are not as in another manifest."""
        ours, theirs = (set(one.table.itertuples(index=False)) for one in (self, earlier))
        return sorted({row.path for row in ours ^ theirs})


def check_unchanged(path, name, source, memory=None, subjects=None):
    """Raise InputError if a source's files are no longer what its manifest says.

    A job calls it after reading them, so that no result comes from other files than it says.

    Parameters
    ----------
    path : str, pathlib.Path or None
        The manifest's file; None if the source reads no file of the user's.
    name, source, memory, subjects
        As for `own_files` and `Manifest.of`.
    """
    if not path:
        return
    known = Manifest.load(path)
    found = Manifest.of(own_files(name, source, subjects), memory)
    if found.digest != known.digest:
        raise InputError(changed_meanwhile(found.changed_since(known)))


def changed_meanwhile(paths):
    """Return the words for files that changed while a run was reading them."""
    which = in_words(paths, most=3) or "their order"
    return (
        f"your own files have changed since the run began ({which}): when nothing writes them "
        "any more, run the same command again"
    )


def own_files(name, source, subjects=None):
    """Return every file on the user's disk that a source of the config reads.

    Parameters
    ----------
    name : str
        The source's name: ``folder``, ``abide``, ``published`` or ``simulated``.
    source : dict
        Its part of the config.
    subjects : Subjects, optional
        What `find_subjects` has found for a folder; by default it is called.

    Returns
    -------
    list of OwnFile
        In a fixed order; empty if everything is fetched or simulated.

    Raises
    ------
    InputError
        If the people or one of their files cannot be found.
    """
    if name == "published":
        archive = local_archive(source)
        return [OwnFile("archive", "", archive)] if archive else []
    if name == "abide":
        release = Release.of(source)
        return [OwnFile(role, "", path) for role, path in release.local_files()]
    if name == "folder":
        return _files_of_folder(source, subjects or find_subjects(source))
    return []


def _files_of_folder(source, subjects):
    """Return the table of people, the atlas, all people's files and what is read with them."""
    files = [OwnFile("people", "", subjects.path)]
    atlas = atlas_path(source)
    if atlas is not None:
        files.append(OwnFile("atlas", "", atlas))
    images = source.get("kind") == "image"
    if images:
        files.append(OwnFile("atlas", "", Path(source["image"]["atlas"])))
    # Many images may be in one folder, which is listed once.
    listed = functools.cache(os.listdir)
    for name, own in subjects.runs.items():
        files += [OwnFile("data", name, path) for path in own]
        for image in own if images else ():
            beside = files_beside(image, listed(image.parent))
            files += [OwnFile("beside", name, path) for path in beside]
    known = [one.path for one in files]
    # A run warns about files of no one in the table, so a new one changes what the run says.
    files += [OwnFile(NOT_READ, "", path) for path in strangers(source, subjects, known)]
    return files


def _seen_from(base, path):
    """Return a path below a folder relative to it, and any other path as it is.

    Links are not followed: the file behind one may be named by its content.
    """
    path = Path(os.path.abspath(path))
    if path.is_relative_to(base):
        return path.relative_to(base).as_posix()
    return path.as_posix()
