"""The splits that all methods of a cohort share: random ones, in a file, or one for each site."""

import warnings

import numpy as np
import pandas as pd

from ..core.atomic_files import load_table
from ..core.columns import whole_identifiers
from ..core.errors import InputError
from ..design.draws import Draws
from ..design.exchange import Exchange, codes
from .labels import Labels


def taken(values, rows):
    """Return some rows of values for each graph, or None if there are no values."""
    if values is None:
        return None
    return values[rows]


def stratified_splits(y, repeats, test_size, seed, name="", *more, person=None):
    """Draw test parts for some labels, (repeats, n), as `Draws.test_parts` does.

    Graphs of one `person` stay together. The draws depend on `name` and the names after it.
    """
    alone = np.arange(len(y))
    nothing = np.zeros(len(y), dtype=np.int64)
    together = alone
    if person is not None:
        together = codes(person, len(y), "name")
    units = Exchange(alone, nothing, nothing, together, alone)
    draws = Draws(units, strata=nothing, place=nothing, random_state=seed, name=name)
    return draws.test_parts(np.asarray(y), repeats, test_size, *more)


def check_parts(parts, y, person, cohort, groups):
    """Raise InputError if a split separates a person's graphs, or trains on one group only.

    `parts` (n_splits, n_graphs): 1 is the test part, 0 the training part, -1 neither.
    """
    parts = np.asarray(parts).astype(int)
    for number, part in enumerate(parts):
        if person is not None:
            # The same brain on both sides would be recognised, whatever the question is.
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


def make_splits(
    graphs,
    *,
    cohort,
    repeats,
    test_size=0.2,
    folds=5,
    blocks=None,
    exchange="auto",
    random_state=0,
):
    """Return the splits that all methods of a cohort share, as a table.

    It has a row for each repeat and subject: ``repeat`` (from 0), ``subject``, ``part`` (train or
    test). No split separates the graphs of a person, or with `exchange` ``whole`` those of one of
    the `blocks`, such as families.
    """
    about = {"blocks": blocks, "exchange": exchange, "random_state": random_state}
    labels = Labels(graphs, name=cohort, **about)
    labels.check(test_size, folds)
    splits = labels.splits(graphs.y, repeats, test_size)
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
        # By name and not by position: the cohort's subjects may have changed since.
        parts = table.pivot(index="repeat", columns="subject", values="part")
        parts = parts.reindex(columns=[str(name) for name in subject])
    except ValueError as error:
        raise InputError(f"{path}: a subject appears twice in a repeat") from error
    parts = parts.to_numpy()
    if len(table) != parts.size or not np.isin(parts, ("train", "test")).all():
        raise InputError(f"{path} does not fit the subjects of the cohort: delete it and run again")
    return parts == "test"


def site_splits(site, y, folds, groups):
    """Return a split for each site, with its subjects as the test part, and the sites' names."""
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
    """Warn if the site gives away the group.

    It does if a site has one group only, or if a chi-squared test of sites and groups has p < 0.05.
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
