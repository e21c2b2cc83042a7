"""How weights lie in an array: a matrix, a stack, rows of triangles, a list of edges."""

import itertools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...core.atomic_files import in_single
from ...core.check_graphs import (
    AT_ONCE,
    SYMMETRIC,
    SYMMETRIC_SINGLE,
    near,
    symmetric_up_to_rounding,
)
from ...core.checks import in_words
from ...core.errors import InputError
from ...core.large_arrays import let_go, stacked_rows
from ...core.pairs import upper_triangle
from .suspects import check_totals_of_matrix, check_totals_of_people
from .text import whole


class AsymmetryError(InputError):
    """A matrix has two different weights for one pair."""


def symmetric(matrix, rounding=SYMMETRIC):
    """Return a matrix that is symmetric up to rounding, or has one triangle only, as symmetric."""
    if np.array_equal(matrix, matrix.T, equal_nan=True):
        return matrix
    upper = np.triu(matrix, 1)
    lower = np.tril(matrix, -1)
    above = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    for one, other in ((upper, lower), (lower, upper)):
        # One triangle only: the other is blank, or zero wherever this one has a value.
        # Values that are missing in this one stay NaN.
        place = above if one is upper else above.T
        nothing = np.isnan(other[place.T])
        zero = (other[place.T] == 0) | (nothing & np.isnan(one.T[place.T]))
        if nothing.all() or zero.all():
            return np.where(place, one, one.T)
    try:
        return symmetric_up_to_rounding(matrix, "it", rounding, first=1)
    except InputError as error:
        raise AsymmetryError(str(error)) from error


def is_symmetric(values):
    """Whether an array is a symmetric matrix of more than two regions, up to rounding."""
    square = values.ndim == 2 and values.shape[0] == values.shape[1] > 2
    return square and bool(near(values, values.T, SYMMETRIC_SINGLE).all())


def matrices_of(values, rounding=SYMMETRIC, triangle=None, count=None):
    """Return the upper triangle of the matrix, or of all, that an array holds, and which it is.

    It is ``(p, p)``, ``(n, p, p)`` or ``(p, p, n)``, or one row a person: all ``p * p`` weights, or
    one triangle, with or without the diagonal. `count`: the number of regions, if an atlas gives
    it; then no row can hold totals.
    """
    found, layout = _matrices_of(values, rounding, triangle, count)
    if found.ndim == 2:
        check_totals_of_people(found)
    return found, layout


def _matrices_of(values, rounding, triangle, count):
    """Return what `matrices_of` returns, before totals among people are looked for."""
    shape = values.shape
    totals = count is None
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
    rows = values
    if values.ndim == 1 or 1 in shape:
        rows = values.reshape(1, -1)
    if values.ndim == 2 and shape[0] == shape[1] > 1:
        try:
            _hollow(values, rounding)
        except InputError:
            pass
        else:
            raise InputError("it is a matrix, not a row of weights: leave `triangle` out")
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
        f"it must be a square matrix, not of the shape {shape}: for series, set `kind: series` in "
        f"a config{hint}"
    )


def _hollow(matrix, rounding, totals=False):
    """Return the upper triangle of a matrix, whatever is on its diagonal.

    `totals`: whether its last row may hold totals, which is an error.
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
            # All matrices of a stack are made alike, so the first one shows whether there are
            # totals.
            yield _hollow(one, rounding, totals and k == 0)
            if k % AT_ONCE == 0:
                let_go(stack)

    return stacked_rows(rows(), len(stack))


def _side(m):
    """Return p of m = p (p - 1) / 2, or None."""
    p = (1 + math.isqrt(1 + 8 * m)) // 2
    return p if p > 1 and p * (p - 1) // 2 == m else None


def _of_rows(rows, triangle, count):
    """Return the upper triangles of matrices whose rows are triangles, with or without diagonal."""
    p = _side(rows.shape[1])
    if p is None:
        raise InputError(f"its rows have {rows.shape[1]} numbers, which no triangle has")
    with_diagonal = {}
    for side, k in ((p, 1), (p - 1, 0)):
        places = np.triu_indices(side, k)
        if triangle == "lower":
            places = np.tril_indices(side, -k)
        with_diagonal[k == 0] = side, places
    side, places = with_diagonal[True]
    own = rows[:, places[0] == places[1]]
    flat = own.size > 0 and (np.isnan(own).all() or (own == own.flat[0]).all())
    if count is not None:
        flat = count == side
    elif not flat and rows.shape[1] >= 15 and all(_bounds(row, *places) for row in rows):
        raise InputError(
            f"its rows may be covariances of {side} regions with their variances, or weights of "
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


class EdgeList(NamedTuple):
    """The edges of a file."""

    path: Path
    ends: tuple[list[str], list[str]]
    weights: np.ndarray

    @property
    def named(self):
        """The names of its vertices, as a set."""
        return {*self.ends[0], *self.ends[1]}

    @property
    def vertices(self):
        """The names of its vertices, in order of appearance."""
        return list(dict.fromkeys(itertools.chain(*zip(*self.ends, strict=True))))


def of_edges(lists, known=None, unlisted=0.0):
    """Return upper triangles of some `EdgeList`, on the regions that all of them name.

    `known`: the atlas's names and numbers; a file need not have all of them. `unlisted`: what a
    pair has that is not listed: no edge, or NaN where it was not tested.
    """
    if known is None:
        names = _same_vertices(lists)
        place = {name: k for k, name in enumerate(names)}
    else:
        names = list(known[0])
        place = _places_in_atlas(lists, *known)
    return names, [_of_edges(one, place, len(names), unlisted) for one in lists]


def _of_edges(one, place, count, unlisted):
    """Return the upper triangle of an edge list."""
    if np.isnan(unlisted) and np.isnan(one.weights).any():
        raise InputError(f"{one.path}: a weight is not a number: leave such pairs out of the list")
    matrix = np.full((count, count), unlisted)
    np.fill_diagonal(matrix, 0)
    listed = {}
    for a, b, weight in zip(*one.ends, one.weights, strict=True):
        i, j = place[a], place[b]
        # Many lists name each pair twice, a to b and b to a. That is fine as long as both say the
        # same.
        before = listed.setdefault((min(i, j), max(i, j)), weight)
        if i != j and before != weight and not np.isnan([before, weight]).all():
            raise InputError(f"{one.path}: it has the pair of {a} and {b} twice, with two weights")
        matrix[i, j] = weight
        matrix[j, i] = weight
    return _hollow(matrix, SYMMETRIC)


def _same_vertices(lists):
    """Return the vertices that all files name, or raise InputError with two files that differ.

    A vertex that a file does not name may have no edges there, or another name: it is not known
    which.
    """
    first = lists[0].vertices
    for one in lists[1:]:
        if one.named == set(first):
            continue
        own = one.vertices
        extra = [name for name in own if name not in set(first)]
        lacks = [name for name in first if name not in set(own)]
        parts = []
        if lacks:
            parts.append(f"lacks {in_words(lacks, most=3)}")
        if extra:
            parts.append(f"also has {in_words(extra, most=3)}")
        raise InputError(
            f"{one.path} names other regions than {lists[0].path}: it {' and '.join(parts)}"
            f"{_how_they_differ(first, own)}. All files must name the same regions; if one without "
            "edges is not listed, give an atlas, which lists all of them"
        )
    return sorted(first, key=int) if all(map(whole, first)) else first


def _how_they_differ(first, own):
    """Return a guess at why two files name different regions, or an empty text."""
    if {name.lower() for name in first} == {name.lower() for name in own}:
        return " (capitals in one of them?)"
    if all(map(whole, [*first, *own])):
        low = min(map(int, first)), min(map(int, own))
        if sorted(low) == [0, 1]:
            return " (counted from 0 in one, and from 1 in the other?)"
    return ""


def _places_in_atlas(lists, regions, codes):
    """Return the place of each name of a vertex: an atlas's name, its number, or a place in it."""
    count = len(regions)
    # Numbers may mean the atlas's codes or places in it. Only what fits every file is taken.
    schemes = {
        "names": {name: k for k, name in enumerate(regions)},
        "numbers": {code: k for k, code in enumerate(codes)},
        "places from 0": {str(k): k for k in range(count)},
        "places from 1": {str(k + 1): k for k in range(count)},
    }
    named = [one.named for one in lists]
    fits = [{scheme for scheme, place in schemes.items() if own <= place.keys()} for own in named]
    for one, own in zip(lists, fits, strict=True):
        if not own:
            lost = next((name for name in one.vertices if name not in regions), one.vertices[0])
            raise InputError(f"{one.path}: the region {lost!r} of an edge is not in the atlas")
    common = set.intersection(*fits)
    if not common:
        other = next(k for k, own in enumerate(fits) if not own & fits[0])
        raise InputError(
            f"{lists[other].path} has {in_words(sorted(fits[other]), 'or')} of regions, and "
            f"{lists[0].path} {in_words(sorted(fits[0]), 'or')}: all files must be alike"
        )
    if {"places from 0", "places from 1"} == common:
        raise InputError(
            f"{lists[0].path}: whether its numbers of regions count from 0 or from 1 is not known, "
            f"since neither 0 nor {count} is among them: give the atlas a column `code`"
        )
    return schemes[next(scheme for scheme in schemes if scheme in common)]
