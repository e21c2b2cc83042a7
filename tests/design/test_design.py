"""Designs of two groups: draws, halves, folds, people with several graphs, and bad input."""

import itertools

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import NoTest, two_groups

Y = np.arange(48) % 2
SITE = np.repeat(["a", "b", "c"], 16)


def test_draws_stay_within_blocks_and_belong_to_the_people():
    names = np.array([f"s{i:02d}" for i in range(48)])
    design = two_groups(Y, blocks=SITE, subjects=names)
    draws = design.random(0, 20)
    assert (np.sort(draws) == np.arange(48)).all() and (SITE[draws] == SITE).all()
    order = np.random.default_rng(0).permutation(48)
    again = two_groups(Y[order], blocks=SITE[order], subjects=names[order]).random(0, 20)
    assert np.array_equal(Y[order][again], Y[draws][:, order])
    assert np.array_equal(design.random(5, 9), draws[5:9])


def test_all_relabellings_are_met_once():
    y = np.array([0, 1, 0, 1, 1, 0, 1])
    blocks = np.array(list("aaaabbb"))
    design = two_groups(y, blocks=blocks)
    draws, count, exact = design.draws(1000)
    labels = {tuple(y[row]) for row in draws(0, count)} | {tuple(y)}
    expected = {
        row
        for row in itertools.product((0, 1), repeat=7)
        if sum(row[:4]) == 2 and sum(row[4:]) == 2
    }
    assert exact and labels == expected and len(labels) == design.possible == count + 1 == 18


def test_a_half_has_half_of_each_group_in_each_block():
    halves, draws = two_groups(Y, blocks=SITE).halves(0, 5)
    for half in halves:
        for name, group in itertools.product("abc", (0, 1)):
            assert ((SITE == name) & (Y == group) & half).sum() == 4
    assert (draws == np.arange(48)).all()
    halves, draws = two_groups(Y, blocks=SITE).halves(0, 5, relabelling=1)
    for half, draw in zip(halves, draws, strict=True):
        assert all(((SITE == name) & half).sum() == 8 for name in "abc")
        assert (draw == draws[0]).all() and (draw != np.arange(48)).any()
        assert ((Y[draw] == 0) & half).sum() == 12


def test_halved_differences_are_those_of_the_half():
    graphs = np.random.default_rng(0).random((48, 5, 5))
    graphs = graphs + graphs.transpose(0, 2, 1)
    design = two_groups(Y)
    statistic = design.statistic(graphs)
    halves, draws = design.halves(0, 3)
    for half, row in zip(halves, statistic.of_parts(halves, draws), strict=True):
        expected = graphs[half & (Y == 0)].mean(0) - graphs[half & (Y == 1)].mean(0)
        np.fill_diagonal(expected, 0)
        np.testing.assert_allclose(statistic.matrix(row), expected, atol=1e-12)


def test_folds_have_their_share_of_each_group_and_block():
    design = two_groups(Y, blocks=SITE)
    fold = design.folds(4)
    for name, group in itertools.product("abc", (0, 1)):
        assert (np.bincount(fold[(SITE == name) & (Y == group)], minlength=4) == 2).all()
    assert not np.array_equal(fold, design.folds(4, repeat=1))
    small = two_groups([0, 0, 0, 1, 1, 1, 1]).folds(5)
    assert np.bincount(small).max() == 2


def test_graphs_of_one_person_stay_together():
    person = np.repeat(np.arange(12), 2)
    y = person % 2
    design = two_groups(y, subjects=person)
    for draw in design.random(0, 10):
        labels = y[draw]
        assert (labels[::2] == labels[1::2]).all() and labels.sum() == 12
    fold = design.folds(3)
    assert (fold[::2] == fold[1::2]).all()
    half = design.halves(0, 1)[0][0]
    assert (half[::2] == half[1::2]).all()
    assert design.possible == 924


def test_blocks_of_one_size_are_exchanged_as_wholes():
    family = np.array(list("aabbccddefg"))
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0])
    with pytest.raises(NoTest, match="exchange="):
        two_groups(y, blocks=family)
    design = two_groups(y, blocks=family, exchange="whole")
    assert design.possible == 6 * 3
    draws, count, _ = design.draws(100)
    for draw in draws(0, count):
        labels = y[draw]
        assert (labels[:8:2] == labels[1:8:2]).all() and labels[8:].sum() == 1


def test_repeated_people_permuted_freely_would_be_found_by_themselves():
    """Two graphs of each person, no effect: as wholes p is right, freely much too small."""
    from contrast_subgraphs.inference import permutation_test

    free, whole = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        person = np.repeat(np.arange(20), 2)
        own = np.repeat(rng.normal(size=(20, 8, 8)), 2, axis=0)
        upper = np.triu(own + 0.3 * rng.normal(size=(40, 8, 8)), 1)
        graphs, y = upper + upper.transpose(0, 2, 1), person % 2
        options = {"percentiles": [80], "n_permutations": 39, "solver": "search"}
        free.append(permutation_test(graphs, y, **options).pvalue.min())
        whole.append(permutation_test(graphs, y, subjects=person, **options).pvalue.min())
    assert np.mean(np.array(whole) <= 0.05) <= 0.2 < 0.35 < np.mean(np.array(free) <= 0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exchange": "whole"}, "needs blocks"),
        ({"exchange": "parts"}, "exchange must be"),
        ({"labels": ["x", "y"]}, "two different labels, x and y"),
        ({"subjects": ["s"] * 48}, "1 subject .s. in both groups"),
        ({"blocks": ["a"]}, "one entry for each"),
        ({"random_state": 1.0}, "random_state must be"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(InputError, match=message):
        two_groups(Y, **change)
