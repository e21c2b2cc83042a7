"""Time series of the regions: one ``.1D`` file per subject, one ``.npz`` file per site."""

import hashlib
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import ArrayFile, in_single
from ..core.errors import InputError

#: A series with less than this share of the volumes of its site's median is called short.
#: (At the release's own sites the shortest has 0.74 of it.)
SHORT = 0.5
#: A region is without data if its series varies by less than this share of the subject's usual
#: variation. In the ABIDE release, regions that a mask cut off have up to 1e-5 of it and whole ones
#: 0.03 and more; rounding a constant to single precision leaves about 1e-6.
EMPTY = 1e-4


@dataclass(frozen=True)
class SiteSeries(ArrayFile):
    """Series of the subjects of one site, one below the other."""

    #: Names (``FILE_ID``).
    subject: np.ndarray
    #: Subject i has the rows ``start[i]:start[i + 1]``.
    start: np.ndarray
    #: (volumes of all subjects, n_rois), float64.
    series: np.ndarray
    #: The atlas's numbers of the regions, or their names.
    roi_code: np.ndarray

    compressed = False

    def __len__(self):
        return len(self.subject)

    def __iter__(self):
        """Yield ``(subject, series of shape (n_volumes, n_rois))``."""
        for name, first, last in zip(self.subject, self.start, self.start[1:], strict=False):
            yield str(name), self.series[first:last]

    @classmethod
    def stack(cls, subjects, series, roi_code):
        """Join lists of subjects and their series; without subjects there are no volumes."""
        roi_code = np.asarray(roi_code)
        if roi_code.dtype.kind != "U":
            roi_code = roi_code.astype(np.int64)
        start = np.concatenate([[0], np.cumsum([len(one) for one in series])]).astype(np.int64)
        empty = np.empty((0, len(roi_code)))
        return cls(np.array(subjects, dtype=str), start, np.vstack([empty, *series]), roi_code)

    def to_write(self):
        """Return what is written; the series in single precision if that changes none of them."""
        return super().to_write() | {"series": in_single(self.series)}

    @classmethod
    def load(cls, path):
        """Read what `save` wrote, in double precision."""
        site = super().load(path)
        return replace(site, series=site.series.astype(np.float64))


@dataclass(frozen=True)
class Series:
    """One ``.1D`` file: the regions' numbers, their series, the file's sha256."""

    roi_code: np.ndarray
    values: np.ndarray
    sha256: str


def read_1d(path, codes=None, known=None):
    """Read and check a ``.1D`` file of the ABIDE Preprocessed release.

    `codes`: the atlas's regions, which give the order of the columns; `known`: the ``volumes`` and
    ``bytes`` that the file should have.
    """
    content = Path(path).read_bytes()
    if not content.strip():
        raise InputError("it is empty")
    first, _, rest = content.partition(b"\n")
    found = _header(first)
    wanted = found if codes is None else np.asarray(codes, dtype=np.int64)
    if len(found) != len(wanted):
        raise InputError(f"it has {len(found)} columns instead of {len(wanted)}")
    missing = np.setdiff1d(wanted, found)
    if missing.size:
        raise InputError(f"region {missing[0]} is not in its header")
    order = pd.Index(found).get_indexer(wanted)
    if known and len(content) < known["bytes"] and not content.endswith(b"\n"):
        raise InputError("it is cut in its last line")
    values = _numbers(rest, len(found))[:, order]
    if known and len(values) < known["volumes"]:
        raise InputError(f"it is cut: {len(values)} volumes instead of {known['volumes']}")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise InputError(f"volume {row + 1} of region {wanted[column]} is not a finite number")
    if len(values) < 3:
        raise InputError(f"it has only {len(values)} volumes")
    return Series(wanted, values, hashlib.sha256(content).hexdigest())


def _header(line):
    text = line.decode("utf-8", errors="replace").strip()
    if not text.startswith("#"):
        raise InputError(f"it has no header of region numbers; it starts with {text[:40]!r}")
    try:
        codes = np.array([int(field.strip().lstrip("#")) for field in text.split("\t")])
    except ValueError as error:
        raise InputError(f"a field of its header is not a region number: {error}") from error
    names, counts = np.unique(codes, return_counts=True)
    if (counts > 1).any():
        raise InputError(f"region {names[counts > 1][0]} appears twice in its header")
    return codes


def _numbers(content, n_columns):
    try:
        lines = content.decode("ascii", errors="replace").splitlines()
        if not any(line.strip() for line in lines):
            raise InputError("it has a header but no volumes")
        values = np.loadtxt(lines, comments=None, ndmin=2)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error).split(";")[0]) from error
    if values.shape[1] != n_columns:
        raise InputError(f"it has rows of {values.shape[1]} numbers under {n_columns} regions")
    return values


def constant_rois(series):
    """Return the columns whose series does not change (regions without data).

    A constant is not quite constant after filtering, so a region's standard deviation is compared
    with the median of the subject's regions.
    """
    deviation = np.std(series, axis=0)
    usual = np.median(deviation)
    # If most regions are empty, the median is the deviation of an empty one.
    empty = (np.ptp(series, axis=0) == 0) | (deviation <= 1e-9 * deviation.max())
    return np.flatnonzero(empty | (deviation <= EMPTY * usual))


def warn_of_short(site, volumes):
    """Warn about series that are far shorter than the others of their site."""
    if len(volumes) < 2:
        return
    usual = float(np.median(list(volumes.values())))
    short = sorted(name for name, count in volumes.items() if count < SHORT * usual)
    if short:
        warnings.warn(
            f"{len(short)} series of the site {site} are far shorter than its others "
            f"({', '.join(f'{name}: {volumes[name]} volumes' for name in short[:3])}"
            f"{', ...' if len(short) > 3 else ''}, where {usual:g} are usual): they may be cut",
            stacklevel=3,
        )


def write_1d(path, codes, values):
    """Write series as a ``.1D`` file: six decimals in single precision, as the release has them."""
    values = np.round(values, 6).astype(np.float32).astype(np.float64)
    lines = ["\t".join(f"#{code}" for code in codes)]
    lines += ["\t".join(map(repr, row)) for row in values.tolist()]
    with open(path, "w", encoding="ascii", newline="") as file:
        file.write("\r\n".join(lines) + "\r\n")
