"""What is measured of a split, and files of scores."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.evaluation.scores import classification_scores, load_scores
from contrast_subgraphs.evaluation.summary import accuracy_table
from hypothesis import given, settings
from hypothesis import strategies as st
from score_rows import scores
from sklearn.metrics import balanced_accuracy_score, roc_auc_score


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.integers(0, 10**6), st.integers(4, 40))
def test_scores_equal_scikit_learn(seed, n):
    rng = np.random.default_rng(seed)
    y, decision = np.arange(n) % 2, rng.integers(-3, 4, n).astype(float)
    ours = classification_scores(y, decision)
    guess = (decision > 0).astype(int)
    assert ours["accuracy"] == pytest.approx((guess == y).mean())
    assert ours["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, guess))
    assert ours["roc_auc"] == pytest.approx(roc_auc_score(y, decision))


def test_values_that_differ_by_rounding_are_ties():
    y, decision = np.array([0, 1, 0, 1]), np.array([0.3, 0.1 + 0.2, -2.0, 1.0])
    assert classification_scores(y, decision)["roc_auc"] == 0.875


def test_one_group_has_an_accuracy_only():
    ours = classification_scores(np.ones(4, int), np.array([1.0, 1.0, -1.0, 1.0]))
    assert ours["accuracy"] == 0.75 and np.isnan(ours["roc_auc"])
    assert np.isnan(ours["balanced_accuracy"])


def test_scores_survive_a_file(tmp_path):
    folder = tmp_path / "nested" / "tiny"
    path = folder / "cs-p1.csv"
    rows = pd.concat([scores([0.6, 1 / 3]), scores([0.5, 0.5], permutation=0)])
    rows = rows.astype({"permutation": "Int64"})
    save_table(rows, path)
    again = load_scores([path])
    pd.testing.assert_frame_equal(accuracy_table(again), accuracy_table(rows))
    with pytest.raises(InputError, match="no scores"):
        load_scores([])
    (tmp_path / "b.csv").write_text("cohort,method\n")
    with pytest.raises(InputError, match="lacks the column"):
        load_scores([tmp_path / "b.csv"])
    path.write_text(path.read_text().replace("0.6", "0.9"))
    with pytest.raises(InputError, match=r"cs-p1\.csv is damaged or was edited.*delete"):
        load_scores([path])
    with pytest.raises(InputError, match="true labels"):
        accuracy_table(scores([0.5], permutation=0))
