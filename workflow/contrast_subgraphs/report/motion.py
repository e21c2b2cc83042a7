"""Whether what is asked of people correlates with how much they moved."""

import numpy as np
import pandas as pd
from scipy.special import betainc

from ..core.columns import missing_entries, numbers
from ..core.holm import LEVEL
from .sentences import sentence

#: A weaker correlation explains less than a twenty-fifth of what is asked.
WEAKEST = 0.2


def motion_of_people(members, names, config):
    """Return a sentence for each cohort in which motion correlates with what is asked.

    `members`: cohort -> table of its members (``motion``, ``group`` or ``value``, and ``person``
    where people have several graphs); `config`: says whether motion is held constant.
    """
    adjusted = (config.get("graph") or {}).get("adjust") or []
    held = "motion" in adjusted or "motion" in config["inference"].get("covariates", [])
    said = []
    for cohort, table in members.items():
        if cohort not in names.cohorts or "motion" not in table:
            continue
        question = names.question(cohort)
        r, p = _correlation(*_asked_and_motion(table, question, names.pair(cohort)))
        if abs(r) >= WEAKEST and p <= LEVEL:
            told = names, cohort, question, r, p, held
            said.append(sentence("findings.txt", "motion_of_people", *told))
    return said


def _asked_and_motion(table, question, groups):
    """Return what is asked and motion, of people or within people, and how many numbers are free.

    Of people with several graphs it is the mean of each; where what is asked varies within people,
    it is how far each graph is from the mean of its person.
    """
    known = table[~missing_entries(table["motion"])].reset_index(drop=True)
    codes = None
    if groups:
        codes = known["group"].map(list(groups).index).to_numpy(float)
    asked = question.outcome(codes, known.get("value"))
    both = pd.DataFrame({"asked": np.asarray(asked, float), "motion": numbers(known, "motion")})
    free = len(both) - 2
    if "person" in known:
        of_person = both.groupby(known["person"].astype(str))
        if (of_person["asked"].nunique() > 1).any():
            both -= of_person.transform("mean")
            free = len(both) - of_person.ngroups - 1
        else:
            both = of_person.mean()
            free = len(both) - 2
    return both["asked"].to_numpy(), both["motion"].to_numpy(), free


def _correlation(asked, motion, free):
    """Return r and its two-sided p-value; (0, 1) where one of the two does not vary."""
    if free < 1 or np.ptp(asked) == 0 or np.ptp(motion) <= 1e-9 * np.abs(motion).max():
        return 0.0, 1.0
    r = np.corrcoef(asked, motion)[0, 1]
    return float(r), float(betainc(free / 2, 0.5, max(0.0, 1 - r**2)))
