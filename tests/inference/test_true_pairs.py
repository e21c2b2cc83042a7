"""How many pairs differ at least: never more than do, for all sets at once."""

import itertools
import warnings

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import several_groups
from contrast_subgraphs.inference import true_pairs

P = 16
FIRST, SECOND = np.triu_indices(P, 1)


def made(seed, effect=0.0, regions=8, n=40):
    """Graphs whose pairs go together by region, with a planted set, and which pairs differ."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 0.7, size=(n, P))
    graphs = own[:, FIRST] + own[:, SECOND] + rng.normal(size=(n, len(FIRST)))
    planted = (FIRST < regions) & (SECOND < regions)
    if effect == 0:
        planted[:] = False
    graphs[: n // 2, planted] += effect
    return graphs, np.repeat(["a", "b"], n // 2), planted


def test_the_bound_is_too_large_in_few_studies_even_of_sets_that_the_data_choose():
    too_large = 0
    told = []
    for seed in range(100):
        graphs, y, planted = made(seed, effect=1.4 * (seed % 2))
        found = true_pairs(graphs, y, n_permutations=99, random_state=seed)
        order = np.argsort(found.p[0])
        # The worst of sets of pairs' regions that these data would choose.
        sets = [None] + [np.unique([FIRST[order[:k]], SECOND[order[:k]]]) for k in (3, 6, 12, 24)]
        wrong = False
        for nodes in sets:
            member = np.ones(P, dtype=bool) if nodes is None else np.isin(np.arange(P), nodes)
            truth = int((planted & member[FIRST] & member[SECOND]).sum())
            wrong |= found.at_least(nodes, "a-b") > truth
        too_large += wrong
        told.append(found.at_least(np.arange(8), "a-b"))
    assert too_large <= 11  # 5 and two standard deviations
    assert np.median(told[1::2]) > 5 and np.max(told[1::2]) <= 28


def test_without_a_difference_the_level_is_exact_over_all_labels():
    """Each of the 20 ways to label 3 + 3 graphs is as likely: a fifth of them have a bound."""
    labels = ["".join(one) for one in set(itertools.permutations("aaabbb"))]
    assert len(labels) == 20
    for seed in range(6):
        graphs = np.random.default_rng(seed).normal(size=(6, 15))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bounds = [
                true_pairs(graphs, list(y), level=0.2).at_least(None, "a-b") for y in sorted(labels)
            ]
        assert np.count_nonzero(bounds) == 4


def test_the_bound_is_that_of_the_definition():
    graphs, y, _ = made(1, effect=1.5)
    found = true_pairs(graphs, y, n_permutations=99)
    nodes = np.arange(9)
    inside = found.p[0][(FIRST < 9) & (SECOND < 9)]
    best = 0
    for k in range(1, len(inside) + 1):
        # Fewer than k of those that do not differ are below limit k.
        best = max(best, int((inside < found.limits[0, k - 1]).sum()) - (k - 1))
    assert found.at_least(nodes, "a-b") == best > 0
    mask = np.isin(np.arange(P), nodes)
    assert found.at_least(mask, "a-b") == best
    # As many pairs as k regions have take k regions.
    regions = found.regions_at_least(nodes, "a-b")
    assert (regions - 1) * (regions - 2) / 2 < best <= regions * (regions - 1) / 2
    table = found.table()
    assert table["at_least"].tolist() == [found.at_least(None, one) for one in found.contrasts]
    assert table["at_least"][1] == 0 == table["regions_at_least"][1]


def test_larger_sets_hold_no_fewer_pairs_and_processes_do_not_matter():
    graphs, y, _ = made(2, effect=1.5)
    found = true_pairs(graphs, y, n_permutations=149)
    bounds = [found.at_least(np.arange(size), "a-b") for size in range(2, P + 1)]
    assert (np.diff(bounds) >= 0).all() and bounds[-1] == found.at_least(None, "a-b")
    two = true_pairs(graphs, y, n_permutations=149, n_jobs=2)
    assert np.array_equal(found.limits, two.limits)


def test_too_few_relabellings_tell_nothing():
    graphs, y, _ = made(3, effect=3.0, n=8)
    found = true_pairs(graphs[[0, 1, 6, 7]], y[[0, 1, 6, 7]])
    assert found.table()["at_least"].tolist() == [0, 0, 0]


def test_what_has_no_direction_or_is_no_t_is_refused():
    graphs, y, _ = made(4)
    with pytest.raises(InputError, match="no direction"):
        true_pairs(graphs, several_groups(np.arange(40) % 3))
    with pytest.raises(InputError, match="edge_statistic"):
        true_pairs(graphs, y, edge_statistic="difference")
    found = true_pairs(graphs, y, n_permutations=19)
    with pytest.raises(InputError, match="contrast"):
        found.at_least([0, 1], "a-c")
    with pytest.raises(InputError, match="nodes"):
        found.at_least([0, 99], "a-b")
