"""The semidefinite relaxation (appendix of the paper), its upper bound, and its roundings.

With ``x_u = 1`` for a vertex inside and ``-1`` outside, and a reference ``x_0 = 1``,

    f(S) = (c + x' P x) / 8,   P = [[0, r'], [r, W]],  r = W 1,  c = 1' W 1.

The relaxation replaces ``x x'`` by a positive semidefinite matrix with a unit diagonal,
the Gram matrix of unit vectors ``v_0, v_1, ..., v_n``.
"""

import importlib.util
import os
import warnings
from pathlib import Path

import numpy as np
import scipy.linalg

from ...core import seeds
from ...core.checks import check_option
from ...core.compiled import kernel
from ...core.errors import InputError
from ...core.extras import optional

#: `auto` is the low-rank method of this module; the others are called through cvxpy.
SDP_SOLVERS = ("auto", "mosek", "clarabel", "scs")

#: The coordinate ascent stops when a sweep gains less than this, relatively.
TOLERANCE = 1e-8
#: Sweeps between two looks at the clock, times the square of the number of vectors.
SWEEPS_AT_ONCE = 10**7


def lifted(matrix, linear=0.0):
    """Return ``(P, c)`` of a surplus matrix, and of what vertices gain by themselves."""
    n = len(matrix)
    border = matrix.sum(axis=0) + 2 * linear
    lift = np.zeros((n + 1, n + 1))
    lift[1:, 1:] = matrix
    lift[0, 1:] = lift[1:, 0] = border
    return lift, float(border.sum() + 2 * np.sum(linear))


def rank_for(n):
    """Rank from which the low-rank problem has no bad local optima, ``sqrt(2 n)``."""
    return int(np.ceil(np.sqrt(2 * (n + 1)))) + 1


def low_rank(lift, seed=0, rank=None, sweeps=1000, tolerance=TOLERANCE, budget=None):
    """Solve the relaxation by the mixing method (Wang, Chang and Kolter 2017).

    Returns unit vectors, (rank, n + 1). It ends when a sweep gains less than `tolerance`,
    relatively.
    """
    n = len(lift)
    shape = (rank_for(n - 1) if rank is None else rank, n)
    vectors = seeds.generator(seed, "relaxation", n).normal(size=shape)
    vectors /= np.linalg.norm(vectors, axis=0)
    at_once = max(1, SWEEPS_AT_ONCE // n**2)
    for done in range(0, sweeps, at_once):
        made = mix(lift, vectors, min(at_once, sweeps - done), tolerance)
        if made < at_once or (budget is not None and budget.late()):
            break
    return vectors


@kernel(fastmath=True)
def mix(lift, vectors, sweeps, tolerance):
    """Coordinate ascent of <P, V'V>, in place; returns the number of sweeps made.

    It ends when a sweep gains less than `tolerance` of the value; with 0 it never ends early.
    """
    rank, n = vectors.shape
    direction = np.empty(rank)
    for sweep in range(sweeps):
        total = 0.0
        gain = 0.0
        for i in range(n):
            # Given all other vectors, the best v_i is the direction of sum_j P_ij v_j, and its term
            # of the objective becomes the norm of that sum.
            square = 0.0
            before = 0.0
            for k in range(rank):
                entry = 0.0
                for j in range(n):
                    entry += lift[i, j] * vectors[k, j]
                direction[k] = entry
                square += entry * entry
                before += entry * vectors[k, i]
            norm = np.sqrt(square)
            total += norm
            gain += norm - before
            if norm > 0.0:
                for k in range(rank):
                    vectors[k, i] = direction[k] / norm
        if gain <= tolerance * total:
            return sweep  # the last sweep gained next to nothing
    return sweeps


def dual_bound(lift, vectors):
    """Return an upper bound of ``max <P, X>`` over the relaxation, from any vectors.

    ``sum(y) + n max(0, lambda_max(P - diag(y)))`` is a bound for every y. At the optimum it is
    tight if ``y_i`` is the norm of column i of ``V P``. Rounding errors are added on the safe side.
    """
    n = len(lift)
    multipliers = np.linalg.norm(vectors @ lift, axis=0)
    slack = lift - np.diag(multipliers)
    top = scipy.linalg.eigvalsh(slack, subset_by_index=(n - 1, n - 1), check_finite=False)[0]
    margin = 4 * n * np.finfo(float).eps * np.linalg.norm(slack)
    bound = multipliers.sum() + n * max(0.0, top + margin)
    return float(bound + rounding_error(n, np.abs(lift).sum() + multipliers.sum()))


def rounding_error(n, total):
    """Return how far sums of up to ``4 n`` numbers of magnitude `total` may be off."""
    return 4 * n * np.finfo(float).eps * total


def relax(matrix, solver="auto", seed=0, budget=None, linear=0.0):
    """Solve the relaxation of a conditioned matrix: unit vectors (rank, n + 1), and a bound.

    Whichever solver is used, and however early it stops, `dual_bound` certifies the bound.
    """
    lift, constant = lifted(matrix, linear)
    if solver == "auto":
        vectors = low_rank(lift, seed=seed, budget=budget)
    else:
        vectors = factor(solve_with_cvxpy(lift, solver))
    return vectors, max(0.0, (constant + dual_bound(lift, vectors)) / 8)


def check_solver(solver):
    """Refuse, before any work, an SDP solver that is unknown, not installed or not licensed."""
    check_option("SDP solver", solver, SDP_SOLVERS)
    for package in () if solver == "auto" else ("cvxpy", solver):
        if importlib.util.find_spec(package) is None:
            raise InputError(
                f"SDP solver {solver}: the package {package} is not installed; "
                "install it or choose `auto`, which needs none"
            )
    if solver == "mosek":
        _check_licence()


def _check_licence():
    setting = os.environ.get("MOSEKLM_LICENSE_FILE", "")
    home = Path.home() / "mosek" / "mosek.lic"
    # An entry like 27007@host is a licence server.
    places = [place for place in setting.split(os.pathsep) if place] or [str(home)]
    if not any("@" in place or Path(place).exists() for place in places):
        stated = f"set to {setting}" if setting else "not set"
        raise InputError(
            f"MOSEK's licence was not found: looked at MOSEKLM_LICENSE_FILE ({stated}) and "
            f"{home}; put it there, or choose the SDP solver auto, clarabel or scs"
        )


def solve_with_cvxpy(lift, solver):
    """Maximise <P, X> over the relaxation by a solver of cvxpy; returns X, if it is optimal."""
    # Imported only here: it takes seconds, and most users never need it.
    cvxpy = optional("cvxpy", "sdp")
    gram = cvxpy.Variable(lift.shape, PSD=True)
    # The solvers' tolerances are absolute: in these units the value is about the number of
    # vectors.
    scale = np.abs(lift).sum() / len(lift) or 1.0
    problem = cvxpy.Problem(
        cvxpy.Maximize(cvxpy.sum(cvxpy.multiply(lift / scale, gram))), [cvxpy.diag(gram) == 1]
    )
    options = {"scs": {"eps_abs": 1e-6, "eps_rel": 1e-6, "max_iters": 100_000}}.get(solver, {})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate answer is refused below
            problem.solve(solver=solver.upper(), **options)
    except Exception as error:  # each solver raises its own kinds
        raise InputError(
            f"SDP solver {solver} failed ({error}); choose another one, such as auto"
        ) from error
    if problem.status != "optimal":
        raise InputError(
            f"SDP solver {solver} gave an answer that it calls {problem.status}, which cannot "
            "be relied on; choose another one, such as auto"
        )
    return gram.value


def factor(gram):
    """Return unit vectors whose products are (nearly) a solution X, most important first."""
    values, basis = scipy.linalg.eigh(gram)
    vectors = (basis * np.sqrt(np.maximum(values, 0.0))).T[::-1]
    return np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=0))


def hyperplanes(vectors, count, rng):
    """Round by random hyperplanes (Goemans and Williamson, J. ACM 1995): masks (count, n)."""
    # A vertex is inside if it lies on the same side of the hyperplane as the reference v_0.
    sides = rng.normal(size=(count, len(vectors))) @ vectors > 0
    return sides[:, 1:] == sides[:, :1]


def scaled_rounding(vectors, rng):
    """Round as the paper does (Algorithm 3, lines 2 to 8; Cadena et al. 2016).

    As in the pseudocode, the reference vector plays no part.
    """
    n = vectors.shape[1] - 1
    scale = np.sqrt(4 * np.log(n)) if n > 1 else 1.0
    y = np.clip(rng.normal(size=len(vectors)) @ vectors[:, 1:] / scale, -1, 1)
    return rng.random(n) < (1 + y) / 2


def values(matrix, masks, linear=None):
    """Return the value of many sets given as masks, shape (count, n)."""
    masks = masks.astype(float)
    pairs = np.einsum("sv,sv->s", masks @ matrix, masks) / 2
    return pairs if linear is None else pairs + masks @ linear
