"""Labels of pandas: an index names people, the columns of a matrix name regions.

NumPy would drop them without a word, and give one person's age to another's graph.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from .errors import InputError


def in_one_order(y: Any, **others: Any) -> tuple[Any, dict[str, Any]]:
    """Return labels or a variable, and what else is known of the people, in one order.

    Parameters
    ----------
    y : array_like, or pandas.Series
        In the order of the graphs.
    **others
        Arrays, Series, data frames, or mappings of names to these. One whose index has the labels
        of `y` in another order is put in the order of `y`. An index that pandas made (0, 1, ...)
        says nothing where another index has names.

    Warns
    -----
    UserWarning
        If `y` has no labels and something else has: its order is taken for that of the graphs.

    Returns
    -------
    y, others : tuple
        As they were given, in one order.

    Raises
    ------
    InputError
        If two indices have different labels, or labels in different orders while `y` has none: then
        the order of the graphs is not known.

    Examples
    --------
    >>> y = pd.Series(["ill", "well"], index=["ann", "bob"])
    >>> age = pd.Series([50, 30], index=["bob", "ann"])
    >>> in_one_order(y, covariates={"age": age})[1]["covariates"]["age"].tolist()
    [30, 50]
    """
    order = _index_of(y)
    named = "y"
    first = order is not None
    found = {}
    for name, values in others.items():
        several = isinstance(values, Mapping)
        parts = {name: values}
        if several:
            parts = dict(values)
        for part, one in parts.items():
            own = _index_of(one)
            if own is None:
                continue
            # Sorted or filtered frames keep shuffled numbers. Taken as they stand they are in
            # another order than the graphs, and nothing would show it.
            if order is None and _another_order_of_numbers(own):
                raise InputError(
                    f"{part} has an index of 0 to {len(own) - 1} in another order, and y has none: "
                    "which of the two is the order of the graphs is not known; give y this index "
                    "too, or arrays in the order of the graphs (.to_numpy())"
                )
            if order is None:
                order = own
                named = str(part)
                _warn_of_order(own, part)
            parts[part] = _in_order(one, own, order, str(part), named, first)
        found[name] = parts
        if not several:
            found[name] = parts[name]
    return y, found


def _warn_of_order(own, part):
    """Warn that the order of names was taken for that of the graphs, since `y` has no names."""
    if _made_by_pandas(own) or pd.api.types.is_integer_dtype(own.dtype) or len(own) < 2:
        return
    warnings.warn(
        f"y has no labels (index), and {part} has: its order (first {own[0]}, last {own[-1]}) was "
        "taken for that of the graphs. Give y these labels too, or arrays (.to_numpy())",
        stacklevel=3,
    )


def without_index(values: Any) -> Any:
    """Return values that are in one order without the index of pandas, which has done its work.

    >>> without_index({"age": pd.Series([7, 9], ["ann", "bob"])})["age"].index.tolist()
    [0, 1]
    """
    if isinstance(values, (pd.Series, pd.DataFrame)):
        return values.reset_index(drop=True)
    if isinstance(values, Mapping):
        return {name: without_index(one) for name, one in values.items()}
    return values


def _index_of(values):
    """Return the labels of the people, None where there are none."""
    if isinstance(values, (pd.Series, pd.DataFrame)):
        return values.index
    return None


def _in_order(values, own, order, name, named, first):
    """Return values in the order of other labels, or raise InputError."""
    if own.equals(order):
        return values
    # Names on one side and plain row numbers on the other: the numbers say nothing, so the order
    # counts. Whole numbers as names could be row numbers in disguise and are compared below.
    if _made_by_pandas(own) != _made_by_pandas(order):
        # People called "0", "1", ... may be meant by the row numbers, or not.
        if _same_numbers_as_texts(own, order):
            raise InputError(
                f"{name} or {named} has the labels (its index) 0 to {len(own) - 1} as texts in "
                "another order than the row numbers of the other: whether these numbers are names "
                "is not known. Give both the same labels, or arrays in the order of the graphs "
                "(.to_numpy())"
            )
        if _made_by_pandas(own):
            numbered = order
        else:
            numbered = own
        if not pd.api.types.is_integer_dtype(numbered.dtype) and len(own) == len(order):
            return values
    if not (own.is_unique and order.is_unique) or set(own) != set(order):
        raise InputError(
            f"{name} and {named} have different labels (their index): {_difference(own, order)}. "
            "Give both the same, or arrays in the order of the graphs (.to_numpy())"
        )
    if not first:
        raise InputError(
            f"{name} and {named} have the same labels (their index) in different orders: which "
            "of the two is that of the graphs is not known; give y these labels too"
        )
    return values.loc[order]


def _made_by_pandas(index):
    return index.equals(pd.RangeIndex(len(index)))


def _another_order_of_numbers(index):
    """Whether an index has the numbers that pandas makes, also as texts, but shuffled."""
    made = pd.RangeIndex(len(index))
    same = set(index) == set(made) and not index.equals(made)
    return same or _same_numbers_as_texts(index, made)


def _same_numbers_as_texts(one, other):
    """Whether two indices hold the same labels as texts, in different orders, and not as such."""
    texts = [list(map(str, index)) for index in (one, other)]
    return texts[0] != texts[1] and set(texts[0]) == set(texts[1]) and set(one) != set(other)


def _difference(own, order):
    """Say what the first difference between two indices is."""
    if len(own) != len(order):
        return f"{len(own)} and {len(order)} of them"
    for one, other in zip(own, order, strict=True):
        if one not in order:
            return f"{one!r} is in one of them only"
        if other not in own:
            return f"{other!r} is in one of them only"
    return "a label is there twice"


def labels_of_regions(graphs: Any) -> list | None:
    """Return the names of the regions of a graph, or of the first of several; None without any.

    >>> labels_of_regions([pd.DataFrame([[0, 1], [1, 0]], ["V1", "M1"], ["V1", "M1"])])
    ['V1', 'M1']
    """
    if isinstance(graphs, (list, tuple)) and len(graphs):
        graphs = graphs[0]
    if isinstance(graphs, pd.DataFrame):
        if _made_by_pandas(graphs.columns):
            return None
        return graphs.columns.tolist()
    if type(graphs).__module__.startswith("networkx"):
        return list(graphs.nodes)
    return None


def names_of_regions(data: Any, given: Any, called: str = "regions") -> list[str] | None:
    """Return what the regions of some data are called: by the data themselves, or as given.

    Parameters
    ----------
    data : array_like, list of array_like, or people with ``roi``
    given : sequence of str or None
        Names that were given in addition to the data.
    called : str
        The argument in which they were given.

    Raises
    ------
    InputError
        If both have names, and not the same in the same order: one would be taken for another.

    Examples
    --------
    >>> frame = pd.DataFrame([[0, 1], [1, 0]], ["V1", "M1"], ["V1", "M1"])
    >>> names_of_regions(frame, None), names_of_regions(frame.to_numpy(), ["a", "b"])
    (['V1', 'M1'], ['a', 'b'])
    """
    own = getattr(data, "roi", None)
    if own is None:
        own = labels_of_regions(data)
    if own is not None:
        own = [str(name) for name in own]
    if given is None:
        return own
    names = [str(name) for name in given]
    # Numbers in order say only where a region is.
    if own is None or own in ([str(k + first) for k in range(len(own))] for first in (0, 1)):
        return names
    if names != own:
        odd = "another number of them"
        if len(names) == len(own):
            at = next(k for k in range(len(own)) if names[k] != own[k])
            odd = f"region {at + 1} is {own[at]!r} or {names[at]!r}"
        raise InputError(
            f"{called} differs from the regions' names in the data ({odd}): leave {called} out, or "
            "give the graphs without names (.to_numpy())"
        )
    return names


def values_in_order(values: Any, order: list | None, name: str) -> Any:
    """Return one value for each region; a Series whose labels are the regions in their order.

    >>> values_in_order(pd.Series([1, 2], ["b", "a"]), ["a", "b"], "linear").tolist()
    [2, 1]
    """
    if not isinstance(values, pd.Series) or order is None or _made_by_pandas(values.index):
        return values
    known = values.set_axis(values.index.map(str))
    if not known.index.is_unique or set(known.index) != set(order):
        raise InputError(f"{name} has other labels than the regions: give it the same, or an array")
    return known[order]


def matrix_in_order(matrix: Any, order: list | None, name: str) -> Any:
    """Return a matrix as it is, or a data frame with rows and columns in one order.

    Parameters
    ----------
    matrix : array_like or pandas.DataFrame of shape (n_regions, n_regions)
    order : list or None
        Names of the regions; None: those of the matrix's own columns.
    name : str
        What it is called in errors.

    Examples
    --------
    >>> frame = pd.DataFrame([[0, 1], [2, 0]], index=["a", "b"], columns=["a", "b"])
    >>> matrix_in_order(frame, ["b", "a"], "w").to_numpy().tolist()
    [[0, 2], [1, 0]]
    """
    if not isinstance(matrix, pd.DataFrame):
        return matrix
    columns = matrix.columns
    rows = matrix.index
    if len(rows) != len(columns):
        # The caller says which shape it must have.
        return matrix
    if _made_by_pandas(rows):
        rows = columns
    elif _made_by_pandas(columns):
        columns = rows
    matrix = matrix.set_axis(rows, axis=0).set_axis(columns, axis=1)
    if order is None:
        order = columns.tolist()
    if rows.equals(columns) and columns.tolist() == order:
        return matrix
    if not (columns.is_unique and set(rows) == set(columns) == set(order)):
        raise InputError(
            f"{name} has other labels in its rows than in its columns, other ones than those "
            "before it, or one twice: whether the regions are the same is not known"
        )
    return matrix.loc[order, order]


def columns_in_order(table: Any, order: list | None, name: str) -> Any:
    """Return series, or any array, with the columns of a data frame in some order.

    >>> columns_in_order(pd.DataFrame({"a": [1], "b": [2]}), ["b", "a"], "x").columns.tolist()
    ['b', 'a']
    """
    if order is None or not isinstance(table, pd.DataFrame):
        return table
    if not table.columns.is_unique or set(table.columns) != set(order):
        raise InputError(f"{name} has other columns than the one before it: {list(table.columns)}")
    return table[order]


def check_labelled(given: list | None, fitted: list | None) -> None:
    """Raise InputError if regions were named in `fit` and are not now, or the other way round.

    >>> check_labelled(["a"], ["a"])
    """
    if given == list(range(len(given or ()))):
        given = None
    if fitted == list(range(len(fitted or ()))):
        fitted = None
    if (given is None) != (fitted is None):
        if given is None:
            was = "names"
            now = "none"
        else:
            was = "no names"
            now = "some"
        raise InputError(
            f"the graphs of fit had {was} of their regions, and these have {now}: whether the "
            "regions are the same is not known"
        )
