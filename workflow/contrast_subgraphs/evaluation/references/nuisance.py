"""What is not the brain: nuisance variables and sites, as features and regressed out."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from ..subjects import NUISANCE

#: Added to the framewise displacement (mm) before its logarithm.
STILL = 0.02


class Nuisance(TransformerMixin, BaseEstimator):
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


class Site(TransformerMixin, BaseEstimator):
    """The site alone, one column each (method ``site``).

    Attributes
    ----------
    sites_ : list of str
        Those of the training part; a subject of another site has zeros.
    """

    def fit(self, subjects, y=None):
        """Learn the sites; `y` is not used."""
        self.sites_ = sorted(set(subjects.table["site"].astype(str)))
        return self

    def transform(self, subjects):
        """Return ones and zeros, (n_subjects, n_sites)."""
        site = subjects.table["site"].astype(str).to_numpy()
        return (site[:, None] == np.array(self.sites_)).astype(float)


class Adjustment:
    """Weights with the nuisance variables regressed out, the diagnosis kept.

    Least squares of each weight on the nuisance variables and the diagnosis in the training
    part. What the nuisance variables explain there, with the diagnosis held fixed, is
    subtracted from everybody: so what they share with the diagnosis is not taken for theirs,
    and nobody's diagnosis but the training part's is used.

    Attributes
    ----------
    coefficients_ : numpy.ndarray of shape (n_nuisance, n_pairs)
    """

    def fit(self, subjects, y):
        """Learn the coefficients from the training subjects and their diagnoses."""
        self.nuisance_ = Nuisance().fit(subjects)
        X = self.nuisance_.transform(subjects)
        self.mean_, scale = X.mean(axis=0), X.std(axis=0)
        self.scale_ = np.where(scale > 0, scale, 1.0)
        design = np.column_stack([(X - self.mean_) / self.scale_, y, np.ones(len(X))])
        coefficients, *_ = np.linalg.lstsq(design, subjects.weights, rcond=None)
        self.coefficients_ = coefficients[: X.shape[1]]
        return self

    def transform(self, subjects):
        """Return the adjusted weights, (n_subjects, n_pairs)."""
        X = (self.nuisance_.transform(subjects) - self.mean_) / self.scale_
        return subjects.weights - X @ self.coefficients_


def adjusted_weights(adjust, subjects, y):
    """Return a function that gives subjects' weights, adjusted as `fit` on these learns it."""
    if not adjust:
        return lambda others: others.weights
    return Adjustment().fit(subjects, y).transform
