"""How often regions are chosen: a planted set more often than by permuted labels."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
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
    table = region_stability(graphs, y, percentiles=[90], n_halves=40).table()
    assert len(table) == 3 * 12
    first = table[table["contrast"] == "0-1"].set_index("index")
    assert (first.loc[:3, "share"] > 0.85).all() and (first.loc[4:, "share"] < 0.5).all()
    assert first["share_permuted"].nunique() == 1 and first["share_permuted"].iloc[0] < 0.75
    critical = first["share_critical"].iloc[0]
    assert first["share_critical"].nunique() == 1 and first["share_permuted"].iloc[0] < critical
    assert (first.loc[:3, "share"] >= critical).all()


def test_without_an_effect_regions_are_chosen_as_often_as_by_permuted_labels():
    """The regions of the subgraph of everybody, which a half is likely to choose again."""
    ours, permuted, above = [], [], []
    for seed in range(8):
        graphs, y = sample(seed + 10, effect=0.0)
        test = permutation_test(
            graphs,
            y,
            percentiles=[80],
            n_permutations=1,
            solver="search",
            hold="observed",
            random_state=seed,
        )
        found = region_stability(graphs, y, percentiles=[80], n_halves=40, random_state=seed)
        table = found.table()
        for contrast, nodes in zip(test.contrasts, test.nodes, strict=True):
            rows = table[table["contrast"] == contrast].set_index("index")
            ours += rows.loc[nodes[0], "share"].tolist()
            permuted += rows.loc[nodes[0], "share_permuted"].tolist()
            above.append((rows.loc[nodes[0], "share"] > rows["share_critical"].iloc[0]).any())
    assert abs(np.mean(ours) - np.mean(permuted)) < 0.08 and np.mean(permuted) > 0.4
    assert np.mean(above) <= 0.25 < np.mean(np.array(ours) > np.array(permuted))


def test_the_same_with_any_number_of_processes_and_any_order_of_people():
    graphs, y = sample(1, effect=0.1)
    names = np.array([f"s{i:02d}" for i in range(48)])
    options = {"percentiles": [80], "n_halves": 60}
    table = region_stability(graphs, y, subjects=names, **options).table()
    more = region_stability(graphs, y, subjects=names, n_jobs=2, **options).table()
    assert table.equals(more)
    order = np.random.default_rng(0).permutation(48)
    again = region_stability(graphs[order], y[order], subjects=names[order], **options).table()
    assert table.equals(again)


def test_bad_input_is_named():
    graphs, y = sample(n=8)
    for halves in (0, None, 2.0, True):
        with pytest.raises(InputError, match="n_halves must be a whole number"):
            region_stability(graphs, y, percentiles=[80], n_halves=halves)
    with pytest.raises(InputError, match="random_state must be a whole number"):
        region_stability(graphs, y, percentiles=[80], random_state=1.0)
