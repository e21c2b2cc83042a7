"""How much of a classifier is confound: motion in its scores, and what they add to motion.

Held-out scores depend on the labels of others, since leaving a person out changes the mean of their
group in the training part. So the likelihood ratio of what the scores add is not chi-squared: a
score without any information has a ratio above 3.84 in about a tenth of data sets. p therefore
compares the ratio with those of classifiers that were fitted on permuted labels.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core import seeds
from ..core.columns import missing_entries, numbers, whole_identifiers
from .splits import taken

#: Columns of ``evaluation/confounds/<cohort>/<method>.csv``.
COLUMNS = [
    "cohort",
    "method",
    "protocol",
    "variant",
    "people",
    "partial_r",
    "p_confound",
    "likelihood_ratio",
    "p_added",
]
#: Penalty of the logistic regressions: without it there is no maximum if a site has one group only.
RIDGE = 1e-4
#: Decision values with a smaller spread are constant: the margin of the SVM is at 1.
CONSTANT = 1e-12
#: Roots of likelihood ratios that differ by less are the same.
ROUNDING = 1e-4


class ConfoundResult(NamedTuple):
    """Correlation of score and confound within the cells of diagnosis and site, two-sided p."""

    statistic: float
    pvalue: float
    null_distribution: np.ndarray


def confound_test(score, y, confound, *, site=None, n_permutations=2000, random_state=0):
    """Test whether a score depends on a confound given the diagnosis (Spisak, GigaScience 2022).

    The confound is permuted among people with the same diagnosis (and site). `score` must be for
    people on whom the classifier was not fitted. NaN if either is constant within all cells.
    """
    y = np.asarray(y)
    if site is None:
        site = np.zeros(len(y))
    else:
        site = whole_identifiers(site, "sites")
    cell = pd.DataFrame({"y": y, "site": site})
    cell = cell.groupby(["y", "site"]).ngroup().to_numpy()
    score, confound = (
        _within(np.asarray(values, dtype=float), cell) for values in (score, confound)
    )
    size = np.sqrt((score @ score) * (confound @ confound))
    if not size > 0:
        return ConfoundResult(np.nan, np.nan, np.empty(0))
    # Sorted by cell: a sort of random numbers within cells is then a permutation within them.
    order = np.argsort(cell, kind="stable")
    score = score[order]
    confound = confound[order]
    cell = cell[order]
    rng = seeds.generator(random_state, "partial confounder test")
    null = np.array(
        [score @ confound[np.lexsort((rng.random(len(cell)), cell))] for _ in range(n_permutations)]
    )
    observed = score @ confound
    # Equal values may differ by rounding: the factor counts them as equal.
    exceeding = (np.abs(null) >= np.abs(observed) * (1 - 1e-12)).sum()
    return ConfoundResult(observed / size, (1 + exceeding) / (1 + n_permutations), null / size)


def _within(values, cell):
    """Deviations from the means of the cells."""
    return values - (np.bincount(cell, values) / np.bincount(cell))[cell]


class AddedValue(NamedTuple):
    """Likelihood ratio of a score given other variables, and its root with the score's sign."""

    ratio: float
    root: float


def added_value(score, y, beside):
    """Measure what a score adds about the diagnosis, given columns (n_people, n_columns).

    It is the likelihood ratio of logistic regressions with and without the score (Dinga et al.,
    bioRxiv 2020). Its root is negative if people with a higher score are less often in the second
    group.
    """
    y = np.asarray(y, dtype=float)
    score = np.asarray(score, dtype=float)[:, None]
    without, _ = _logistic(beside, y)
    likelihood, weight = _logistic(np.hstack([beside, score]), y)
    ratio = max(2 * (likelihood - without), 0.0)
    return AddedValue(ratio, float(np.copysign(np.sqrt(ratio), weight)))


class Beside:
    """What the scores of some splits add to nuisance variables and site, for any labels.

    Only the first `splits` results count, since all labellings have these.
    """

    def __init__(self, subjects, site, splits):
        from .references.nuisance import Nuisance

        columns = [Nuisance().fit(subjects).transform(subjects)]
        if site is not None:
            sites = whole_identifiers(site, "sites")
            columns.append((sites[:, None] == np.unique(sites)[1:]).astype(float))
        self.columns = np.hstack(columns)
        self._splits = splits

    def value(self, results, y):
        """Return the `AddedValue` of all results, and the number of people tested."""
        score = held_out_scores(results, len(y))
        there = ~np.isnan(score)
        return added_value(score[there], y[there], self.columns[there]), int(there.sum())

    def root(self, results, y):
        """Return the signed root of the likelihood ratio of the first splits."""
        return self.value(results[: self._splits], y)[0].root


def p_added(root, null):
    """Return the one-sided p of what scores add, from permuted labels; NaN without any."""
    if not len(null):
        return np.nan
    reached = np.count_nonzero(np.array(null) >= root - ROUNDING)
    return (1 + reached) / (1 + len(null))


def _logistic(X, y):
    """Log likelihood of a logistic regression and its last weight, by Newton's method."""
    scale = X.std(axis=0)
    X = np.column_stack([(X - X.mean(axis=0)) / np.where(scale > 0, scale, 1), np.ones(len(X))])
    penalty = np.full(X.shape[1], RIDGE)
    w = np.zeros(X.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(X @ w)))
        gradient = X.T @ (y - chance) - penalty * w
        hessian = (X.T * (chance * (1 - chance))) @ X + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        # Long steps are shortened: far from the maximum Newton's method may overshoot.
        w = w + step / max(1.0, np.abs(step).max() / 2)
        if np.abs(step).max() < 1e-8:
            break
    margin = (X @ w) * (2 * y - 1)
    return float(-np.logaddexp(0, -margin).sum()), w[-2]


def held_out_scores(results, n):
    """Mean decision value of each person over the splits that tested them, (n,), NaN if none.

    In units of each split's standard deviation, since the scale depends on the SVM's penalty.
    """
    total = np.zeros(n)
    times = np.zeros(n)
    for one in results:
        size = one["decision"].std()
        # Divided by their spread, rounding errors of a constant would look like a score.
        if not size > CONSTANT:
            size = 1.0
        total[one["people"]] += one["decision"] / size
        times[one["people"]] += 1
    return np.divide(total, times, out=np.full(n, np.nan), where=times > 0)


def confounds_row(results, y, subjects, beside, *, site=None, random_state=0):
    """Return the two tests of one evaluation, as columns of the table `confounds`.

    The logarithm of motion is tested, or motion itself if it is not a displacement (if it was
    standardised, say). The added value is given all nuisance variables (`beside`). Its root,
    ``root``, is for comparison with those of permuted labels (`p_added`).
    """
    from .references.nuisance import STILL, logarithm

    added, people = beside.value(results, y)
    row = {"people": people, "likelihood_ratio": added.ratio, "root": beside.root(results, y)}
    if "motion" not in subjects.nuisance():
        return row
    score = held_out_scores(results, len(y))
    motion = numbers(subjects.table, "motion")
    known = np.flatnonzero(~np.isnan(score) & ~missing_entries(motion))
    motion = motion[known]
    log_motion = logarithm(motion + STILL)
    if not np.isnan(log_motion).any():
        motion = log_motion
    at = taken(site, known)
    test = confound_test(score[known], y[known], motion, site=at, random_state=random_state)
    return row | {"partial_r": test.statistic, "p_confound": test.pvalue}
