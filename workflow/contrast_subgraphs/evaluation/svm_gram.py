"""The linear SVM on many features: Newton's method on the matrix of inner products.

With more features than subjects the weights are a sum over the subjects, so one coefficient
a subject is all there is to find (Chapelle, "Training a support vector machine in the
primal", Neural Computation 2007, Section 4). The inner products are computed once for all
splits.
"""

import numpy as np
from scipy.linalg.lapack import dposv, spotrf, spotrs

from ..core.errors import InputError
from .svm_columns import CONVERGED, MAX_HALVINGS, MAX_STEPS, signs

#: A solution is refined until its residual is rounding, or this often.
REFINEMENTS, ROUNDING = 6, 2.0**-52


def fit_gram(gram, y, penalties):
    """Fit the linear SVM, for several C, from the inner products of the training features.

    Coefficients ``beta`` (n_penalties, n_subjects): the decision value is ``sum((k + 1) beta)``.
    """
    K = np.asarray(gram, dtype=float) + 1.0
    s = signs(y)
    beta, f = np.zeros(len(s)), np.zeros(len(s))
    fits = []
    for C in penalties:
        beta, f = _newton_gram(K, s, C, beta, f)
        fits.append(beta)
    return np.array(fits)


def _newton_gram(K, s, C, beta, f):
    """Minimise ``beta'K beta / 2 + C sum max(0, 1 - s f)^2``, ``f = K beta``, from `beta`."""
    value = _objective_gram(beta, f, s, C)
    solved_for = None
    for _ in range(MAX_STEPS):
        # 1. The subjects inside the margin; done if a whole step has solved for just these.
        active = s * f < 1.0
        if solved_for is not None and np.array_equal(active, solved_for):
            break
        # 2. The minimum of the quadratic that these subjects make up.
        target, f_target = np.zeros_like(beta), np.zeros_like(f)
        members = np.flatnonzero(active)
        if len(members):
            target[members] = _solve_gram(K, members, s, C)
            f_target = K @ target
        # 3. Go there, or half as far until the objective is no worse.
        length = 1.0
        for _halving in range(MAX_HALVINGS):
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


def _solve_gram(K, members, s, C):
    """Solve ``(K + I / 2C) x = s`` for some subjects: in single precision, refined in double.

    Inner products so large that rounding hides ``1 / 2C`` get a little more on the diagonal.
    """
    everybody = len(members) == len(K)
    system = K.copy() if everybody else K.take(members, 0).take(members, 1)
    right = s[members]
    diagonal = system.diagonal() + 0.5 / C
    system.flat[:: len(members) + 1] = diagonal
    # The triangle's transpose is the layout that LAPACK wants: no copy.
    factor, info = spotrf(system.astype(np.float32).T, lower=1, clean=0, overwrite_a=1)
    x, rest = np.zeros(len(members)), right
    for _ in range(REFINEMENTS if info == 0 else 0):
        x = x + spotrs(factor, rest, lower=1)[0]
        rest = right - system @ x
        # No entry of the matrix is larger than its largest diagonal one.
        if np.abs(rest).max() <= ROUNDING * len(x) * diagonal.max() * np.abs(x).max():
            return x
    for more in (0.0, 1e-14, 1e-12, 1e-10):
        system.flat[:: len(members) + 1] = diagonal + more * diagonal.max()
        _, x, info = dposv(system.T, right, lower=1)
        if info == 0:
            return x
    raise InputError(
        "the matrix of inner products is not positive semidefinite: an SVM cannot be fitted on it"
    )


def _objective_gram(beta, f, s, C):
    slack = np.maximum(0.0, 1.0 - s * f)
    return 0.5 * (beta @ f) + C * (slack @ slack)
