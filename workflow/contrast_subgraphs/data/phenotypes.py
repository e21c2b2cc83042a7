"""Phenotypes: who was scanned, and what is known about them."""

import os

import numpy as np
import pandas as pd

from ..core.errors import InputError
from ..core.files import read_named

#: What stands in ``FILE_ID`` for a subject without preprocessed images.
NO_FILE = "no_filename"
#: How ABIDE writes a missing value.
MISSING = ("-9999", "-9999.0")
#: The columns without which nothing can be joined.
NAMES = ("SITE_ID", "SUB_ID", "FILE_ID")
#: The column that `read_phenotypes` adds.
AGE_YEARS = "AGE_YEARS"
#: What the quality columns must hold for nilearn's ``quality_checked``.
QUALITY = {
    "qc_rater_1": ("OK",),
    "qc_anat_rater_2": ("OK", "maybe"),
    "qc_func_rater_2": ("OK", "maybe"),
    "qc_anat_rater_3": ("OK",),
    "qc_func_rater_3": ("OK",),
}


def read_phenotypes(path):
    """Read a phenotypic file of the ABIDE release.

    Parameters
    ----------
    path : str or pathlib.Path
        CSV with at least ``SITE_ID``, ``SUB_ID`` and ``FILE_ID``.

    Returns
    -------
    pandas.DataFrame
        All rows and columns; -9999 (ABIDE's missing value) is missing; with
        ``AGE_AT_SCAN`` comes ``AGE_YEARS``, rounded to whole years, halves to even.

    Raises
    ------
    InputError
        If it is no such table, has a ``FILE_ID`` or ``SUB_ID`` twice, or an age that is
        no number.
    """
    try:
        phenotypes = read_named(
            path, ("FILE_ID", "SITE_ID"), MISSING, low_memory=False, encoding="utf-8-sig"
        )
    except (ValueError, OSError) as error:
        raise InputError(f"the phenotypic file {path} cannot be read: {error}") from error
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() not in (b"\n", b"\r"):
            raise InputError(
                f"the phenotypic file {path} is cut: its last line has no end. Delete it and run "
                "the same command again"
            )
    phenotypes.columns = [str(name) for name in phenotypes.columns]
    lacking = [name for name in NAMES if name not in phenotypes]
    if lacking:
        raise InputError(
            f"the phenotypic file {path} lacks the column {', '.join(lacking)}: "
            "it is not that of the ABIDE release"
        )
    if phenotypes.empty:
        raise InputError(
            f"the phenotypic file {path} has a header but no rows. Delete it and run the same "
            "command again"
        )
    for name in NAMES:
        if phenotypes[name].isna().any():
            row = int(np.argmax(phenotypes[name].isna().to_numpy())) + 2
            raise InputError(f"the phenotypic file {path} has no {name} in line {row}")
    for name in ("FILE_ID", "SUB_ID"):
        ids = phenotypes[name][phenotypes[name] != NO_FILE]
        if ids.duplicated().any():
            raise InputError(
                f"the phenotypic file {path} has the {name} {ids[ids.duplicated()].iloc[0]} twice: "
                "every subject must have one row"
            )
    if "AGE_AT_SCAN" in phenotypes:
        ages = pd.to_numeric(phenotypes["AGE_AT_SCAN"], errors="coerce")
        bad = ages.isna() & phenotypes["AGE_AT_SCAN"].notna()
        if bad.any():
            first = phenotypes[bad].iloc[0]
            raise InputError(
                f"the phenotypic file {path} has the age {first['AGE_AT_SCAN']!r} for the "
                f"SUB_ID {first['SUB_ID']}: it must be a number, or empty"
            )
        years = np.round(ages.to_numpy(float))
        phenotypes = phenotypes.copy().assign(AGE_AT_SCAN=ages, **{AGE_YEARS: years})
    return phenotypes


def subject_names(phenotypes):
    """Return each row's ``FILE_ID``, or ``SUB_ID <number>`` where there is no file."""
    without = phenotypes["FILE_ID"] == NO_FILE
    return phenotypes["FILE_ID"].where(~without, "SUB_ID " + phenotypes["SUB_ID"].astype(str))


def quality_ok(phenotypes):
    """Return, for each row, whether all raters let the images pass (nilearn's rule).

    Raises
    ------
    InputError
        If the phenotypes lack the raters' columns.
    """
    lacking = [name for name in QUALITY if name not in phenotypes]
    if lacking:
        raise InputError(
            f"`quality_checked: true` needs the columns {', '.join(lacking)}, which the "
            "phenotypic file lacks: set it to false"
        )
    passed = [phenotypes[name].isin(allowed).to_numpy() for name, allowed in QUALITY.items()]
    return np.logical_and.reduce(passed)
