"""Splits, folds and permuted labels: the same ones for every method of a cohort.

All draws depend on the seed and the cohort's name alone.
"""

import warnings

import numpy as np
import pandas as pd

from ..core import seeds
from ..core.atomic_files import load_table
from ..core.columns import whole_identifiers
from ..core.errors import InputError
from ..design.sizes import check_sizes, test_part_counts


def taken(values, rows):
    """Return some rows of what is known of each graph; None if nothing is."""
    if values is None:
        return None
    return values[rows]


def check_cohort(graphs, cohort, test_size, folds, members=slice(None)):
    """Raise InputError unless the members are enough for the splits and the inner folds.

    Where people have several graphs, it is the people that must be enough.
    """
    y = graphs.y[members]
    first, code = _people(y, taken(graphs.person, members))
    n = len(first)
    if graphs.groups:
        check_sizes(y, cohort, test_size, folds, graphs.groups)
        if _of_people(y, first, code):
            check_sizes(y[first], cohort, test_size, folds, graphs.groups)
        elif n * (1 - test_size) < folds:
            raise InputError(
                f"cohort {cohort}: {n} people, each with all of their graphs, are too few for "
                f"{folds} folds among {1 - test_size:.0%} of them"
            )
    elif n * test_size < 3 or n * (1 - test_size) < 2 * folds:
        raise InputError(
            f"cohort {cohort}: {n} people are too few to predict a variable of "
            f"{test_size:.0%} of them with {folds} folds among the rest"
        )
    elif np.ptp(y) == 0:
        raise InputError(f"cohort {cohort}: the variable is the same in everybody")


def stratified_splits(y, repeats, test_size, seed, *names, person=None):
    """Draw stratified random splits, (repeats, n_subjects), true for the test part.

    The first ones do not depend on how many there are, nor those of a variable on its values; the
    graphs of one `person` stay together, stratified by group where each person is in one group.
    `names`: what the splits are for.

    Raises InputError where people of both groups leave a part without one of them.
    """
    first, code = _people(y, person)
    if y.dtype.kind == "f" or not _of_people(y, first, code):
        strata = np.zeros(len(first), dtype=int)
    else:
        strata = y[first]
    tests = test_part_counts(np.bincount(strata, minlength=2).tolist(), test_size)
    splits = np.zeros((repeats, len(strata)), dtype=bool)
    for repeat in range(repeats):
        rng = seeds.generator(seed, "split", *names, repeat)
        for group, size in enumerate(tests):
            splits[repeat, rng.permutation(np.flatnonzero(strata == group))[:size]] = True
    return splits[:, code]


def check_parts(parts, y, person, cohort, groups):
    """Raise InputError unless each split keeps each person on one side, with both groups to train.

    `parts` (n_splits, n_graphs): 1 the test part, 0 the training part, -1 neither.
    """
    parts = np.asarray(parts).astype(int)
    for number, part in enumerate(parts):
        if person is not None:
            both = np.intersect1d(person[part == 1], person[part == 0])
            if len(both):
                raise InputError(
                    f"cohort {cohort}: split {number} has graphs of {both[0]} "
                    f"({len(both)} such) in its test and in its training part: draw the splits "
                    "with the person of each graph"
                )
        if groups and len(np.unique(y[part == 0])) < 2:
            raise InputError(
                f"cohort {cohort}: the training part of split {number} has one group only; with "
                "graphs of one person together there are too few people"
            )


def _people(y, person):
    """Index of one graph of each person, and each graph's person; by default all are apart."""
    if person is None:
        return np.arange(len(y)), np.arange(len(y))
    return np.unique(person, return_index=True, return_inverse=True)[1:]


def _of_people(y, first, code):
    """Whether all graphs of each person have one label; `first`, `code` as `_people` has them."""
    return bool((y[first][code] == y).all())


def inner_folds(y, train, folds, seed, *names, person=None):
    """Return the fold of each training subject, else -1, stratified by the labels.

    The graphs of one `person` are in one fold, stratified where each person has one label.
    """
    rng = seeds.generator(seed, "folds", *names)
    fold = np.full(len(y), -1)
    first, code = _people(train, taken(person, train))
    if y.dtype.kind == "f" or not _of_people(y[train], first, code):
        fold[train] = (rng.permutation(len(first)) % folds)[code]
        _check_folds(fold, y, train, folds)
        return fold
    people = y[train][first]
    groups = [rng.permutation(np.flatnonzero(people == group)) for group in (0, 1)]
    dealt = np.concatenate(groups)
    of_people = np.empty(len(first), dtype=int)
    of_people[dealt] = np.arange(len(dealt)) % folds
    fold[train] = of_people[code]
    return fold


def _check_folds(fold, y, train, folds):
    """Raise InputError where a group is in one fold only, so that the others cannot learn it."""
    if y.dtype.kind == "f":
        return
    for number in range(folds):
        rest = train[fold[train] != number]
        if len(np.unique(y[rest])) < len(np.unique(y[train])):
            raise InputError(
                "people with graphs of both groups are too few for the inner folds: one group is "
                f"in one of {folds} folds only. Take fewer folds, or more people"
            )


def permuted_labels(y, seed, *names, site=None, person=None):
    """Return the labels of a cohort in random order: the same for every method.

    With `site` inside each site; a `person`'s labels go together to another person with as many.
    """
    rng = seeds.generator(seed, *names)
    if person is not None:
        if site is None:
            site = np.zeros(len(y), dtype=int)
        permuted = y.copy()
        alike = {}
        for rows in (np.flatnonzero(person == one) for one in np.unique(person)):
            alike.setdefault(tuple(site[rows].tolist()), []).append(rows)
        for rows in map(np.array, alike.values()):
            permuted[rows] = y[rng.permutation(rows)]
        return permuted
    if site is None:
        return rng.permutation(y)
    permuted = y.copy()
    for name in np.unique(site):
        members = np.flatnonzero(site == name)
        permuted[members] = rng.permutation(y[members])
    return permuted


def make_splits(graphs, *, cohort, repeats, test_size=0.2, folds=5, random_state=0):
    """Return the splits that all methods of a cohort share, as a table.

    A row for each repeat and subject: ``repeat`` (from 0), ``subject``, ``part`` (train or test).
    """
    check_cohort(graphs, cohort, test_size, folds)
    names = random_state, cohort
    splits = stratified_splits(graphs.y, repeats, test_size, *names, person=graphs.person)
    return pd.DataFrame(
        {
            "repeat": np.repeat(np.arange(repeats), len(graphs.y)),
            "subject": np.tile(graphs.subject, repeats),
            "part": np.where(splits.ravel(), "test", "train"),
        }
    )


def read_splits(path, subject):
    """Return the splits of a cohort's file (see `make_splits`), (n_repeats, n_subjects)."""
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
    """Return one split for each site, whose subjects are the test part, and the sites' names."""
    site = whole_identifiers(site, "sites")
    names = sorted(set(site.tolist()))
    if len(names) < 2:
        raise InputError("leave one site out: all the subjects are from one site")
    splits = np.array([site == name for name in names])
    if not groups:
        return splits, names
    for name, split in zip(names, splits, strict=True):
        remain = np.bincount(y[~split], minlength=2)
        if remain.min() < folds:
            raise InputError(
                f"leave one site out: without {name} only {remain[0]} {groups[0]} and "
                f"{remain[1]} {groups[1]} remain; {folds} folds need at least {folds} of each"
            )
    return splits, names


def warn_of_confounded_sites(site, y, cohort, group):
    """Warn when the site gives away the group.

    That is when a site has one group only, or a chi-squared test of sites and groups has p < 0.05.
    """
    from scipy.stats import chi2_contingency

    table = pd.crosstab(whole_identifiers(site, "sites"), np.asarray(y))
    one_group = table.index[(table == 0).any(axis=1)].tolist()
    p_value = 1.0
    if table.shape[1] == 2:
        p_value = chi2_contingency(table, correction=False).pvalue
    parts = []
    if one_group:
        parts.append(f"only one group at {', '.join(one_group)}")
    if p_value < 0.05:
        parts.append(f"the share of {group} differs between sites (chi-squared p = {p_value:.2g})")
    if parts:
        warnings.warn(
            f"cohort {cohort}: site and group are confounded ({'; '.join(parts)}): a method that "
            "recognises scanners can look as if it recognised the group",
            stacklevel=2,
        )
