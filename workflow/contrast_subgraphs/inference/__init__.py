"""Is the difference real, and how large? Tests, held-out effects, stability of regions."""

from .chosen_penalty import chosen_penalty
from .edge_tests import EdgeTestsResult, edge_tests
from .effect_size import HeldOutEffectResult, held_out_effect
from .maps import MapTestResult, map_permutation_test
from .permutation import PermutationTestResult, permutation_test
from .stability import region_stability

__all__ = [
    "EdgeTestsResult",
    "HeldOutEffectResult",
    "MapTestResult",
    "PermutationTestResult",
    "chosen_penalty",
    "edge_tests",
    "held_out_effect",
    "map_permutation_test",
    "permutation_test",
    "region_stability",
]
