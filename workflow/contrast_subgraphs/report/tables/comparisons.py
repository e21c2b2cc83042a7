"""Table ``comparisons``: every pair of methods on the same splits."""

import pandas as pd

from ...evaluation.scores import split_ratio, true_scores
from ...evaluation.statistics import corrected_interval, corrected_t_test, holm
from .formats import number, p_value
from .table import Table, texts


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
    # Under `paper` each accuracy is the best of many sets, under `sites` test parts differ.
    own = scores[scores["protocol"] == "nested"]
    rows = []
    for (cohort, protocol), group in own.groupby(["cohort", "protocol"], sort=False):
        by_method = {
            method: true_scores(one)[0].set_index("repeat")
            for method, one in group.groupby("method", sort=False)
        }
        methods, pairs = list(by_method), []
        for i, method in enumerate(methods):
            for other in methods[i + 1 :]:
                a, b = by_method[method], by_method[other]
                difference = (a["accuracy"] - b["accuracy"]).dropna()
                low, high = corrected_interval(difference, split_ratio(a))
                pairs.append(
                    {
                        "cohort": cohort,
                        "protocol": protocol,
                        "method": method,
                        "other": other,
                        "difference": difference.mean(),
                        "ci_low": low,
                        "ci_high": high,
                        "p_value": corrected_t_test(difference, split_ratio(a)),
                        "repeats": len(difference),
                    }
                )
        for pair, adjusted in zip(pairs, holm([p["p_value"] for p in pairs]), strict=True):
            rows.append({**pair, "p_holm": adjusted})
    return pd.DataFrame(rows, columns=columns.split())


def comparisons_shown(table, names):
    """Return the table for people."""
    shown = {
        "Cohort": "cohort",
        "Protocol": "protocol",
        "Method": "method",
        "Other": ("other", lambda name: names("method", name)),
        "Difference": ("difference", 2),
        "95 % interval": "interval",
        "p (Holm)": ("p_holm", p_value),
    }
    ends = zip(table["ci_low"], table["ci_high"], strict=True)
    interval = [f"{number(low)} to {number(high)}" for low, high in ends]
    return texts(table.assign(interval=interval), names, shown)


TABLE = Table(
    name="comparisons",
    caption="Differences of the mean accuracy between methods on the same splits, with intervals "
    "and p-values that allow for overlapping training parts (Nadeau and Bengio); p corrected for "
    "the pairs of a cohort and protocol (Holm).",
    columns="cohort protocol method other difference ci_low ci_high p_holm",
    make=lambda given: comparison_table(given.scores),
    show=comparisons_shown,
)
