"""Reading and writing files so that neither a half-written nor a changed one is taken for a result.

Everything is written to a temporary file next to its target and renamed. Array files and JSON hold
a SHA-256 of their content; that of a table, which stays plain, is in a hidden file next to it, as
``sha256sum`` writes it. It is checked when a later job reads the file.
"""

import contextlib
import errno
import glob
import hashlib
import json
import os
import zipfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from .errors import InputError

#: Texts that pandas takes for a missing entry; it has no public name for them.
NOT_KNOWN = frozenset(
    "#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL,NaN,None,n/a,nan,"
    "null,".split(",")
)
#: A full disk, or a full quota.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: Columns of names in the tables of all stages.
TEXTS = ("subject", "group", "site", "person", "cohort", "name")
WAY_OUT = "delete it and run the same command again: it will be recreated"
#: The last line of a JSON file's object, and the length of the digest that ends an array file.
_LAST_KEY = ',\n "sha256": "%s"\n}\n'
_DIGITS = 64


def _changed(path, why="it is not what was written"):
    """Return the one error for files that were cut, edited or damaged."""
    return InputError(f"{path} is damaged or was edited ({why}): {WAY_OUT}")


def _beside(path):
    """Return the path of the digest of a file that cannot hold its own."""
    return Path(path).with_name(f".{Path(path).name}.sha256")


def _line(path, name):
    """Return what `sha256sum` prints for a file called `name`."""
    with open(path, "rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n"


def check_sealed(path):
    """Raise InputError if a file is missing or was changed; one without a digest passes."""
    beside = _beside(path)
    path = _existing(path)
    if beside.exists() and beside.read_bytes() != _line(path, path.name).encode():
        raise _changed(path)


def _existing(path):
    if not Path(path).exists():
        raise InputError(f"{path} does not exist")
    return Path(path)


@contextlib.contextmanager
def written_whole(path, sealed=False):
    """Give a temporary path next to `path` and rename it to `path` at the end.

    The contents reach the disk before the name does, so a file that exists is whole even after a
    power cut. `sealed`: keep a digest next to it, for `check_sealed`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield beside
        _to_disk(beside)
        # From here on an old digest would belong to other bytes: a stop between the two renames
        # must not leave a new file with the digest of the old one.
        _beside(path).unlink(missing_ok=True)
        line = None
        if sealed:
            line = _line(beside, path.name)
        os.replace(beside, path)
        _to_disk(path.parent)
        if line:
            save_text(_beside(path), line)
    except OSError as error:
        # The one system error that users can mend themselves. The temporary file goes in any case.
        if error.errno in FULL:
            raise InputError(
                f"no space left on the disk while writing {path}: free some and run "
                "the same command again; what is finished is kept"
            ) from error
        raise
    finally:
        beside.unlink(missing_ok=True)


def check_writable(folder, way_out):
    """Raise InputError unless files can be written in a folder, which need not be there yet.

    `way_out`: what to do instead; it ends the message.
    """
    folder = Path(folder).absolute()
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise InputError(f"{there} is a file, and a folder is needed there: {way_out}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"nothing can be written in the folder {there}: {way_out}")


def _to_disk(path):
    """Wait until a file's contents, or a folder's names, are on the disk."""
    flags = os.O_RDONLY
    if os.name == "nt":
        # Windows opens no folders, and lets only those wait who may write.
        if path.is_dir():
            return
        flags = os.O_RDWR
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot wait for a folder and answer EINVAL.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def remove_remains(path):
    """Remove what writers of `path` that were killed have left next to it."""
    for one in (Path(path), _beside(path)):
        for remains in one.parent.glob(f".{glob.escape(one.stem)}.*.part{one.suffix}"):
            remains.unlink(missing_ok=True)


def save_text(path, text, sealed=False):
    """Write `text` (UTF-8, Unix line ends) to `path` as a whole or not at all."""
    with written_whole(path, sealed) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def save_npz(path, *, compressed=True, **arrays):
    """Write named arrays to an ``.npz`` file, the same bytes for the same arrays.

    `compressed`: False for weights and series, which hardly get smaller and take long to compress.
    """
    if compressed:
        kind = zipfile.ZIP_DEFLATED
    else:
        kind = zipfile.ZIP_STORED
    # As NumPy does it, but at another level: level 6 takes eight times as long and saves a third.
    with written_whole(path) as beside:
        with zipfile.ZipFile(beside, "w", kind, compresslevel=1) as file:
            # Room for the digest of everything before it, written below when that is known.
            file.comment = bytes(_DIGITS)
            for name, array in arrays.items():
                with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.save(member, array, allow_pickle=False)
        with open(beside, "r+b") as file:
            file.write(_digest_before_the_end(file))


def _digest_before_the_end(file):
    """Return the digest of all but the last bytes of an open file, and stop just before them."""
    left = os.fstat(file.fileno()).st_size - _DIGITS
    digest = hashlib.sha256()
    file.seek(0)
    while left > 0:
        part = file.read(min(left, 1 << 20))
        left -= len(part)
        digest.update(part)
    file.seek(-_DIGITS, os.SEEK_END)
    return digest.hexdigest().encode()


def load_npz(path, *names, optional=()):
    """Read what `save_npz` wrote: the arrays that are named, which must be there, or all."""
    path = _existing(path)
    with open(path, "rb") as file:
        whole = path.stat().st_size > _DIGITS and _digest_before_the_end(file) == file.read()
    if not whole:
        raise _changed(path)
    with np.load(path, allow_pickle=False) as archive:
        missing = sorted(set(names) - set(archive.files))
        if missing:
            raise _changed(path, f"it lacks {', '.join(missing)}")
        there = [name for name in optional if name in archive.files]
        return {name: archive[name] for name in [*names, *there] or archive.files}


@dataclass(frozen=True)
class ArrayFile:
    """Base of data classes that are one ``.npz`` file. A field that is None is not written."""

    # Fields that the file may lack.
    optional: ClassVar[tuple] = ()
    compressed: ClassVar[bool] = True

    def to_write(self):
        """Return what `save` writes: name -> array."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def save(self, path):
        """Write to an ``.npz`` file."""
        arrays = {name: value for name, value in self.to_write().items() if value is not None}
        save_npz(path, compressed=self.compressed, **arrays)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote (see `load_npz`)."""
        needed = [field.name for field in fields(cls) if field.name not in cls.optional]
        return cls(**load_npz(path, *needed, optional=cls.optional))


def in_single(values):
    """Return numbers in single precision if that changes none of them, else as they are."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if np.array_equal(single, values):
        return single
    return values


def save_json(path, value):
    """Write a dict as indented JSON (UTF-8, keys in their own order, no NaN), its digest last."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    # Cut the line of the closing brace, which comes back after the digest.
    body = text[:-2]
    save_text(path, body + _LAST_KEY % hashlib.sha256(body.encode()).hexdigest())


def load_json(path):
    """Read what `save_json` wrote, without the digest."""
    content = _existing(path).read_bytes()
    body = content[: -len(_LAST_KEY % ("0" * _DIGITS))]
    if content != body + (_LAST_KEY % hashlib.sha256(body).hexdigest()).encode():
        raise _changed(path)
    return json.loads(body + b"}")


def save_table(table, path):
    """Write a data frame as CSV, or TSV: floats as the shortest text that reads as the same."""
    text = table.to_csv(index=False, sep=_separator(path), lineterminator="\n")
    save_text(path, text, sealed=True)


def load_table(path, columns=(), **options):
    """Read what `save_table` wrote, with at least some columns: names (`TEXTS`) as they stand."""
    check_sealed(path)
    try:
        table = read_named(path, TEXTS, sep=_separator(path), **options)
    except (ValueError, UnicodeDecodeError) as error:
        raise _changed(path, error) from error
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise _changed(path, f"it lacks the column {', '.join(missing)}")
    return table


def read_named(path, texts, missing=(), **options):
    """Read a CSV. Names stay as they are written; only an empty name is missing.

    pandas would take a site NA for missing, and a subject 001 for a number. `missing`: what is
    missing in the other columns, in addition to pandas' own; `options`: for `pandas.read_csv`.
    """
    header = {name: options[name] for name in ("sep", "encoding") if name in options}
    columns = pd.read_csv(path, nrows=0, **header).columns
    names = {name for name in columns if name in texts}
    gaps = dict.fromkeys(columns, [*sorted(NOT_KNOWN), *missing]) | dict.fromkeys(names, [""])
    return pd.read_csv(
        path,
        keep_default_na=False,
        na_values=gaps,
        dtype=dict.fromkeys(names, str) | options.pop("dtype", {}),
        **options,
    )


def _separator(path):
    if str(path).endswith(".tsv"):
        return "\t"
    return ","
