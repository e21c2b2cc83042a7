"""The fitted tail: exact distributions, what it must not do, and where it stays out."""

import numpy as np
import pytest
from contrast_subgraphs.inference.tail import tail_p
from scipy import stats


@pytest.mark.parametrize("law", [stats.expon(), stats.norm(), stats.gumbel_r(), stats.t(5)])
def test_the_tail_of_a_thousand_is_near_that_of_the_distribution(law):
    rng = np.random.default_rng(0)
    for p in (1e-3, 1e-4):
        found = []
        for _ in range(40):
            null = law.rvs(1000, random_state=rng)[:, None]
            found += tail_p(np.array([law.isf(p)]), null, np.array([1 / 1001])).tolist()
        assert p / 2 < np.median(found) < 12 * p  # an exponential tail is cautious for a normal one
        assert min(found) >= 1e-4  # a tenth of what 1,000 could show


def test_it_stays_out_where_p_is_large_permutations_few_or_nothing_fits():
    rng = np.random.default_rng(0)
    null = rng.normal(size=(1000, 2))
    p = np.array([0.02, 0.005])
    found = tail_p(np.array([2.0, 2.6]), null, p)
    assert found[0] == p[0] and found[1] != p[1]
    assert tail_p(np.array([2.0, 2.6]), null[:199], p).tolist() == p.tolist()
    for odd in (np.zeros((1000, 1)), rng.integers(0, 3, (1000, 1))):
        assert tail_p(np.array([3.0]), odd, np.array([1 / 1001])).tolist() == [1 / 1001]


def test_one_null_for_many_penalties():
    rng = np.random.default_rng(1)
    null, observed = rng.normal(size=(500, 3, 1)), np.full((3, 4), 4.0)
    found = tail_p(observed, null, np.full((3, 4), 1 / 501))
    assert found.shape == (3, 4) and (found == found[:, :1]).all() and (found < 1 / 501).all()
