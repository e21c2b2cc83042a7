"""What is held constant: covariates as columns, and numbers without what they explain."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..core.checks import check_option
from ..core.columns import covariate, covariates_of, is_number, missing_entries
from ..core.errors import InputError
from ..core.pairs import blocks_of_pairs
from .modes import Modes

#: What to do about people with an unknown covariate.
MISSING = ("error", "median", "drop")
#: A length below this share of the original one is a rounding error.
NOTHING = 1e-9
#: Singular values below this share of the largest are rounding errors.
_RANK = 1e-10


class Regression:
    """Least squares on columns of some people, (n_fitted, n_columns).

    The coefficients may be for others than those who give them: for a test part, say, or for the
    people of a site that chose nothing. `inverse`, (n_columns, n_fitted), times the numbers of
    those fitted gives the coefficients.
    """

    def __init__(self, columns: np.ndarray) -> None:
        self._columns = columns
        self.inverse = np.linalg.pinv(columns, rcond=_RANK)

    @property
    def freedom(self) -> int:
        """How many degrees of freedom the columns leave; a mean would take one more."""
        # A column's length grows with the number of its entries, and with it the rounding error.
        least = _RANK * np.sqrt(self._columns.size)
        return len(self._columns) - int(np.linalg.matrix_rank(self._columns, tol=least))

    def coefficients(self, numbers: np.ndarray) -> np.ndarray:
        """Return the coefficients, (n_columns, ...), of numbers of those fitted."""
        return self.inverse @ numbers

    def coefficients_of_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return the same for numbers with the people last: (..., n_columns)."""
        return rows @ self.inverse.T


def without(numbers: np.ndarray, columns: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return numbers of people without what their columns explain (see `Regression`).

    >>> age = np.array([[-1.0], [0.0], [1.0]])
    >>> weights = np.array([5.0, 3.0, 1.0])
    >>> without(weights, age, Regression(age).coefficients(weights)).round(6).tolist()
    [3.0, 3.0, 3.0]
    """
    return numbers - columns @ coefficients


def without_in_rows(rows: np.ndarray, columns: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return the same for numbers with the people last."""
    return rows - coefficients @ columns.T


class Covariates:
    """Numbers and categories as columns, and least squares on them.

    All that is learnt (medians, categories, means, spreads, coefficients) comes from the rows given
    to `fit`; a category that does not occur there gets the mean of those that do. No group label is
    used, so that what the covariates share with the groups is removed too. `missing` says what
    happens to an unknown value: ``error``, or ``median`` (for categories the most frequent one), or
    ``drop``, where `known` tells whom to leave out. `names_`; `columns_` (n_fitted, n_columns) have
    mean 0 and standard deviation 1, unless constant; `regression_` is that on them.
    """

    def __init__(self, *, missing: str = "error") -> None:
        self.missing = check_option("missing", missing, MISSING)

    def fit(self, table: Any, rows: np.ndarray | None = None) -> "Covariates":
        """Learn the columns from some rows of a mapping of names to values, or data frame."""
        series = read_columns(table)
        n = len(next(iter(series.values()), ()))
        if rows is None:
            self._rows = np.arange(n)
        else:
            self._rows = np.asarray(rows)
        self.names_ = tuple(series)
        self._known = {}
        for name, values in series.items():
            known = values.iloc[self._rows].dropna()
            if known.empty:
                raise InputError(f"the covariate {name} is known for no one: leave it out")
            if is_number(values):
                self._known[name] = known.median()
            else:
                texts = known.to_numpy(str)
                self._known[name] = known.mode()[0], np.unique(texts)
        columns = self._columns(series)[self._rows]
        # A constant column must become 0, not the rounding error of its mean divided by itself.
        flat = np.ptp(columns, axis=0) <= _RANK * np.abs(columns).max(axis=0, initial=0.0)
        self._mean = columns.mean(axis=0)
        self._scale = np.where(flat, np.inf, columns.std(axis=0))
        self._table = series
        self.columns_ = (columns - self._mean) / self._scale
        self.regression_ = Regression(self.columns_)
        return self

    def transform(self, table: Any = None) -> np.ndarray:
        """Return the columns of people, (n_people, n_columns), by default those of `fit`."""
        if table is None:
            series = self._table
        else:
            series = read_columns(table)
        columns = self._columns({name: series[name] for name in self.names_})
        return (columns - self._mean) / self._scale

    def adjusted(self, numbers: Any, table: Any = None) -> np.ndarray:
        """Return numbers of people, (n_people, n_numbers), without what the covariates explain.

        By least squares on the rows of `fit`; the columns are centred on the mean of these rows.
        """
        numbers = np.asarray(numbers, dtype=float)
        coefficients = self.regression_.coefficients(numbers[self._rows])
        return without(numbers, self.transform(table), coefficients)

    def known(self, table: Any) -> np.ndarray:
        """Return for each person whether all covariates are known, (n_people,)."""
        return all_known(read_columns(table))

    def _columns(self, series):
        """One column for each numeric covariate, and for each category of the others."""
        columns = []
        for name, values in series.items():
            gaps = missing_entries(values)
            known = self._known[name]
            missing = int(gaps.sum())
            if missing and self.missing != "median":
                raise InputError(
                    f"the covariate {name} is missing for {missing} of {len(values)} subjects: "
                    "leave them out, or the covariate"
                )
            if not isinstance(known, tuple):
                columns.append(values.fillna(known).to_numpy(float)[:, None])
                continue
            texts = np.where(gaps, known[0], values.to_numpy(object)).astype(known[1].dtype.kind)
            found = np.equal(texts[:, None], known[1]).astype(float)
            strange = ~np.isin(texts, known[1])
            if strange.any():
                found[strange] = found[self._rows].mean(axis=0)
            columns.append(found)
        if columns:
            return np.concatenate(columns, axis=1)
        return np.zeros((0, 0))


def read_columns(table: Any, n: int | None = None) -> dict[str, pd.Series]:
    """Return the columns of a table, each a number or a category, or raise InputError."""
    if table is None:
        return {}
    if not isinstance(table, (Mapping, pd.DataFrame)):
        raise InputError(
            "covariates must be a table, or a mapping of names to one value for each graph, such "
            f"as {{'age': ages}}, not {table!r}"
        )
    read = {}
    for name in table:
        if isinstance(table, pd.DataFrame):
            values = table
        else:
            values = table[name]
        if n is None:
            n = len(missing_entries(table[name]))
        try:
            read[str(name)] = covariate(values, name, n)
        except InputError as error:
            raise InputError(f"the covariate {error}") from error
    return read


def all_known(columns: Mapping[str, Any]) -> np.ndarray:
    """Return for each person whether the entries of all columns are known, (n_people,).

    >>> all_known({"age": [8, None, 9], "sex": ["f", "m", None]}).tolist()
    [True, False, False]
    """
    return ~np.logical_or.reduce([missing_entries(values) for values in columns.values()])


def ranked_numbers(columns: Mapping[str, pd.Series]) -> dict[str, pd.Series]:
    """Return columns with ranks and squared ranks in place of numbers; categories stay.

    If weights and a variable both depend on a skewed covariate, their ranks bend in the same way.
    The covariate itself, or its rank alone, explains only part of that, so that the two would still
    be correlated. The squares take out most of the bend.
    """
    ranked = {}
    for name, values in columns.items():
        if not is_number(values):
            ranked[name] = values
            continue
        rank = values.rank()
        ranked[name] = rank
        ranked[f"{name} squared"] = (rank - rank.mean()) ** 2
    return ranked


def adjusted_graphs(weights, table, names, train=None, *, modes=None, random_state=0):
    """Return graphs' weights without what columns of a table explain (`graph.adjust`).

    If `modes` is given, this number of modes of what is left is removed too. Coefficients come from
    the people `train`, by default from all. Adjusted weights can be negative, and a pair without an
    edge need not stay at 0.
    """
    if len(names):
        weights = _without_columns(weights, table, names, train)
    if modes is None:
        return weights
    return Modes(modes, random_state=random_state).fit(weights, train).adjusted(weights)


def _without_columns(weights, table, names, train):
    """Weights without what columns of a table explain, with coefficients from some people."""
    found = Covariates(missing="median").fit(covariates_of(table, names), train)
    # With as many columns as people nothing would be left, and the rest would be rounding errors.
    if found.regression_.freedom <= 2:
        raise InputError(
            f"graph.adjust: {', '.join(names)} explain all of {len(found.columns_)} people's "
            "weights: remove some"
        )
    adjusted = np.empty(weights.shape)
    for part in blocks_of_pairs(weights):
        adjusted[:, part] = found.adjusted(np.asfortranarray(weights[:, part], dtype=float))
    return adjusted


def nuisance_basis(columns: np.ndarray, *, constant: bool = True) -> np.ndarray:
    """Return an orthonormal basis of some columns and a constant, (n_people, rank)."""
    # Measured before centring: a constant column leaves a rounding error, which must not become a
    # direction of its own when it is scaled to length 1.
    least = _RANK * np.linalg.norm(columns, axis=0)
    if constant:
        columns = columns - columns.mean(axis=0)
    size = np.linalg.norm(columns, axis=0)
    columns = columns[:, size > least] / size[size > least]
    if constant:
        ones = np.full((len(columns), 1), 1 / np.sqrt(len(columns)))
        columns = np.concatenate([ones, columns], axis=1)
    left, values, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, values > _RANK * values.max(initial=0.0)]


def unexplained(rows: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return rows of numbers, one for each person, without what a basis explains."""
    return rows - (rows @ basis) @ basis.T
