"""Contrast subgraphs of brain networks: extraction, features and honest evaluation.

Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast
Subgraphs. KDD 2020.
"""

__version__ = "0.1.0"
