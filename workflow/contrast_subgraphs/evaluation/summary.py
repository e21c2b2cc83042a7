"""Summaries of scores: means, p-values, intervals, and comparisons of methods."""

import itertools

import numpy as np
import pandas as pd

from ..core.errors import InputError
from ..core.holm import holm
from .scores import CONTROLS, MEASURES, TIE


def accuracy_table(scores, *, paper=None, untested=(), level=0.95):
    """Summarise scores: a row for each cohort, method and protocol.

    For protocol ``paper`` the parameter set with the best mean test accuracy is kept, as in the
    paper's appendix, and likewise for each of its permuted controls. There is no p.

    `paper` maps method -> cohort -> (mean, standard deviation) in the paper. `untested` are methods
    whose controls only show the level of chance: embeddings, whose parameters were chosen on these
    people.

    ``std`` is over the repeats, ``control_std`` over the permutations' means, ``seed_std`` over
    seeds. ``parameters`` are those kept or chosen most often. Under ``sites``, ``roc_auc`` is that
    inside sites. p uses all splits if there is a test; ``control_mean`` and ``z`` use those that
    all permutations have. ``p_holm`` corrects for all tests of the protocol, within sites if there
    are any.
    """
    groups = scores.groupby(["cohort", "method", "protocol"], sort=False)
    table = pd.DataFrame([_summary(group, paper or {}, level) for _, group in groups])
    for (cohort, protocol), part in table.groupby(["cohort", "protocol"], sort=False):
        without = part.loc[part["nuisance_mean"].isna(), "method"]
        if 0 < len(without) < len(part):
            raise InputError(
                f"{cohort}, {protocol}: {without.iloc[0]} has no nuisance control, and other "
                "methods have one: delete its scores and run again"
            )
    tested = ~table["method"].isin(list(untested)) & (table["protocol"] != "paper")
    p = p_values(table)[0].where(tested)
    for _, protocol in table.groupby("protocol"):
        table.loc[protocol.index, "p_holm"] = holm(p[protocol.index])
    # Rounded: the order of a sum can change the last digits of equal scores.
    return table.round(12)


def _summary(group, paper, level):
    """One row of `accuracy_table`."""
    cohort, method, protocol = (group[name].iloc[0] for name in ("cohort", "method", "protocol"))
    own, means = true_scores(group)
    if own.empty:
        raise InputError(f"{cohort}, {method}, {protocol}: no scores with the true labels")
    low = high = np.nan
    # Under `paper` it would be the best of many, and under `sites` test parts differ in size.
    if protocol == "nested":
        low, high = corrected_interval(own["accuracy"], split_ratio(own), level)
    counts = own["parameters"].value_counts(sort=False)
    paper_mean, paper_std = (paper.get(method) or {}).get(cohort) or (np.nan, np.nan)
    row = {
        "cohort": cohort,
        "method": method,
        "protocol": protocol,
        "mean": mean_score(own, "accuracy", protocol),
        "std": _deviation(own, protocol),
        "repeats": len(own),
        "adjusted_mean": _variant_mean(group, "adjusted"),
        "nuisance_mean": _variant_mean(group, "nuisance"),
        "seeds": len(means),
        "seed_std": _std(means),
        "parameters": counts.idxmax(),
        "parameters_share": counts.max() / len(own),
    }
    row |= _control_columns(group)
    return row | {
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


def _control_columns(group):
    """The columns of `accuracy_table` about permuted labels."""
    controls = control_means(group)
    within = control_means(group, "permuted_within_site")
    (p, compared), (site_p, _) = (_beside_controls(group, control) for control in CONTROLS)
    deviation = _std(controls)
    z = np.nan
    if deviation > 0:
        z = (compared - controls.mean()) / deviation
    return {
        "control_mean": _mean(controls),
        "control_std": deviation,
        "permutations": len(controls),
        "p_value": p,
        "z": z,
        "site_control_mean": _mean(within),
        "site_control_std": _std(within),
        "site_permutations": len(within),
        "site_p_value": site_p,
    }


def prediction_table(scores):
    """Summarise the scores of a variable: a row for each cohort, method and protocol.

    ``adjusted_r`` is with nuisance variables regressed out of the features, ``nuisance_r`` with
    these variables alone. ``control_r`` and ``control_mae`` are for values in random order, within
    sites if there are any.
    """
    rows = []
    for names, group in scores.groupby(["cohort", "method", "protocol"], sort=False):
        group = group.assign(accuracy=group["r"])
        own = group[group["control"] == "none"]
        within = (group["control"] == CONTROLS[1]).any()
        control = CONTROLS[0]
        if within:
            control = CONTROLS[1]
        protocol = names[2]
        controls = control_means(group, control)
        errors = control_means(group.assign(accuracy=group["mae"]), control)
        p, _ = _beside_controls(group, control)
        rows.append(
            {
                **dict(zip(("cohort", "method", "protocol"), names, strict=True)),
                "r_mean": mean_score(own, "r", protocol),
                "r_std": _deviation(own, protocol),
                "mae_mean": mean_score(own, "mae", protocol),
                "repeats": len(own),
                "adjusted_r": _variant_mean(group, "adjusted"),
                "nuisance_r": _variant_mean(group, "nuisance"),
                "control_r": _mean(controls),
                "control_mae": _mean(errors),
                "permutations": len(controls),
                "within_sites": within,
                "p_value": p,
            }
        )
    table = pd.DataFrame(rows)
    for _, one in table.groupby("protocol"):
        table.loc[one.index, "p_holm"] = holm(one["p_value"])
    return table.round(12)


def _mean(values):
    if len(values):
        return values.mean()
    return np.nan


def _std(values):
    if len(values) > 1:
        return np.std(values, ddof=1)
    return np.nan


def p_values(table):
    """Return each row's uncorrected p-value and the number of its permutations."""
    within = table["site_permutations"] > 0
    p = table["site_p_value"].where(within, table["p_value"]).astype(float)
    return p, table["site_permutations"].where(within, table["permutations"]).astype(float)


def control_accuracy(table):
    """Return each row's mean accuracy of the permuted labels that its p-value is from."""
    within = table["site_permutations"] > 0
    return table["site_control_mean"].where(within, table["control_mean"]).astype(float)


def smallest_p(table):
    """Return the smallest corrected p-value that the permutations of each protocol allow."""
    tested = table["p_holm"].notna()
    by_protocol = p_values(table)[1][tested].groupby(table["protocol"])
    return by_protocol.size() / (1 + by_protocol.max())


def comparison_table(scores):
    """Compare all pairs of methods of a cohort on the same splits: differences of mean accuracies.

    ``p_holm`` is for the cohort's number of pairs; see `corrected_interval`, `corrected_t_test`.
    """
    columns = "cohort protocol method other difference ci_low ci_high p_value p_holm repeats"
    tables = [pd.DataFrame(columns=columns.split())]
    # Under `paper` each accuracy is the best of many sets, under `sites` test parts differ.
    for cohort, group in scores[scores["protocol"] == "nested"].groupby("cohort", sort=False):
        own = {name: true_scores(one)[0] for name, one in group.groupby("method", sort=False)}
        pairs = []
        for method, other in itertools.combinations(own, 2):
            first, second = (own[name].set_index("repeat")["accuracy"] for name in (method, other))
            difference = (first - second).dropna()
            ratio = split_ratio(own[method])
            ends = corrected_interval(difference, ratio)
            p = corrected_t_test(difference, ratio)
            pair = cohort, "nested", method, other, difference.mean(), *ends, p
            pairs.append((*pair, np.nan, len(difference)))
        tables.append(pd.DataFrame(pairs, columns=columns.split()))
        tables[-1]["p_holm"] = holm(tables[-1]["p_value"])
    filled = [table for table in tables if len(table)] or tables[:1]
    return pd.concat(filled, ignore_index=True)


def control_means(group, control="permuted"):
    """Mean accuracy of each permutation of one cohort, method and protocol, in their order.

    Only splits that all permutations have count: one that was given up early has no others.
    """
    permuted = group[group["control"] == control].groupby("permutation", sort=True)
    least = permuted["repeat"].nunique().min()
    protocol = group["protocol"].iloc[0]
    return np.array([mean_accuracy(one[one["repeat"] < least], protocol) for _, one in permuted])


def mean_accuracy(rows, protocol):
    """Mean accuracy of one labelling."""
    return mean_score(kept(rows, protocol), "accuracy", protocol)


def _beside_controls(group, control):
    """The p-value of a control, and the true labels' accuracy on the splits of `control_means`.

    A permutation that was given up has no score on all splits: it counts as below the true labels.
    """
    own, permuted = (group[group["control"] == name] for name in ("none", control))
    if permuted.empty:
        return np.nan, np.nan
    planned = permuted["splits"].max()
    protocol = group["protocol"].iloc[0]
    permuted = permuted.groupby("permutation", sort=True)
    done = permuted["repeat"].nunique()
    whole = [mean_accuracy(one, protocol) for number, one in permuted if done[number] == planned]
    controls = [*whole, *[-np.inf] * int((done < planned).sum())]
    p = permutation_p_value(mean_accuracy(own[own["repeat"] < planned], protocol), controls)
    return p, mean_accuracy(own[own["repeat"] < done.min()], protocol)


def _variant_mean(group, variant):
    """Mean accuracy of ``adjusted`` or ``nuisance`` scores; NaN where there are none."""
    rows = group[group["control"] == variant]
    if len(rows):
        return mean_score(rows, "accuracy", group["protocol"].iloc[0])
    return np.nan


def true_scores(group):
    """Scores of the true labels, averaged over embeddings of several seeds; the mean of each."""
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
    """Return all rows; for protocol ``paper`` only those of the set with the best accuracy."""
    if protocol != "paper" or group.empty:
        return group
    means = group.groupby("parameters", sort=False)["accuracy"].mean().round(9)
    return group[group["parameters"] == means.idxmax()]


def _deviation(rows, protocol):
    """Standard deviation of the accuracies; sites count by their people, as in the mean."""
    if protocol != "sites" or len(rows) < 2:
        return rows["accuracy"].std(ddof=1)
    rows = rows[rows["accuracy"].notna()]
    centre = mean_score(rows, "accuracy", protocol)
    return float(np.sqrt(np.average((rows["accuracy"] - centre) ** 2, weights=rows["test"])))


def split_ratio(rows):
    """Return the mean ratio of test subjects to training subjects."""
    return float((rows["test"] / rows["train"]).mean())


def mean_score(rows, score, protocol):
    """Mean over splits, or over subjects if the splits are sites of different sizes."""
    values = rows[score]
    if protocol != "sites":
        return float(values.mean())
    there = values.notna()
    if not there.any():
        return np.nan
    return float(np.average(values[there], weights=rows["test"][there]))


def corrected_interval(scores, test_train_ratio, level=0.95):
    """Return the ends of the confidence interval of a mean over overlapping random splits.

    Its variance is inflated, since training sets overlap (Nadeau and Bengio, Mach. Learn. 2003).
    """
    scores = np.asarray(scores, dtype=float)
    k = len(scores)
    if k < 2 or np.ptp(scores) <= 1e-12:
        return np.nan, np.nan
    error = np.sqrt((1 / k + test_train_ratio) * scores.var(ddof=1))
    from scipy import stats

    half = stats.t.ppf((1 + level) / 2, k - 1) * error
    return float(scores.mean() - half), float(scores.mean() + half)


def corrected_t_test(differences, test_train_ratio):
    """Two-sided p of paired differences over splits, with the variance of the interval."""
    differences = np.asarray(differences, dtype=float)
    k = len(differences)
    if k < 2:
        return np.nan
    mean = differences.mean()
    variance = differences.var(ddof=1)
    if variance <= 1e-24:
        if abs(mean) < 1e-12:
            return 1.0
        # Equal differences in all splits do not tell how much they would vary.
        return np.nan
    from scipy import stats

    t = mean / np.sqrt((1 / k + test_train_ratio) * variance)
    return float(2 * stats.t.sf(abs(t), k - 1))


def permutation_p_value(observed, controls):
    """Return ``(1 + #{control >= observed}) / (1 + #controls)``; NaN without controls."""
    controls = np.asarray(controls, dtype=float)
    if len(controls) == 0:
        return np.nan
    return float((1 + (controls >= observed - TIE).sum()) / (1 + len(controls)))
