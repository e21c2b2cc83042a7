"""Scores of an evaluation: their columns, and reading them back."""

import json

import numpy as np
import pandas as pd

from ..core.errors import InputError
from ..core.files import WAY_OUT, load_table

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
    "accuracy",
    "balanced_accuracy",
    "roc_auc",
)


def load_scores(paths):
    """Read and join files of scores (columns: `SCORE_COLUMNS`).

    Raises
    ------
    InputError
        If a file is missing or damaged, or there is none.
    """
    paths = list(paths)
    if not paths:
        raise InputError("there are no scores to read")
    tables = [_load_scores(path) for path in paths]
    # All files of a protocol have the same permutations and, but for `sites`, repeats.
    most = {}
    for path, table in zip(paths, tables, strict=True):
        protocol = table["protocol"].iloc[0]
        numbers = table["permutation"].nunique(), table["repeat"].nunique()
        if protocol == "sites":
            numbers = numbers[:1]
        known, other = most.setdefault(protocol, (numbers, path))
        if numbers != known:
            short = path if numbers < known else other
            raise InputError(f"{short} is damaged (scores are missing in it): {WAY_OUT}")
    return pd.concat(tables, ignore_index=True)


def _load_scores(path):
    text = dict.fromkeys(("cohort", "method", "site", "parameters", "svm"), str)
    table = load_table(path, SCORE_COLUMNS, dtype=text)
    # The method's own scores and each control have the same rows.
    rows = table.groupby(["control", "permutation"], dropna=False).size()
    accuracy = pd.to_numeric(table["accuracy"], errors="coerce")
    if rows.nunique() != 1 or not (table["control"] == "none").any():
        why = "scores are missing in it"
    elif not accuracy.between(0, 1).all():
        why = "it holds an accuracy that is no number from 0 to 1"
    else:
        return table
    raise InputError(f"{path} is damaged ({why}): {WAY_OUT}")


def control_means(group):
    """Mean accuracy of each permuted control of one cohort, method and protocol.

    Parameters
    ----------
    group : pandas.DataFrame
        Scores of one cohort, method and protocol.

    Returns
    -------
    numpy.ndarray of shape (n_permutations,)
        In the order of the permutations' numbers.
    """
    protocol = group["protocol"].iloc[0]
    permuted = group[group["control"] == "permuted"]
    return np.array(
        [
            mean_score(kept(one, protocol), "accuracy", protocol)
            for _, one in permuted.groupby("permutation", sort=True)
        ]
    )


def kept(group, protocol):
    """Of protocol ``paper``, the rows of the best parameter set; else all rows.

    The best has the largest mean test accuracy; the first of several.
    """
    if protocol != "paper" or group.empty:
        return group
    means = group.groupby("parameters", sort=False)["accuracy"].mean().round(9)
    return group[group["parameters"] == means.idxmax()]


def parameters_text(parameters):
    """Return a parameter set as canonical JSON."""
    return json.dumps(parameters, separators=(", ", ": "))


def split_ratio(rows):
    """Return how many test subjects there are for each training subject, on average."""
    return float((rows["test"] / rows["train"]).mean())


def mean_score(rows, score, protocol):
    """Mean over splits; over subjects where the splits are sites of different sizes."""
    values = rows[score]
    if protocol != "sites":
        return float(values.mean())
    there = values.notna()
    if not there.any():
        return np.nan
    return float(np.average(values[there], weights=rows["test"][there]))
