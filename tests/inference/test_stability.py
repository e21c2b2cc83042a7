"""How often regions are chosen: a planted set more often than by permuted labels."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.design import Design
from contrast_subgraphs.inference.permutation import permutation_test
from contrast_subgraphs.inference.stability import region_stability


def sample(seed=0, n=48, p=12, effect=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    rate = np.full((n, p, p), 0.3)
    rate[y == 0, :4, :4] += effect
    upper = np.triu(rng.random((n, p, p)) < rate, 1).astype(np.uint8)
    return upper + upper.transpose(0, 2, 1), y


def test_planted_regions_are_chosen_more_often_than_by_chance():
    graphs, y = sample()
    table = region_stability(graphs, y, [90], halves=40)
    assert len(table) == 3 * 12
    first = table[table["contrast"] == "0-1"].set_index("index")
    assert (first.loc[:3, "share"] > 0.85).all() and (first.loc[4:, "share"] < 0.5).all()
    assert first["share_permuted"].nunique() == 1 and first["share_permuted"].iloc[0] < 0.75


def test_without_an_effect_regions_are_chosen_as_often_as_by_permuted_labels():
    """The regions of the subgraph of everybody, which a half is likely to choose again."""
    ours, permuted = [], []
    for seed in range(8):
        graphs, y = sample(seed + 10, effect=0.0)
        test = permutation_test(graphs, y, [80], permutations=1, solver="search", seed=seed)
        table = region_stability(graphs, y, [80], halves=40, seed=seed)
        for contrast, nodes in zip(test.contrasts, test.nodes, strict=True):
            rows = table[table["contrast"] == contrast].set_index("index")
            ours += rows.loc[nodes[0], "share"].tolist()
            permuted += rows.loc[nodes[0], "share_permuted"].tolist()
    assert abs(np.mean(ours) - np.mean(permuted)) < 0.08 and np.mean(permuted) > 0.4


def test_the_same_with_any_number_of_processes_and_any_order_of_people():
    graphs, y = sample(1, effect=0.1)
    names = np.array([f"s{i:02d}" for i in range(48)])
    options = {"percentiles": [80], "halves": 60, "name": "cohort"}
    table = region_stability(graphs, y, subjects=names, **options)
    assert table.equals(region_stability(graphs, y, subjects=names, processes=2, **options))
    order = np.random.default_rng(0).permutation(48)
    again = region_stability(graphs[order], y[order], subjects=names[order], **options)
    assert table.equals(again)


def test_a_half_has_half_of_each_group_in_each_block():
    graphs, y = sample(2)
    site = np.repeat(["a", "b", "c"], 16)
    chosen = Design(graphs, y, blocks=site)._half(y, np.random.default_rng(0))
    for name in "abc":
        for group in (0, 1):
            assert ((site[chosen] == name) & (y[chosen] == group)).sum() == 4


def test_halved_differences_are_those_of_the_half():
    graphs, y = sample(3)
    design = Design(graphs, y)
    found = design.halved_differences(0, 3)
    from contrast_subgraphs.core import seeds

    for k, row in enumerate(found):
        chosen = design._half(y, seeds.generator(0, "halves", "", k, "half"))
        part, labels = graphs[chosen], y[chosen]
        expected = part[labels == 0].mean(0) - part[labels == 1].mean(0)
        np.testing.assert_allclose(design.matrix(row), expected, atol=1e-12)


def test_bad_input_is_named():
    graphs, y = sample(n=8)
    for halves in (0, None, 2.0, True):
        with pytest.raises(InputError, match="halves must be a whole number"):
            region_stability(graphs, y, [80], halves=halves)
    with pytest.raises(InputError, match="seed must be a whole number"):
        region_stability(graphs, y, [80], seed=1.0)
