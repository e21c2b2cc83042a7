"""Contrast subgraphs of two groups of graphs: answers, bounds and proofs."""

from .alpha import alpha_from_percentile
from .bipartite import BipartiteSolution, bipartite_contrast, bipartite_contrasts
from .difference import CONTRASTS, difference_graph, summary_graph
from .objective import objective
from .solution import Alternatives, NearOptimal, Solution, to_record
from .solve import SOLVERS, contrast_subgraph, contrast_subgraphs, sweep
from .solver.limits import Limits
from .solver.search import search_many, search_quick

__all__ = [
    "CONTRASTS",
    "SOLVERS",
    "Alternatives",
    "BipartiteSolution",
    "Limits",
    "NearOptimal",
    "Solution",
    "alpha_from_percentile",
    "bipartite_contrast",
    "bipartite_contrasts",
    "contrast_subgraph",
    "contrast_subgraphs",
    "difference_graph",
    "objective",
    "search_many",
    "search_quick",
    "summary_graph",
    "sweep",
    "to_record",
]
