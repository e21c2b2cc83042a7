"""Table ``accuracy``: Table 2 of the paper beside ours, with permuted controls."""

import json

import numpy as np
import pandas as pd

from ...core.errors import InputError
from ...core.methods import METHOD_LABELS
from ...evaluation.scores import _mean, _ratio, control_means, kept
from ...evaluation.statistics import corrected_interval, permutation_p_value
from .formats import number, plus_minus


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


def accuracy_shown(table, labels):
    """Return the table ``accuracy`` for people: a row for each cohort and method.

    Parameters
    ----------
    table : pandas.DataFrame
        From `statistics.accuracy_table`.
    labels : dict
        Label of each cohort.

    Returns
    -------
    pandas.DataFrame
        The paper's number, then for each protocol of the table ours, its permuted control
        and the p-value.
    """
    names = {"paper": "paper's protocol", "nested": "nested", "sites": "one site out"}
    rows = []
    for (cohort, method), part in table.groupby(["cohort", "method"], sort=False):
        first = part.iloc[0]
        row = {
            "Dataset": labels[cohort],
            "Method": METHOD_LABELS.get(method, method),
            "Paper": plus_minus(first["paper_mean"], first["paper_std"]),
        }
        by_protocol = part.set_index("protocol")
        for protocol, name in names.items():
            if protocol in by_protocol.index:
                entry = by_protocol.loc[protocol]
                row[f"Ours, {name}"] = plus_minus(entry["mean"], entry["std"])
                row[f"Control, {name}"] = plus_minus(entry["control_mean"], entry["control_std"])
                row[f"p, {name}"] = number(entry["p_value"], 3)
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def accuracy_notes(table, labels):
    """Return the notes below the table ``accuracy``.

    Parameters
    ----------
    table : pandas.DataFrame
        From `statistics.accuracy_table`.
    labels : dict
        Label of each cohort.

    Returns
    -------
    list of str
        Why WL-Kern scores the same in every split, if it does.
    """
    constant = table[(table["method"] == "wl-kern") & (table["std"].abs() < 1e-9)]
    kept = constant["parameters"].map(lambda text: json.loads(text).get("features"))
    last = constant[kept == "last"]
    if last.empty:
        return []
    cohorts = ", ".join(labels[cohort] for cohort in dict.fromkeys(last["cohort"]))
    return [
        f"WL-Kern ({cohorts}): with the labels of the last iteration alone (features: last, as "
        "the paper's constant row suggests) hardly any label occurs in two graphs, the kernel "
        "of two different graphs is 0 or nearly so, and the SVM predicts the larger group for "
        "everybody: the accuracy is that group's share of the test part in every split. The "
        "proper kernel counts the labels of all iterations (features: cumulative)."
    ]
