"""Files as people have them: every reading of a data set, and the one that fits."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...core.checks import plural
from ...core.errors import InputError
from .numbers import SUFFIXES, Numbers, read_numbers

__all__ = ["SUFFIXES", "Numbers", "Reading", "read_files", "read_numbers"]


@dataclass(frozen=True)
class Reading:
    """How the files of one data set were read.

    Attributes
    ----------
    kind : {"series", "matrix"}
    files : int
        How many.
    regions : int or None
        How many each file has; None if they differ.
    names : str
        Where the regions' names are from, such as ``a header and a first column``; empty
        without names.
    header, index : bool or None
        Whether texts had a line and a column of names or numbers; None without texts.
    decimal : {".", ","} or None
    notes : tuple of str
        What else was understood (``edge lists``, ``comment lines left out``).
    """

    kind: str
    files: int
    regions: int | None
    names: str = ""
    header: bool | None = None
    index: bool | None = None
    decimal: str | None = None
    notes: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Return the reading as one line."""
        what = f"{self.regions} regions" if self.regions else "regions that differ"
        parts = [f"{plural(self.files, 'file')}: {what}"]
        parts[0] += f", named by {self.names}" if self.names else ", without names"
        if self.decimal:
            parts.append("decimal commas" if self.decimal == "," else "decimal points")
        return "; ".join([*parts, *self.notes])

    def record(self) -> dict[str, Any]:
        """Return what a JSON file keeps of it."""
        return asdict(self) | {"sentence": self.sentence()}


def read_files(
    paths: Sequence[str | Path],
    kind: str,
    *,
    key: str | None = None,
    header: bool | None = None,
    index: bool | None = None,
    decimal: str | None = None,
    triangle: str | None = None,
    regions: Sequence[str] | int | None = None,
):
    """Read the files of one data set, all alike.

    Parameters
    ----------
    paths : sequence of str or pathlib.Path
    kind : {"series", "matrix"}
    key : str, optional
        Of the array in ``.npz``, ``.mat`` and ``.h5`` files, or the sheet of ``.xlsx``.
    header, index : bool, optional
        Whether the first line, or the first column, of texts holds names or numbers.
    decimal : {".", ","}, optional
    triangle : {"upper", "lower"}, optional
        Of rows of weights: by rows of the upper triangle (`numpy.triu_indices`), or of the
        lower one (`numpy.tril_indices`; MATLAB's ``w(triu(true(p), 1))``).
    regions : sequence of str or int, optional
        Names and numbers of the atlas's regions, or only how many there are.

    Returns
    -------
    names : list of (list of str or None)
        Of the regions of each file.
    arrays : list of numpy.ndarray
        float64; of a series (n_volumes, n_rois), a matrix (n_rois, n_rois), a file of
        several people (n_people, ...). NaN where a value is missing.
    reading : Reading

    Raises
    ------
    InputError
        If no reading fits all files, or several that differ do.
    """
    found = []
    for path in paths:
        try:
            found.append(read_numbers(path, kind, key))
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    sizes = {one.values.shape[-1] for one in found}
    reading = Reading(kind, len(found), sizes.pop() if len(sizes) == 1 else None)
    return [one.names for one in found], [one.values for one in found], reading
