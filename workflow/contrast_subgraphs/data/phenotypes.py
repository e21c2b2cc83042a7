"""Phenotypes: who was scanned, and what is known about them."""

import os

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
#: The release's columns in the file's order; before them come two that only number the rows.
COLUMNS = tuple(
    """
SUB_ID X subject SITE_ID FILE_ID DX_GROUP DSM_IV_TR AGE_AT_SCAN SEX HANDEDNESS_CATEGORY
HANDEDNESS_SCORES FIQ VIQ PIQ FIQ_TEST_TYPE VIQ_TEST_TYPE PIQ_TEST_TYPE ADI_R_SOCIAL_TOTAL_A
ADI_R_VERBAL_TOTAL_BV ADI_RRB_TOTAL_C ADI_R_ONSET_TOTAL_D ADI_R_RSRCH_RELIABLE ADOS_MODULE
ADOS_TOTAL ADOS_COMM ADOS_SOCIAL ADOS_STEREO_BEHAV ADOS_RSRCH_RELIABLE ADOS_GOTHAM_SOCAFFECT
ADOS_GOTHAM_RRB ADOS_GOTHAM_TOTAL ADOS_GOTHAM_SEVERITY SRS_VERSION SRS_RAW_TOTAL
SRS_AWARENESS SRS_COGNITION SRS_COMMUNICATION SRS_MOTIVATION SRS_MANNERISMS SCQ_TOTAL
AQ_TOTAL COMORBIDITY CURRENT_MED_STATUS MEDICATION_NAME OFF_STIMULANTS_AT_SCAN
VINELAND_RECEPTIVE_V_SCALED VINELAND_EXPRESSIVE_V_SCALED VINELAND_WRITTEN_V_SCALED
VINELAND_COMMUNICATION_STANDARD VINELAND_PERSONAL_V_SCALED VINELAND_DOMESTIC_V_SCALED
VINELAND_COMMUNITY_V_SCALED VINELAND_DAILYLVNG_STANDARD VINELAND_INTERPERSONAL_V_SCALED
VINELAND_PLAY_V_SCALED VINELAND_COPING_V_SCALED VINELAND_SOCIAL_STANDARD VINELAND_SUM_SCORES
VINELAND_ABC_STANDARD VINELAND_INFORMANT WISC_IV_VCI WISC_IV_PRI WISC_IV_WMI WISC_IV_PSI
WISC_IV_SIM_SCALED WISC_IV_VOCAB_SCALED WISC_IV_INFO_SCALED WISC_IV_BLK_DSN_SCALED
WISC_IV_PIC_CON_SCALED WISC_IV_MATRIX_SCALED WISC_IV_DIGIT_SPAN_SCALED
WISC_IV_LET_NUM_SCALED WISC_IV_CODING_SCALED WISC_IV_SYM_SCALED EYE_STATUS_AT_SCAN
AGE_AT_MPRAGE BMI anat_cnr anat_efc anat_fber anat_fwhm anat_qi1 anat_snr func_efc func_fber
func_fwhm func_dvars func_outlier func_quality func_mean_fd func_num_fd func_perc_fd
func_gsr qc_rater_1 qc_notes_rater_1 qc_anat_rater_2 qc_anat_notes_rater_2 qc_func_rater_2
qc_func_notes_rater_2 qc_anat_rater_3 qc_anat_notes_rater_3 qc_func_rater_3
qc_func_notes_rater_3 SUB_IN_SMP
""".split()
)

#: What the file's header calls the two columns that number the rows.
ROW_NUMBERS = ("", "Unnamed: 0")
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
    """Return, for each row, whether all raters let the images pass (nilearn's rule)."""
    lacking = [name for name in QUALITY if name not in phenotypes]
    if lacking:
        raise InputError(
            f"`quality_checked: true` needs the columns {', '.join(lacking)}, which the "
            "phenotypic file lacks: set it to false"
        )
    passed = [phenotypes[name].isin(allowed).to_numpy() for name, allowed in QUALITY.items()]
    return np.logical_and.reduce(passed)
