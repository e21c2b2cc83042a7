"""Proofs that a contrast subgraph is optimal.

Proof A branches on vertices with simple bounds (`branching`). Proof B is a branch and bound
(`tree`, which runs both) whose bound is the semidefinite relaxation with triangle
inequalities (`triangles`).
"""
