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
        Alternatives,
        BipartiteContrastResult,
        ContrastSubgraphResult,
        Limits,
        NearOptimal,
        QuadraticProblem,
        alpha_from_percentile,
        bipartite_contrasts,
        certify,
        check_certificate,
        contrast_subgraph,
        difference_graph,
        maximize_quadratic,
        objective,
        sweep,
    )
    from .contrast.density import densest_contrast
    from .contrast.estimator import ContrastSubgraphFeatures
    from .contrast.files import load, save
    from .contrast.maps import contrast_of_map
    from .core.errors import InputError
    from .data.files import read_groups, read_matrices, read_series
    from .data.regions import read_atlas
    from .design import (
        CohortGraphs,
        Design,
        NoTest,
        design_matrix,
        interaction,
        mode_scores,
        of_variable,
        paired,
        several_groups,
        two_groups,
    )
    from .graphs.correlation import correlation_graphs
    from .held_out import EvaluationResult, evaluate, predict_variable
    from .inference import (
        ChosenEffect,
        ConfirmResult,
        EdgeFinding,
        EdgeTestsResult,
        FixedSet,
        HeldOutEffectResult,
        MapTestResult,
        PermutationTestResult,
        PlanResult,
        Pooled,
        RegionStabilityResult,
        SiteEffectsResult,
        TruePairsResult,
        WouldFindResult,
        chosen_penalty,
        confirm,
        edge_tests,
        held_out_effect,
        load_sets,
        map_permutation_test,
        named_set,
        permutation_test,
        plan,
        region_stability,
        site_effects,
        true_pairs,
        would_find,
    )
    from .report.figures.contrasts import plot_contrast

__version__ = "0.1.0"

#: Where the public names live that are not in `contrast`.
_ELSEWHERE = {
    name: module
    for module, names in {
        "contrast.density": "densest_contrast",
        "contrast.estimator": "ContrastSubgraphFeatures",
        "contrast.files": "load save",
        "contrast.maps": "contrast_of_map",
        "core.errors": "InputError",
        "data.files": "read_groups read_matrices read_series",
        "data.regions": "read_atlas",
        "design": "CohortGraphs Design NoTest design_matrix interaction mode_scores of_variable "
        "paired several_groups two_groups",
        "held_out": "EvaluationResult evaluate predict_variable",
        "graphs.correlation": "correlation_graphs",
        "inference": "ChosenEffect ConfirmResult EdgeFinding EdgeTestsResult FixedSet "
        "HeldOutEffectResult MapTestResult PermutationTestResult PlanResult Pooled "
        "RegionStabilityResult SiteEffectsResult WouldFindResult chosen_penalty confirm edge_tests "
        "held_out_effect load_sets map_permutation_test named_set permutation_test plan "
        "region_stability site_effects true_pairs would_find TruePairsResult",
        "report.figures.contrasts": "plot_contrast",
    }.items()
    for name in names.split()
}

__all__ = [
    "Alternatives",
    "BipartiteContrastResult",
    "ChosenEffect",
    "CohortGraphs",
    "ConfirmResult",
    "ContrastSubgraphFeatures",
    "ContrastSubgraphResult",
    "Design",
    "EdgeFinding",
    "EdgeTestsResult",
    "EvaluationResult",
    "FixedSet",
    "HeldOutEffectResult",
    "InputError",
    "Limits",
    "MapTestResult",
    "NearOptimal",
    "NoTest",
    "PermutationTestResult",
    "PlanResult",
    "Pooled",
    "QuadraticProblem",
    "RegionStabilityResult",
    "SiteEffectsResult",
    "TruePairsResult",
    "WouldFindResult",
    "alpha_from_percentile",
    "bipartite_contrasts",
    "certify",
    "check_certificate",
    "chosen_penalty",
    "confirm",
    "contrast_of_map",
    "contrast_subgraph",
    "correlation_graphs",
    "densest_contrast",
    "design_matrix",
    "difference_graph",
    "edge_tests",
    "evaluate",
    "held_out_effect",
    "interaction",
    "load",
    "load_sets",
    "map_permutation_test",
    "maximize_quadratic",
    "mode_scores",
    "named_set",
    "objective",
    "of_variable",
    "paired",
    "permutation_test",
    "plan",
    "plot_contrast",
    "predict_variable",
    "read_atlas",
    "read_groups",
    "read_matrices",
    "read_series",
    "region_stability",
    "save",
    "several_groups",
    "site_effects",
    "sweep",
    "true_pairs",
    "two_groups",
    "would_find",
]


#: Names that are deprecated, and where they live: they work, and say what to use instead.
_OLD = {
    "cohort_difference": "contrast.difference",
    "summary_graph": "contrast.difference",
}


def __getattr__(name):
    """Load a public name from its module (PEP 562)."""
    if name not in __all__ and name not in _OLD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _OLD.get(name) or _ELSEWHERE.get(name, "contrast")
    return getattr(importlib.import_module(f".{module}", __name__), name)


def __dir__():
    return sorted({*globals(), *__all__})
