"""Certificates that a contrast subgraph is optimal, for `checker` to check.

The proof is found by the tree of `tree`. What it concludes from floating-point numbers is
written down with the multipliers that show it, and kept only if `checker` accepts it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from ...core.checks import RandomState, check_seed
from ...core.errors import InputError
from ...core.labels import names_of_regions
from ..difference import check_linear, check_weights
from ..objective import Margins, check_nodes, conditioned_quadratic, surplus, surplus_of
from ..result import ContrastSubgraphResult
from ..solver.limits import Budget, Limits
from . import checker
from .branching import INSIDE, OUTSIDE, UNDECIDED
from .stars import Stars
from .tree import Tree
from .triangles import SIGNS

#: No set has more than ``1 + TOLERANCE`` times the objective.
TOLERANCE = 1e-7


def certify(
    difference: ArrayLike,
    result: ContrastSubgraphResult,
    *,
    linear: ArrayLike | None = None,
    limits: Mapping | Limits | None = None,
    random_state: RandomState = 0,
) -> dict[str, Any]:
    """Return a certificate that a set is optimal, a contrast subgraph or a quadratic problem's.

    Parameters
    ----------
    difference, limits, random_state
        As for `contrast_subgraph`.
    result : ContrastSubgraphResult
        Its contrast subgraph, or what `maximize_quadratic` found for these weights.
    linear : array_like of shape (n_vertices,), optional
        What each vertex adds by itself, as for `maximize_quadratic`.

    Returns
    -------
    dict
        Plain values, for a JSON file; the module `checker` says what they mean.

    Raises
    ------
    InputError
        If the set is not the best one, or no proof is found within the limits.

    See Also
    --------
    check_certificate : Checks the proof without the solver.
    contrast_subgraph : Finds the set.

    Examples
    --------
    >>> from contrast_subgraphs import contrast_subgraph
    >>> difference = [[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]]
    >>> certificate = certify(difference, contrast_subgraph(difference, alpha=0.5))
    >>> check_certificate(certificate)
    4.5
    """
    weights = check_weights(difference, "the difference graph")
    n = len(weights)
    certificate = {
        "vertices": n,
        "weights": weights[np.triu_indices(n, 1)].tolist(),
        "alpha": float(result.alpha),
        "nodes": check_nodes(result.nodes, n).tolist(),
        "tolerance": TOLERANCE,
    }
    # Otherwise the same numbers of vertices would be other regions.
    result.to_dict(names_of_regions(difference, None))
    own = check_linear(linear, n)
    if linear is not None:
        certificate["linear"] = own.tolist()
    certificate["digest"] = checker.digest(certificate)
    try:
        # The checker reads the claim first, so that no proof is searched for one that it refuses.
        problem = checker.Problem(certificate)
    except ValueError as error:
        raise InputError(f"this set cannot be certified ({error})") from error
    conditioned = conditioned_quadratic(surplus(weights, result.alpha), own)
    budget = Budget(Limits.of(limits))
    tree = _Certifier(conditioned, certificate, problem, budget, check_seed(random_state))
    bound = tree.run()
    if tree.found:
        raise InputError("a better set was met: only the best one can be certified")
    if bound > tree.goal:
        raise InputError("no proof was found within the limits: raise `nodes`")
    return {**certificate, "proof": tree.proof}


def check_certificate(
    certificate: Mapping[str, Any],
    difference: ArrayLike | None = None,
    *,
    alpha: float | None = None,
    linear: ArrayLike | None = None,
) -> float:
    """Check a certificate, in whole numbers and without the solver.

    Parameters
    ----------
    certificate : dict
        From `certify`, or read from its JSON file.
    difference, alpha : array_like of shape (n_vertices, n_vertices), float, optional
        The difference graph and the penalty that the certificate must be for.
    linear : array_like of shape (n_vertices,), optional
        The linear terms that the certificate must be for.

    Returns
    -------
    float
        The objective of its set: no set has more than ``1 + certificate["tolerance"]`` times it.

    Raises
    ------
    InputError
        If the proof does not hold, or is for another difference graph or penalty.

    See Also
    --------
    certify : Writes the proof.

    Examples
    --------
    >>> from contrast_subgraphs import contrast_subgraph
    >>> pair = [[0, 2], [2, 0]]
    >>> certificate = certify(pair, contrast_subgraph(pair, alpha=0.5))
    >>> check_certificate(certificate, pair, alpha=0.5)
    1.5
    """
    if isinstance(certificate, Mapping):
        certificate = dict(certificate)
    try:
        value = float(checker.check(certificate))
    except ValueError as error:
        raise InputError(f"the certificate is refused ({error})") from error
    if difference is not None:
        weights = check_weights(difference, "the difference graph")
        pairs = weights[np.triu_indices(len(weights), 1)].tolist()
        if len(weights) != certificate["vertices"] or pairs != certificate["weights"]:
            raise InputError("the certificate is for another difference graph")
    if linear is not None:
        own = check_linear(linear, certificate["vertices"]).tolist()
        if own != certificate.get("linear"):
            raise InputError("the certificate is for other linear terms")
    if alpha is not None and alpha != certificate["alpha"]:
        raise InputError(f"the certificate is for alpha {certificate['alpha']!r}, not {alpha!r}")
    return value


class _Certifier(Tree):
    """A tree that writes down what it concludes, and concludes only what the checker accepts."""

    def __init__(self, conditioned, certificate, problem, budget, seed):
        matrix, linear, self.exponent = conditioned
        self.problem = problem
        value = surplus_of(matrix, certificate["nodes"], linear)
        super().__init__(matrix, value, budget, seed, linear=linear)
        # Half of the tolerance is left for the checker, whose multipliers are rounded.
        allowed = 0.5 * certificate["tolerance"] * value
        step = Margins.of(matrix, linear).step
        self.margin = max(allowed, self.margin) if step else allowed

    def stars(self, state):
        """None: what proof A ends here, the checker must end without them."""
        return Stars.none(len(state))

    def ends(self, subproblem, state, part):
        """Write down the multipliers of the bound, if the checker accepts it."""
        free = subproblem.vertices.tolist()
        z = self.inequalities(subproblem)
        _, vectors = subproblem.bound_at(subproblem.multipliers, subproblem.fives)
        tightened = subproblem.tightened(subproblem.multipliers, subproblem.fives)
        y = self.diagonal(tightened, vectors)
        fine = self.problem.is_below(*self.problem.relaxation(_plain(state), free, z), y)
        if fine:
            part["then"] = {"bound": {"free": free, "z": z, "y": y}}
        return fine

    def ruled_out(self, subproblem, state, part):
        """Write down the vertices ruled out on one side, with the multipliers that show it."""
        free = subproblem.vertices.tolist()
        z = self.inequalities(subproblem)
        relaxation = self.problem.relaxation(_plain(state), free, z)
        ruled_out = []

        def accept(v, side, lift, vectors):
            y = self.diagonal(lift, vectors)
            joined = checker.with_one_placed(*relaxation, int(v), int(side))
            fine = self.problem.is_below(*joined, y)
            if fine:
                ruled_out.append([int(v), int(side), y])
            return fine

        sides = subproblem.ruled_out(self.goal, accept=accept)
        if ruled_out:
            part["steps"].append({"free": free, "z": z, "ruled_out": ruled_out})
        return sides

    def inequalities(self, subproblem):
        """The inequalities in use, with their multipliers in units of the weights."""
        patterns = {tuple(signs): k for k, signs in enumerate(SIGNS.tolist())}
        triangles = [patterns[tuple(signs)] for signs in subproblem.signs.tolist()]
        fives = subproblem.fives
        # The pattern has a bit for each place after the first, that of the last is the lowest.
        pentagons = (fives.signs[:, 1:] < 0) @ (1 << np.arange(4)[::-1])
        kinds = (
            (subproblem.triples, triangles, subproblem.multipliers),
            (fives.places, pentagons, fives.multipliers),
        )
        entries = []
        for places, of_signs, multipliers in kinds:
            for at, pattern, z in zip(places, of_signs, multipliers, strict=True):
                if z > 0:
                    entries.append([*map(int, at), int(pattern), float(np.ldexp(z, self.exponent))])
        return entries

    def diagonal(self, lift, vectors):
        """The y of the dual bound, raised until its matrix is positive definite."""
        y = np.linalg.norm(vectors @ lift, axis=0)
        top = scipy.linalg.eigvalsh(lift - np.diag(y))[-1]
        # A little more than needed: the checker must find a Cholesky factor of it.
        y += max(0.0, top) + 1e-11 * max(1.0, np.abs(y).max())
        return [float(entry) for entry in np.ldexp(y, self.exponent)]


def _plain(state):
    """Sides as the checker has them: 1 inside, -1 outside, 0 open."""
    return [{INSIDE: 1, OUTSIDE: -1, UNDECIDED: 0}[int(entry)] for entry in state]
