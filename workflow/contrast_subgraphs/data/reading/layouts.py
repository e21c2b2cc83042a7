"""How weights lie in an array: a matrix, a stack, rows of triangles, a list of edges."""

import math

import numpy as np

from ...core.atomic_files import in_single
from ...core.errors import InputError
from ...core.graphs import (
    AT_ONCE,
    SYMMETRIC,
    SYMMETRIC_SINGLE,
    let_go,
    near,
    stacked_rows,
    symmetric_up_to_rounding,
    upper_triangle,
)
from .suspects import check_totals_of_matrix
from .text import whole


def symmetric(matrix, rounding=SYMMETRIC):
    """Return a matrix that is symmetric up to rounding, or has one triangle, as symmetric."""
    if np.array_equal(matrix, matrix.T, equal_nan=True):
        return matrix
    upper, lower = np.triu(matrix, 1), np.tril(matrix, -1)
    above = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    for one, other in ((upper, lower), (lower, upper)):
        # One triangle only: the other is all blank, or zero wherever this one has a value.
        # What this one lacks stays NaN.
        place = above if one is upper else above.T
        nothing = np.isnan(other[place.T])
        zero = (other[place.T] == 0) | (nothing & np.isnan(one.T[place.T]))
        if nothing.all() or zero.all():
            return np.where(place, one, one.T)
    return symmetric_up_to_rounding(matrix, "it", rounding, first=1)


def is_symmetric(values):
    """Whether an array is a symmetric matrix of more than two regions, up to rounding."""
    square = values.ndim == 2 and values.shape[0] == values.shape[1] > 2
    return square and bool(near(values, values.T, SYMMETRIC_SINGLE).all())


def matrices_of(values, rounding=SYMMETRIC, triangle=None, count=None):
    """Return the upper triangle of the matrix, or of all, that an array holds, and which it is.

    It is ``(p, p)``, ``(n, p, p)`` or ``(p, p, n)``, or one row a person: all ``p * p`` weights, or
    one triangle, with the diagonal or without. `count`: of the regions, if an atlas says it: then
    no row can be of totals.
    """
    shape, totals = values.shape, count is None
    if values.ndim == 2 and shape[0] == shape[1] > 1 and triangle is None:
        return _hollow(values, rounding, totals), ""
    if values.ndim == 3:
        found = []
        for stack in (values, np.moveaxis(values, 2, 0)):
            if stack.shape[1] == stack.shape[2] > 1:
                try:
                    found.append(_triangles(stack, rounding, totals))
                except InputError as error:
                    found.append(error)
        good = [one for one in found if not isinstance(one, InputError)]
        if len(good) == 2 and not np.array_equal(*good, equal_nan=True):
            raise InputError("its matrices may lie along its first axis or its last: both fit")
        if good:
            return good[0], "a stack of matrices"
        if found:
            raise found[0]
    rows = values.reshape(1, -1) if values.ndim == 1 or 1 in shape else values
    if values.ndim == 2 and shape[0] == shape[1] > 1:
        try:
            _hollow(values, rounding)
        except InputError:
            pass
        else:
            raise InputError("it is a matrix, no row of weights: leave `triangle` out")
    if rows.ndim == 2 and triangle is not None:
        return _of_rows(rows, triangle, count), f"rows of the {triangle} triangle"
    p = math.isqrt(rows.shape[-1])
    if rows.ndim == 2 and p * p == rows.shape[1] and p > 2:
        stack = rows.reshape(-1, p, p)
        if all(near(one, one.T, rounding).all() for one in stack):
            return _triangles(stack, rounding, totals), "rows of all weights"
    hint = ""
    if rows.ndim == 2 and _side(rows.shape[1]) is not None:
        hint = " (or `triangle: upper` or `lower`, if a row holds one person's weights)"
    raise InputError(
        f"it must be a square matrix, not of the shape {shape}: series go with `kind: series` in a "
        f"config{hint}"
    )


def _hollow(matrix, rounding, totals=False):
    """Return the upper triangle of a matrix, whatever it has on its diagonal.

    `totals`: whether its last row may be of totals, which is an error.
    """
    matrix = np.array(matrix, dtype=float)
    np.fill_diagonal(matrix, 0)
    matrix = symmetric(matrix, rounding)
    if totals:
        check_totals_of_matrix(matrix)
    return in_single(matrix[upper_triangle(len(matrix))])


def _triangles(stack, rounding, totals):
    def rows():
        for k, one in enumerate(stack):
            yield _hollow(one, rounding, totals and k == 0)  # all are made alike
            if k % AT_ONCE == 0:
                let_go(stack)

    return stacked_rows(rows(), len(stack))


def _side(m):
    """Return p of m = p (p - 1) / 2, or None."""
    p = (1 + math.isqrt(1 + 8 * m)) // 2
    return p if p > 1 and p * (p - 1) // 2 == m else None


def _of_rows(rows, triangle, count):
    """Return the upper triangles of matrices whose triangles, with a diagonal or not, are rows."""
    p = _side(rows.shape[1])
    if p is None:
        raise InputError(f"its rows have {rows.shape[1]} numbers: no triangle has as many")
    with_diagonal = {}
    for side, k in ((p, 1), (p - 1, 0)):
        places = (np.triu_indices if triangle == "upper" else np.tril_indices)(
            side, k if triangle == "upper" else -k
        )
        with_diagonal[k == 0] = side, places
    side, places = with_diagonal[True]
    own = rows[:, places[0] == places[1]]
    flat = own.size > 0 and (np.isnan(own).all() or (own == own.flat[0]).all())
    if count is not None:
        flat = count == side
    elif not flat and rows.shape[1] >= 15 and all(_bounds(row, *places) for row in rows):
        raise InputError(
            f"its rows may be covariances of {side} regions with the variances, or weights of "
            f"{side + 1} regions: give an atlas (`atlas`), which says how many there are"
        )
    side, places = with_diagonal[flat]
    place = np.zeros((side, side), dtype=int)
    place[places] = place[places[::-1]] = range(rows.shape[1])
    upper = place[upper_triangle(side)]
    return stacked_rows((row[upper] for row in rows), len(rows))


def _bounds(row, i, j):
    """Whether what would be a diagonal bounds all weights, as variances bound covariances."""
    own = row[i == j].astype(float)
    return bool((own > 0).all() and (np.abs(row) <= np.sqrt(own[i] * own[j]) * (1 + 1e-6)).all())


def of_edges(lists, known=None):
    """Return upper triangles of lists of edges (ends and weights), on the regions of all of them.

    `known`: the atlas's names and numbers.
    """
    names = list(dict.fromkeys(name for (a, b), _ in lists for name in (*a, *b)))
    if all(map(whole, names)):
        names.sort(key=int)
    place = {name: k for k, name in enumerate(names)}
    if known is not None:
        regions, codes = known
        count = {"0", str(len(regions))} & set(names)
        if set(names) <= set(regions):
            place = {name: k for k, name in enumerate(regions)}
        elif set(names) <= set(codes):
            place = {code: k for k, code in enumerate(codes)}
        elif all(map(whole, names)) and len(count) == 1 and int(names[-1]) <= len(regions):
            start = 0 if "0" in count else 1
            place = {str(k + start): k for k in range(len(regions))}
        else:
            lost = next((name for name in names if name not in regions), names[0])
            raise InputError(f"the region {lost!r} of an edge is not in the atlas")
        names = list(regions)
    matrices = []
    for ends, weights in lists:
        matrix = np.zeros((len(names),) * 2)  # a pair that is not listed has no edge
        listed = {}
        for a, b, weight in zip(*ends, weights, strict=True):
            i, j = place[a], place[b]
            before = listed.setdefault((min(i, j), max(i, j)), weight)
            if i != j and before != weight and not np.isnan([before, weight]).all():
                raise InputError(f"the pair of {a} and {b} stands twice in it, with two weights")
            matrix[i, j] = matrix[j, i] = weight
        matrices.append(_hollow(matrix, SYMMETRIC))
    return names, matrices
