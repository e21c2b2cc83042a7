"""Proofs that a contrast subgraph is optimal: branching, triangle inequalities, the tree."""
