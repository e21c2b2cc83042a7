"""Scores of a classifier, intervals and tests that allow for overlapping splits, tables."""

import json

import numpy as np
import pandas as pd
from scipy import stats

from .errors import InputError
from .files import WAY_OUT, load_table

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
    ranks = stats.rankdata(decision)
    return {
        "accuracy": accuracy,
        "balanced_accuracy": float((right[positive].mean() + right[~positive].mean()) / 2),
        "roc_auc": float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)),
    }


def corrected_interval(scores, test_train_ratio, level=0.95):
    """Confidence interval of a mean over overlapping random splits.

    The variance is inflated as Nadeau and Bengio (Machine Learning, 2003) propose, since
    training sets of different splits share subjects.

    Parameters
    ----------
    scores : array_like of shape (n_splits,)
    test_train_ratio : float
        Test subjects over training subjects of a split.
    level : float

    Returns
    -------
    low, high : float
        NaN with fewer than two splits.
    """
    scores = np.asarray(scores, dtype=float)
    k = len(scores)
    if k < 2:
        return np.nan, np.nan
    error = np.sqrt((1 / k + test_train_ratio) * scores.var(ddof=1))
    half = stats.t.ppf((1 + level) / 2, k - 1) * error
    return float(scores.mean() - half), float(scores.mean() + half)


def corrected_t_test(differences, test_train_ratio):
    """Two-sided corrected resampled t-test of paired differences (Nadeau and Bengio 2003).

    Parameters
    ----------
    differences : array_like of shape (n_splits,)
        Scores of one method minus those of the other on the same splits.
    test_train_ratio : float

    Returns
    -------
    float
        p-value; NaN with fewer than two splits; 1 if all differences are 0.
    """
    differences = np.asarray(differences, dtype=float)
    k = len(differences)
    if k < 2:
        return np.nan
    mean, variance = differences.mean(), differences.var(ddof=1)
    if variance <= 1e-24:
        return 1.0 if abs(mean) < 1e-12 else 0.0
    t = mean / np.sqrt((1 / k + test_train_ratio) * variance)
    return float(2 * stats.t.sf(abs(t), k - 1))


def holm(p_values):
    """Return p-values adjusted for their number by Holm's step-down method.

    Parameters
    ----------
    p_values : array_like of float
        NaN stays NaN and does not count.

    Returns
    -------
    numpy.ndarray
    """
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p[index]))
        adjusted[index] = running
    return adjusted


def permutation_p_value(observed, controls):
    """Return ``(1 + #{control >= observed}) / (1 + #controls)``; NaN without controls."""
    controls = np.asarray(controls, dtype=float)
    if len(controls) == 0:
        return np.nan
    return float((1 + (controls >= observed - 1e-12).sum()) / (1 + len(controls)))


# --- tables -------------------------------------------------------------------------


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


def accuracy_table(scores, paper=None, level=0.95):
    """Summarise scores: a row for each cohort, method and protocol.

    Of protocol ``paper`` the parameter set with the best mean test accuracy is kept, as
    the paper's appendix does; the same is done with each of its permuted controls.

    Parameters
    ----------
    scores : pandas.DataFrame
        See `SCORE_COLUMNS`.
    paper : dict, optional
        Accuracy of the paper: method -> cohort -> (mean, standard deviation).
    level : float
        Of the confidence interval.

    Returns
    -------
    pandas.DataFrame
        Columns ``cohort, method, protocol, mean, std`` (over the repeats), ``repeats,
        parameters`` (kept, or for ``nested`` most often chosen), ``parameters_share`` (of
        the repeats), ``control_mean, control_std`` (over the permutations' means),
        ``permutations, p_value, paper_mean, paper_std, ci_low, ci_high`` (Nadeau and
        Bengio), ``balanced_accuracy, roc_auc`` (means). Rows in the order of `scores`.
    """
    rows = []
    for (cohort, method, protocol), group in scores.groupby(
        ["cohort", "method", "protocol"], sort=False
    ):
        own = kept(group[group["control"] == "none"], protocol)
        if own.empty:
            raise InputError(f"{cohort}, {method}, {protocol}: no scores with the true labels")
        controls = control_means(group)
        mean = _mean(own, "accuracy", protocol)
        low, high = corrected_interval(own["accuracy"], _ratio(own), level)
        if protocol == "sites":
            low, high = np.nan, np.nan  # test sets differ in size and share no subject
        counts = own["parameters"].value_counts(sort=False)
        paper_mean, paper_std = ((paper or {}).get(method) or {}).get(cohort) or (np.nan, np.nan)
        rows.append(
            {
                "cohort": cohort,
                "method": method,
                "protocol": protocol,
                "mean": mean,
                "std": own["accuracy"].std(ddof=1),
                "repeats": len(own),
                "parameters": counts.idxmax(),
                "parameters_share": counts.max() / len(own),
                "control_mean": controls.mean() if len(controls) else np.nan,
                "control_std": controls.std(ddof=1) if len(controls) > 1 else np.nan,
                "permutations": len(controls),
                "p_value": permutation_p_value(mean, controls),
                "paper_mean": paper_mean,
                "paper_std": paper_std,
                "ci_low": low,
                "ci_high": high,
                "balanced_accuracy": _mean(own, "balanced_accuracy", protocol),
                "roc_auc": _mean(own, "roc_auc", protocol),
            }
        )
    # Without the last digits, in which equal scores can differ by the order of a sum.
    return pd.DataFrame(rows).round(12)


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
            _mean(kept(one, protocol), "accuracy", protocol)
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


def comparison_table(scores):
    """Compare all pairs of methods on the same splits.

    Parameters
    ----------
    scores : pandas.DataFrame
        See `SCORE_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        A row for each cohort, protocol and pair of methods: ``cohort, protocol, method,
        other, difference`` (mean accuracy of `method` minus `other`), ``ci_low, ci_high``
        (Nadeau and Bengio, 95 %, one pair), ``p_value`` (corrected resampled t-test),
        ``p_holm`` (for the number of pairs of the cohort and protocol), ``repeats``.
    """
    columns = "cohort protocol method other difference ci_low ci_high p_value p_holm repeats"
    own = scores[(scores["control"] == "none") & (scores["protocol"] != "sites")]
    rows = []
    for (cohort, protocol), group in own.groupby(["cohort", "protocol"], sort=False):
        by_method = {
            method: kept(one, protocol).set_index("repeat")
            for method, one in group.groupby("method", sort=False)
        }
        methods, pairs = list(by_method), []
        for i, method in enumerate(methods):
            for other in methods[i + 1 :]:
                a, b = by_method[method], by_method[other]
                difference = (a["accuracy"] - b["accuracy"]).dropna()
                low, high = corrected_interval(difference, _ratio(a))
                pairs.append(
                    {
                        "cohort": cohort,
                        "protocol": protocol,
                        "method": method,
                        "other": other,
                        "difference": difference.mean(),
                        "ci_low": low,
                        "ci_high": high,
                        "p_value": corrected_t_test(difference, _ratio(a)),
                        "repeats": len(difference),
                    }
                )
        for pair, adjusted in zip(pairs, holm([p["p_value"] for p in pairs]), strict=True):
            rows.append({**pair, "p_holm": adjusted})
    return pd.DataFrame(rows, columns=columns.split())


def parameters_text(parameters):
    """Return a parameter set as canonical JSON."""
    return json.dumps(parameters, separators=(", ", ": "))


def _ratio(rows):
    return float((rows["test"] / rows["train"]).mean())


def _mean(rows, score, protocol):
    """Mean over splits; over subjects where the splits are sites of different sizes."""
    values = rows[score]
    if protocol != "sites":
        return float(values.mean())
    there = values.notna()
    if not there.any():
        return np.nan
    return float(np.average(values[there], weights=rows["test"][there]))
