"""Rows of scores, made up."""

import numpy as np
import pandas as pd
from contrast_subgraphs.evaluation.scores import SCORE_COLUMNS


def scores(accuracy, method="cs-p1", protocol="nested", parameters="{}", permutation=None):
    """Rows as `evaluate` writes them."""
    n = len(accuracy)
    table = pd.DataFrame(
        {
            "cohort": "tiny",
            "method": method,
            "protocol": protocol,
            "control": "none" if permutation is None else "permuted",
            "permutation": permutation,
            "repeat": range(n),
            "splits": n,
            "site": None,
            "parameters": parameters,
            "svm": '{"C": 1}',
            "train": 80,
            "test": 20,
            "accuracy": accuracy,
            "balanced_accuracy": accuracy,
            "roc_auc": accuracy,
            "pooled_roc_auc": np.nan,
            "jaccard": np.nan,
        }
    )
    return table[list(SCORE_COLUMNS)]
