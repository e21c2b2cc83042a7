"""Is the difference real? Permutation tests, stability of regions, the field's own tests."""

from .group_tests import group_tests
from .permutation import PermutationTestResult, permutation_test
from .stability import region_stability

__all__ = ["PermutationTestResult", "group_tests", "permutation_test", "region_stability"]
