"""Is the difference real? Permutation tests, stability of regions, the field's own tests."""

from .permutation import PermutationTest, permutation_test

__all__ = ["PermutationTest", "permutation_test"]
