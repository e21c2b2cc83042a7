"""What is not the brain: nuisance variables and sites, as features."""

import numpy as np
import pandas as pd

from ...design.covariates import Covariates
from ..subject_data import NUISANCE

#: Added to the framewise displacement (mm) before its logarithm.
STILL = 0.02


class Nuisance:
    """Age, its square, sex, motion, its logarithm, log of the scan's length (method ``motion``).

    What is nowhere known is left out; a single gap gets the median of the training part.
    """

    uses_labels = False

    def fit(self, subjects, y=None):
        """Learn medians, means and spreads; `y` is not used."""
        sexes = subjects.table["sex"].dropna() if "sex" in subjects.table else []
        self.sex_ = min(sexes) if len(sexes) else None
        known = {k: v for k, v in self._columns(subjects).items() if not v.isna().all()}
        self.covariates_ = Covariates(missing="median").fit(known)
        return self

    def transform(self, subjects):
        """Return the nuisance variables, (n_subjects, n_features), standardised."""
        return self.covariates_.transform(self._columns(subjects))

    def _columns(self, subjects):
        """All variables as numbers, NaN where they are not known."""
        table = subjects.table.reindex(columns=list(NUISANCE))
        age, _, motion, volumes = (pd.to_numeric(table[k], "coerce") for k in NUISANCE)
        return {
            "age": age,
            "age squared": age**2,
            "sex": (table["sex"] == self.sex_).astype(float).mask(table["sex"].isna()),
            "motion": motion,
            "log motion": np.log(motion + STILL),
            "log volumes": np.log(volumes),
        }


class Site:
    """The site alone, one column each (method ``site``); of a site not seen in training zeros."""

    uses_labels = False

    def fit(self, subjects, y=None):
        """Learn the sites; `y` is not used."""
        self.sites_ = sorted(set(subjects.table["site"].astype(str)))
        return self

    def transform(self, subjects):
        """Return ones and zeros, (n_subjects, n_sites)."""
        site = subjects.table["site"].astype(str).to_numpy()
        return (site[:, None] == np.array(self.sites_)).astype(float)
