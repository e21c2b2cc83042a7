"""Contrast subgraphs of brain networks: extraction, features and honest evaluation.

Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast
Subgraphs. KDD 2020.

The public names can be imported from here. Each is loaded when it is first used, so that
``import contrast_subgraphs`` takes no time.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .contrast import (
        Limits,
        Solution,
        alpha_from_percentile,
        bipartite_contrast,
        bipartite_contrasts,
        contrast_subgraph,
        contrast_subgraphs,
        difference_graph,
        objective,
        search_many,
        summary_graph,
        sweep,
    )
    from .contrast.estimator import ContrastSubgraphFeatures
    from .core.errors import InputError
    from .data.folder import read_matrices, read_series
    from .inference import PermutationTest, group_tests, permutation_test, region_stability

__version__ = "0.1.0"

#: Where the public names live that are not in `contrast`.
_ELSEWHERE = {
    "ContrastSubgraphFeatures": "contrast.estimator",
    "InputError": "core.errors",
    "PermutationTest": "inference",
    "group_tests": "inference",
    "permutation_test": "inference",
    "read_matrices": "data.folder",
    "read_series": "data.folder",
    "region_stability": "inference",
}

__all__ = [
    "ContrastSubgraphFeatures",
    "InputError",
    "Limits",
    "PermutationTest",
    "Solution",
    "alpha_from_percentile",
    "bipartite_contrast",
    "bipartite_contrasts",
    "contrast_subgraph",
    "contrast_subgraphs",
    "difference_graph",
    "group_tests",
    "objective",
    "permutation_test",
    "region_stability",
    "read_matrices",
    "read_series",
    "search_many",
    "summary_graph",
    "sweep",
]


def __getattr__(name):
    """Load a public name from its module (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _ELSEWHERE.get(name, "contrast")
    return getattr(importlib.import_module(f".{module}", __name__), name)


def __dir__():
    return sorted({*globals(), *__all__})
