"""Features without brain data: nuisance variables and sites."""

import numpy as np

from ...core.columns import missing_entries, numbers, whole_identifiers
from ...design.covariates import Covariates
from ..subject_data import NUISANCE

#: Added to the framewise displacement (mm) before its logarithm.
STILL = 0.02


def logarithm(values):
    """Return the logarithms, or NaN for all if a number is not above 0 (standardised, say)."""
    if (values <= 0).any():
        return np.full(values.shape, np.nan)
    return np.log(values)


class Nuisance:
    """Age, its square, sex, motion, its logarithm, log of the scan's length (method ``motion``).

    Variables that are not known for anyone are left out; gaps get the median of the training part.
    """

    def fit(self, subjects, y=None):
        """Learn medians, means and spreads; `y` is not used."""
        sexes = []
        if "sex" in subjects.table:
            sexes = subjects.table["sex"].dropna()
        self.sex_ = None
        if len(sexes):
            self.sex_ = min(sexes)
        columns = self._columns(subjects).items()
        known = {name: values for name, values in columns if not missing_entries(values).all()}
        self.covariates_ = Covariates(missing="median").fit(known)
        return self

    def transform(self, subjects):
        """Return the nuisance variables, (n_subjects, n_features), standardised."""
        return self.covariates_.transform(self._columns(subjects))

    def _columns(self, subjects):
        """All variables as numbers, NaN where they are not known."""
        table = subjects.table.reindex(columns=list(NUISANCE))
        age, motion, volumes = (numbers(table, name) for name in ("age", "motion", "volumes"))
        sex = np.where(missing_entries(table["sex"]), np.nan, table["sex"] == self.sex_)
        return {
            "age": age,
            "age squared": age**2,
            "sex": sex,
            "motion": motion,
            "log motion": logarithm(motion + STILL),
            "log volumes": logarithm(volumes),
        }


class Site:
    """The site alone, one column each (method ``site``); zeros for sites not seen in training."""

    def fit(self, subjects, y=None):
        """Learn the sites; `y` is not used."""
        self.sites_ = sorted(set(whole_identifiers(subjects.table, "site").tolist()))
        return self

    def transform(self, subjects):
        """Return ones and zeros, (n_subjects, n_sites)."""
        site = whole_identifiers(subjects.table, "site")
        return (site[:, None] == np.array(self.sites_)).astype(float)
