"""The engine of all draws: units, relabellings, test parts and folds."""

import numpy as np
from contrast_subgraphs.design.draws import Draws
from contrast_subgraphs.design.exchange import exchange_of
from hypothesis import given, settings
from hypothesis import strategies as st


def draws_of(y, *, person=None, blocks=None, exchange="auto", block=None, seed=0):
    """Draws of some labels; `block`: codes that units stay within, in place of the exchange's."""
    values = np.unique(y, return_inverse=True)[1]
    found = exchange_of(values, y, blocks, person, exchange, "the group", ("a", "b"))
    if block is not None:
        found = found._replace(block=np.asarray(block))
    return Draws(found, strata=values, place=values, labels=("a", "b"), random_state=seed, name="x")


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(4, 30), st.integers(1, 3), st.integers(1, 4), st.integers(0, 99))
def test_a_relabelling_moves_whole_units_within_their_blocks(n_people, most, n_blocks, seed):
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_people), rng.integers(1, most + 1, size=n_people))
    person = person[rng.permutation(len(person))]
    y = rng.integers(0, 2, size=n_people)[person]
    block = rng.integers(0, n_blocks, size=len(person))  # people may be in several of them
    draw = draws_of(y, person=person, block=block, seed=seed).relabelling("test")
    assert sorted(draw) == list(range(len(y)))
    for one in range(n_people):
        here = np.flatnonzero(person == one)
        givers = set(person[draw[here]])
        assert len(givers) == 1, "a person's labels go to one person"
        [giver] = givers
        assert sorted(block[here]) == sorted(block[person == giver])


def test_people_at_two_sites_take_the_places_of_others_at_both():
    person = np.repeat(["p", "q", "r", "s"], 2)
    site = np.array([0, 1, 0, 1, 0, 0, 0, 0])
    y = np.repeat([0, 1, 0, 1], 2)
    draws = draws_of(y, person=person, block=site)
    seen = {tuple(y[draws.relabelling(k)].tolist()) for k in range(40)}
    assert len(seen) == 4  # p with q, and r with s, or not


def test_a_relabelling_of_single_graphs_is_a_permutation_that_any_seed_repeats():
    y = np.arange(30) % 2
    draws = draws_of(y)
    assert sorted(draws.relabelling("a", 1)) == list(range(30))
    np.testing.assert_array_equal(draws.relabelling("a", 1), draws_of(y).relabelling("a", 1))
    assert (draws.relabelling("a", 1) != draws.relabelling("a", 2)).any()
    assert (draws.relabelling("a", 1) != draws_of(y, seed=1).relabelling("a", 1)).any()


def test_what_no_relabelling_can_change_is_known():
    family = np.repeat(np.arange(4), [1, 2, 3, 4])
    y = np.arange(10) % 2
    assert not draws_of(y, blocks=family, exchange="whole").changes(y)
    twins = np.repeat(np.arange(5), 2)
    assert not draws_of(y, blocks=twins, exchange="whole").changes(y)  # one of each in all pairs
    alike = np.repeat([0, 1, 0, 1, 0], 2)
    assert draws_of(alike, blocks=twins, exchange="whole").changes(alike)


def test_test_parts_and_folds_keep_whole_blocks_together():
    family = np.random.default_rng(0).permutation(np.repeat(np.arange(20), 3))
    y = np.arange(60) % 2
    draws = draws_of(y, blocks=family, exchange="whole")
    for part in draws.test_parts(y, 20, 0.2):
        assert not set(family[part]) & set(family[~part]) and part.sum() == 12
        train = np.flatnonzero(~part)
        fold = draws.inner_folds(y, train, 4)
        assert all(len(set(fold[family == one])) == 1 for one in range(20))
        assert (np.bincount(fold[train]) == 12).all() and (fold[part] == -1).all()
