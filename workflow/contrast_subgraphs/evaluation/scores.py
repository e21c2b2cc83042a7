"""Scores of an evaluation: their columns, and reading them back."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_table, save_table
from ..core.errors import InputError
from ..core.methods import METHODS

#: What is measured of a split; under ``sites`` all rows of one labelling have the same
#: ``pooled_roc_auc``, over all people. ``jaccard``: how much the node sets of this training part
#: share with those of the others, for true labels and methods with node sets.
MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "pooled_roc_auc", "jaccard")

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


def is_tested(method, protocol):
    """Whether an accuracy is tested, or its controls only show the level of chance.

    Under ``paper`` no p-value means anything, and embeddings were chosen on these people.
    """
    known = METHODS.get(method)
    return protocol != "paper" and not (known and known.kind == "embedding")


def control_means(group, control="permuted"):
    """Mean accuracy of each permutation of one cohort, method and protocol.

    Parameters
    ----------
    group : pandas.DataFrame
        Scores of one cohort, method and protocol.
    control : {"permuted", "permuted_within_site"}

    Returns
    -------
    numpy.ndarray of shape (n_permutations,)
        In the order of the permutations' numbers.
    """
    protocol = group["protocol"].iloc[0]
    permuted = group[group["control"] == control]
    return np.array(
        [
            mean_score(kept(one, protocol), "accuracy", protocol)
            for _, one in permuted.groupby("permutation", sort=True)
        ]
    )


def variant_mean(group, variant):
    """Mean accuracy of ``adjusted`` or ``nuisance`` scores; NaN where there are none.

    Parameters
    ----------
    group : pandas.DataFrame
        Scores of one cohort, method and protocol.
    variant : {"adjusted", "nuisance"}
    """
    rows = group[group["control"] == variant]
    return mean_score(rows, "accuracy", group["protocol"].iloc[0]) if len(rows) else np.nan


def score_beside_controls(group, own):
    """Mean accuracy of the true labels over the splits that permuted labels were scored on.

    Parameters
    ----------
    group : pandas.DataFrame
        Scores of one cohort, method and protocol.
    own : pandas.DataFrame
        Those of the true labels, as `kept` leaves them.

    Returns
    -------
    float
    """
    splits = group.loc[group["control"].isin(CONTROLS), "repeat"].unique()
    if len(splits):
        own = own[own["repeat"].isin(splits)]
    return mean_score(own, "accuracy", group["protocol"].iloc[0])


def true_scores(group):
    """Scores of the true labels, averaged over the embeddings where there are several.

    Parameters
    ----------
    group : pandas.DataFrame
        Scores of one cohort, method and protocol.

    Returns
    -------
    scores : pandas.DataFrame
        A row for each split (see `kept`).
    means : list of float
        Mean accuracy of each embedding.
    """
    protocol = group["protocol"].iloc[0]
    own = kept(group[group["control"] == "none"], protocol)
    again = group[group["control"] == "reseeded"].groupby("permutation")
    all_of_them = [own, *(kept(one, protocol) for _, one in again)]
    means = [mean_score(one, "accuracy", protocol) for one in all_of_them if len(one)]
    if len(means) > 1:
        measures = list(MEASURES)
        total = sum(one.set_index("repeat")[measures] for one in all_of_them)
        own = own.copy()
        own[measures] = total.loc[own["repeat"]].to_numpy() / len(means)
    return own, means


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


def deviation(rows, protocol):
    """Standard deviation of the accuracies; sites count by their people, as in the mean."""
    if protocol != "sites" or len(rows) < 2:
        return rows["accuracy"].std(ddof=1)
    centre = mean_score(rows, "accuracy", protocol)
    return float(np.sqrt(np.average((rows["accuracy"] - centre) ** 2, weights=rows["test"])))


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
