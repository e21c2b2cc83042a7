"""The level of significance, and Holm's correction (Scand. J. Statistics 1979)."""

import numpy as np

#: A p-value up to this counts as more than chance.
LEVEL = 0.05


def holm(p_values):
    """Return p-values adjusted for their number by Holm's step-down method; NaN does not count."""
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    running = 0.0
    # The smallest p-value is multiplied by their number, the next by one less, and so on. None may
    # become smaller than one before it, or the order of the p-values would change.
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p[index]))
        adjusted[index] = running
    return adjusted
