"""Contrast subgraphs of two groups of graphs: answers, bounds and proofs."""

from .difference import CONTRASTS, alpha_from_percentile, difference_graph, summary_graph
from .limits import Limits
from .objective import objective
from .search import search_many, search_quick
from .solution import Alternatives, NearOptimal, Solution, to_record
from .solve import SOLVERS, contrast_subgraph, sweep

__all__ = [
    "CONTRASTS",
    "SOLVERS",
    "Alternatives",
    "Limits",
    "NearOptimal",
    "Solution",
    "alpha_from_percentile",
    "contrast_subgraph",
    "difference_graph",
    "objective",
    "search_many",
    "search_quick",
    "summary_graph",
    "sweep",
    "to_record",
]
