"""A variable: which connections increase, or decrease, with it?"""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.checks import RandomState
from ..core.columns import identifiers, missing_entries, numbers, whole_identifiers
from ..core.errors import InputError
from ..core.labels import in_one_order
from .covariates import read_columns
from .design import Design
from .determined import refuse_determining
from .question import Question


class Variable(Question):
    """Which connections increase, or decrease, with a variable; there are no groups."""

    kind = "variable"
    role = "value"
    option = "For a table: a column of numbers, in place of groups."
    refused = {"groups": "compares two; a variable has none"}
    of_groups = False
    by_pairs = False
    named_by_groups = False
    compares = False
    task = "predict"

    def outcome(self, codes, value):
        return value

    @property
    def contrasts(self):
        return f"more-with-{self.called}", f"less-with-{self.called}", "symmetric"

    def make_design(self, graphs, **common):
        return of_variable(
            graphs.y,
            called=self.called,
            ranks=self.ranks,
            **common,
        )

    def check_nuisance(self, table, y, where):
        refuse_determining(table, y, where, variable=True)

    def unit(self, values=None):
        # With two values the regressor is 0 or 1, so that the slope is the difference of means.
        if values == 2:
            return ""
        if self.ranks:
            return f"standard deviation of the ranks of {self.column}"
        return super().unit(values)

    def units(self, values=None):
        # A positive effect of the second direction is more weight for less of the variable.
        unit = self.unit(values)
        if not unit:
            return "", ""
        return unit, f"{unit} less"

    def title(self, labels):
        return f"Are brain networks related to {self.column}?"

    def statement(self, labels):
        return f"networks are related to {self.column}"

    def estimate(self, labels):
        if self.ranks:
            return f"the slope of its ranks on the ranks of {self.column} (Spearman)"
        return f"the slope on {self.column}, for one standard deviation of it"

    def contrast_labels(self, labels):
        return f"More with {self.column}", f"Less with {self.column}", "Symmetric"

    def ends(self, labels):
        return f"higher {self.column}", f"lower {self.column}"

    def sides(self, labels):
        return tuple(f"with {end}" for end in self.ends(labels))


def of_variable(
    y: ArrayLike,
    *,
    called: str = "variable",
    ranks: bool = False,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of a variable.

    The weight of a pair of regions is the slope per standard deviation of the variable, or its
    partial t. For a variable with two values it is the difference of means, as in `two_groups`.

    Parameters
    ----------
    y : array_like of shape (n_graphs,)
        Numbers, not all the same. Graphs without a number are left out, with a warning.
    called : str
        The name of the variable.
    ranks : bool
        Use ranks of the variable and of the weights (Spearman), given the ranks of numeric
        covariates and their squares.
    blocks, covariates, subjects, exchange, random_state, name
        As for `permutation_test`. The draws depend on `name`, that of the cohort, too.

    Returns
    -------
    Design
        With the contrasts ``more-with-<called>``, ``less-with-<called>`` and ``symmetric``.

    Raises
    ------
    InputError
        If the variable is not numeric, or missing or the same in all graphs.
    NoTest
        If no relabelling changes anything, so that there is no test.

    See Also
    --------
    two_groups, interaction : Other questions.
    permutation_test : Takes the design as `y`.

    References
    ----------
    Freedman, Lane: A nonstochastic interpretation of reported significance levels. Journal of
    Business and Economic Statistics 1, 1983. https://doi.org/10.1080/07350015.1983.10509354

    Examples
    --------
    >>> of_variable([23, 31, 55, 40], called="age").contrasts
    ('more-with-age', 'less-with-age', 'symmetric')
    """
    common = {
        "blocks": blocks,
        "covariates": covariates,
        "subjects": subjects,
        "exchange": exchange,
        "random_state": random_state,
        "name": name,
    }
    y, common = in_one_order(y, **common)
    values = numbers(y, called)
    rows = known_rows(values, called)
    values = values[rows]
    found = np.unique(values)
    if len(found) < 2:
        raise InputError(f"{called} is the same in all people: there is nothing to compare")
    # Halves and folds are stratified by high and low values.
    high = values > np.median(values)
    if len(found) == 2:
        high = values == found[1]
        # As two groups: the coefficient is then the difference of means, in the units of the
        # weights.
        regressor = high.astype(float)
    else:
        from scipy.stats import rankdata  # takes a second

        regressor = rankdata(values) if ranks else values
        regressor = (regressor - regressor.mean()) / regressor.std()
    return Design(
        regressor[:, None],
        contrasts=Variable(called=called).contrasts,
        what=called,
        strata=(~high).astype(np.int64),
        ranks=ranks,
        rows=rows,
        n_graphs=np.size(y),
        **taken(common, rows, np.size(y)),
    )


def known_rows(values, called):
    """Return the rows where a variable is known; warn of those where it is not."""
    missing = missing_entries(values)
    if missing.all():
        raise InputError(f"{called} is missing for all of {len(values)} graphs")
    if missing.any():
        warnings.warn(
            f"{called} is missing for {missing.sum()} of {len(values)} graphs, which are left out",
            stacklevel=5,
        )
    return np.flatnonzero(~missing)


def taken(common, rows, n):
    """Return the rows of what is given for n graphs; InputError for any other number of them."""
    found = dict(common)
    for key in ("blocks", "subjects"):
        if found.get(key) is not None:
            found[key] = whole_identifiers(identifiers(found[key], key, n)[rows], key)
    if found.get("covariates") is not None:
        columns = read_columns(found["covariates"], n)
        found["covariates"] = {name: of.iloc[rows] for name, of in columns.items()}
    return found
