"""Holm's correction."""

import numpy as np
from contrast_subgraphs.core.holm import holm
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
