"""What a test would have found: planted differences against its own null distribution."""

import numpy as np
import pytest
from contrast_subgraphs.contrast.solver.search import search_quick
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.design import NoTest, several_groups, two_groups
from contrast_subgraphs.inference import permutation_test, would_find

REGIONS = 14


def made(n=40, seed=0, weights=True):
    """Graphs of two groups, or of a variable, without any difference."""
    rng = np.random.default_rng(seed)
    shape = n, REGIONS * (REGIONS - 1) // 2
    graphs = rng.normal(size=shape) if weights else (rng.random(shape) < 0.3).astype(np.uint8)
    return graphs, np.repeat(["a", "b"], n // 2)


def run_test(graphs, y, **options):
    usual = {"percentiles": [70, 85], "n_permutations": 199, "solver": "search"}
    return permutation_test(graphs, y, **usual | options)


def inside(nodes):
    """Which pairs are inside a set."""
    i, j = np.triu_indices(REGIONS, 1)
    return np.isin(i, nodes) & np.isin(j, nodes)


def share_found(difference, test, count, seed=1, sets=120):
    """Plainly: plant it in relabelled graphs, search anew, and count what is beyond chance."""
    rng = np.random.default_rng(seed)
    graphs, y = made()
    critical = test.critical_for_others(0.05)
    found = 0
    for _ in range(sets):
        first = rng.permutation(y) == "a"
        nodes = rng.choice(REGIONS, count, replace=False)
        planted = graphs + difference * np.outer(first, inside(nodes))
        matrix = square_of(planted[first].mean(axis=0) - planted[~first].mean(axis=0))
        _, [best] = search_quick([matrix], test.alphas[0])
        found += bool((best >= critical[0]).any())
    return found / sets


def test_the_difference_is_found_in_four_of_five_cases():
    graphs, y = made()
    test = run_test(graphs, y)
    found = would_find(graphs, y, test, regions=5)
    assert found.low[0] < found.difference[0] < found.high[0]
    # 120 sets: the standard deviation of the share is 0.037.
    share = share_found(found.difference[0], test, 5)
    assert 0.69 < share < 0.91
    assert share_found(found.difference[0] / 2, test, 5) < 0.5


def test_it_falls_with_the_people_and_with_the_regions():
    few = made(24)
    many = made(96)
    sizes = [3, 5, 7]
    of_few = would_find(*few, run_test(*few), regions=sizes, n_planted=60)
    of_many = would_find(*many, run_test(*many), regions=sizes, n_planted=60)
    assert of_few.regions == of_many.regions == (3, 5, 7)
    assert (np.diff(of_few.difference) < 0).all() and (np.diff(of_many.difference) < 0).all()
    # The error of a difference halves with four times the people.
    np.testing.assert_allclose(of_few.difference / of_many.difference, 2, rtol=0.25)
    table = of_few.table()
    assert table["regions"].tolist() == sizes and (table["share"] == 0.8).all()


def test_larger_shares_need_more():
    graphs, y = made()
    test = run_test(graphs, y)
    shares = [
        would_find(graphs, y, test, regions=5, share=share, n_planted=60).difference[0]
        for share in (0.5, 0.8, 0.95)
    ]
    assert shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize("statistic", ["difference", "t", "welch"])
def test_the_unit_is_that_of_the_weights_whatever_a_pair_weighs(statistic):
    graphs, y = made()
    times = [
        would_find(
            scale * graphs,
            y,
            run_test(scale * graphs, y, edge_statistic=statistic),
            regions=6,
            edge_statistic=statistic,
            n_planted=50,
        )
        for scale in (1, 10)
    ]
    np.testing.assert_allclose(10 * times[0].difference, times[1].difference, rtol=1e-6)
    np.testing.assert_allclose(times[0].d, times[1].d, rtol=1e-6)
    # As t and d of a mean of 15 independent pairs: not off by the unit of another statistic.
    assert times[0].d[0] == pytest.approx(times[0].difference[0] * np.sqrt(15), rel=0.2)


def test_a_slope_is_for_one_standard_deviation_beside_what_is_held_constant():
    rng = np.random.default_rng(3)
    graphs, _ = made(60)
    value = rng.normal(50, 12, size=60)
    question = {"variable": "age", "covariates": {"motion": rng.normal(size=60)}}
    plain = would_find(
        graphs, value, run_test(graphs, value, **question), regions=6, n_planted=50, **question
    )
    ranks = question | {"ranks": True}
    ranked = would_find(
        graphs, value, run_test(graphs, value, **ranks), regions=6, n_planted=50, **ranks
    )
    # The mean of 15 independent pairs has a standard deviation of about 1 / sqrt(15).
    for found in (plain, ranked):
        slope = found.difference[0] * np.sqrt(15)
        assert found.r[0] == pytest.approx(slope / np.sqrt(1 + slope**2), abs=0.06)
    assert ranked.difference[0] == pytest.approx(plain.difference[0], rel=0.25)


def test_changes_within_people_do_not_depend_on_what_people_differ_by():
    graphs, y = made()
    person = np.tile(np.arange(20), 2).astype(str)
    question = {"paired": True, "subjects": person}
    apart = graphs + 5 * np.random.default_rng(4).normal(size=(20, 1))[person.astype(int)]
    found = [
        would_find(one, y, run_test(one, y, **question), regions=6, n_planted=50, **question)
        for one in (graphs, apart)
    ]
    np.testing.assert_allclose(found[0].difference, found[1].difference, rtol=1e-6)


def test_what_weights_do_not_allow_is_not_said_to_be_found():
    graphs, y = made(8, weights=False)
    found = would_find(graphs, y, run_test(graphs, y), regions=[2, 7], n_planted=40)
    assert np.isnan(found.difference[0])  # one pair: not even if all of one group have it
    # Of six relabellings none has p up to .05.
    tiny = np.random.default_rng(5).normal(size=(4, REGIONS * (REGIONS - 1) // 2))
    test = run_test(tiny, ["a", "a", "b", "b"])
    found = would_find(tiny, ["a", "a", "b", "b"], test, regions=6, n_planted=10)
    assert np.isnan(found.difference).all() and np.isnan(found.d).all()


def test_it_does_not_depend_on_processes_or_on_the_order_of_the_people():
    graphs, y = made()
    names = np.array([f"p{k}" for k in range(len(y))])
    test = run_test(graphs, y, subjects=names)
    one = would_find(graphs, y, test, regions=5, n_planted=60, subjects=names)
    two = would_find(graphs, y, test, regions=5, n_planted=60, subjects=names, n_jobs=2)
    order = np.random.default_rng(6).permutation(len(y))
    other = would_find(
        graphs[order], y[order], test, regions=5, n_planted=60, subjects=names[order]
    )
    assert one.difference.tolist() == two.difference.tolist()
    np.testing.assert_allclose(one.difference, other.difference, rtol=1e-9)


def test_sizes_that_the_graphs_have_no_room_for_are_left_out():
    graphs, y = made()
    test = run_test(graphs, y)
    assert would_find(graphs, y, test, n_planted=5).regions == (5,)
    assert would_find(graphs, y, test, regions=[10, 12], n_planted=5).regions == (10,)


def test_what_cannot_be_planted_is_refused():
    graphs, y = made()
    test = run_test(graphs, y)
    with pytest.raises(InputError, match="the test is of other contrasts"):
        would_find(graphs, np.where(y == "a", "c", "d"), test)
    three = several_groups(np.arange(40) % 3)
    with pytest.raises(NoTest, match="no direction"):
        would_find(graphs, three, run_test(graphs, three))
    with pytest.raises(InputError, match="as tested"):
        would_find(graphs, y)
    with pytest.raises(InputError, match="share"):
        would_find(graphs, two_groups(y), test, share=80)
    with pytest.raises(InputError, match="at least one number"):
        would_find(graphs, y, test, regions=[])
