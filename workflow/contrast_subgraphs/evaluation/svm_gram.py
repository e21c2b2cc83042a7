"""The linear SVM on many features: Newton's method on the matrix of inner products.

With more features than subjects the weights are a sum over the subjects, so that only one
coefficient for each subject has to be found (Chapelle, "Training a support vector machine in the
primal", Neural Computation 2007, Section 4). The inner products are computed once for all
splits.
"""

import numpy as np
from scipy.linalg.blas import dsymv, strsv
from scipy.linalg.lapack import dposv, spotrf

from ..core.errors import InputError
from .svm_columns import CONVERGED, MAX_HALVINGS, MAX_STEPS, signs

#: A solution is refined until its residual is a rounding error, as long as each step leaves at most
#: this share of it.
ROUNDING = 2.0**-52
SHRINKS = 1 / 16
#: Up to this number of subjects single precision saves nothing.
FEW_SUBJECTS = 300


def fit_gram(gram, y, penalties, train=slice(None)):
    """Fit the linear SVM on the subjects `train`, for several C, from all inner products.

    Returns coefficients ``beta`` (n_penalties, n_subjects), 0 outside `train`, and decision values
    of all people, ``(gram + 1) beta``.
    """
    s = np.zeros(len(gram))
    s[train] = signs(y)[train]
    solver = _Solver(np.asarray(gram, dtype=float))
    beta = np.zeros_like(s)
    f = np.zeros_like(s)
    fits = []
    for C in penalties:
        beta, f = _newton_gram(solver, s, C, beta, f)
        fits.append((beta, f))
    return np.moveaxis(np.array(fits), 1, 0)


def _newton_gram(solver, s, C, beta, f):
    """Minimise ``beta'f / 2 + C sum max(0, 1 - s f)^2``, ``f = (gram + 1) beta``, from `beta`."""
    value = _objective_gram(beta, f, s, C)
    solved_for = None
    for _ in range(MAX_STEPS):
        # 1. The subjects inside the margin; done if a whole step has solved for just these.
        active = np.flatnonzero(s * f < np.abs(s))
        if np.array_equal(active, solved_for):
            break
        # 2. The minimum of the quadratic that these subjects make up.
        target, f_target = solver.solution(active, s, C, beta)
        # 3. Go there, or half as far until the objective is no worse.
        length = 1.0
        for _halving in range(MAX_HALVINGS):
            new_beta = beta + length * (target - beta)
            new_f = f + length * (f_target - f)
            new = _objective_gram(new_beta, new_f, s, C)
            if new <= value:
                break
            length /= 2
        else:
            break
        solved_for = None
        if length == 1.0:
            solved_for = active
        gained = value - new
        value = new
        beta = new_beta
        f = new_f
        if gained <= CONVERGED * value:
            break
    return beta, f


def _objective_gram(beta, f, s, C):
    slack = np.maximum(0.0, np.abs(s) - s * f)
    return 0.5 * (beta @ f) + C * (slack @ slack)


class _Solver:
    """Solves ``(gram + 1 + I / 2C) x = s`` for some subjects, the others' `x` being 0.

    It works in single precision and refines in double. The last factor is tried first: most
    penalties leave the same subjects inside the margin, and change little on the diagonal.
    """

    def __init__(self, gram):
        self.gram = gram
        self.single = None
        if len(gram) > FEW_SUBJECTS:
            self.single = gram.astype(np.float32)
        self.members = np.zeros(0, dtype=int)
        self.factor = None

    def solution(self, members, s, C, start):
        """Return `x` and ``(gram + 1) x``; a factor of the last system goes on from `start`."""
        x = np.zeros_like(s)
        largest = 1.0 + self.gram.diagonal()[members].max(initial=0.0)
        rounding = ROUNDING * len(members) * (largest + 0.5 / C)  # no entry is larger
        if not len(members) or np.array_equal(members, self.members):
            x[members] = start[members]
            solved = self._refined(members, s, C, x, rounding)
            if solved is not None:
                return solved
        if self.single is not None:
            system = _system(self.single, members, 0.5 / C)
            # The triangle's transpose is the layout that LAPACK wants: no copy.
            self.factor, info = spotrf(system.T, lower=1, clean=0, overwrite_a=1)
            self.members = members
            solved = None
            if not info:
                solved = self._refined(members, s, C, 0.0 * s, rounding)
            if solved is not None:
                return solved
            # Single precision will not do for a larger C either.
            self.single = None
            self.members = members[:0]
        # Inner products so large that rounding hides 1 / 2C get a little more on the diagonal.
        for more in (0.0, 1e-14, 1e-12, 1e-10):
            system = _system(self.gram, members, 0.5 / C + more * largest)
            _, x[members], info = dposv(system.T, s[members], lower=1, overwrite_a=1)
            if info == 0:
                return x, self.gram @ x + x.sum()
        raise InputError("the inner products are not positive semidefinite: no SVM can be fitted")

    def _refined(self, members, s, C, x, rounding):
        """Correct `x` by the factor while that shrinks the residual; None if it does not."""
        before = np.inf
        while True:
            f = dsymv(1.0, self.gram.T, x) + x.sum()
            rest = (s - f - 0.5 / C * x)[members]
            left = np.abs(rest).max(initial=0.0)
            if left <= rounding * np.abs(x).max():
                return x, f
            if not left <= SHRINKS * before:
                return None
            before = left
            half = strsv(self.factor, rest, lower=1)
            x[members] += strsv(self.factor, half, lower=1, trans=1)


def _system(gram, members, more):
    system = gram.take(members, 0).take(members, 1)
    system += 1.0
    system.flat[:: len(members) + 1] += more
    return system
