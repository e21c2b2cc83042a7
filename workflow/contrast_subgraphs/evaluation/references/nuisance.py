"""What is not the brain: nuisance variables and sites, as features."""

import numpy as np

from ..subject_data import NUISANCE

#: Added to the framewise displacement (mm) before its logarithm.
STILL = 0.02


class Nuisance:
    """Age, its square, sex, motion, its logarithm, log of the scan's length (method ``motion``).

    A classifier on these sees no brain. What is nowhere known is left out; a single gap gets
    the median of the training part.

    Attributes
    ----------
    medians_ : dict
        Of the columns of numbers.
    sex_ : str or None
        The most frequent sex: the feature is whether it is this one.
    """

    uses_labels = False

    def fit(self, subjects, y=None):
        """Learn the medians; `y` is not used."""
        table = subjects.table
        known = [name for name in NUISANCE if name in table and table[name].notna().any()]
        self.medians_ = {name: float(table[name].median()) for name in known if name != "sex"}
        self.sex_ = table["sex"].mode()[0] if "sex" in known else None
        return self

    def transform(self, subjects):
        """Return the nuisance variables, (n_subjects, n_features)."""
        known = {
            name: subjects.table[name].fillna(median).to_numpy(float)
            for name, median in self.medians_.items()
        }
        columns = []
        if "age" in known:
            columns += [known["age"], known["age"] ** 2]
        if self.sex_ is not None:
            columns.append(subjects.table["sex"].fillna(self.sex_).to_numpy() == self.sex_)
        if "motion" in known:
            columns += [known["motion"], np.log(known["motion"] + STILL)]
        if "volumes" in known:
            columns.append(np.log(known["volumes"]))
        return np.column_stack([np.empty((len(subjects), 0)), *columns])


class Site:
    """The site alone, one column each (method ``site``).

    Attributes
    ----------
    sites_ : list of str
        Those of the training part; a subject of another site has zeros.
    """

    uses_labels = False

    def fit(self, subjects, y=None):
        """Learn the sites; `y` is not used."""
        self.sites_ = sorted(set(subjects.table["site"].astype(str)))
        return self

    def transform(self, subjects):
        """Return ones and zeros, (n_subjects, n_sites)."""
        site = subjects.table["site"].astype(str).to_numpy()
        return (site[:, None] == np.array(self.sites_)).astype(float)
