"""Scores of a classifier; intervals and tests that allow for overlapping splits."""

import numpy as np

#: Means that differ by less are equal: they differ by the order of a sum.
TIE = 1e-12


def classification_scores(y, decision):
    """Return accuracy, balanced accuracy and area under the ROC curve.

    Parameters
    ----------
    y : numpy.ndarray of shape (n_subjects,)
        0 or 1.
    decision : numpy.ndarray of shape (n_subjects,)
        Decision values; above 0 is class 1.

    Returns
    -------
    dict
        ``accuracy``, ``balanced_accuracy``, ``roc_auc``; the last two are NaN if all the
        subjects are of one class.
    """
    positive, right = y == 1, (decision > 0) == (y == 1)
    accuracy = float(right.mean())
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return {"accuracy": accuracy, "balanced_accuracy": np.nan, "roc_auc": np.nan}
    ranks = _ranks(decision)
    return {
        "accuracy": accuracy,
        "balanced_accuracy": float((right[positive].mean() + right[~positive].mean()) / 2),
        "roc_auc": float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)),
    }


def _ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def corrected_interval(scores, test_train_ratio, level=0.95):
    """Confidence interval of a mean over overlapping random splits.

    The variance is inflated as Nadeau and Bengio (Machine Learning, 2003) propose, since
    training sets of different splits share subjects.

    Parameters
    ----------
    scores : array_like of shape (n_splits,)
    test_train_ratio : float
        Test subjects over training subjects of a split.
    level : float

    Returns
    -------
    low, high : float
        NaN with fewer than two splits.
    """
    scores = np.asarray(scores, dtype=float)
    k = len(scores)
    if k < 2:
        return np.nan, np.nan
    error = np.sqrt((1 / k + test_train_ratio) * scores.var(ddof=1))
    from scipy import stats

    half = stats.t.ppf((1 + level) / 2, k - 1) * error
    return float(scores.mean() - half), float(scores.mean() + half)


def corrected_t_test(differences, test_train_ratio):
    """Two-sided corrected resampled t-test of paired differences (Nadeau and Bengio 2003).

    Parameters
    ----------
    differences : array_like of shape (n_splits,)
        Scores of one method minus those of the other on the same splits.
    test_train_ratio : float

    Returns
    -------
    float
        p-value; NaN with fewer than two splits; 1 if all differences are 0.
    """
    differences = np.asarray(differences, dtype=float)
    k = len(differences)
    if k < 2:
        return np.nan
    mean, variance = differences.mean(), differences.var(ddof=1)
    if variance <= 1e-24:
        return 1.0 if abs(mean) < 1e-12 else 0.0
    from scipy import stats

    t = mean / np.sqrt((1 / k + test_train_ratio) * variance)
    return float(2 * stats.t.sf(abs(t), k - 1))


def holm(p_values):
    """Return p-values adjusted for their number by Holm's step-down method.

    Parameters
    ----------
    p_values : array_like of float
        NaN stays NaN and does not count.

    Returns
    -------
    numpy.ndarray
    """
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p[index]))
        adjusted[index] = running
    return adjusted


def permutation_p_value(observed, controls):
    """Return ``(1 + #{control >= observed}) / (1 + #controls)``; NaN without controls."""
    controls = np.asarray(controls, dtype=float)
    if len(controls) == 0:
        return np.nan
    return float((1 + (controls >= observed - TIE).sum()) / (1 + len(controls)))
