"""Means, p-values and intervals of scores, and methods compared."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import save_table
from contrast_subgraphs.evaluation.scores import load_scores
from contrast_subgraphs.evaluation.summary import (
    accuracy_table,
    comparison_table,
    control_means,
    corrected_interval,
    corrected_t_test,
    permutation_p_value,
    smallest_p,
)
from contrast_subgraphs.report.names import Names
from contrast_subgraphs.report.tables.accuracy import accuracy_shown
from scipy import stats
from score_rows import scores


def test_interval_is_the_t_interval_widened_for_overlap():
    values = np.array([0.5, 0.6, 0.7, 0.55, 0.65])
    low, high = corrected_interval(values, 0.0)
    expected = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    np.testing.assert_allclose((low, high), expected)
    wide = corrected_interval(values, 0.25)
    # Variance 1/k + test/train instead of 1/k.
    assert (wide[1] - wide[0]) / (high - low) == pytest.approx(np.sqrt((0.2 + 0.25) / 0.2))
    assert np.isnan(corrected_interval([0.5], 0.25)).all()


def test_corrected_interval_covers_where_the_plain_one_does_not():
    """Overlapping splits: the mean of 20 splits varies more than their spread says.

    A majority vote has no training error to correct for, so take the 1-nearest class mean
    on pure noise: its true accuracy is exactly 0.5.
    """
    inside = {0.0: 0, 0.25: 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
        accuracy = []
        for _ in range(15):
            test = rng.permutation(50)[:10]
            train = np.setdiff1d(np.arange(50), test)
            means = [X[train][y[train] == k].mean(0) for k in (0, 1)]
            d = [((X[test] - m) ** 2).sum(1) for m in means]
            accuracy.append(((d[0] > d[1]) == y[test]).mean())
        for ratio in inside:
            low, high = corrected_interval(accuracy, ratio)
            inside[ratio] += low <= 0.5 <= high
    assert inside[0.25] / 150 > 0.85
    assert inside[0.0] < inside[0.25]


def test_corrected_t_test():
    d = np.array([0.1, 0.0, 0.2, 0.05, 0.15])
    assert corrected_t_test(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    assert corrected_t_test(d, 0.25) > corrected_t_test(d, 0.0)
    assert corrected_t_test(d, 0.25) == pytest.approx(corrected_t_test(-d, 0.25))
    assert corrected_t_test([0.0, 0.0], 0.25) == 1.0
    # Of equal differences it is not known how much they vary.
    assert np.isnan(corrected_t_test([0.1, 0.1], 0.25))
    assert np.isnan(corrected_interval([0.1, 0.1], 0.25)).all()
    assert np.isnan(corrected_t_test([0.1], 0.25))
    # The interval excludes 0 exactly when the test rejects.
    low, _ = corrected_interval(d, 0.25)
    assert (low > 0) == (corrected_t_test(d, 0.25) < 0.05)


def test_permutation_p_value_counts_the_observation():
    assert permutation_p_value(0.9, [0.5] * 19) == pytest.approx(0.05)
    assert permutation_p_value(0.5, [0.5, 0.4, 0.6]) == pytest.approx(0.75)
    assert np.isnan(permutation_p_value(0.5, []))


def test_accuracy_table_of_the_nested_protocol():
    rows = [
        scores([0.6, 0.7, 0.8], parameters='{"a": 1}'),
        scores([0.5, 0.5, 0.5], permutation=0),
        scores([0.9, 0.7, 0.5], permutation=1),
    ]
    table = accuracy_table(pd.concat(rows), paper={"cs-p1": {"tiny": [0.86, 0.07]}})
    row = table.iloc[0]
    assert row["mean"] == pytest.approx(0.7) and row["std"] == pytest.approx(0.1)
    assert row["repeats"] == 3 and row["permutations"] == 2
    assert row["control_mean"] == pytest.approx(0.6)
    assert row["control_std"] == pytest.approx(np.std([0.5, 0.7], ddof=1))
    assert row["p_value"] == pytest.approx(2 / 3)
    assert (row["paper_mean"], row["paper_std"]) == (0.86, 0.07)
    assert row["ci_low"] < 0.7 < row["ci_high"]
    assert row["parameters"] == '{"a": 1}' and row["parameters_share"] == 1


def test_the_paper_s_protocol_keeps_the_best_parameters_of_observation_and_controls():
    def both(first, second, **more):
        return [
            scores(first, protocol="paper", parameters='{"a": 1}', **more),
            scores(second, protocol="paper", parameters='{"a": 2}', **more),
        ]

    rows = both([0.6, 0.7], [0.8, 0.7]) + both([0.5, 0.5], [0.4, 0.4], permutation=0)
    rows = pd.concat(rows + both([0.7, 0.7], [0.9, 0.9], permutation=1))
    row = accuracy_table(rows).iloc[0]
    assert row["mean"] == 0.75 and row["parameters"] == '{"a": 2}' and row["repeats"] == 2
    np.testing.assert_allclose(control_means(rows), [0.5, 0.9])
    assert row["p_value"] == pytest.approx(2 / 3)
    assert np.isnan(row["paper_mean"])


def test_equal_scores_have_no_deviation():
    """WL-Kern's zero deviations, whatever the order of summation."""
    row = accuracy_table(scores([0.1 + 0.2, 0.3, 0.3])).iloc[0]
    assert row["std"] == 0


def test_without_permutations_there_is_no_control():
    row = accuracy_table(scores([0.6, 0.7])).iloc[0]
    assert np.isnan(row["control_mean"]) and np.isnan(row["p_value"])


def test_sites_are_weighted_by_their_subjects():
    rows = scores([1.0, 0.0], protocol="sites").assign(test=[30, 10], site=["A", "B"])
    row = accuracy_table(rows).iloc[0]
    assert row["mean"] == pytest.approx(0.75) and np.isnan(row["ci_low"])


def test_comparisons_pair_the_splits():
    rows = pd.concat(
        [
            scores([0.6, 0.7, 0.8], method="a"),
            scores([0.5, 0.6, 0.7], method="b"),
            scores([0.7, 0.6, 0.8], method="c"),
            scores([0.1, 0.1, 0.1], method="c", permutation=0),
        ]
    )
    table = comparison_table(rows)
    assert [tuple(pair) for pair in table[["method", "other"]].to_numpy()] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    first = table.iloc[0]
    # Equal differences: how much they vary is not known.
    assert first["difference"] == pytest.approx(0.1) and np.isnan(first["p_holm"])
    a_c = table.iloc[1]
    assert a_c["p_value"] == pytest.approx(corrected_t_test([-0.1, 0.1, 0.0], 0.25))
    assert (table["p_holm"] >= table["p_value"])[1:].all()


def test_within_site_controls_and_holm_over_all_tests_of_a_protocol():
    def of(method, cohort, own, free, within):
        rows = [scores([a], method, permutation=k) for k, a in enumerate(free)]
        for k, a in enumerate(within):
            rows.append(scores([a], method, permutation=k).assign(control="permuted_within_site"))
        return pd.concat([*rows, scores([own], method)]).assign(cohort=cohort)

    rows = pd.concat(
        [
            of("a", "x", 0.7, [0.5, 0.6], [0.6, 0.8]),
            of("b", "x", 0.7, [0.5, 0.6], []),
            of("a", "y", 0.7, [0.5, 0.6], [0.5, 0.6]),
        ]
    )
    table = accuracy_table(rows)
    assert table["p_value"].tolist() == pytest.approx([1 / 3] * 3)
    assert table["site_p_value"].tolist() == pytest.approx([2 / 3, np.nan, 1 / 3], nan_ok=True)
    assert table["p_holm"].tolist() == pytest.approx([1.0, 1.0, 1.0])
    assert table["site_control_mean"][0] == pytest.approx(0.7)
    assert table["z"][0] == pytest.approx(0.15 / np.std([0.5, 0.6], ddof=1))


def test_the_best_of_many_has_no_interval_and_no_paired_test():
    rows = pd.concat([scores([0.6, 0.7], m, "paper") for m in ("a", "b")])
    assert np.isnan(accuracy_table(rows)["ci_low"]).all()
    assert comparison_table(rows).empty


def test_p_values_compare_the_same_splits():
    """The true labels have two splits more, in which they score worse."""
    rows = [scores([0.8, 0.8, 0.2, 0.2]), *(scores([0.7, 0.7], permutation=k) for k in range(4))]
    row = accuracy_table(pd.concat(rows)).iloc[0]
    assert row["mean"] == 0.5 and row["control_mean"] == 0.7 and row["p_value"] == 1 / 5


def test_accuracies_are_means_over_the_embeddings_of_several_seeds(tmp_path):
    first = scores([0.8, 0.6], "embs")
    again = [scores(pair, "embs", permutation=k) for k, pair in ((1, [0.5, 0.5]), (2, [0.5, 0.4]))]
    again = [one.assign(control="reseeded") for one in again]
    permuted = [scores([0.6], "embs", permutation=k) for k in range(3)]
    edges = scores([0.5, 0.5], "edges")
    rows = pd.concat([edges, first, *again, *permuted], ignore_index=True)
    assert comparison_table(rows)["difference"][0] == pytest.approx(-0.05)
    rows = rows[2:]
    path = tmp_path / "nested" / "tiny" / "embs.csv"
    path.parent.mkdir(parents=True)
    save_table(rows.astype({"permutation": "Int64"}), path)
    row = accuracy_table(load_scores([path])).iloc[0]
    assert row["mean"] == pytest.approx(0.55) and row["seeds"] == 3
    assert row["std"] == pytest.approx(np.std([0.6, 0.5], ddof=1))
    assert row["seed_std"] == pytest.approx(np.std([0.7, 0.5, 0.45], ddof=1))
    assert row["p_value"] == 1 / 4  # of the first embedding, whose labels were permuted


def test_baselines_and_the_paper_s_protocol_are_not_tested():
    """Only what is tested counts in the correction; too few permutations decide nothing."""
    rows = pd.concat(
        [
            pd.concat([scores([0.9, 0.9], *which), scores([0.5, 0.5], *which, permutation=0)])
            for which in (("cs-p1", "nested"), ("embs", "nested"), ("cs-p1", "paper"))
        ]
    )
    table = accuracy_table(rows, untested=["embs"])
    assert table["p_holm"].notna().tolist() == [True, False, False]
    assert table["p_holm"][0] == 0.5 == smallest_p(table)["nested"]
    shown = accuracy_shown(table, Names({}, {}, {}, {}, "simulated"))
    assert shown.filter(like="p (Holm)").to_numpy().ravel().tolist() == ["—", "—"]
