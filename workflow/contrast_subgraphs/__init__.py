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
    from .contrast.features import ContrastSubgraphFeatures
    from .core.errors import InputError
    from .data.folder import read_matrices, read_series
    from .inference import PermutationTest, group_tests, permutation_test, region_stability

__version__ = "0.1.0"

#: Where each public name lives.
_MODULES = {
    "ContrastSubgraphFeatures": "contrast.features",
    "InputError": "core.errors",
    "Limits": "contrast",
    "PermutationTest": "inference",
    "Solution": "contrast",
    "alpha_from_percentile": "contrast",
    "bipartite_contrast": "contrast",
    "bipartite_contrasts": "contrast",
    "contrast_subgraph": "contrast",
    "contrast_subgraphs": "contrast",
    "difference_graph": "contrast",
    "group_tests": "inference",
    "objective": "contrast",
    "permutation_test": "inference",
    "region_stability": "inference",
    "read_matrices": "data.folder",
    "read_series": "data.folder",
    "search_many": "contrast",
    "summary_graph": "contrast",
    "sweep": "contrast",
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
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)


def __dir__():
    return sorted([*globals(), *_MODULES])
