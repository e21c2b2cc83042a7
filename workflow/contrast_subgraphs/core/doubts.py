"""What may be wrong with the graphs of two groups, said before anything is found in them."""

import warnings

import numpy as np

from .checks import plural
from .pairs import square_of


def warn_of_absent_regions(weights, y, groups, regions=None, cohort=""):
    """Warn about regions that have no edge in just one group: perhaps they were not scanned."""
    present = np.zeros((2, weights.shape[1]), dtype=bool)
    for row, label in zip(weights, y, strict=True):
        present[label] |= row != 0
    present = square_of(present).any(axis=1)
    if regions is None:
        regions = range(present.shape[1])
    where = ""
    if cohort:
        where = f"cohort {cohort}: "
    for label in (0, 1):
        gone = np.flatnonzero(~present[label] & present[1 - label])
        if not len(gone):
            continue
        named = ", ".join(str(regions[k]) for k in gone[:3])
        if len(gone) > 3:
            named += ", ..."
        text = f"{where}{plural(len(gone), 'region')} ({named})"
        lacks = f"no edge in any graph of the group {groups[label]}"
        if len(gone) == 1:
            text += f" has {lacks}, but has some in the other group: was it scanned?"
        else:
            text += f" have {lacks}, but have some in the other group: were they scanned?"
        warnings.warn(text, stacklevel=3)


def warn_of_strength(weights, y, groups, cohort=""):
    """Warn if the graphs of one group have more total weight: more streamlines, or another scanner.

    `y`: 0 or 1, or a variable; `groups`: what its low and its high values are called. Graphs with
    negative weights have no total of this kind.
    """
    if weights.min(initial=0) < 0 or len(y) < 4:
        return
    total = weights.sum(axis=1, dtype=float)
    # Equal totals (each graph a share of its own total) have no correlation: without this line it
    # would be one of rounding errors.
    if np.ptp(total) <= 1e-9 * total.max():
        return
    r = np.corrcoef(y, total)[0, 1]
    # In a large cohort the smallest difference is significant. Below 0.3 the total explains less
    # than a tenth of the variance, which cannot be the whole finding.
    if abs(r) < 0.3:
        return
    from scipy.special import betainc

    # The p-value of a correlation, without scipy.stats, whose import takes longer than the test.
    two_sided = betainc(len(y) / 2 - 1, 0.5, max(0.0, 1 - r**2))
    if two_sided >= 0.001:
        return
    is_high = y > y.mean()
    means = {groups[0]: total[~is_high].mean(), groups[1]: total[is_high].mean()}
    less, more = sorted(groups, key=means.get)
    where = ""
    if cohort:
        where = f"cohort {cohort}: "
    larger = 100 * (means[more] / means[less] - 1)
    warnings.warn(
        f"{where}the total weight of all pairs is {larger:.1f} % larger in {more} than in "
        f"{less}: what is found may be just that. In the config, graph.transform: share divides by "
        "it",
        stacklevel=3,
    )
