"""Is the difference real, and how large? Tests, held-out effects, stability of regions."""

from .chosen_penalty import chosen_penalty
from .confirm import ConfirmResult, confirm
from .edge_tests import EdgeFinding, EdgeTestsResult, edge_tests
from .effect_size import ChosenEffect, HeldOutEffectResult, held_out_effect
from .fixed_sets import FixedSet, load_sets, named_set
from .maps import MapTestResult, map_permutation_test
from .permutation import PermutationTestResult, permutation_test
from .plan import Confirming, PlanResult, plan
from .pooling import Pooled
from .sites import SiteEffectsResult, site_effects
from .stability import RegionStabilityResult, region_stability
from .true_pairs import TruePairsResult, true_pairs
from .would_find import WouldFindResult, would_find

__all__ = [
    "ChosenEffect",
    "ConfirmResult",
    "Confirming",
    "EdgeFinding",
    "EdgeTestsResult",
    "FixedSet",
    "HeldOutEffectResult",
    "MapTestResult",
    "PermutationTestResult",
    "PlanResult",
    "Pooled",
    "RegionStabilityResult",
    "chosen_penalty",
    "confirm",
    "edge_tests",
    "held_out_effect",
    "load_sets",
    "map_permutation_test",
    "named_set",
    "permutation_test",
    "plan",
    "SiteEffectsResult",
    "TruePairsResult",
    "WouldFindResult",
    "region_stability",
    "site_effects",
    "true_pairs",
    "would_find",
]
