"""The linear SVM on a few features: Newton's method in the weights.

The objective ``|w|^2 / 2 + C sum max(0, 1 - s f)^2`` is smooth, convex and piecewise
quadratic, so a few Newton steps end at its minimum to machine precision (Chapelle,
"Training a support vector machine in the primal", Neural Computation 2007). Compiled, since
contrast subgraphs at many percentiles make for millions of small fits: the same in numpy,
all feature sets of a fold stacked, takes six times as long.
"""

import numpy as np

from ..core.compiled import kernel

#: A Newton step that gains less than this part of the objective ends a fit.
CONVERGED = 1e-13
MAX_STEPS = 200
#: Halvings of a step that would make the objective worse.
MAX_HALVINGS = 60
#: A column whose variance is at most this part of 1 + its squared mean is constant.
CONSTANT = 1e-20


def fit_columns(X, y, C):
    """Fit the linear SVM on a few features of people with labels `y`, 0 or 1.

    Returns the minimisers of ``(|coef|^2 + intercept^2) / 2 + C sum max(0, 1 - s f)^2`` with
    ``f = X coef + intercept`` and ``s`` = +1 for class 1, -1 for class 0.
    """
    rows = _with_bias(np.asarray(X, dtype=float))
    w = _newton(rows, signs(y), float(C), np.zeros(rows.shape[1]))
    return w[:-1], float(w[-1])


def signs(y):
    """Return +1 for class 1 and -1 for class 0."""
    return np.where(np.asarray(y) > 0, 1.0, -1.0)


def accuracies(table, sets, y, train, test, penalties):
    """`svm.accuracy_of_columns` with the linear kernel; each fit starts from the last."""
    mean, scale = moments(table[train])
    rows = _with_bias((table - mean) / scale)
    return _accuracies(rows, sets, signs(y), train, test, np.asarray(penalties, dtype=float))


def moments(X):
    """Return means and standard deviations of columns; 1 for that of a constant column."""
    mean, variance = X.mean(axis=0), X.var(axis=0)
    varies = variance > CONSTANT * (1.0 + mean**2)
    return mean, np.sqrt(np.where(varies, variance, 1.0))


def _with_bias(X):
    return np.hstack([X, np.ones((len(X), 1))])


@kernel
def _accuracies(table, sets, s, train, test, penalties):
    accuracy = np.empty((len(sets), len(penalties)))
    bias = table.shape[1] - 1
    for a in range(len(sets)):
        columns = np.append(sets[a], bias)
        rows, others = table[train][:, columns], table[test][:, columns]
        w = np.zeros(len(columns))
        for b in range(len(penalties)):
            w = _newton(rows, s[train], penalties[b], w)
            accuracy[a, b] = np.mean((others @ w > 0) == (s[test] > 0))
    return accuracy


@kernel
def _newton(rows, s, C, w):
    """Minimise ``|w|^2 / 2 + C sum max(0, 1 - s rows.w)^2`` from `w`."""
    slack = 1.0 - s * (rows @ w)
    value = _objective(w, slack, C)
    for _ in range(MAX_STEPS):
        # 1. Gradient and Hessian; subjects outside the margin take no part.
        inside = np.flatnonzero(slack > 0)
        near = rows[inside]
        gradient = w - 2.0 * C * ((s[inside] * slack[inside]) @ near)
        hessian = np.eye(len(w)) + 2.0 * C * (near.T @ near)
        # 2. The Newton step, halved until the objective is no worse.
        step = -np.linalg.solve(hessian, gradient)
        along = -s * (rows @ step)  # change of the slack by a whole step
        length = 1.0
        new = _objective(w + step, slack + along, C)
        for _halving in range(MAX_HALVINGS):
            if new <= value:
                break
            length /= 2
            new = _objective(w + length * step, slack + length * along, C)
        if not new <= value:
            break
        w, slack = w + length * step, slack + length * along
        # 3. Done when a step no longer gains.
        gained, value = value - new, new
        if gained <= CONVERGED * value:
            break
    return w


@kernel
def _objective(w, slack, C):
    inside = np.maximum(slack, 0.0)
    return (w @ w) / 2 + C * (inside @ inside)
