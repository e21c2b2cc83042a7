"""Proofs that a contrast subgraph is optimal: `tree` has both, of `branching` and `triangles`."""
