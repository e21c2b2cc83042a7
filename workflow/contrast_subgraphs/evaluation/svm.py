"""The classifier of the paper: the linear SVM of graph2vec's authors, solved exactly.

Narayanan et al. (2017) classify with scikit-learn's ``LinearSVC`` (L2 penalty, squared
hinge loss, regularised bias), C in {0.01, ..., 1000} by cross-validation. On unscaled
features and large C its solver, liblinear, stops before it has converged. The problem is
smooth and small, so Newton's method solves it to machine precision, on a few features
(`svm_columns`) or on the inner products of many (`svm_gram`). Both give the numbers of
``LinearSVC`` run to convergence. An RBF kernel is scikit-learn's ``SVC``. A decision value
above 0 means class 1.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ..core.checks import check_option
from ..core.errors import InputError
from . import svm_columns
from .svm_gram import GramClassifier, fit_gram

#: The paper's penalties.
PENALTIES = (0.01, 0.1, 1, 10, 100, 1000)
#: With at most this many features the SVM is fitted in the weights.
FEW_FEATURES = 64


def svm_grid(kernel="linear", C=PENALTIES, gamma=("scale",)):
    """Return the classifier's candidates in order of preference when they tie.

    `kernel`: one of "linear", "rbf"; `gamma`: only for ``rbf``; see scikit-learn's ``SVC``.
    Returns: ``{"C": ...}`` or ``{"C": ..., "gamma": ...}``, the smallest C first.
    """
    check_option("evaluation.svm.kernel", kernel, ("linear", "rbf"))
    if not len(C) or not all(penalty > 0 for penalty in C):
        raise InputError(f"evaluation.svm.C: give numbers above 0, not {C!r}")
    if kernel == "linear":
        return [{"C": penalty} for penalty in sorted(C)]
    for one in gamma:
        if one not in ("scale", "auto") and (isinstance(one, str) or not one > 0):
            raise InputError(
                f"evaluation.svm.gamma: {one!r} is not scale, auto or a number above 0"
            )
    return [{"C": penalty, "gamma": one} for penalty, one in product(sorted(C), gamma)]


def accuracy_of_columns(table, sets, y, train, test, candidates):
    """Accuracy on the test subjects of each feature set and candidate.

    `table` (n_subjects, n_columns): features, standardised here by the training subjects' mean and
    deviation; `sets` (n_sets, n_features): which columns make up each feature set; `y`
    (n_subjects,): 0 or 1; `candidates`: see `svm_grid`. Returns: (n_sets, n_candidates).
    """
    if "gamma" not in candidates[0]:
        penalties = [candidate["C"] for candidate in candidates]
        return svm_columns.accuracies(table, sets, y, train, test, penalties)

    def accuracy(X, candidate):
        decision = train_columns(X[train], y[train], candidate).decide(X[test])
        return ((decision > 0) == (y[test] > 0)).mean()

    return np.array([[accuracy(table[:, one], c) for c in candidates] for one in sets])


def train_columns(X, y, candidate):
    """Standardise the training subjects' features (n, n_features) and fit the SVM.

    Returns: ``decide(X)`` gives decision values.
    """
    mean, scale = svm_columns.moments(X)
    Z = (X - mean) / scale
    if "gamma" in candidate:
        from sklearn.svm import SVC

        return RbfClassifier(mean, scale, SVC(**candidate).fit(Z, y))
    return svm_columns.ColumnsClassifier(mean, scale, *svm_columns.fit_columns(Z, y, **candidate))


@dataclass(frozen=True)
class RbfClassifier:
    """scikit-learn's SVC with an RBF kernel on standardised features."""

    mean: np.ndarray
    scale: np.ndarray
    model: object

    def decide(self, X):
        """Decision values of features (n, n_features) that are not yet standardised."""
        return self.model.decision_function((X - self.mean) / self.scale)


def table_of(features, candidates):
    """Return features of everybody, as the SVM is quickest on them."""
    if features.shape[1] <= FEW_FEATURES:
        return Columns(features)
    return Rows(features) if "gamma" in candidates[0] else Products(features @ features.T)


def table_of_products(gram, candidates):
    """Return inner products of everybody's features; for an RBF kernel features that have them."""
    if "gamma" not in candidates[0]:
        return Products(gram)
    values, vectors = np.linalg.eigh(gram)
    return Rows(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class Columns:
    """A few features of everybody, (n_subjects, n_features)."""

    features: np.ndarray

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        every = np.arange(self.features.shape[1])[None]
        return accuracy_of_columns(self.features, every, y, train, test, candidates)[0]

    def classifier(self, y, train, candidate):
        """The SVM fitted on the training subjects."""
        return train_columns(self.features[train], y[train], candidate)

    def decide(self, classifier, train, test):
        """Decision values of the test subjects."""
        return classifier.decide(self.features[test])

    def changed(self, change):
        """The features changed by a linear function of each column."""
        return Columns(change(self.features))


@dataclass(frozen=True)
class Products:
    """Inner products of everybody's features, (n_subjects, n_subjects); methods as `Columns`."""

    gram: np.ndarray

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        fits = fit_gram(self.gram[np.ix_(train, train)], y[train], [c["C"] for c in candidates])
        decision = fits @ (self.gram[np.ix_(test, train)].T + 1.0)
        return ((decision > 0) == (y[test] > 0)).mean(axis=-1)

    def classifier(self, y, train, candidate):
        """The SVM fitted on the training subjects."""
        inner = self.gram[np.ix_(train, train)]
        return GramClassifier(fit_gram(inner, y[train], [candidate["C"]])[0])

    def decide(self, classifier, train, test):
        """Decision values of the test subjects."""
        return classifier.decide(self.gram[np.ix_(test, train)])

    def changed(self, change):
        """Inner products of the features changed by a linear function of each column."""
        return Products(change(change(self.gram).T))


@dataclass(frozen=True)
class Rows:
    """Many features of everybody, as they are, for an RBF kernel; methods as `Columns`."""

    features: np.ndarray

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        models = [self.classifier(y, train, candidate) for candidate in candidates]
        return [model.score(self.features[test], y[test]) for model in models]

    def classifier(self, y, train, candidate):
        """The SVM fitted on the training subjects."""
        from sklearn.svm import SVC

        return SVC(**candidate).fit(self.features[train], y[train])

    def decide(self, classifier, train, test):
        """Decision values of the test subjects."""
        return classifier.decision_function(self.features[test])

    def changed(self, change):
        """The features changed by a linear function of each column."""
        return Rows(change(self.features))
