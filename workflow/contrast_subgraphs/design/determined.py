"""Covariates that determine the group: they are not a nuisance, and leave nothing to compare.

If sex defines the groups, sex as a covariate takes out the very difference in question. A test has
nothing left, and features adjusted for sex tell about the group what the adjustment put there.
"""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.checks import in_words
from ..core.columns import is_number
from ..core.errors import InputError
from .covariates import (
    NOTHING,
    Covariates,
    all_known,
    nuisance_basis,
    read_columns,
    unexplained,
)
from .modes import MODE

#: Covariates nearly determine the groups if they leave less than this share of their variance (a
#: variance inflation factor above 20).
NEARLY = 0.05
#: With fewer degrees of freedom this little can be left by chance.
LEAST_FREEDOM = 10
#: A number that is unrelated to the groups may separate them at a threshold by chance: separation
#: counts only if that probability is at most this.
CHANCE = 0.01
#: A covariate that leaves no more than this of a variable is the variable up to rounding.
SAME = 2e-6


def determining(table: Any, y: ArrayLike, *, variable: bool = False) -> list[tuple[str, ...]]:
    """Return the covariates that determine the groups, or are the variable itself.

    A single covariate does so if each of its values occurs in one group only (one site with people
    of both groups is enough for `site` not to), or if a threshold on a number separates whole
    groups. Several covariates do so together if the groups, or one of three or more, are (nearly) a
    linear combination of them. People without a covariate do not count for it.

    Parameters
    ----------
    table : mapping of str to array_like of shape (n_graphs,), or DataFrame
    y : array_like of shape (n_graphs,)
        The group of each graph, or the numbers of a variable.
    variable : bool
        Whether `y` is a variable, which only itself in other units, or rounded, determines.

    Returns
    -------
    list of tuple of str
        Names: single covariates first, then combinations, each without superfluous ones.

    Examples
    --------
    >>> sex, site = ["m", "m", "f", "f"], ["a", "b", "b", "b"]
    >>> determining({"sex": sex, "site": site}, [0, 0, 1, 1])
    [('sex',)]
    """
    rest = read_columns(table, np.size(y))
    y = np.asarray(y)
    found: list[tuple[str, ...]] = []
    for name in list(rest):
        if _determine({name: rest[name]}, y, variable):
            found.append((name,))
            del rest[name]
    # Combinations: drop one after the other as long as the rest still determines the groups, so
    # that the message names only those that are needed.
    while len(rest) > 1 and _determine(rest, y, variable):
        needed = dict(rest)
        for name in rest:
            fewer = {other: values for other, values in needed.items() if other != name}
            if fewer and _determine(fewer, y, variable):
                needed = fewer
        found.append(tuple(needed))
        rest = {name: values for name, values in rest.items() if name not in needed}
    return found


def refuse_determining(
    table: Any, y: ArrayLike, where: str = "the covariates", *, variable: bool = False
) -> None:
    """Raise InputError if covariates that were asked for determine the groups (`determining`).

    `where` names the setting that asks for them, such as ``graph.adjust``.
    """
    warn_of_constant(table, np.size(y), where)
    found = determining(table, y, variable=variable)
    if not found:
        return
    what = "the variable" if variable else "the group"
    names = [name for names in found for name in names]
    way = (
        f"Leave {in_words(names, 'or')} out of {where}, or compare people in whom the two can be "
        "told apart"
    )
    if all(name.startswith(MODE) for name in names):
        way = "What is asked is what all people share: take fewer modes, or none"
    raise InputError(
        f"{where}: {_told(found, what)}, and would leave nothing of {what} to compare. {way}"
    )


def warn_of_constant(table: Any, n: int, where: str) -> None:
    """Warn of covariates that have the same value in all graphs: they hold nothing constant."""
    same = [name for name, values in read_columns(table, n).items() if values.nunique() == 1]
    if same:
        warnings.warn(
            f"{where}: the same in all graphs, so that nothing is held constant by it: "
            f"{in_words(same)}",
            stacklevel=3,
        )


def said_of_determining(found: list[tuple[str, ...]]) -> str:
    """Return what `determining` found in groups as a clause: ``sex determines the group``."""
    return _told(found, "the group")


def _told(found, what):
    """What determines what, as a clause."""
    alone = [names[0] for names in found if len(names) == 1]
    clauses = []
    if alone:
        clauses.append(
            f"{in_words(alone)} {'determine' if len(alone) > 1 else 'determines'} {what}"
        )
    for names in found:
        if len(names) > 1:
            clauses.append(f"{in_words(names)} together determine {what}")
    return in_words(clauses)


def _determine(columns: Mapping[str, pd.Series], y: np.ndarray, variable: bool) -> bool:
    """Whether columns determine groups, or a variable, among people with all columns known."""
    known = all_known(columns)
    if variable:
        known = known & ~np.isnan(y.astype(float))
    columns = {name: values[known].infer_objects() for name, values in columns.items()}
    y = y[known]
    if len(np.unique(y)) < 2:
        return False
    if len(columns) == 1 and not variable:
        [values] = columns.values()
        if is_number(values) and _parts(values.to_numpy(float), y):
            return True
    basis = nuisance_basis(Covariates().fit(columns).columns_)
    freedom = len(y) - basis.shape[1]
    # As many columns as people explain any groups: that says nothing about these.
    if freedom == 0 and len(columns) > 1:
        return False
    left = _least_left(y.astype(float)[:, None] if variable else _indicators(y), basis)
    if variable:
        return left <= SAME
    if left <= NOTHING:
        return True
    return freedom >= LEAST_FREEDOM and left * (len(y) - 1) / freedom < NEARLY


def _indicators(y):
    """One column of zeros and ones for each group."""
    return (y[:, None] == np.unique(y)).astype(float)


def _least_left(targets, basis):
    """The share that a basis leaves of the combination of targets that it explains best."""
    targets = nuisance_basis(targets - targets.mean(axis=0), constant=False)
    left = unexplained(targets.T, basis)
    return float(np.linalg.eigvalsh(left @ left.T)[0])


def _parts(values, y):
    """Whether a threshold on some numbers separates whole groups, beyond chance."""
    groups = [values[y == group] for group in np.unique(y)]
    lower = sorted(groups, key=lambda group: group.max())
    for count in range(1, len(lower)):
        below, above = lower[:count], lower[count:]
        if max(group.max() for group in below) >= min(group.min() for group in above):
            continue
        n_below = sum(map(len, below))
        two_valued = len(np.unique(values)) == 2  # a recoding of the groups, however few people
        # The chance that these people come first or last in a random order: two of all choices.
        if two_valued or 2 / math.comb(len(y), n_below) <= CHANCE:
            return True
    return False
