"""Reading and writing files so that a half-written one is never taken for a result.

Everything is written to a temporary file beside its target and renamed. Everything read
is checked; the error names the damaged file and says what to do.
"""

import contextlib
import errno
import glob
import json
import os
import zipfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from pandas._libs.parsers import STR_NA_VALUES

from .errors import InputError

#: A full disk, or a full quota.
FULL = (errno.ENOSPC, errno.EDQUOT)
#: Columns of names in the tables of all stages.
TEXTS = ("subject", "group", "site", "cohort", "name")
WAY_OUT = "delete it and run the same command again: it will be recreated"


@contextlib.contextmanager
def written_whole(path):
    """Give a temporary path beside `path` and rename it to `path` at the end.

    Parameters
    ----------
    path : str or pathlib.Path
        Where the finished file is to be. Its folder is created.

    Yields
    ------
    pathlib.Path
        Where to write, with the same suffix. If the block fails the file is removed.

    Notes
    -----
    The contents are on the disk before the name is, and the name before this returns: a
    file that is there is whole after a power cut too.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield beside
        _to_disk(beside)
        os.replace(beside, path)
        _to_disk(path.parent)
    except OSError as error:
        if error.errno in FULL:
            raise InputError(
                f"no space left on the disk while writing {path}: free some and run "
                "the same command again; what is finished is kept"
            ) from error
        raise
    finally:
        beside.unlink(missing_ok=True)


def _to_disk(path):
    """Wait until a file's contents, or a folder's names, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # file systems that know no such thing
            raise
    finally:
        os.close(descriptor)


def remove_remains(path):
    """Remove what writers of `path` that were killed have left beside it."""
    path = Path(path)
    for remains in path.parent.glob(f".{glob.escape(path.stem)}.*.part{path.suffix}"):
        remains.unlink(missing_ok=True)


def save_text(path, text):
    """Write `text` (UTF-8, Unix line ends) to `path` as a whole or not at all."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def save_npz(path, *, compressed=True, **arrays):
    """Write named arrays, the same bytes for the same arrays.

    Parameters
    ----------
    path : str or pathlib.Path
        The ``.npz`` file.
    compressed : bool
        Weights and series hardly get smaller, and take long.
    **arrays : array_like
        Numbers, booleans or strings; objects are refused since nothing is pickled.
    """
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects and cannot be saved")
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    # numpy's own way, but for the level: its 6 takes eight times as long for a third less.
    with written_whole(path) as beside, zipfile.ZipFile(beside, "w", kind, compresslevel=1) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load_npz(path, *names, optional=()):
    """Read arrays from an ``.npz`` file that one of the earlier stages wrote.

    Parameters
    ----------
    path : str or pathlib.Path
    *names : str
        The arrays that must be there; all of the file's if none are named.
    optional : sequence of str
        Arrays that are read if they are there.

    Returns
    -------
    dict of numpy.ndarray

    Raises
    ------
    InputError
        If the file is missing, cut or otherwise damaged, or lacks an array.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist")
    try:
        with np.load(path, allow_pickle=False) as archive:
            missing = sorted(set(names) - set(archive.files))
            if missing:
                raise InputError(f"{path} lacks {', '.join(missing)}: {WAY_OUT}")
            there = [name for name in optional if name in archive.files]
            return {name: archive[name] for name in [*names, *there] or archive.files}
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path} is damaged ({error}): {WAY_OUT}") from error


@dataclass(frozen=True)
class ArrayFile:
    """Arrays that belong together and make one ``.npz`` file: base of the data classes below it.

    A field named in `optional` may be missing from the file; one that is None is not written.
    """

    optional: ClassVar[tuple] = ()
    compressed: ClassVar[bool] = True

    def check(self):
        """Return whether the arrays fit together; may raise an `InputError` that says more."""
        raise NotImplementedError

    def to_write(self):
        """Return what `save` writes: name -> array."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def save(self, path):
        """Write to an ``.npz`` file."""
        arrays = {name: value for name, value in self.to_write().items() if value is not None}
        save_npz(path, compressed=self.compressed, **arrays)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote, checked.

        Raises
        ------
        InputError
            If the file is missing or damaged, or its arrays do not fit together.
        """
        needed = [field.name for field in fields(cls) if field.name not in cls.optional]
        loaded = cls(**load_npz(path, *needed, optional=cls.optional))
        try:
            if not loaded.check():
                raise InputError("its arrays do not fit together")
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        return loaded


def in_single(values):
    """Return numbers in single precision if that changes none of them, else as they are."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    return single if np.array_equal(single, values) else values


def save_json(path, value):
    """Write `value` as indented JSON (UTF-8, keys in their own order, no NaN)."""
    save_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def load_json(path):
    """Read a JSON file that one of the earlier stages wrote.

    Raises
    ------
    InputError
        If the file is missing or damaged.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is damaged ({error}): {WAY_OUT}") from error


def save_table(table, path):
    """Write a data frame as CSV, or as TSV if `path` ends in ``.tsv``.

    Floats are written with the shortest text that reads back as the same number.
    """
    text = table.to_csv(index=False, sep=_separator(path), lineterminator="\n")
    save_text(path, text)


def load_table(path, columns=(), **options):
    """Read a CSV or TSV that one of the earlier stages wrote.

    Parameters
    ----------
    path : str or pathlib.Path
    columns : iterable of str
        The columns that must be there.
    **options
        For `pandas.read_csv`. Names (`TEXTS`) are read as they are written: a subject 001 or
        a site NA stays what it is.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    InputError
        If the file is missing, empty, no table, or lacks a column.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist")
    try:
        table = read_named(path, TEXTS, sep=_separator(path), **options)
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is damaged ({error}): {WAY_OUT}") from error
    if not path.read_bytes().endswith(b"\n"):
        raise InputError(f"{path} is damaged (its last line is cut): {WAY_OUT}")
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise InputError(f"{path} lacks the column {', '.join(missing)}: {WAY_OUT}")
    return table


def read_named(path, texts, missing=(), **options):
    """Read a CSV in which some columns are names, which stay as they are written.

    pandas would take a site NA for missing, and a subject 001 for a number.

    Parameters
    ----------
    path : str or pathlib.Path
    texts : iterable of str
        Columns of names, if they are there. Only an empty one is missing.
    missing : iterable of str
        What is missing in the other columns, beside pandas' own.
    **options
        For `pandas.read_csv`.

    Returns
    -------
    pandas.DataFrame
    """
    columns = pd.read_csv(path, nrows=0, **{"sep": ",", **_of_the_header(options)}).columns
    given = options.pop("na_values", ())
    return pd.read_csv(
        path,
        keep_default_na=False,
        na_values={
            name: [""] if name in texts else [*STR_NA_VALUES, *missing, *given] for name in columns
        },
        dtype={name: str for name in texts if name in columns} | options.pop("dtype", {}),
        **options,
    )


def _of_the_header(options):
    return {name: options[name] for name in ("sep", "encoding") if name in options}


def _separator(path):
    return "\t" if str(path).endswith(".tsv") else ","
