"""Splits, folds and permuted labels: the same ones for every method of a cohort.

All draws depend on the seed and the cohort's name alone.
"""

import warnings

import numpy as np
import pandas as pd

from ..core import seeds
from ..core.atomic_files import load_table
from ..core.errors import InputError
from ..design.sizes import check_sizes, test_part_counts


def stratified_splits(y, repeats, test_size, seed, *names):
    """Draw stratified random splits into a training and a test part.

    `y` (n_subjects,): 0 or 1; `repeats`: splits to draw; the first ones do not depend on how many
    there are; `test_size`: part of the subjects in the test part (rounded up); `names`: what the
    splits are for: the cohort, and for a control its number. Returns: (repeats, n_subjects): true
    for the test part.
    """
    tests = test_part_counts(np.bincount(y, minlength=2).tolist(), test_size)
    splits = np.zeros((repeats, len(y)), dtype=bool)
    for repeat in range(repeats):
        rng = seeds.generator(seed, "split", *names, repeat)
        for group, size in enumerate(tests):
            splits[repeat, rng.permutation(np.flatnonzero(y == group))[:size]] = True
    return splits


def inner_folds(y, train, folds, seed, *names):
    """Deal the training subjects into stratified folds.

    `y` (n_subjects,); `train`: indices of the training subjects; the folds depend on their labels
    alone; `names`: what the folds are for. Returns: (n_subjects,): the fold of each training
    subject, else -1.
    """
    rng = seeds.generator(seed, "folds", *names)
    fold = np.full(len(y), -1)
    groups = [rng.permutation(train[y[train] == group]) for group in (0, 1)]
    dealt = np.concatenate(groups)
    fold[dealt] = np.arange(len(dealt)) % folds
    return fold


def permuted_labels(y, seed, *names, site=None):
    """Return the labels of a cohort in random order: the same for every method.

    `y` (n_subjects,); `names`: what the order is for: the cohort, the control, the permutation's
    number; `site` (n_subjects,): permute inside each site only, so that a link between site and
    diagnosis stays.
    """
    rng = seeds.generator(seed, *names)
    if site is None:
        return rng.permutation(y)
    permuted = y.copy()
    for name in np.unique(site):
        members = np.flatnonzero(site == name)
        permuted[members] = rng.permutation(y[members])
    return permuted


def make_splits(graphs, *, cohort, repeats, test_size=0.2, folds=5, random_state=0):
    """Draw the splits that all methods of a cohort share.

    `repeats`: splits; a protocol with fewer takes the first ones; `folds`: of the inner
    cross-validation, for which the cohort must be large enough. Returns: one row for each repeat
    and subject: ``repeat`` (from 0), ``subject``, ``part`` (train or test).
    """
    check_sizes(graphs.y, cohort, test_size, folds, graphs.groups)
    splits = stratified_splits(graphs.y, repeats, test_size, random_state, cohort)
    return pd.DataFrame(
        {
            "repeat": np.repeat(np.arange(repeats), len(graphs.y)),
            "subject": np.tile(graphs.subject, repeats),
            "part": np.where(splits.ravel(), "test", "train"),
        }
    )


def read_splits(path, subject):
    """Read the splits of a cohort (see `make_splits`), in the order of `subject`.

    Returns: (n_repeats, n_subjects): true for the test part.
    """
    table = load_table(path, ["repeat", "subject", "part"], dtype={"subject": str})
    try:
        parts = table.pivot(index="repeat", columns="subject", values="part")
        parts = parts.reindex(columns=[str(name) for name in subject])
    except ValueError as error:
        raise InputError(f"{path}: a subject appears twice in a repeat") from error
    parts = parts.to_numpy()
    if len(table) != parts.size or not np.isin(parts, ("train", "test")).all():
        raise InputError(f"{path} does not fit the subjects of the cohort: delete it and run again")
    return parts == "test"


def site_splits(site, y, folds, groups):
    """Return one split for each site: its subjects are the test part.

    `site` (n_subjects,); `y` (n_subjects,); `folds`: folds of the inner cross-validation; `groups`:
    names of the groups, for the error. Returns: `splits` (n_sites, n_subjects).
    """
    names = sorted(set(map(str, site)))
    if len(names) < 2:
        raise InputError("leave one site out: all the subjects are from one site")
    splits = np.array([np.asarray(site).astype(str) == name for name in names])
    for name, split in zip(names, splits, strict=True):
        remain = np.bincount(y[~split], minlength=2)
        if remain.min() < folds:
            raise InputError(
                f"leave one site out: without {name} only {remain[0]} {groups[0]} and "
                f"{remain[1]} {groups[1]} remain; {folds} folds need at least {folds} of each"
            )
    return splits, names


def warn_of_confounded_sites(site, y, cohort, group):
    """Warn when the site gives away the diagnosis.

    `site`, `y` (n_subjects,); `group`: name of the second group. Returns: the warning; empty if no
    site has one group only and a chi-squared test of the table of sites and groups has p >= 0.05.
    """
    from scipy.stats import chi2_contingency

    table = pd.crosstab(np.asarray(site).astype(str), np.asarray(y))
    one_group = table.index[(table == 0).any(axis=1)].tolist()
    p_value = chi2_contingency(table, correction=False).pvalue if table.shape[1] == 2 else 1.0
    parts = []
    if one_group:
        parts.append(f"only one group at {', '.join(one_group)}")
    if p_value < 0.05:
        parts.append(f"the share of {group} differs between sites (chi-squared p = {p_value:.2g})")
    if not parts:
        return ""
    text = (
        f"cohort {cohort}: site and diagnosis are confounded ({'; '.join(parts)}): a method "
        "that recognises scanners can look as if it recognised the diagnosis"
    )
    warnings.warn(text, stacklevel=2)
    return text
