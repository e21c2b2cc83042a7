"""How many people it takes: the power of a t test, and what a pilot says of a search."""

import math

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import NoTest, several_groups
from contrast_subgraphs.inference import effect_size, permutation_test, plan
from contrast_subgraphs.inference.plan import _normal_score
from contrast_subgraphs.inference.t_power import least_d, people_to_confirm, t_power
from scipy.stats import norm, ttest_ind

FEW = {"n_permutations": 59, "n_parts": 2}
P = 12


def made(n=40, effect=1.0, seed=0):
    """Graphs with a planted set in the first five regions, more in `a`."""
    rng = np.random.default_rng(seed)
    graphs = rng.normal(size=(n, P * (P - 1) // 2))
    y = np.repeat(["a", "b"], n // 2)
    planted = np.zeros((P, P), dtype=bool)
    planted[:5, :5] = True
    graphs[np.ix_(y == "a", planted[np.triu_indices(P, 1)])] += effect
    return graphs, y


def test_the_power_of_a_t_test_is_that_of_t_tests():
    rng = np.random.default_rng(1)
    for d, n in ((0.5, 30), (0.8, 12)):
        one = rng.normal(d, size=(4000, n))
        other = rng.normal(size=(4000, n))
        found = ttest_ind(one, other, axis=1, alternative="greater").pvalue <= 0.05
        assert t_power(d, 2 * n, 0.25, 2, 0.05) == pytest.approx(found.mean(), abs=0.02)
    # Cohen's tables: 51 in each group, one-sided, d = .5.
    assert people_to_confirm(0.5, 0.8, 0.25, 2, 0.05) in (101, 102)
    assert people_to_confirm(0.2, 0.8, 0.25, 2, 0.05) == pytest.approx(620, abs=2)
    for none in (0.0, -0.3, math.nan):
        assert people_to_confirm(none, 0.8, 0.25, 2, 0.05) == math.inf
    assert t_power(2.0, 10**6, 0.25, 2, 0.05) == 1.0
    assert np.isnan(t_power(math.nan, 100, 0.25, 2, 0.05))
    assert t_power(least_d(60, 0.8, 0.2, 3, 0.05), 60, 0.2, 3, 0.05) == pytest.approx(0.8)


def test_the_score_of_a_strong_pilot_goes_on_beyond_what_its_relabellings_can_show():
    null = np.random.default_rng(0).exponential(size=200)
    at_most = norm.isf(1 / 201)
    scores = [_normal_score(1 / 201, one, null) for one in (8.0, 12.0, 20.0)]
    # The tail is exponential, so that these p are exp(-8), exp(-12) and exp(-20).
    assert scores == pytest.approx(norm.isf(np.exp([-8.0, -12.0, -20.0])), abs=0.8)
    assert at_most < scores[0] < scores[1] < scores[2]
    # Too few for a tail: all that they can show. A p that is not small is taken as it is.
    assert _normal_score(1 / 60, 20.0, null[:59]) == pytest.approx(norm.isf(1 / 60))
    assert _normal_score(0.3, 1.2, null) == pytest.approx(norm.isf(0.3))
    assert math.isfinite(_normal_score(1.0, 0.0, null))


@pytest.fixture(scope="module", autouse=True)
def few_relabellings_for_intervals():
    """Fewer than in use, so that a plan takes a second."""
    usual = effect_size.CALIBRATION, effect_size.CHOICE_CALIBRATION
    effect_size.CALIBRATION, effect_size.CHOICE_CALIBRATION = 10, 10
    yield
    effect_size.CALIBRATION, effect_size.CHOICE_CALIBRATION = usual


@pytest.fixture(scope="module")
def planned():
    return plan(*made(), percentiles=80, **FEW)


def test_a_clear_difference_is_planned_with_fewer_people_than_the_pilot(planned):
    confirm = planned.confirm
    assert 0 < confirm.d_low < confirm.d < confirm.d_high
    assert confirm.people <= confirm.people_low
    assert confirm.people < 40 and confirm.resampled == pytest.approx(0.8, abs=0.15)
    assert planned.discover_low <= planned.discover <= planned.discover_high
    power = planned.power_to_confirm([confirm.people - 1, confirm.people])
    assert power[0] < 0.8 <= power[1]
    at = planned.power_to_discover([planned.discover])
    assert at[0][0] == pytest.approx(0.8, abs=0.05) and at[1][0] <= at[0][0] <= at[2][0]


def test_parts_are_shares_of_each_group_and_the_last_is_the_whole(planned):
    parts = planned.parts
    assert parts["people"].tolist() == [10, 10, 20, 20, 30, 30, 40]
    assert parts["score"].iloc[-1] == planned.score and planned.pilot == 40
    assert parts["effect"].iloc[-1] == pytest.approx(1.0, abs=0.3)
    # The whole is tested as any cohort is.
    test = permutation_test(*made(), percentiles=80, n_permutations=59, solver="search")
    assert parts["p"].iloc[-1] <= 0.05 and test.pvalue.min() <= 0.05
    table = planned.table()
    assert (table["confirm_low"] <= table["confirm"]).all()
    assert (table["confirm"] <= table["confirm_high"]).all()
    assert (np.diff(table["confirm"]) >= 0).all() and (np.diff(table["discover"]) >= 0).all()
    assert table["extrapolated"].tolist() == (table["people"] > 40).tolist()
    assert "confirm the set" in repr(planned)


def test_without_a_difference_no_number_of_people_is_promised():
    highs = []
    for seed in range(3):
        found = plan(*made(effect=0.0, seed=seed), **FEW)
        highs.append(found.discover_high)
        if found.confirm.d <= 0:
            assert found.confirm.people == math.inf and math.isnan(found.confirm.resampled)
        assert found.confirm.people_low == math.inf or found.confirm.d_low > 0
    assert np.isinf(highs).mean() > 0.6


def test_changes_within_people_and_slopes_have_their_own_unit():
    graphs, y = made(40)
    person = np.tile(np.arange(20), 2)
    level = 10 * np.random.default_rng(2).normal(size=(20, 1))[person]
    within = plan(graphs + level, y, paired=True, subjects=person.astype(str), **FEW)
    assert within.pilot == 20 and within.confirm.people < 20
    rng = np.random.default_rng(3)
    age = rng.normal(50, 10, size=60)
    graphs = rng.normal(size=(60, P * (P - 1) // 2))
    graphs[:, :4] += 0.05 * (age - 50)[:, None]
    slope = plan(graphs, age, variable="age", covariates={"x": rng.normal(size=60)}, **FEW)
    # One standard deviation of age adds 1 to the squares for each person, or a little less.
    assert 0.8 < slope.spread <= 1 and slope.fitted == 3


def test_two_graphs_of_a_person_that_go_together_do_not_count_twice():
    graphs, y = made(30)
    person = np.arange(30).astype(str)
    twice = [np.repeat(one, 2, axis=0) for one in (graphs, y, person)]
    once = plan(graphs, y, subjects=person, **FEW)
    again = plan(twice[0], twice[1], subjects=twice[2], **FEW)
    assert again.pilot == 30
    assert again.confirm.people == pytest.approx(once.confirm.people, rel=0.35)


def test_what_cannot_be_planned_is_refused():
    graphs, y = made()
    with pytest.raises(NoTest, match="no direction"):
        plan(graphs, several_groups(np.arange(40) % 3), **FEW)
    with pytest.raises(NoTest, match="too small"):
        plan(graphs[16:24], y[16:24], **FEW)
    with pytest.raises(InputError, match="share"):
        plan(graphs, y, share=80, **FEW)
    with pytest.raises(InputError, match="at least one percentile"):
        plan(graphs, y, percentiles=[], **FEW)
