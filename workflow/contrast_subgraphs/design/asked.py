"""From a vector of labels, or of numbers, to the design that it asks for."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..core.check_graphs import check_labels
from ..core.checks import check_seed
from ..core.columns import missing_entries
from ..core.errors import InputError
from ..core.labels import in_one_order, without_index
from .cohort_graphs import CohortGraphs
from .covariates import read_columns
from .design import Design
from .groups import Groups, two_groups
from .modes import mode_scores
from .paired import paired as same_people
from .question import Question
from .variable import Variable, of_variable

#: Whole numbers with fewer different values than this may be groups or a variable.
_FEW = 10


def asked_of(
    X,
    y=None,
    *,
    labels=None,
    variable=None,
    ranks=False,
    paired=False,
    blocks=None,
    covariates=None,
    subjects=None,
    exchange="auto",
    modes=None,
    random_state=0,
    name="",
):
    """Return the graphs and the design for the arguments of a public function.

    `X` holds graphs, and then `y` and the rest are as for `make_design`; or people
    (`CohortGraphs`), who come with a question, groups and names. With people `y` may be a variable
    or a design.
    """
    asked = {"labels": labels, "variable": variable, "ranks": ranks, "paired": paired}
    known = {"blocks": blocks, "covariates": covariates, "subjects": subjects}
    drawn = {"exchange": exchange, "modes": modes, "random_state": random_state, "name": name}
    if not isinstance(X, CohortGraphs):
        if y is None:
            raise InputError(
                "give the group of each graph (or a variable) as y, or what read_groups returns "
                "in place of both"
            )
        return X, make_design(X, y, **asked, **known, **drawn)
    if isinstance(y, Design):
        return X.weights, make_design(X.weights, y, **asked, **known, **drawn)
    drawn["name"] = name or X.cohort
    # Only without any argument about the question do the people's own question and groups count.
    own = y is None and not (labels or variable or ranks or paired) and subjects is None
    if y is None and labels is None and X.groups and variable is None:
        asked["labels"] = X.groups
    y, known = in_order_of(X, y, **known)
    if known["subjects"] is None:
        known["subjects"] = X.people
    if not own:
        return X.weights, make_design(X.weights, y, **asked, **known, **drawn)
    common = _with_modes(X.weights, known | drawn)
    del common["subjects"]  # the question has them
    return X.weights, X.question.design(X, **common)


def in_order_of(X, y, **known):
    """Return labels (or a variable), and what else is known about people, in the graphs' order.

    Tables are brought into that order by the people's names, if the graphs have names.
    """
    if not isinstance(X, CohortGraphs):
        return in_one_order(y, **known)
    if y is None or isinstance(y, Design):
        y = X.labels
    if isinstance(y, pd.Series):
        y = _in_order_of_people(X, y)
    named = _names_in_tables(X, known)
    if named is not None and not isinstance(y, pd.Series) and np.shape(y) == (len(X.weights),):
        y = pd.Series(y, index=named)
    return in_one_order(y, **known)


def _in_order_of_people(people, y):
    """Return labels, or a variable, that are named by people in the order of their graphs."""
    places = pd.Series(range(len(people.weights)), index=_names_in_tables(people, {"y": y}))
    return in_one_order(places, labels=y)[1]["labels"]


def _names_in_tables(people, known):
    """Return the people's names as they appear in tables, or None if there is no table."""
    tables = []
    for values in known.values():
        parts = [values]
        if isinstance(values, Mapping):
            parts = list(values.values())
        tables += [one for one in parts if isinstance(one, (pd.Series, pd.DataFrame))]
    names = [str(name) for name in people.subject]
    if any(set(table.index) == set(names) for table in tables):
        return names
    if not tables:
        return None
    # Files are called after the people: a/sub-01.csv is sub-01.
    short = [re.split(r"[\\/]", name)[-1].split(".")[0] for name in names]
    if len(set(short)) < len(short):
        return names
    return short


def _with_modes(X, common):
    """Return what is held constant, with the modes that all people share added as covariates."""
    modes = common.pop("modes")
    common["random_state"] = check_seed(common["random_state"])
    if modes is not None:
        scores = mode_scores(X, modes, random_state=common["random_state"])
        common["covariates"] = dict(read_columns(common["covariates"])) | scores
    return common


def make_design(
    X,
    y,
    *,
    labels=None,
    variable=None,
    ranks=False,
    paired=False,
    blocks=None,
    covariates=None,
    subjects=None,
    exchange="auto",
    modes=None,
    random_state=0,
    name="",
):
    """Return the design of labels or of a variable, or the design itself.

    `y` holds two labels for the graphs `X`, or a variable: numbers with a name, or with many
    different values. `modes` is the number of modes that all people share (`mode_scores`) that are
    added as covariates. For the rest see `Design`, `of_variable` and `paired`.
    """
    more = {"blocks": blocks, "subjects": subjects, "exchange": exchange}
    if isinstance(y, Design):
        # Arguments next to a complete design would be ignored in silence: they are refused.
        given = (labels, variable, blocks, covariates, subjects, modes)
        if any(one is not None for one in given) or ranks or paired or exchange != "auto":
            raise InputError("a design has its labels, blocks and covariates: give them there")
        return y
    y, labelled = in_one_order(y, blocks=blocks, subjects=subjects, covariates=covariates)
    y = without_index(y)
    labelled = without_index(labelled)
    subjects = labelled["subjects"]
    common = {"covariates": labelled["covariates"], "random_state": random_state, "modes": modes}
    common = _with_modes(X, common) | {"name": name}
    more |= {"blocks": labelled["blocks"], "subjects": subjects}
    if paired:
        if blocks is not None or exchange == "whole" or variable is not None:
            raise InputError("paired exchanges within persons: leave blocks and variable out")
        return same_people(check_labels(y, len(X)), subjects, labels=labels, **common)
    if variable is None and labels is None and _is_variable(y):
        variable = "variable"
    if variable is None:
        if ranks:
            raise InputError("ranks are for a variable: give its name, such as variable='age'")
        return two_groups(check_labels(y, len(X)), labels=labels, **more, **common)
    if labels is not None:
        raise InputError("a variable has no labels: leave one of the two out")
    if np.shape(y) != (len(X),):
        raise InputError(f"{variable} must hold one number for each of {len(X)} graphs")
    return of_variable(y, called=variable, ranks=ranks, **more, **common)


def _is_variable(y):
    """Whether numbers without a name are a variable: many different ones, or fractions.

    Two different numbers may be labels. Three to nine whole ones could be either, and to guess
    would answer another question than the one that was asked.
    """
    values = np.asarray(y)
    if values.dtype.kind not in "iuf" or getattr(y, "dtype", None) == "category":
        return False
    if values.ndim != 1:
        return False
    found = np.unique(values[~missing_entries(y)])
    if len(found) >= _FEW or (found % 1).any():
        return True
    if len(found) > 2:
        raise InputError(
            f"y holds {len(found)} different numbers: give a variable its name, such as "
            "variable='age', or give two labels"
        )
    return False


def asked_by(design: Design) -> Question:
    """Return the question that a design asks: how its groups differ, or about a variable.

    >>> asked_by(of_variable([23.0, 31.0, 55.0], called="age")).contrasts[0]
    'more-with-age'
    """
    if design.labels:
        return Groups(groups=design.labels)
    return Variable(called=design.what)
