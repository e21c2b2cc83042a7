"""Splits, folds and permuted labels."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import GROUPS
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.sizes import check_sizes
from contrast_subgraphs.evaluation.labels import blocks_of
from contrast_subgraphs.evaluation.splits import (
    make_splits,
    read_splits,
    site_splits,
    stratified_splits,
    warn_of_confounded_sites,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_cohort import labels_of, tiny_cohort


def labels(td, asd):
    return np.random.default_rng(0).permutation([0] * td + [1] * asd)


def cohort(td=20, asd=20):
    y = labels(td, asd)
    names = np.array([f"S{i:03d}" for i in range(len(y))])
    graphs = np.zeros((len(y), 3, 3), np.uint8)
    return CohortGraphs(graphs, y, names, np.array(["a", "b", "c"]))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.integers(5, 60), st.integers(5, 60), st.floats(0.1, 0.5), st.integers(0, 99))
def test_splits_are_stratified(td, asd, test_size, seed):
    y = labels(td, asd)
    splits = stratified_splits(y, 3, test_size, seed, "tiny")
    n = len(y)
    n_test = splits.sum(axis=1)
    assert (n_test == n_test[0]).all() and test_size * n - 1e-6 <= n_test[0] < test_size * n + 1
    for group, size in ((0, td), (1, asd)):
        in_test = splits[:, y == group].sum(axis=1)
        assert (abs(in_test - n_test[0] * size / n) < 1).all()


def test_sizes_of_the_published_cohorts():
    """Majority of the test part: the accuracies of WL-Kern in Table 2."""
    for (td, asd), majority in {
        (52, 49): 0.524,
        (121, 116): 0.521,
        (158, 136): 0.542,
        (418, 420): 0.5,
    }.items():
        y = labels(td, asd)
        test = stratified_splits(y, 1, 0.2, 0, "x")[0]
        assert max(y[test].mean(), 1 - y[test].mean()) == pytest.approx(majority, abs=5e-4)


def test_the_first_splits_do_not_depend_on_how_many_are_drawn():
    y = labels(20, 23)
    np.testing.assert_array_equal(
        stratified_splits(y, 5, 0.2, 1, "tiny"), stratified_splits(y, 20, 0.2, 1, "tiny")[:5]
    )
    assert not np.array_equal(*stratified_splits(y, 2, 0.2, 1, "tiny"))
    other = stratified_splits(y, 5, 0.2, 1, "other")
    assert not np.array_equal(stratified_splits(y, 5, 0.2, 1, "tiny"), other)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.integers(10, 60), st.integers(10, 60), st.integers(2, 6), st.integers(0, 99))
def test_folds_are_stratified_and_cover_the_training_part(td, asd, folds, seed):
    y = labels(td, asd)
    train = np.flatnonzero(~stratified_splits(y, 1, 0.2, seed, "tiny")[0])
    fold = labels_of(y, seed=seed).draws.inner_folds(y, train, folds)
    np.testing.assert_array_equal(np.flatnonzero(fold >= 0), train)
    sizes = np.bincount(fold[train], minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for group in (0, 1):
        sizes = np.bincount(fold[train][y[train] == group], minlength=folds)
        assert sizes.max() - sizes.min() <= 1


def test_folds_do_not_depend_on_the_labels_of_the_test_part():
    y = labels(20, 20)
    test = stratified_splits(y, 1, 0.2, 0, "tiny")[0]
    other = y.copy()
    other[test] = 1 - other[test]
    train = np.flatnonzero(~test)
    np.testing.assert_array_equal(
        *(labels_of(one).draws.inner_folds(one, train, 5) for one in (y, other))
    )


def test_permutations_keep_the_numbers_of_the_groups():
    y, site = labels(20, 15), np.arange(35) % 3
    drawn = labels_of(y, site=site)
    first = drawn.permuted(False, 0)
    assert first.sum() == 15 and not np.array_equal(first, y)
    assert not np.array_equal(first, drawn.permuted(False, 1))
    within = drawn.permuted(True, 0)
    for name in range(3):
        assert within[site == name].sum() == y[site == name].sum()


def test_splits_are_kept_in_a_file_in_any_order_of_subjects(tmp_path):
    graphs = cohort()
    table = make_splits(graphs, cohort="tiny", repeats=20)
    assert list(table.columns) == ["repeat", "subject", "part"] and len(table) == 20 * 40
    save_table(table, tmp_path / "splits.csv")
    splits = read_splits(tmp_path / "splits.csv", graphs.subject)
    np.testing.assert_array_equal(splits, stratified_splits(graphs.y, 20, 0.2, 0, "tiny"))
    np.testing.assert_array_equal(
        read_splits(tmp_path / "splits.csv", graphs.subject[::-1]), splits[:, ::-1]
    )


def test_splits_that_do_not_fit_are_refused(tmp_path):
    graphs = cohort()
    table = make_splits(graphs, cohort="tiny", repeats=20)
    path = tmp_path / "splits.csv"
    for wrong, words in (
        (table.iloc[1:], "does not fit"),
        (table.assign(subject=table["subject"] + "x"), "does not fit"),
        (table.assign(part="both"), "does not fit"),
        (table.iloc[[0, *range(len(table))]], "twice"),
    ):
        save_table(wrong, path)
        with pytest.raises(InputError, match=words):
            read_splits(path, graphs.subject)


def test_a_small_cohort_says_the_smallest_size():
    with pytest.raises(InputError, match=r"tiny: 4 td and 20 asd.*at least 7"):
        check_sizes(labels(4, 20), "tiny", 0.2, 5, GROUPS)
    check_sizes(labels(7, 7), "tiny", 0.2, 5, GROUPS)
    own = replace(tiny_cohort(0.0, n=12), groups=("control", "patient"))
    with pytest.raises(InputError, match="6 control and 6 patient"):
        make_splits(own, cohort="tiny", repeats=20)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(2, 12), st.floats(0.05, 0.6))
def test_the_smallest_size_that_the_error_says_is_enough(folds, test_size):
    with pytest.raises(InputError, match="at least") as caught:
        check_sizes(labels(1, 1), "tiny", test_size, folds, GROUPS)
    smallest = int(str(caught.value).split("at least ")[1].split(".")[0])
    y = labels(smallest, smallest)
    check_sizes(y, "tiny", test_size, folds, GROUPS)
    test = stratified_splits(y, 1, test_size, 0, "tiny")[0]
    assert np.bincount(y[~test]).min() >= folds and np.bincount(y[test]).min() >= 1
    with pytest.raises(InputError):
        check_sizes(labels(smallest - 1, smallest - 1), "tiny", test_size, folds, GROUPS)


@pytest.mark.parametrize(
    "y, test_size, folds, words",
    [
        (np.zeros(20, int), 0.2, 5, "all 20 subjects are td and none is asd"),
        (np.ones(20, int), 0.2, 5, "all 20 subjects are asd and none is td"),
        (labels(20, 20), 0.2, 17, "at least"),  # more folds than members of a group
        (labels(20, 20), 0.2, 1, "folds"),
        (labels(20, 20), 1.0, 5, "test_size"),
    ],
)
def test_what_cannot_be_split_is_named(y, test_size, folds, words):
    with pytest.raises(InputError, match=words):
        check_sizes(y, "tiny", test_size, folds, GROUPS)


def test_sites():
    y = np.array([0, 1] * 12)
    site = np.repeat(["A", "B", "C"], 8)
    splits, names = site_splits(site, y, 5, GROUPS)
    assert names == ["A", "B", "C"] and splits.sum(axis=1).tolist() == [8, 8, 8]
    with pytest.raises(InputError, match="one site"):
        site_splits(np.repeat("A", 24), y, 5, GROUPS)
    with pytest.raises(InputError, match="without A only"):
        site_splits(np.repeat(["A", "B"], 12), y, 7, GROUPS)


def test_confounded_sites_are_warned_of():
    y = np.array([0, 1] * 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_confounded_sites(np.repeat(["A", "B", "C"], 8), y, "tiny", "asd")
    with pytest.warns(UserWarning, match="only one group at ASD-land, TD-land"):
        warn_of_confounded_sites(np.where(y == 0, "TD-land", "ASD-land"), y, "tiny", "asd")
    site = np.where(np.arange(24) < 12, "A", "B")
    with pytest.warns(UserWarning, match="share of asd differs"):
        warn_of_confounded_sites(
            site, np.array([0] * 10 + [1] * 2 + [0] * 2 + [1] * 10), "tiny", "asd"
        )


def test_values_of_a_person_go_to_another_with_as_many_graphs():
    person = np.array(["a", "a", "b", "b", "c", "d", "d", "e", "f"])
    site = np.array(["A"] * 7 + ["B"] * 2)
    y = np.array([1.0, 1, 2, 2, 3, 4, 4, 5, 6])
    seen = set()
    drawn = labels_of(y, person, site=site)
    for k in range(60):
        found = drawn.permuted(True, k)
        assert (found[[0, 2, 5]] == found[[1, 3, 6]]).all()  # a person's are alike
        assert found[4] == 3  # the only one with one graph at that site
        assert sorted(found[7:]) == [5, 6] and sorted(found) == sorted(y)
        seen.add(tuple(found.tolist()))
    assert len(seen) == 12


def test_labels_are_permuted_within_the_blocks_of_the_tests():
    members = pd.DataFrame({"site": list("aabb"), "sex": list("mfmf")})
    assert blocks_of(members, "sex").tolist() == list("mfmf")
    assert blocks_of(members, "site").tolist() == list("aabb")
    assert len(set(blocks_of(members, "none"))) == len(set(blocks_of(members, None))) == 1
    y = np.arange(40) % 2
    sex = np.repeat(["m", "f"], 20)
    labels = labels_of(y, blocks=sex)
    assert labels_of(y, blocks=np.full(40, "all"), site=sex).within is None
    permuted = labels.permuted(True, 0)
    assert [permuted[sex == one].sum() for one in "mf"] == [10, 10]
    assert any(labels.permuted(False, k)[sex == "m"].sum() != 10 for k in range(5))
