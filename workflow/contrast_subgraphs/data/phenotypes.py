"""Phenotypes: the people who were scanned, and what is known about them."""

import os
from importlib.resources import files

import numpy as np
import pandas as pd

from ..core.atomic_files import check_sealed
from ..core.columns import PREFIX, has_internal, internal, missing_entries, numbers, typed
from ..core.errors import InputError

#: What stands in ``FILE_ID`` for a subject without preprocessed images.
NO_FILE = "no_filename"
#: The columns by which tables are joined.
NAMES = ("SITE_ID", "SUB_ID", "FILE_ID")
#: Those that are texts, whatever they look like.
_TEXTS = ("FILE_ID", "SITE_ID")
#: The column that `read_phenotypes` adds.
AGE_YEARS = "AGE_YEARS"
#: The release's header; its first two columns number the rows.
HEADER = tuple(
    files(__package__).joinpath("abide_columns.csv").read_text(encoding="utf-8").strip().split(",")
)
#: What the quality columns must hold for nilearn's ``quality_checked``.
QUALITY = {
    "qc_rater_1": ("OK",),
    "qc_anat_rater_2": ("OK", "maybe"),
    "qc_func_rater_2": ("OK", "maybe"),
    "qc_anat_rater_3": ("OK",),
    "qc_func_rater_3": ("OK",),
}


def read_phenotypes(path):
    """Read the phenotypes of the ABIDE release (-9999 is a missing value), or of one's own data.

    If there is ``AGE_AT_SCAN``, ``AGE_YEARS`` is added: whole years, with halves rounded to even,
    unless the user has a column of this name.
    """
    check_sealed(path)
    try:
        texts = pd.read_csv(
            path, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig"
        )
        phenotypes = typed(texts, [start + name for start in ("", PREFIX) for name in _TEXTS])
    except (ValueError, OSError) as error:
        raise InputError(f"the phenotypic file {path} cannot be read: {error}") from error
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        # A download that stops early ends inside a line; pandas would read that line all the same.
        if file.read() not in (b"\n", b"\r"):
            raise InputError(f"the phenotypic file {path} is cut: delete it and run again")
    lacking = [name for name in NAMES if not has_internal(phenotypes, name)]
    if lacking:
        raise InputError(
            f"the phenotypic file {path} lacks the column {', '.join(lacking)}: "
            "it is not that of the ABIDE release"
        )
    if phenotypes.empty:
        raise InputError(f"the phenotypic file {path} has no rows: delete it and run again")
    for name in NAMES:
        missing = missing_entries(internal(phenotypes, name))
        if missing.any():
            line = int(np.argmax(missing)) + 2
            raise InputError(f"the phenotypic file {path} has no {name} in line {line}")
    for name in ("FILE_ID", "SUB_ID"):
        ids = internal(phenotypes, name)
        ids = ids[ids != NO_FILE]
        if ids.duplicated().any():
            raise InputError(
                f"the phenotypic file {path} has the {name} {ids[ids.duplicated()].iloc[0]} twice: "
                "every subject must have one row"
            )
    if has_internal(phenotypes, "AGE_AT_SCAN") and AGE_YEARS not in phenotypes:
        try:
            ages = numbers(internal(phenotypes, "AGE_AT_SCAN"), "AGE_AT_SCAN")
        except InputError as error:
            raise InputError(f"the phenotypic file {path} has a wrong age: {error}") from error
        phenotypes = phenotypes.assign(**{AGE_YEARS: np.round(ages)})
    return phenotypes


def subject_names(phenotypes):
    """Return each row's ``FILE_ID``, or ``SUB_ID <number>`` where there is no file."""
    names = internal(phenotypes, "FILE_ID")
    numbered = [f"SUB_ID {number}" for number in internal(phenotypes, "SUB_ID")]
    return names.where(names != NO_FILE, pd.Series(numbered, index=names.index))


def quality_ok(phenotypes):
    """Return, for each row, whether all raters let the images pass (nilearn's rule)."""
    lacking = [name for name in QUALITY if name not in phenotypes]
    if lacking:
        raise InputError(
            f"`quality_checked: true` needs the columns {', '.join(lacking)}, which the "
            "phenotypic file lacks: set it to false"
        )
    passed = [phenotypes[name].isin(allowed).to_numpy() for name, allowed in QUALITY.items()]
    return np.logical_and.reduce(passed)
