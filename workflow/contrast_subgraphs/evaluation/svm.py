"""The classifier of the paper: the linear SVM of graph2vec's authors, solved exactly.

Narayanan et al. (2017) classify with scikit-learn's ``LinearSVC`` (L2 penalty, squared
hinge loss, regularised bias), C in {0.01, ..., 1000} by cross-validation. On unscaled
features and large C its solver, liblinear, stops before it has converged. The problem is
smooth and small, so Newton's method solves it to machine precision:

* few features (`fit_columns`): in the weights themselves, compiled;
* many features (`fit_gram`): in one coefficient for each subject, from the matrix of
  inner products, which is computed once for all splits (Chapelle, "Training a support
  vector machine in the primal", Neural Computation 2007).

Both give the numbers of ``LinearSVC`` run to convergence. An RBF kernel is offered
through scikit-learn's ``SVC``. A decision value above 0 means class 1.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg.lapack import dposv

from ..core.compiled import kernel
from ..core.errors import InputError

#: A Newton step that gains less than this part of the objective ends the fit.
CONVERGED = 1e-13
MAX_STEPS = 200


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


# --- few features -------------------------------------------------------------------


def fit_columns(X, y, C):
    """Fit the linear SVM on a few features.

    Parameters
    ----------
    X : array_like of shape (n_subjects, n_features)
    y : array_like of shape (n_subjects,)
        0 or 1.
    C : float
        Penalty of the squared hinge loss.

    Returns
    -------
    coef : numpy.ndarray of shape (n_features,)
    intercept : float
        Minimisers of ``(|coef|^2 + intercept^2) / 2 + C sum max(0, 1 - s f)^2`` with
        ``f = X coef + intercept`` and ``s`` = +1 for class 1, -1 for class 0.
    """
    rows = _with_bias(np.asarray(X, dtype=float))
    w = _newton(rows, _signs(y), float(C), np.zeros(rows.shape[1]))
    return w[:-1], float(w[-1])


def _with_bias(X):
    return np.hstack([X, np.ones((len(X), 1))])


def _signs(y):
    return np.where(np.asarray(y) > 0, 1.0, -1.0)


def cross_validate_columns(folds, columns, y, fold, candidates):
    """Cross-validated accuracy of many small feature sets and candidates at once.

    In each fold the features are standardised by mean and standard deviation of the
    fold's own training part.

    Parameters
    ----------
    folds : numpy.ndarray of shape (n_folds, n_subjects, n_columns)
        For each fold, all feature columns made without that fold's subjects.
    columns : numpy.ndarray of shape (n_sets, n_features)
        Which columns make up each feature set.
    y : numpy.ndarray of shape (n_subjects,)
        0 or 1.
    fold : numpy.ndarray of shape (n_subjects,)
        Fold in which a subject is left out; -1 for subjects that take no part.
    candidates : list of dict
        See `svm_grid`.

    Returns
    -------
    numpy.ndarray of shape (n_sets, n_candidates)
        Mean of the folds' accuracies.
    """
    if "gamma" not in candidates[0]:
        penalties = np.array([candidate["C"] for candidate in candidates], dtype=float)
        return _cross_validate(
            np.ascontiguousarray(folds, dtype=float), columns, _signs(y), fold, penalties
        )
    total = np.zeros((len(columns), len(candidates)))
    for number, table in enumerate(folds):
        train, test = np.flatnonzero((fold >= 0) & (fold != number)), np.flatnonzero(fold == number)
        for row, chosen in enumerate(columns):
            X = np.ascontiguousarray(table[:, chosen])
            for column, candidate in enumerate(candidates):
                decision = train_columns(X[train], y[train], candidate).decide(X[test])
                total[row, column] += ((decision > 0) == (y[test] > 0)).mean()
    return total / len(folds)


@dataclass(frozen=True)
class ColumnsClassifier:
    """A linear SVM on a few standardised features.

    Attributes
    ----------
    mean, scale, coef : numpy.ndarray of shape (n_features,)
    intercept : float
    """

    mean: np.ndarray
    scale: np.ndarray
    coef: np.ndarray
    intercept: float

    def decide(self, X):
        """Decision values of features (n, n_features) that are not yet standardised."""
        return (X - self.mean) / self.scale @ self.coef + self.intercept


def train_columns(X, y, candidate):
    """Standardise a few features by themselves and fit the SVM.

    Parameters
    ----------
    X : numpy.ndarray of shape (n_subjects, n_features)
        The training subjects' features.
    y : numpy.ndarray of shape (n_subjects,)
    candidate : dict
        See `svm_grid`.

    Returns
    -------
    ColumnsClassifier or RbfColumnsClassifier
        ``decide(X)`` gives decision values.
    """
    mean, scale = _moments(np.ascontiguousarray(X, dtype=float))
    Z = (X - mean) / scale
    if "gamma" in candidate:
        return RbfColumnsClassifier(
            mean, scale, Z, RbfClassifier.fit(Z @ Z.T, y, candidate, Z.shape[1])
        )
    return ColumnsClassifier(mean, scale, *fit_columns(Z, y, candidate["C"]))


@kernel
def _moments(X):
    """Means and standard deviations of columns; 1 for that of a constant column."""
    n, d = X.shape
    mean, scale = np.zeros(d), np.ones(d)
    for j in range(d):
        for i in range(n):
            mean[j] += X[i, j]
        mean[j] /= n
        variance = 0.0
        for i in range(n):
            variance += (X[i, j] - mean[j]) ** 2
        variance /= n
        if variance > 1e-20 * (1.0 + mean[j] ** 2):
            scale[j] = np.sqrt(variance)
    return mean, scale


@kernel
def _cross_validate(folds, columns, s, fold, penalties):
    n_folds, n, _ = folds.shape
    n_sets, d = columns.shape
    accuracy = np.zeros((n_sets, len(penalties)))
    for number in range(n_folds):
        train = np.flatnonzero((fold >= 0) & (fold != number))
        test = np.flatnonzero(fold == number)
        table = folds[number]
        mean, scale = _moments(table[train])
        signs = s[train]
        rows = np.ones((len(train), d + 1))
        for a in range(n_sets):
            for j in range(d):
                c = columns[a, j]
                for i in range(len(train)):
                    rows[i, j] = (table[train[i], c] - mean[c]) / scale[c]
            w = np.zeros(d + 1)
            for b in range(len(penalties)):
                w = _newton(rows, signs, penalties[b], w)
                right = 0
                for i in test:
                    f = w[d]
                    for j in range(d):
                        c = columns[a, j]
                        f += w[j] * (table[i, c] - mean[c]) / scale[c]
                    if (f > 0) == (s[i] > 0):
                        right += 1
                accuracy[a, b] += right / len(test)
    return accuracy / n_folds


@kernel
def _newton(rows, s, C, w):
    """Minimise ``|w|^2 / 2 + C sum max(0, 1 - s rows.w)^2`` from `w`."""
    n, d = rows.shape
    slack, along = np.empty(n), np.empty(n)
    hessian, gradient, step = np.empty((d, d)), np.empty(d), np.empty(d)
    w = w.copy()
    value = 0.0
    for j in range(d):
        value += w[j] * w[j] / 2
    for i in range(n):
        f = 0.0
        for j in range(d):
            f += rows[i, j] * w[j]
        slack[i] = 1.0 - s[i] * f
        if slack[i] > 0:
            value += C * slack[i] * slack[i]
    for _ in range(MAX_STEPS):
        for j in range(d):
            gradient[j] = w[j]
            for k in range(j + 1):
                hessian[j, k] = 1.0 if j == k else 0.0
        for i in range(n):
            if slack[i] > 0:
                for j in range(d):
                    r = 2.0 * C * rows[i, j]
                    gradient[j] -= r * slack[i] * s[i]
                    for k in range(j + 1):
                        hessian[j, k] += r * rows[i, k]
        _solve(hessian, gradient, step)
        for i in range(n):
            f = 0.0
            for j in range(d):
                f += rows[i, j] * step[j]
            along[i] = -s[i] * f  # change of the slack by a whole step
        length, new = 1.0, 0.0
        for _halving in range(60):
            new = 0.0
            for j in range(d):
                new += (w[j] + length * step[j]) ** 2 / 2
            for i in range(n):
                t = slack[i] + length * along[i]
                if t > 0:
                    new += C * t * t
            if new <= value:
                break
            length /= 2
        if not new <= value:
            break
        for j in range(d):
            w[j] += length * step[j]
        for i in range(n):
            slack[i] += length * along[i]
        gained = value - new
        value = new
        if gained <= CONVERGED * value:
            break
    return w


@kernel
def _solve(A, b, x):
    """Solve ``A x = -b`` by Cholesky, overwriting the lower half of A."""
    d = len(b)
    for j in range(d):
        for k in range(j + 1):
            t = A[j, k]
            for m in range(k):
                t -= A[j, m] * A[k, m]
            A[j, k] = np.sqrt(t) if j == k else t / A[k, k]
    for j in range(d):
        t = -b[j]
        for m in range(j):
            t -= A[j, m] * x[m]
        x[j] = t / A[j, j]
    for j in range(d - 1, -1, -1):
        t = x[j]
        for m in range(j + 1, d):
            t -= A[m, j] * x[m]
        x[j] = t / A[j, j]


# --- many features ------------------------------------------------------------------


def fit_gram(gram, y, penalties):
    """Fit the linear SVM, for several C, from the inner products of the features.

    Parameters
    ----------
    gram : array_like of shape (n_subjects, n_subjects)
        Inner products of the training subjects' features.
    y : array_like of shape (n_subjects,)
        0 or 1.
    penalties : sequence of float
        Values of C; each fit starts from the last.

    Returns
    -------
    numpy.ndarray of shape (n_penalties, n_subjects)
        Coefficients ``beta``: a graph with inner products ``k`` to the training
        subjects has the decision value ``sum((k + 1) beta)``; the 1 is the bias.
    """
    K = np.asarray(gram, dtype=float) + 1.0
    s = _signs(y)
    beta, f = np.zeros(len(s)), np.zeros(len(s))
    fits = []
    for C in penalties:
        beta, f = _newton_gram(K, s, C, beta, f)
        fits.append(beta)
    return np.array(fits)


def _newton_gram(K, s, C, beta, f):
    value = _objective_gram(beta, f, s, C)
    solved_for = None
    for _ in range(MAX_STEPS):
        active = s * f < 1.0
        if solved_for is not None and np.array_equal(active, solved_for):
            break  # the step was whole and its guess of the support vectors right
        target, f_target = np.zeros_like(beta), np.zeros_like(f)
        members = np.flatnonzero(active)
        if len(members):
            solution = _solve_gram(K[np.ix_(members, members)], s[members], C)
            target[members] = solution
            f_target = K[:, members] @ solution
        length = 1.0
        for _halving in range(60):
            new_beta, new_f = beta + length * (target - beta), f + length * (f_target - f)
            new = _objective_gram(new_beta, new_f, s, C)
            if new <= value:
                break
            length /= 2
        else:
            break
        solved_for = active if length == 1.0 else None
        gained, value, beta, f = value - new, new, new_beta, new_f
        if gained <= CONVERGED * value:
            break
    return beta, f


def _solve_gram(K, s, C):
    """Solve ``(K + I / 2C) x = s``.

    Inner products so large that rounding hides ``1 / 2C`` get a little more on the diagonal.
    """
    largest = np.diag(K).max()
    for more in (0.0, 1e-14, 1e-12, 1e-10):
        system = K.copy() if more < 1e-10 else K
        system.flat[:: len(K) + 1] += 0.5 / C + more * largest
        _, x, info = dposv(system, s, lower=1, overwrite_a=1)
        if info == 0:
            return x
    raise InputError(
        "the matrix of inner products is not positive semidefinite: an SVM cannot be fitted on it"
    )


def _objective_gram(beta, f, s, C):
    slack = np.maximum(0.0, 1.0 - s * f)
    return 0.5 * (beta @ f) + C * (slack @ slack)


@dataclass(frozen=True)
class GramClassifier:
    """A linear SVM in coefficients of the training subjects.

    Attributes
    ----------
    beta : numpy.ndarray of shape (n_train,)
    """

    beta: np.ndarray

    def decide(self, products, own=None):
        """Decision values from inner products (n, n_train) with the training subjects."""
        return (products + 1.0) @ self.beta


def train_gram(gram, y, candidate, n_features=1):
    """Fit the SVM from the training subjects' inner products.

    Parameters
    ----------
    gram : numpy.ndarray of shape (n_subjects, n_subjects)
    y : numpy.ndarray of shape (n_subjects,)
    candidate : dict
        See `svm_grid`.
    n_features : int
        Only for ``gamma: auto``, which is 1 / n_features.

    Returns
    -------
    GramClassifier or RbfClassifier
        ``decide(products, own)`` gives decision values from the inner products of other
        graphs with the training subjects and with themselves.
    """
    if "gamma" in candidate:
        return RbfClassifier.fit(gram, y, candidate, n_features)
    return GramClassifier(fit_gram(gram, y, [candidate["C"]])[0])


def cross_validate_gram(gram, y, fold, candidates, n_features=1):
    """Cross-validated accuracy of the candidates on one matrix of inner products.

    Parameters
    ----------
    gram : numpy.ndarray of shape (n_subjects, n_subjects)
    y : numpy.ndarray of shape (n_subjects,)
    fold : numpy.ndarray of shape (n_subjects,)
        Fold in which a subject is left out; -1 for subjects that take no part.
    candidates : list of dict
        See `svm_grid`.
    n_features : int
        Only for ``gamma: auto``.

    Returns
    -------
    numpy.ndarray of shape (n_candidates,)
        Mean of the folds' accuracies.
    """
    numbers = range(int(fold.max()) + 1)
    total = np.zeros(len(candidates))
    for number in numbers:
        train, test = np.flatnonzero((fold >= 0) & (fold != number)), np.flatnonzero(fold == number)
        inner, products = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
        if "gamma" in candidates[0]:
            own = np.diag(gram)[test]
            models = [train_gram(inner, y[train], one, n_features) for one in candidates]
            decision = np.array([model.decide(products, own) for model in models])
        else:
            fits = fit_gram(inner, y[train], [one["C"] for one in candidates])
            decision = fits @ (products.T + 1.0)
        total += ((decision > 0) == (y[test] > 0)).mean(axis=1)
    return total / len(numbers)


# --- RBF ----------------------------------------------------------------------------


@dataclass(frozen=True)
class RbfClassifier:
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


@dataclass(frozen=True)
class RbfColumnsClassifier:
    """An RBF SVM on a few standardised features."""

    mean: np.ndarray
    scale: np.ndarray
    train: np.ndarray
    classifier: RbfClassifier

    def decide(self, X):
        """Decision values of features (n, n_features) that are not yet standardised."""
        Z = (X - self.mean) / self.scale
        return self.classifier.decide(Z @ self.train.T, (Z * Z).sum(axis=1))


def _rbf(products, own, own_train, gamma):
    distance = own[:, None] + own_train - 2.0 * products
    return np.exp(-gamma * np.maximum(distance, 0.0))
