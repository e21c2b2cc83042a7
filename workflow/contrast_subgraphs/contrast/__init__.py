"""Contrast subgraphs of two groups of graphs: answers, bounds and proofs."""

from .alpha import alpha_from_percentile
from .bipartite import bipartite_contrasts
from .difference import CONTRASTS, difference_graph
from .objective import objective
from .problems import QuadraticProblem
from .proof.certificate import certify, check_certificate
from .quadratic import maximize_quadratic
from .result import Alternatives, BipartiteContrastResult, ContrastSubgraphResult, NearOptimal
from .solve import SOLVERS, contrast_subgraph, sweep
from .solver.limits import Limits
from .solver.search import search_quick

__all__ = [
    "CONTRASTS",
    "SOLVERS",
    "Alternatives",
    "BipartiteContrastResult",
    "ContrastSubgraphResult",
    "Limits",
    "NearOptimal",
    "QuadraticProblem",
    "alpha_from_percentile",
    "bipartite_contrasts",
    "certify",
    "check_certificate",
    "contrast_subgraph",
    "difference_graph",
    "maximize_quadratic",
    "objective",
    "search_quick",
    "sweep",
]
