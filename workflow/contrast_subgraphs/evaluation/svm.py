"""The classifier of the paper: the linear SVM of graph2vec's authors, solved exactly.

Narayanan et al. (2017) classify with scikit-learn's ``LinearSVC`` (L2 penalty, squared
hinge loss, regularised bias), C in {0.01, ..., 1000} by cross-validation. On unscaled
features and large C its solver, liblinear, stops before it has converged. The problem is
smooth and small, so Newton's method solves it to machine precision, on a few features
(`svm_columns`) or on the inner products of many (`svm_gram`). Both give the numbers of
``LinearSVC`` run to convergence. An RBF kernel is scikit-learn's ``SVC``. A decision value
above 0 means class 1.

Each function here takes a candidate (see `svm_grid`) and calls the fit that it asks for.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ..core.errors import InputError
from . import svm_columns
from .svm_gram import GramClassifier, fit_gram

#: With at most this many features the SVM is fitted in the weights.
FEW_FEATURES = 64


def svm_grid(svm):
    """Return the classifier's candidates in order of preference when they tie.

    Parameters
    ----------
    svm : dict
        Config entry ``evaluation.svm``: ``kernel`` (linear or rbf), ``C`` and, for rbf,
        ``gamma`` (lists).

    Returns
    -------
    list of dict
        ``{"C": ...}`` or ``{"C": ..., "gamma": ...}``, the smallest C first.

    Raises
    ------
    InputError
        If the kernel is unknown or a value cannot be used.
    """
    kernel, penalties = svm.get("kernel", "linear"), svm.get("C", ())
    if kernel not in ("linear", "rbf"):
        raise InputError(f"evaluation.svm.kernel: {kernel!r} is not one of linear, rbf")
    if not len(penalties) or not all(C > 0 for C in penalties):
        raise InputError(f"evaluation.svm.C: give numbers above 0, not {penalties!r}")
    penalties = sorted(penalties)
    if kernel == "linear":
        return [{"C": C} for C in penalties]
    gammas = svm.get("gamma", ["scale"])
    for gamma in gammas:
        if gamma not in ("scale", "auto") and not (not isinstance(gamma, str) and gamma > 0):
            raise InputError(
                f"evaluation.svm.gamma: {gamma!r} is not scale, auto or a number above 0"
            )
    return [{"C": C, "gamma": gamma} for C, gamma in product(penalties, gammas)]


def accuracy_of_columns(table, sets, y, train, test, candidates):
    """Accuracy on the test subjects of each feature set and candidate.

    Parameters
    ----------
    table : numpy.ndarray of shape (n_subjects, n_columns)
        Features, standardised here by the training subjects' mean and deviation.
    sets : numpy.ndarray of int, shape (n_sets, n_features)
        Which columns make up each feature set.
    y : numpy.ndarray of shape (n_subjects,)
        0 or 1.
    train, test : numpy.ndarray of int
    candidates : list of dict
        See `svm_grid`.

    Returns
    -------
    numpy.ndarray of shape (n_sets, n_candidates)
    """
    if "gamma" not in candidates[0]:
        penalties = [candidate["C"] for candidate in candidates]
        return svm_columns.accuracy_of_columns(table, sets, y, train, test, penalties)
    accuracy = np.empty((len(sets), len(candidates)))
    for row, chosen in enumerate(sets):
        X = table[:, chosen]
        for column, candidate in enumerate(candidates):
            decision = train_columns(X[train], y[train], candidate).decide(X[test])
            accuracy[row, column] = _share_right(decision, y[test])
    return accuracy


def train_columns(X, y, candidate):
    """Standardise features by themselves and fit the SVM.

    Parameters
    ----------
    X : numpy.ndarray of shape (n_subjects, n_features)
        The training subjects' features.
    y : numpy.ndarray of shape (n_subjects,)
    candidate : dict
        See `svm_grid`.

    Returns
    -------
    object
        ``decide(X)`` gives decision values.
    """
    if "gamma" in candidate:
        return RbfColumnsClassifier.fit(X, y, candidate)
    return svm_columns.train_columns(X, y, candidate["C"])


def accuracy_of_gram(gram, y, train, test, candidates, n_features=1):
    """Accuracy on the test subjects of each candidate, from inner products.

    Parameters
    ----------
    gram : numpy.ndarray of shape (n_subjects, n_subjects)
    y : numpy.ndarray of shape (n_subjects,)
    train, test : numpy.ndarray of int
    candidates : list of dict
        See `svm_grid`.
    n_features : int
        Only for ``gamma: auto``, which is 1 / n_features.

    Returns
    -------
    numpy.ndarray of shape (n_candidates,)
    """
    inner, products = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
    if "gamma" in candidates[0]:
        own = np.diag(gram)[test]
        models = [train_gram(inner, y[train], one, n_features) for one in candidates]
        decision = np.array([model.decide(products, own) for model in models])
    else:
        fits = fit_gram(inner, y[train], [one["C"] for one in candidates])
        decision = fits @ (products.T + 1.0)
    return _share_right(decision, y[test])


def train_gram(gram, y, candidate, n_features=1):
    """Fit the SVM from the training subjects' inner products.

    Parameters
    ----------
    gram : numpy.ndarray of shape (n_subjects, n_subjects)
    y : numpy.ndarray of shape (n_subjects,)
    candidate : dict
        See `svm_grid`.
    n_features : int
        Only for ``gamma: auto``.

    Returns
    -------
    GramClassifier or RbfGramClassifier
        ``decide(products, own)`` gives decision values from the inner products of other
        graphs with the training subjects and with themselves.
    """
    if "gamma" in candidate:
        return RbfGramClassifier.fit(gram, y, candidate, n_features)
    return GramClassifier(fit_gram(gram, y, [candidate["C"]])[0])


def table_of(features):
    """Return features of everybody, standardised, as the SVM is quickest on them."""
    if features.shape[1] <= FEW_FEATURES:
        return Columns(features)
    return Products(features @ features.T, features.shape[1])


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
    n_features: int

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects of each candidate, (n_candidates,)."""
        return accuracy_of_gram(self.gram, y, train, test, candidates, self.n_features)

    def classifier(self, y, train, candidate):
        """The SVM fitted on the training subjects."""
        inner = self.gram[np.ix_(train, train)]
        return train_gram(inner, y[train], candidate, self.n_features)

    def decide(self, classifier, train, test):
        """Decision values of the test subjects."""
        return classifier.decide(self.gram[np.ix_(test, train)], self.gram.diagonal()[test])

    def changed(self, change):
        """Inner products of the features changed by a linear function of each column."""
        return Products(change(change(self.gram).T), self.n_features)


@dataclass(frozen=True)
class RbfColumnsClassifier:
    """scikit-learn's SVC with an RBF kernel on standardised features."""

    mean: np.ndarray
    scale: np.ndarray
    model: object

    @classmethod
    def fit(cls, X, y, candidate):
        """Fit on the training subjects' features (n, n_features)."""
        from sklearn.svm import SVC

        mean, scale = svm_columns.moments(X)
        return cls(mean, scale, SVC(**candidate).fit((X - mean) / scale, y))

    def decide(self, X):
        """Decision values of features (n, n_features) that are not yet standardised."""
        return self.model.decision_function((X - self.mean) / self.scale)


@dataclass(frozen=True)
class RbfGramClassifier:
    """scikit-learn's SVC with an RBF kernel whose distances come from inner products.

    ``gamma: scale`` is one over the total variance of the training subjects' features.
    """

    model: object
    gamma: float
    own: np.ndarray

    @classmethod
    def fit(cls, gram, y, candidate, n_features):
        """Fit on the training subjects' inner products (n, n)."""
        from sklearn.svm import SVC

        own, gamma = np.diag(gram).copy(), candidate["gamma"]
        if gamma == "auto":
            gamma = 1.0 / n_features
        elif gamma == "scale":
            variance = own.mean() - gram.mean()
            gamma = 1.0 / variance if variance > 0 else 1.0
        model = SVC(C=candidate["C"], kernel="precomputed")
        return cls(model.fit(_rbf(gram, own, own, gamma), y), float(gamma), own)

    def decide(self, products, own):
        """Decision values from inner products with the training subjects and themselves."""
        return self.model.decision_function(_rbf(products, own, self.own, self.gamma))


def _rbf(products, own, own_train, gamma):
    distance = own[:, None] + own_train - 2.0 * products
    return np.exp(-gamma * np.maximum(distance, 0.0))


def _share_right(decision, y):
    return ((decision > 0) == (y > 0)).mean(axis=-1)
