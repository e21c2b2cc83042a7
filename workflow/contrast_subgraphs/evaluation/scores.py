"""The scores of an evaluation: measures, columns of their files, and reading them."""

import json

import numpy as np
import pandas as pd

from ..core.atomic_files import load_table
from ..core.errors import InputError
from ..design.question import holds_numbers

#: The measures of a split. Under ``sites`` all rows of one labelling have the same
#: ``pooled_roc_auc``, over all people. ``jaccard`` is the overlap of the node sets of this training
#: part with those of others, for true labels and methods with node sets.
MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "pooled_roc_auc", "jaccard")

#: Means that differ by less than this are equal: only the order of a sum differs.
TIE = 1e-12

#: Columns of ``evaluation/<protocol>/<cohort>/<method>.csv``. ``splits`` is the number that a
#: labelling was to be scored on (permuted ones are given up if they are clearly worse).
ABOUT = (
    "cohort",
    "method",
    "protocol",
    "control",
    "permutation",
    "repeat",
    "splits",
    "site",
    "parameters",
    "svm",
    "train",
    "test",
)
SCORE_COLUMNS = (*ABOUT, *MEASURES)
#: The columns for a variable.
PREDICTION_COLUMNS = (*ABOUT, "r", "mae")
#: The kinds of permuted labels in the column ``control``; for the true ones it is ``none``.
CONTROLS = ("permuted", "permuted_within_site")


def load_scores(paths, columns=SCORE_COLUMNS):
    """Read and join files of scores; a variable's files have `PREDICTION_COLUMNS`."""
    texts = dict.fromkeys(("cohort", "method", "site", "parameters", "svm"), str)
    tables = [load_table(path, columns, dtype=texts) for path in paths]
    if not tables:
        raise InputError("there are no scores to read")
    return pd.concat(tables, ignore_index=True)


def parameters_text(parameters):
    """Return a parameter set as canonical JSON."""
    return json.dumps(parameters, separators=(", ", ": "))


def scores_of(y, decision):
    """Return the measures of a split; for a variable ``r`` stands in for the accuracy."""
    if not holds_numbers(y):
        return classification_scores(y, decision)
    r = np.nan
    if np.ptp(y) > 0 and len(y) > 2:
        # A constant prediction has no correlation: it counts as 0, not as missing, or methods that
        # give up would be averaged over their better splits only.
        same = np.ptp(decision) <= 1e-9 * np.abs(y).max()
        r = 0.0
        if not same:
            r = float(np.corrcoef(y, decision)[0, 1])
    return {"accuracy": r, "r": r, "mae": float(np.abs(y - decision).mean())}


def classification_scores(y, decision):
    """Return accuracy, balanced accuracy and area under the ROC curve of decision values.

    Values above 0 are class 1. The last two are NaN if all subjects are in one class.
    """
    positive = y == 1
    right = (decision > 0) == (y == 1)
    accuracy = float(right.mean())
    n1 = int(positive.sum())
    n0 = int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return {"accuracy": accuracy, "balanced_accuracy": np.nan, "roc_auc": np.nan}
    ranks = _ranks(decision)
    return {
        "accuracy": accuracy,
        "balanced_accuracy": float((right[positive].mean() + right[~positive].mean()) / 2),
        "roc_auc": float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)),
    }


def _ranks(values):
    """Ranks from 1; values that are equal up to rounding share their mean rank."""
    values = np.round(values / (np.abs(values).max() or 1.0), 12)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
