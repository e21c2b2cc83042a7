"""Scores of an evaluation: what is measured, and reading it back."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_table, save_table
from ..core.errors import InputError

#: What is measured of a split; under ``sites`` all rows of one labelling have the same
#: ``pooled_roc_auc``, over all people. ``jaccard``: how much the node sets of this training part
#: share with those of the others, for true labels and methods with node sets.
MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "pooled_roc_auc", "jaccard")

#: Means that differ by less are equal: they differ by the order of a sum.
TIE = 1e-12

#: Columns of ``evaluation/<protocol>/<cohort>/<method>.csv``.
SCORE_COLUMNS = (
    "cohort",
    "method",
    "protocol",
    "control",
    "permutation",
    "repeat",
    "site",
    "parameters",
    "svm",
    "train",
    "test",
    *MEASURES,
)
#: What the labels of a control are, as the column ``control`` has it; the true ones: none.
CONTROLS = ("permuted", "permuted_within_site")
#: True labels with something else: another embedding; features with the nuisance variables
#: regressed out; the nuisance variables instead of the brain.
VARIANTS = ("reseeded", "adjusted", "nuisance")


def save_scores(scores, path):
    """Write the scores of one cohort, method and protocol, backwards.

    The true labels come first in `scores`, so they end the file: one that was cut lacks some
    of them, which `load_scores` sees.
    """
    save_table(scores.iloc[::-1], path)


def load_scores(paths):
    """Read and join files of scores (columns: `SCORE_COLUMNS`).

    The last three parts of a file's path, ``<protocol>/<cohort>/<method>.csv``, must be what
    the file says.

    Raises
    ------
    InputError
        If a file is missing or damaged, or there is none.
    """
    paths = list(paths)
    if not paths:
        raise InputError("there are no scores to read")
    tables = [_load_scores(path) for path in paths]
    # All files of a protocol have the same repeats (but for `sites`: cohorts differ there).
    most = {}
    for path, table in zip(paths, tables, strict=True):
        protocol = table["protocol"].iloc[0]
        if protocol == "sites":
            continue
        number = table["repeat"].nunique()
        known, other = most.setdefault(protocol, (number, path))
        if number != known:
            short = path if number < known else other
            raise InputError(f"{short} is damaged (scores are missing in it): {WAY_OUT}")
    return pd.concat(tables, ignore_index=True)


def _load_scores(path):
    text = dict.fromkeys(("cohort", "method", "site", "parameters", "svm"), str)
    table = load_table(path, SCORE_COLUMNS, dtype=text)
    # Each permutation has the same rows, and each split of the true labels too.
    true = table[table["control"] == "none"]
    others = table[table["control"] != "none"].groupby(["control", "permutation"]).size()
    splits = true.groupby("repeat").size()
    alike = others.groupby("control").nunique() == 1
    whole = alike.all() and splits.nunique() == 1 and 0 in splits.index
    accuracy = pd.to_numeric(table["accuracy"], errors="coerce")
    *_, protocol, cohort, name = Path(path).parts
    asked = {"protocol": protocol, "cohort": cohort, "method": Path(name).stem}
    other = [
        f"{table[key].iloc[0]}" for key in asked if len(table) and table[key].iloc[0] != asked[key]
    ]
    if not whole or len(splits) != splits.index.max() + 1:
        why = "scores are missing in it"
    elif not accuracy.between(0, 1).all():
        why = "it holds an accuracy that is not a number from 0 to 1"
    elif not table["control"].isin(("none", *VARIANTS, *CONTROLS)).all():
        why = "it holds an unknown control"
    elif other:
        why = f"it holds scores of {', '.join(other)}"
    else:
        return table.iloc[::-1].reset_index(drop=True)
    raise InputError(f"{path} is damaged ({why}): {WAY_OUT}")


def parameters_text(parameters):
    """Return a parameter set as canonical JSON."""
    return json.dumps(parameters, separators=(", ", ": "))


def classification_scores(y, decision):
    """Return accuracy, balanced accuracy and area under the ROC curve.

    Parameters
    ----------
    y : numpy.ndarray of shape (n_subjects,)
        0 or 1.
    decision : numpy.ndarray of shape (n_subjects,)
        Decision values; above 0 is class 1.

    Returns
    -------
    dict
        ``accuracy``, ``balanced_accuracy``, ``roc_auc``; the last two are NaN if all the
        subjects are of one class.
    """
    positive, right = y == 1, (decision > 0) == (y == 1)
    accuracy = float(right.mean())
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return {"accuracy": accuracy, "balanced_accuracy": np.nan, "roc_auc": np.nan}
    ranks = _ranks(decision)
    return {
        "accuracy": accuracy,
        "balanced_accuracy": float((right[positive].mean() + right[~positive].mean()) / 2),
        "roc_auc": float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)),
    }


def _ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
