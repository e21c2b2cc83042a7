"""The penalty alpha: a percentile of a difference graph's weights, or a number (Section 4)."""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import check_number
from ..core.data_warnings import DataWarning
from ..core.errors import InputError
from ..core.pairs import upper_triangle
from .difference import check_weights

#: The paper's penalties.
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


class EmptySetWarning(DataWarning):
    """A penalty leaves no pair of vertices, so that the contrast subgraph is empty."""


class Penalty(NamedTuple):
    """The weight above which a pair counts, and the percentile that gave it, if one did."""

    alpha: float
    percentile: float | None = None


@dataclass(frozen=True)
class Penalties:
    """The penalties that a test was given: percentiles of any difference graph, and plain values.

    Examples
    --------
    >>> given = Penalties.of([50, 100], 0.5)
    >>> len(given), given.labels
    (3, (50.0, 100.0, None))
    >>> given.at(np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]]))
    [2.0, 4.0, 0.5]
    """

    percentiles: tuple[float, ...]
    alphas: tuple[float, ...] = ()

    @classmethod
    def of(cls, percentiles: Any, alphas: Any = None, least: float = -math.inf) -> "Penalties":
        """Check what a user gives: one or many of each, and at least one in all.

        `alphas` is None where plain values cannot be given; `least` is the smallest of them that
        can be used.
        """
        at = tuple(check_percentile(one) for one in listed_penalties(percentiles))
        if alphas is None:
            if not at:
                raise InputError("give at least one percentile")
            return cls(at)
        plain = tuple(check_number(one, "alpha", least) for one in listed_penalties(alphas))
        if not at + plain:
            raise InputError("give at least one penalty, as percentiles or as alphas")
        return cls(at, plain)

    def __len__(self) -> int:
        return len(self.percentiles) + len(self.alphas)

    @property
    def labels(self) -> tuple[float | None, ...]:
        """The percentile of each penalty, None for a plain value."""
        return (*self.percentiles, *[None] * len(self.alphas))

    def at(self, weights: np.ndarray) -> list[float]:
        """Return the alphas for the weights of one difference graph."""
        found = alphas_of_percentiles(weights, self.percentiles)
        return [*found.tolist(), *self.alphas]


def alpha_from_percentile(difference: ArrayLike, percentile: float) -> float:
    """Return the penalty alpha that is a percentile of a difference graph's weights.

    Parameters
    ----------
    difference : array_like of shape (n_vertices, n_vertices)
        Difference graph.
    percentile : float
        In ``[0, 100]``; the paper's appendix uses 70 to 97.

    Returns
    -------
    float
        The percentile over all pairs of vertices, zeros included, linearly interpolated. It is 0
        if there are no pairs, or if the percentile is negative: a pair of negative weight is no
        contrast.

    Raises
    ------
    InputError
        If the percentile is not a number from 0 to 100, or if the difference graph is not
        symmetric and finite.

    See Also
    --------
    contrast_subgraph : Takes a percentile itself.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> alpha_from_percentile([[0, 1, 2], [1, 0, 4], [2, 4, 0]], 75)
    3.0
    """
    weights = check_weights(difference, "the difference graph")
    return float(alphas_of_percentiles(weights, [check_percentile(percentile)])[0])


def alphas_of_percentiles(weights, percentiles):
    """Return `alpha_from_percentile` for several percentiles of checked weights."""
    pairs = weights[upper_triangle(len(weights))]
    if pairs.size == 0:
        return np.zeros(len(percentiles))
    return np.maximum(np.percentile(pairs, percentiles), 0.0)


def penalties_of(
    weights: np.ndarray, percentiles: Any = (), alphas: Any = (), largest: float = 0.0
) -> list[Penalty]:
    """Return the penalties for some weights, those of the percentiles first, and warn about them.

    The weights are checked already, the penalties are checked here. A percentile may also be given
    as a `Penalty` whose alpha is known (`relabelled_penalties`). A plain alpha must be above 0 and
    below the largest weight, or below `largest`, that of another direction.
    """
    found = []
    for one in listed_penalties(percentiles):
        # From other relabellings: its alpha is known, and must not be computed from these weights.
        if isinstance(one, Penalty):
            found.append(one)
            continue
        percentile = check_percentile(one)
        [alpha] = alphas_of_percentiles(weights, [percentile])
        found.append(Penalty(float(alpha), percentile))
    pairs = weights[upper_triangle(len(weights))]
    # An alpha of the config holds for both directions. It may exceed all weights of one of them:
    # then that direction has no set, which is an answer and no mistake.
    largest = max(pairs.max(initial=0.0), largest)
    for alpha in listed_penalties(alphas):
        value = check_number(alpha, "alpha")
        if len(weights) > 1 and not 0 < value < largest:
            raise InputError(
                f"alpha must be above 0 and below {largest:.6g}, the largest weight of this "
                f"difference graph, not {alpha!r}"
            )
        found.append(Penalty(value))
    warn_of_penalties(pairs, found, stacklevel=4)
    return found


def warn_of_penalties(pairs: np.ndarray, penalties: list[Penalty], stacklevel: int = 3) -> None:
    """Warn where a penalty leaves no pair, or penalises none."""
    for alpha, percentile in penalties if pairs.size else ():
        named = "" if percentile is None else f" (percentile {percentile:g})"
        if alpha >= pairs.max():
            text = (
                f"no pair of vertices has a weight above alpha = {alpha:.6g}{named}: the contrast "
                "subgraph is empty"
            )
            warnings.warn(EmptySetWarning(text), stacklevel=stacklevel)
        elif alpha <= 0:
            warnings.warn(
                f"percentile {percentile:g} of the weights is alpha = {alpha:.6g}, which "
                "penalises no pair, so the set is as large as its weights allow; choose a higher "
                "percentile",
                stacklevel=stacklevel,
            )


def check_percentile(percentile):
    """Return a percentile as a float, or raise InputError."""
    value = check_number(percentile, "percentile", 0, 100)
    # A quantile such as 0.8 would be a valid percentile, but almost certainly not the one meant.
    if 0 < value < 1:
        raise InputError(
            f"percentile must be a number from 0 to 100, such as 80, not a fraction: "
            f"did you mean {100 * value:g} instead of {percentile!r}?"
        )
    return value


def listed_penalties(penalties):
    """Return penalties as a list, one or many."""
    if isinstance(penalties, Real):
        return [penalties]
    if not isinstance(penalties, Iterable) or isinstance(penalties, str):
        raise InputError(f"penalties must be a number or a list of numbers, not {penalties!r}")
    return list(penalties)
