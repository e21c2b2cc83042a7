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


def holm_levels(p_values):
    """Return for each p-value the level up to which it would be named by Holm's method.

    It depends on the other p-values alone, so that it is also known of one that is not named. NaN
    does not count.
    """
    p = np.asarray(p_values, dtype=float)
    levels = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    for place in known:
        others = np.sort(p[known[known != place]])
        # Each of the others that is named before leaves one test less to correct for.
        named = 0
        while named < len(others) and (len(known) - named) * others[named] <= LEVEL:
            named += 1
        levels[place] = LEVEL / (len(known) - named)
    return levels
