"""Table ``accuracy``: Table 2 of the paper beside ours, with permuted controls."""

import json

import numpy as np
import pandas as pd

from ...core.errors import InputError
from ...core.methods import METHODS
from ...evaluation.scores import (
    control_means,
    deviation,
    is_tested,
    kept,
    mean_score,
    score_beside_controls,
    split_ratio,
    true_scores,
    variant_mean,
)
from ...evaluation.statistics import corrected_interval, holm, permutation_p_value
from .formats import LEVEL, p_value, plus_minus
from .table import Table


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
        adjusted_mean, nuisance_mean`` (the same splits: age, sex, motion and scan length
        regressed out of the features; these alone, without the brain), ``seeds,
        seed_std`` (embeddings drawn from several seeds, over which everything is averaged, and
        the deviation of their means), ``parameters`` (kept, or for ``nested`` most often
        chosen), ``parameters_share`` (of the repeats), ``control_mean,
        control_std`` (over the permutations' means), ``permutations, p_value, z`` (standard
        deviations above the control), the same with
        labels permuted within sites (``site_control_mean, site_control_std,
        site_permutations, site_p_value``), ``p_holm``, ``paper_mean, paper_std, ci_low,
        ci_high`` (Nadeau and Bengio), ``balanced_accuracy, roc_auc`` (means; of ``sites`` those
        inside sites), ``pooled_roc_auc`` (of ``sites``, over all people), ``jaccard`` (how much
        the node sets of two training parts share). Rows in the order of `scores`.

        The p-values and ``z`` compare permuted labels with the true ones on the same splits,
        of which ``mean`` may have more. ``p_holm`` is corrected (Holm) for all tests of the
        protocol, methods and cohorts (see `is_tested`); it comes from the permutations within
        sites where there are any. Under ``paper`` there is no interval: its accuracy is the
        best of many, not a mean over independent choices.
    """
    rows = []
    for (cohort, method, protocol), group in scores.groupby(
        ["cohort", "method", "protocol"], sort=False
    ):
        own, means = true_scores(group)
        if own.empty:
            raise InputError(f"{cohort}, {method}, {protocol}: no scores with the true labels")
        controls = control_means(group)
        within = control_means(group, "permuted_within_site")
        mean = mean_score(own, "accuracy", protocol)
        first = kept(group[group["control"] == "none"], protocol)
        beside = score_beside_controls(group, first)
        low, high = corrected_interval(own["accuracy"], split_ratio(own), level)
        if protocol != "nested":  # best of many, or test sets of different sizes
            low, high = np.nan, np.nan
        counts = own["parameters"].value_counts(sort=False)
        paper_mean, paper_std = ((paper or {}).get(method) or {}).get(cohort) or (np.nan, np.nan)
        rows.append(
            {
                "cohort": cohort,
                "method": method,
                "protocol": protocol,
                "mean": mean,
                "std": deviation(own, protocol),
                "repeats": len(own),
                "adjusted_mean": variant_mean(group, "adjusted"),
                "nuisance_mean": variant_mean(group, "nuisance"),
                "seeds": len(means),
                "seed_std": np.std(means, ddof=1) if len(means) > 1 else np.nan,
                "parameters": counts.idxmax(),
                "parameters_share": counts.max() / len(own),
                "control_mean": controls.mean() if len(controls) else np.nan,
                "control_std": controls.std(ddof=1) if len(controls) > 1 else np.nan,
                "permutations": len(controls),
                "p_value": permutation_p_value(beside, controls),
                "z": _z(beside, controls),
                "site_control_mean": within.mean() if len(within) else np.nan,
                "site_control_std": within.std(ddof=1) if len(within) > 1 else np.nan,
                "site_permutations": len(within),
                "site_p_value": permutation_p_value(beside, within),
                "p_holm": np.nan,
                "paper_mean": paper_mean,
                "paper_std": paper_std,
                "ci_low": low,
                "ci_high": high,
                "balanced_accuracy": mean_score(own, "balanced_accuracy", protocol),
                "roc_auc": mean_score(own, "roc_auc", protocol),
                "pooled_roc_auc": own["pooled_roc_auc"].mean(),
                "jaccard": own["jaccard"].mean(),
            }
        )
    # Without the last digits, in which equal scores can differ by the order of a sum.
    table = pd.DataFrame(rows)
    for (cohort, protocol), part in table.groupby(["cohort", "protocol"], sort=False):
        without = part.loc[part["nuisance_mean"].isna(), "method"]
        if 0 < len(without) < len(part):
            raise InputError(
                f"{cohort}, {protocol}: {without.iloc[0]} has no nuisance control, and other "
                "methods have one: delete its scores and run again"
            )
    p = p_values(table)[0].where(_are_tested(table))
    for _, protocol in table.groupby("protocol"):
        table.loc[protocol.index, "p_holm"] = holm(p[protocol.index])
    return table.round(12)


def p_values(table):
    """Return each row's uncorrected p-value and how many permutations it comes from."""
    within = table["site_permutations"] > 0
    p = table["site_p_value"].where(within, table["p_value"]).astype(float)
    return p, table["site_permutations"].where(within, table["permutations"]).astype(float)


def _are_tested(table):
    pairs = zip(table["method"], table["protocol"], strict=True)
    return [is_tested(method, protocol) for method, protocol in pairs]


def smallest_p(table):
    """Return the smallest corrected p-value that the permutations of each protocol allow."""
    _, count = p_values(table)
    by_protocol = count[_are_tested(table)].groupby(table["protocol"])
    return by_protocol.size() / (1 + by_protocol.max())


def _z(mean, controls):
    deviation = controls.std(ddof=1) if len(controls) > 1 else 0.0
    return (mean - controls.mean()) / deviation if deviation > 0 else np.nan


def accuracy_shown(table, names):
    """Return the table for people: a row for each cohort and method.

    For each protocol our accuracy, its permuted control and the p-value; before them the
    paper's number where it has any.
    """
    paper = names.paper and table["paper_mean"].notna().any()
    smallest = smallest_p(table)
    rows = []
    for (cohort, method), part in table.groupby(["cohort", "method"], sort=False):
        first = part.iloc[0]
        row = {"Cohort": names("cohort", cohort), "Method": names("method", method)}
        if paper:
            row["Paper"] = plus_minus(first["paper_mean"], first["paper_std"])
        by_protocol = part.set_index("protocol")
        for protocol in dict.fromkeys(table["protocol"]):
            if protocol in by_protocol.index:
                entry = by_protocol.loc[protocol]
                name = names("protocol", protocol)
                row[f"Ours, {name}"] = plus_minus(entry["mean"], entry["std"])
                if table["nuisance_mean"].notna().any() and protocol != "paper":
                    own = method in METHODS and "nuisance" in METHODS[method].needs
                    row[f"Adjusted, {name}"] = "—" if own else _two(entry["adjusted_mean"])
                    row[f"No brain, {name}"] = _two(entry["nuisance_mean"])
                if not pd.isna(entry["pooled_roc_auc"]):
                    row[f"AUC, {name}"] = (
                        f"{entry['pooled_roc_auc']:.2f} (inside sites {entry['roc_auc']:.2f})"
                    )
                if table.loc[table["protocol"] == protocol, "jaccard"].notna().any():
                    shared = entry["jaccard"]
                    row[f"Same regions, {name}"] = "—" if pd.isna(shared) else f"{shared:.2f}"
                if entry["seeds"] > 1:
                    row[f"Ours, {name}"] += f" (seeds ± {entry['seed_std']:.2f})"
                row[f"Control, {name}"] = plus_minus(entry["control_mean"], entry["control_std"])
                if table["site_control_mean"].notna().any():
                    row[f"Within sites, {name}"] = plus_minus(
                        entry["site_control_mean"], entry["site_control_std"]
                    )
                if table.loc[table["protocol"] == protocol, "p_holm"].notna().any():
                    decided = smallest[protocol] <= LEVEL and not pd.isna(entry["p_holm"])
                    row[f"p (Holm), {name}"] = p_value(entry["p_holm"]) if decided else "—"
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _two(value):
    return "—" if pd.isna(value) else f"{value:.2f}"


def accuracy_notes(table, names):
    """Say over how many seeds embeddings are averaged, and why WL-Kern is constant if it is."""
    notes = [
        f"{', '.join(names('method', name) for name in dict.fromkeys(rows['method']))}: means over "
        f"{seeds} embeddings that differ in their random draws alone; seeds: the standard "
        "deviation of the embeddings' mean accuracies."
        for seeds, rows in table[table["seeds"] > 1].groupby("seeds")
    ]
    constant = table[(table["method"] == "wl-kern") & (table["std"].abs() < 1e-9)]
    kept = constant["parameters"].map(lambda text: json.loads(text).get("features"))
    last = constant[kept == "last"]
    if last.empty:
        return notes
    cohorts = ", ".join(names("cohort", cohort) for cohort in dict.fromkeys(last["cohort"]))
    return notes + [
        f"WL-Kern ({cohorts}): with the labels of the last iteration alone (features: last, as "
        "the paper's constant row suggests) hardly any label occurs in two graphs, the kernel "
        "of two different graphs is 0 or nearly so, and the SVM predicts the larger group for "
        "everybody: the accuracy is that group's share of the test part in every split. The "
        "proper kernel counts the labels of all iterations (features: cumulative)."
    ]


def _without_nuisance(names):
    if names.source == "published":
        return ""
    return (
        "the same with what is known of age, sex, motion and scan length regressed out of the "
        "features (adjusted), these alone (no brain), "
    )


def _caption(names):
    return (
        "Accuracy (mean ± standard deviation over the splits) of each method on each cohort: "
        + ("the paper's (its Table 2), ours under each protocol, " if names.paper else "")
        + _without_nuisance(names)
        + "and the same protocol with permuted diagnoses (control: mean ± standard deviation over "
        "permutations; within sites: permuted among the people of each site only). p: how often "
        "permuted diagnoses (within sites, where there are sites) score as well as the true ones, "
        "with the +1 correction, corrected for all tests of the protocol, methods and cohorts "
        "(Holm). —: not tested (the whole-cohort protocol, baselines), or too few permutations for "
        "the number of tests."
        + (" Training parts also hold people outside the cohort." if names.pooled else "")
    )


TABLE = Table(
    name="accuracy",
    caption=_caption,
    columns="cohort method protocol mean std adjusted_mean nuisance_mean seeds seed_std "
    "parameters control_mean control_std permutations p_value z site_control_mean "
    "site_control_std site_p_value p_holm roc_auc pooled_roc_auc jaccard paper_mean paper_std",
    make=lambda given: given.accuracy,
    show=accuracy_shown,
    notes=accuracy_notes,
    text=("parameters",),
)
