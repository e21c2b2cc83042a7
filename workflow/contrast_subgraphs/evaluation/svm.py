"""The classifier of the paper: the linear SVM of graph2vec's authors, solved exactly.

Narayanan et al. (2017) classify with scikit-learn's ``LinearSVC`` (L2 penalty, squared
hinge loss, regularised bias), with C in {0.01, ..., 1000} chosen by cross-validation. On unscaled
features and large C its solver, liblinear, stops before it has converged. The problem is
smooth and small, so Newton's method solves it to machine precision, on a few features
(`svm_columns`) or on the inner products of many (`svm_gram`). Both give the numbers of
``LinearSVC`` run to convergence. A decision value above 0 means class 1.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np

from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.pairs import blocks_of_pairs
from . import svm_columns
from .ridge import Ridge
from .svm_gram import fit_gram

#: The paper's penalties.
PENALTIES = (0.01, 0.1, 1, 10, 100, 1000)
#: With at most this many features the SVM is fitted in the weights.
FEW_FEATURES = 64
#: With more people than this a warning says what fits on their inner products cost.
MANY_PEOPLE = 5000


def svm_grid(C=PENALTIES):
    """Return the classifier's candidates, ``{"C": ...}``, the smallest C first."""
    if not len(C) or not all(penalty > 0 for penalty in C):
        raise InputError(f"evaluation.svm.C: give numbers above 0, not {C!r}")
    return [{"C": penalty} for penalty in sorted(C)]


def accuracy_of_columns(table, sets, y, train, test, candidates, standardise=True):
    """Accuracy on the test subjects of each set of columns and candidate.

    `table` (n_subjects, n_columns) holds all people; `sets` is of shape (n_sets, n_features).
    """
    if "alpha" in candidates[0]:
        mean, scale = svm_columns.moments(table[train])
        tables = [Ridge(((table - mean) / scale)[:, one]) for one in sets]
        return np.array([one.accuracy(y, train, test, candidates) for one in tables])
    penalties = [candidate["C"] for candidate in candidates]
    return svm_columns.accuracies(table, sets, y, train, test, penalties, standardise)


def train_columns(X, y, candidate, standardise=True):
    """Fit the SVM (or ridge regression) on features, standardised; return its decision function."""
    if standardise:
        mean, scale = svm_columns.moments(X)
    else:
        mean = 0.0
        scale = 1.0
    Z = (X - mean) / scale
    if "alpha" in candidate:
        inner = Z.T @ Z
        middle = y.mean()
        penalty = candidate["alpha"] * (np.trace(inner) / len(Z) or 1.0)
        weights = np.linalg.solve(inner + penalty * np.eye(len(inner)), Z.T @ (y - middle))
        return lambda X: middle + (X - mean) / scale @ weights
    coef, intercept = svm_columns.fit_columns(Z, y, **candidate)
    return lambda X: (X - mean) / scale @ coef + intercept


def products_of(rows):
    """Return the inner products of people's rows, in double precision."""
    if len(rows) > MANY_PEOPLE:
        size = 32 * len(rows) ** 2 / 1e9
        text = (
            f"all edges of {len(rows)} {PEOPLE}: a fit takes about {size:.0f} GB, and its time "
            f"grows with the cube of the {PEOPLE}. Those of cs-p1 and cpm grow in proportion to "
            "them"
        )
        warnings.warn(DataWarning(text), stacklevel=2)
    gram = np.zeros((len(rows), len(rows)))
    for part in blocks_of_pairs(rows):
        numbers = rows[:, part].astype(float)
        gram += numbers @ numbers.T
    return gram


def table_of(features, candidates, standardise=True):
    """Return features of all people, in the form that the SVM (or ridge) fits fastest.

    With fewer features than people, inner products would lose digits. A few may be standardised.
    """
    few = features.shape[1] <= FEW_FEATURES
    many = features.shape[1] > len(features)
    if "alpha" in candidates[0]:
        if many:
            features = features @ features.T
        return Ridge(features, products=many)
    if few or not many:
        return Columns(features, standardise=few and standardise)
    return Products(features @ features.T)


def table_of_products(gram, candidates):
    """Return inner products of all people's features, for the SVM or ridge regression."""
    if "alpha" in candidates[0]:
        return Ridge(gram, products=True)
    return Products(gram)


@dataclass(frozen=True)
class Columns:
    """A few features of all people, (n_subjects, n_features)."""

    features: np.ndarray
    standardise: bool = True

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        every = np.arange(self.features.shape[1])[None]
        options = (candidates, self.standardise)
        return accuracy_of_columns(self.features, every, y, train, test, *options)[0]

    def decision(self, y, train, test, candidate):
        """Decision values of the test subjects by the SVM of the training subjects."""
        decide = train_columns(self.features[train], y[train], candidate, self.standardise)
        return decide(self.features[test])

    def changed(self, change):
        """The features changed by a linear function of each column."""
        return replace(self, features=change(self.features))


@dataclass(frozen=True)
class Products:
    """Inner products of all people's features, (n_subjects, n_subjects); methods as `Columns`."""

    gram: np.ndarray

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        decision = self._decisions(y, train, test, candidates)
        return ((decision > 0) == (y[test] > 0)).mean(axis=-1)

    def decision(self, y, train, test, candidate):
        """Decision values of the test subjects by the SVM of the training subjects."""
        return self._decisions(y, train, test, [candidate])[0]

    def changed(self, change):
        """Inner products of the features changed by a linear function of each column."""
        return Products(change(change(self.gram).T))

    def _decisions(self, y, train, test, candidates):
        return fit_gram(self.gram, y, [c["C"] for c in candidates], train)[1][:, test]
