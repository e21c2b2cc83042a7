"""Phenotypes: who was scanned, and what is known about them."""

import os
from importlib.resources import files

import numpy as np
import pandas as pd

from ..core.atomic_files import check_sealed, read_named
from ..core.errors import InputError

#: What stands in ``FILE_ID`` for a subject without preprocessed images.
NO_FILE = "no_filename"
#: How ABIDE writes a missing value.
MISSING = ("-9999", "-9999.0")
#: The columns without which nothing can be joined.
NAMES = ("SITE_ID", "SUB_ID", "FILE_ID")
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
    """Read a phenotypic file of the ABIDE release, in which -9999 is a missing value.

    With ``AGE_AT_SCAN`` comes ``AGE_YEARS``, rounded to whole years, halves to even.
    """
    check_sealed(path)
    try:
        phenotypes = read_named(
            path, ("FILE_ID", "SITE_ID"), MISSING, low_memory=False, encoding="utf-8-sig"
        )
    except (ValueError, OSError) as error:
        raise InputError(f"the phenotypic file {path} cannot be read: {error}") from error
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() not in (b"\n", b"\r"):
            raise InputError(f"the phenotypic file {path} is cut: delete it and run again")
    lacking = [name for name in NAMES if name not in phenotypes]
    if lacking:
        raise InputError(
            f"the phenotypic file {path} lacks the column {', '.join(lacking)}: "
            "it is not that of the ABIDE release"
        )
    if phenotypes.empty:
        raise InputError(f"the phenotypic file {path} has no rows: delete it and run again")
    for name in NAMES:
        if phenotypes[name].isna().any():
            line = int(np.argmax(phenotypes[name].isna())) + 2
            raise InputError(f"the phenotypic file {path} has no {name} in line {line}")
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
    """Return, for each row, whether all raters let the images pass (nilearn's rule)."""
    lacking = [name for name in QUALITY if name not in phenotypes]
    if lacking:
        raise InputError(
            f"`quality_checked: true` needs the columns {', '.join(lacking)}, which the "
            "phenotypic file lacks: set it to false"
        )
    passed = [phenotypes[name].isin(allowed).to_numpy() for name, allowed in QUALITY.items()]
    return np.logical_and.reduce(passed)
