"""Which design a vector of labels, or of numbers, asks for."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..core.check_graphs import check_labels
from ..core.columns import missing_entries
from ..core.errors import InputError
from ..core.labels import in_one_order
from .covariates import read_columns
from .design import Common, Design
from .groups import two_groups
from .modes import mode_scores
from .paired import paired as same_people
from .variable import of_variable

#: Whole numbers of fewer different values may be groups or a variable.
_FEW = 10


class Asked(Common, total=False):
    """What `make_design` takes beside graphs and labels; `inference.permutation_test` has it."""

    labels: Sequence | Mapping | None
    variable: str | None
    ranks: bool
    paired: bool
    modes: int | str | None


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
    different values. `modes`: how many modes that all people share are covariates too
    (`mode_scores`). For the rest see `Design`, `of_variable` and `paired`.
    """
    common = {"covariates": covariates, "random_state": random_state, "name": name}
    more = {"blocks": blocks, "subjects": subjects, "exchange": exchange}
    if isinstance(y, Design):
        given = (labels, variable, blocks, covariates, subjects, modes)
        if any(one is not None for one in given) or ranks or paired or exchange != "auto":
            raise InputError("a design has its labels, blocks and covariates: give them there")
        return y
    y, labelled = in_one_order(y, blocks=blocks, subjects=subjects, covariates=covariates)
    subjects = labelled["subjects"]
    common["covariates"] = labelled["covariates"]
    if modes is not None:
        scores = mode_scores(X, modes, random_state=random_state)
        common["covariates"] = dict(read_columns(labelled["covariates"])) | scores
    more |= {"blocks": labelled["blocks"], "subjects": subjects}
    if paired:
        if blocks is not None or exchange == "whole" or variable is not None:
            raise InputError("paired exchanges within persons: leave blocks and variable out")
        return same_people(check_labels(y, len(X)), subjects, labels=labels, **common)
    values = np.asarray(y)
    numeric = values.dtype.kind in "iuf" and getattr(y, "dtype", None) != "category"
    if variable is None and labels is None and numeric and values.ndim == 1:
        found = np.unique(values[~missing_entries(y)])
        if len(found) >= _FEW or (found % 1).any():
            variable = "variable"
        elif len(found) > 2:
            raise InputError(
                f"y holds {len(found)} different numbers: give a variable its name, such as "
                "variable='age', or give two labels"
            )
    if variable is None:
        if ranks:
            raise InputError("ranks are of a variable: give its name, such as variable='age'")
        return two_groups(check_labels(y, len(X)), labels=labels, **more, **common)
    if labels is not None:
        raise InputError("a variable has no labels: leave one of the two out")
    if values.shape != (len(X),):
        raise InputError(f"{variable} must hold one number for each of {len(X)} graphs")
    return of_variable(y, called=variable, ranks=ranks, **more, **common)
