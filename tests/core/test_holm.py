"""Holm's correction."""

import numpy as np
from contrast_subgraphs.core.holm import LEVEL, holm, holm_levels
from hypothesis import given, settings
from hypothesis import strategies as st


def test_holm():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1.0, 1.0])
    with_gap = holm([0.01, np.nan, 0.02])
    np.testing.assert_allclose(with_gap, [0.02, np.nan, 0.02])
    assert len(holm([])) == 0


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_orders_and_bounds(p):
    adjusted = holm(p)
    assert all(q <= a <= 1 for q, a in zip(p, adjusted, strict=True))
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_the_level_of_each_p_is_that_of_its_step():
    np.testing.assert_allclose(holm_levels([0.001, 0.02, 0.3]), [0.05 / 3, 0.05 / 2, 0.05])
    np.testing.assert_allclose(holm_levels([0.2, np.nan]), [0.05, np.nan])
    np.testing.assert_allclose(holm_levels([0.02, 0.03, 0.04, 0.9]), [0.05 / 4] * 4)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.integers(1, 300), max_size=8))
def test_a_p_is_named_up_to_its_level_and_not_beyond(counted):
    # As p-values of permutations are; none lies on a level exactly, where rounding decides.
    p = np.array(counted, dtype=float) / 2003
    assert ((holm(p) <= LEVEL) == (p <= holm_levels(p))).all()
