"""Do weights vary more in some people than in others, in a way that affects p?

Permuted labels assume that all people vary equally. What matters is whether the people with the
most leverage (the smaller group, the ends of a variable) vary more than the others. Then the
coefficient varies more than permuted labels show, and p is too small.
"""

import warnings

import numpy as np

#: There is a warning if the variance of the coefficient is off by this factor,
UNEQUAL = 1.25
#: and if the squares correlate with leverage by more than this number of standard errors.
BEYOND = 2.0


def warn_of_spreads(statistic):
    """Warn if people vary unequally; say in which direction p errs, and what allows for it."""
    design = statistic.design
    # Flipping signs assumes nothing about equal spreads.
    if design.exchange.signs:
        return
    squares, ratio = statistic.spreads()
    if max(ratio, 1 / ratio) <= UNEQUAL or not _follow(squares, design):
        return
    ways = ["exchange: signs", "edge_statistic: welch"]
    if statistic.kind == "welch":
        ways = ways[:1]
    error = "small" if ratio > 1 else "large"
    warnings.warn(
        f"{_who_spreads(design, squares, ratio)}: p may be too {error}"
        + (", less so with welch" if statistic.kind == "welch" else "")
        + f"; take {' and '.join(ways)}"
        + (", or compare groups of equal size" if len(design.labels) == 2 else ""),
        stacklevel=4,
    )


def _follow(squares, design):
    """Whether squares correlate with people's weight in the coefficient, beyond chance."""
    weight = (design.tested**2).sum(axis=1)
    if not (np.ptp(weight) > 0 and np.ptp(squares) > 0):
        return False
    together = np.corrcoef(weight, squares)[0, 1]
    return bool(abs(together) * np.sqrt(len(squares)) > BEYOND)


def _who_spreads(design, squares, ratio):
    """A clause that says who varies more."""
    counts = np.bincount(design.strata)
    if len(design.labels) == 2 and design.plain:
        spread = np.bincount(design.strata, squares) / counts
        wide = int(np.argmax(spread))
        people = f"{counts[wide]} of {counts.sum()} people"
        return f"the group {design.labels[wide]} ({people}) spreads more than the other"
    how = "more" if ratio > 1 else "less"
    return f"weights spread {how} in the people who decide most about {design.what}"
