"""Checks that groups are large enough for random splits with an inner cross-validation."""

import math

import numpy as np

from ..core.errors import InputError


def check_sizes(y, cohort, test_size, folds, groups):
    """Raise InputError if a cohort is too small for the splits and the inner folds."""
    if not 0 < test_size < 1:
        raise InputError(f"evaluation.test_size: must be between 0 and 1, not {test_size!r}")
    if folds < 2:
        raise InputError(f"evaluation.folds: must be 2 or more, not {folds!r}")
    counts = np.bincount(y, minlength=2)
    if counts.min() == 0:
        there = groups[int(counts.argmax())]
        gone = groups[int(counts.argmin())]
        raise InputError(
            f"cohort {cohort}: all {len(y)} subjects are {there} and none is {gone}; "
            "a classifier needs both groups: change the cohort's condition or `groups`"
        )
    if not _large_enough(counts, test_size, folds):
        smallest = next(m for m in range(2, 10**6) if _large_enough([m, m], test_size, folds))
        raise InputError(
            f"cohort {cohort}: {counts[0]} {groups[0]} and {counts[1]} {groups[1]} subjects are "
            f"too few for {folds}-fold cross-validation inside {1 - test_size:.0%} of them: each "
            f"group needs at least {smallest}. Enlarge the cohort, or lower evaluation.folds or "
            "evaluation.test_size"
        )


def _large_enough(counts, test_size, folds):
    tests = test_part_counts(counts, test_size)
    return all(test >= 1 and n - test >= folds for n, test in zip(counts, tests, strict=True))


def test_part_counts(counts, test_size):
    """Return the number of each group's subjects in the test part, by largest remainders."""
    total = sum(counts)
    # The small number protects from a product such as 0.1 * 30, which is a little above 3.
    n_test = math.ceil(test_size * total - 1e-9)
    shares = [n_test * n / total for n in counts]
    tests = [int(share) for share in shares]
    order = sorted(range(len(counts)), key=lambda k: (tests[k] - shares[k], k))
    for k in order[: n_test - sum(tests)]:
        tests[k] += 1
    return tests
