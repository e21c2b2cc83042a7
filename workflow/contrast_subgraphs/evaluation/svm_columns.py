"""The linear SVM on a few features: Newton's method in the weights.

The objective ``|w|^2 / 2 + C sum max(0, 1 - s f)^2`` is smooth, convex and piecewise
quadratic, so a few Newton steps end at its minimum to machine precision (Chapelle,
"Training a support vector machine in the primal", Neural Computation 2007). The loop is compiled,
since contrast subgraphs at many percentiles lead to millions of small fits: in numpy, one set after
the other, they take 30 times as long. With up to 120 features it is faster than numpy's matrix
products, with 300 to 600 it takes 1.2 to 1.5 times as long.
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
    rows = _rows_times_signs(_with_bias(np.asarray(X, dtype=float)), signs(y))
    w = np.zeros(len(rows))
    # Through smaller penalties: a step from 0 to a large C loses digits.
    for penalty in C * 10.0 ** np.arange(-5.0, 1.0):
        _newton(rows, penalty, w)
    return w[:-1], float(w[-1])


def signs(y):
    """Return +1 for class 1 and -1 for class 0."""
    return np.where(np.asarray(y) > 0, 1.0, -1.0)


def accuracies(table, sets, y, train, test, penalties, standardise=True):
    """`svm.accuracy_of_columns` with the linear kernel; each fit starts from the last."""
    if standardise:
        mean, scale = moments(table[train])
    else:
        mean = 0.0
        scale = 1.0
    table = _with_bias((table - mean) / scale)
    s = signs(y)[train]
    test_s = signs(y)[test]
    sets = np.column_stack([sets, np.full(len(sets), table.shape[1] - 1)])
    rows = _rows_times_signs(table[train], s)
    return _accuracies(rows, table[test], test_s, sets, np.asarray(penalties, dtype=float))


def moments(X):
    """Return means and standard deviations of columns; 1 for that of a constant column."""
    mean = X.mean(axis=0)
    variance = X.var(axis=0)
    varies = variance > CONSTANT * (1.0 + mean**2)
    return mean, np.sqrt(np.where(varies, variance, 1.0))


def _with_bias(X):
    return np.hstack([X, np.ones((len(X), 1))])


def _rows_times_signs(table, s):
    """A row for each column, times the signs: the same Hessian, and sums of many people at once."""
    return np.ascontiguousarray((table * s[:, None]).T)


@kernel
def _accuracies(rows, test, s, sets, penalties):
    """The accuracy of each set of columns at each penalty."""
    accuracy = np.empty((len(sets), len(penalties)))
    for a in range(len(sets)):
        own = rows[sets[a]]
        w = np.zeros(sets.shape[1])
        for b in range(len(penalties)):
            _newton(own, penalties[b], w)
            right = 0
            for i in range(len(test)):
                decision = 0.0
                for j in range(len(w)):
                    decision += test[i, sets[a, j]] * w[j]
                right += (decision > 0) == (s[i] > 0)
            accuracy[a, b] = right / len(test)
    return accuracy


@kernel
def _newton(rows, C, w):
    """Minimise ``|w|^2 / 2 + C sum max(0, 1 - rows.w)^2`` from `w`, in place."""
    d = len(w)
    step = np.zeros(d)
    hessian = np.zeros((d, d))
    slack = np.empty(rows.shape[1])
    moved = np.empty(rows.shape[1])
    near = np.empty(rows.shape)
    value = _loss(rows, C, w, slack)
    for _ in range(MAX_STEPS):
        # 1. Gradient and Hessian; subjects outside the margin take no part.
        for j in range(d):
            _keep_inside(rows[j], slack, near[j])
            step[j] = 2.0 * C * _sum(rows[j], slack) - w[j]
            for k in range(j + 1):
                hessian[j, k] = (j == k) + 2.0 * C * _sum(near[j], near[k])
        # 2. The Newton step, halved until the objective is no worse.
        _solve(hessian, step)
        new = np.inf
        length = 1.0
        for _halving in range(MAX_HALVINGS + 1):
            new = _loss(rows, C, w + length * step, moved)
            length = length / 2
            if new <= value:
                break
        if not new <= value:
            break
        w += 2 * length * step
        slack, moved = moved, slack
        # 3. Done when a step no longer gains.
        gained = value - new
        value = new
        if gained <= CONVERGED * value:
            break


@kernel(fastmath={"reassoc", "nsz"})
def _loss(rows, C, w, slack):
    """The objective; `slack` becomes that of each person, 0 outside the margin."""
    slack[:] = 1.0
    for j in range(len(w)):
        for i in range(len(slack)):
            slack[i] -= w[j] * rows[j, i]
    loss = 0.0
    for i in range(len(slack)):
        slack[i] = max(slack[i], 0.0)
        loss += slack[i] * slack[i]
    size = 0.0
    for j in range(len(w)):
        size += w[j] * w[j]
    return size / 2 + C * loss


@kernel
def _keep_inside(row, slack, near):
    """Copy a row of numbers, with 0 for the people outside the margin."""
    for i in range(len(slack)):
        near[i] = row[i] if slack[i] > 0 else 0.0


@kernel(fastmath={"reassoc", "nsz"})
def _sum(first, second):
    """Sum of the products."""
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i]
    return total


@kernel
def _solve(matrix, right):
    """Solve a positive definite system of a lower triangle by Cholesky's method, in place."""
    d = len(right)
    for j in range(d):
        for i in range(j, d):
            matrix[i, j] -= _sum(matrix[i, :j], matrix[j, :j])
            if i == j:
                matrix[i, j] = np.sqrt(matrix[j, j])
            else:
                matrix[i, j] = matrix[i, j] / matrix[j, j]
    for i in range(d):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(d - 1, -1, -1):
        for k in range(i + 1, d):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]
