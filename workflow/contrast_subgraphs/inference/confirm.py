"""Does a set that was chosen elsewhere differ in new data? One test, without any search.

The mean weight inside a fixed set is one number for each graph, and its difference between groups
(or its slope) is one test. Nothing was chosen from these people. So if the set is right, the test
finds smaller differences than `permutation_test`, which allows for a search over all sets. The
people must be different from those who chose the set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.check_graphs import condensed_graphs
from ..core.checks import RandomState, check_count, in_words, plural
from ..core.errors import InputError
from ..core.holm import holm
from ..core.labels import names_of_regions
from ..core.notebook import draw_intervals
from ..core.old_names import old_property
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.edge_statistic import CHUNK, EdgeStatistic
from .fixed_sets import FixedSet, refuse_the_same_people
from .p_values import p_value
from .slopes import slopes_of


@dataclass(frozen=True, repr=False)
class ConfirmResult(Result):
    """Result of `confirm`, for m sets.

    Attributes
    ----------
    names, contrasts : tuple of str
    effect, low, high, d : numpy.ndarray of shape (m,)
        The difference of the mean weight inside each set in the claimed direction (for a variable
        the slope per standard deviation), its 95 % interval, and Cohen's d. As p, they are about
        differences within blocks, if there are any (`Design.within_places`). The ends of the
        interval are NaN if the people are too few to tell.
    pvalue, pvalue_holm : numpy.ndarray of shape (m,)
        One-sided, in the claimed direction, by itself and corrected for the number of sets.
    permutations : int
    exact : bool
        Whether the permutations are all there are.

    See Also
    --------
    confirm : Returns it.

    Examples
    --------
    >>> found = ConfirmResult(
    ...     names=("temporal",),
    ...     contrasts=("a-b",),
    ...     pairs=(45,),
    ...     effect=np.array([0.2]),
    ...     low=np.array([0.05]),
    ...     high=np.array([0.35]),
    ...     d=np.array([0.6]),
    ...     pvalue=np.array([0.004]),
    ...     pvalue_holm=np.array([0.004]),
    ...     permutations=1000,
    ...     exact=False,
    ... )
    >>> found
    <ConfirmResult: 1 set chosen elsewhere; smallest corrected p = 0.004 (temporal, effect 0.2, 0.05
    to 0.35)>
    >>> found.table()[["set", "pairs", "effect", "p_holm"]].values.tolist()
    [['temporal', 45, 0.2, 0.004]]
    """

    names: tuple
    contrasts: tuple
    pairs: tuple
    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    d: np.ndarray
    pvalue: np.ndarray
    pvalue_holm: np.ndarray
    permutations: int
    exact: bool

    _columns = ("set", "contrast", "effect", "low", "high", "d", "p_holm")

    p_holm = old_property("p_holm", "pvalue_holm", "pvalue_holm")

    def _said(self) -> str:
        place = int(self.pvalue_holm.argmin())
        return (
            f"{plural(len(self.names), 'set')} chosen elsewhere; smallest corrected p = "
            f"{self.pvalue_holm[place]:.3g} ({self.names[place]}, effect {self.effect[place]:.3g}, "
            f"{self.low[place]:.3g} to {self.high[place]:.3g})"
        )

    def _draw(self, axes: Any) -> bool:
        what = "difference in the claimed direction"
        return draw_intervals(axes, self.names, self.effect, self.low, self.high, what)

    def table(self) -> pd.DataFrame:
        """Return one row for each set."""
        return pd.DataFrame(
            {
                "set": self.names,
                "contrast": self.contrasts,
                "pairs": self.pairs,
                "effect": self.effect,
                "low": self.low,
                "high": self.high,
                "d": self.d,
                "p": self.pvalue,
                "p_holm": self.pvalue_holm,
                "permutations": self.permutations,
                "exact": self.exact,
            }
        )


def confirm(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    sets: FixedSet | Sequence[FixedSet] | None = None,
    *,
    regions: Sequence[str] | None = None,
    n_permutations: int = 1000,
    labels: Sequence | Mapping | None = None,
    variable: str | None = None,
    ranks: bool = False,
    paired: bool = False,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    modes: int | str | None = None,
    random_state: RandomState = 0,
    name: str = "",
) -> ConfirmResult:
    """Test sets that were chosen elsewhere in new data.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    sets : FixedSet or sequence of FixedSet
        The sets that were chosen elsewhere (`load_sets`, `named_set`).
    regions : sequence of str, optional
        Names of the regions of the new data, unless their graphs have names (people, data frames).
    n_permutations : int
        If there are no more relabellings than this, all are used, and the test is exact.
    labels, variable, ranks, paired, blocks, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, name
        As for `permutation_test`.

    Returns
    -------
    ConfirmResult

    Raises
    ------
    InputError
        If a region is missing or has another name in the graphs, if a contrast is not one of the
        new data's directions, or if people of the new data are among those who chose a set.
    NoTest
        If covariates and blocks together leave nothing of what is tested.

    See Also
    --------
    permutation_test : For sets that are not known in advance.

    Examples
    --------
    >>> graphs = np.zeros((10, 3, 3))
    >>> graphs[:5, 0, 1] = graphs[:5, 1, 0] = [1, 2, 3, 4, 5]
    >>> claim = FixedSet("first", ["A", "B"], "a-b")
    >>> found = confirm(graphs, ["a"] * 5 + ["b"] * 5, claim, regions=["A", "B", "C"])
    >>> round(float(found.effect[0]), 6), found.exact, round(float(found.pvalue[0]), 4)
    (3.0, True, 0.004)
    """
    sets = _listed(sets, y)
    check_count(n_permutations, "n_permutations")
    regions = names_of_regions(X, regions)
    if regions is None:
        raise InputError("give the names of all regions of these graphs as regions")
    X, design = asked_of(
        X,
        y,
        labels=labels,
        variable=variable,
        ranks=ranks,
        paired=paired,
        blocks=blocks,
        covariates=covariates,
        subjects=subjects,
        exchange=exchange,
        modes=modes,
        random_state=random_state,
        name=name,
    )
    edges, n_vertices = condensed_graphs(X)
    if len(regions) != n_vertices:
        raise InputError(f"there are {len(regions)} names of regions, and {n_vertices} regions")
    # In people who chose the set, it differs even where there is no difference at all.
    refuse_the_same_people(edges, sets)
    return _confirmed(design, sets, edges, [one.pairs(regions) for one in sets], n_permutations)


def _confirmed(design, sets, edges, pairs, n_permutations):
    """Return the `ConfirmResult` of sets, whose pairs are masks of the columns of `edges`."""
    signs = np.array([_sign(one, design) for one in sets])
    inside = np.stack([_mean_weights(edges, one) for one in pairs], axis=1)
    # p, effect and interval are of one model: what no relabelling changes has no part in any.
    design = design.within_places()
    p, count, exact = _one_sided(design, inside, signs, n_permutations)
    # The interval does not come from the permutations: these assume that there is no effect.
    slopes = slopes_of(design, inside[design.rows] * signs)
    low, high = slopes.interval()
    return ConfirmResult(
        names=tuple(one.name for one in sets),
        contrasts=tuple(one.contrast for one in sets),
        pairs=tuple(int(one.sum()) for one in pairs),
        effect=slopes.slope,
        low=low,
        high=high,
        d=slopes.d,
        pvalue=p,
        pvalue_holm=holm(p),
        permutations=count,
        exact=exact,
    )


def _one_sided(design, inside, signs, n_permutations):
    """Return p of mean weights inside sets, the number of relabellings, and whether it is all."""
    # As the interval, it allows for groups that vary unequally.
    statistic = EdgeStatistic(design, _as_graphs(inside), "welch")
    sets = slice(0, len(signs))
    observed = signs * statistic.values(design.observed())[0, sets]
    draws, count, exact = design.draws(n_permutations)
    null = np.zeros((count, len(signs)))
    for start in range(0, count, CHUNK):
        rows = statistic.values(draws(start, min(start + CHUNK, count)))
        null[start : start + len(rows)] = signs * rows[:, sets]
    return p_value(observed, null, exact).p, count, exact


def _listed(sets, y):
    """Return sets as a list; with people in place of `X` and `y`, `sets` must be a keyword."""
    if sets is None:
        given = [y] if isinstance(y, FixedSet) else y
        named = isinstance(given, Sequence) and any(isinstance(one, FixedSet) for one in given)
        if named:
            raise InputError("y holds sets: with people give these by name, confirm(people, sets=)")
        raise InputError("give the sets that were chosen elsewhere as sets")
    if isinstance(sets, FixedSet):
        return [sets]
    if not len(sets):
        raise InputError("give at least one set")
    return list(sets)


def _sign(one, design):
    """Return 1 if the claim is the design's first direction, and -1 if it is the second."""
    directions = design.contrasts[:2]
    if len(directions) < 2:
        raise NoTest(f"{design.what} has no direction, so that no claim about one can be tested")
    if one.contrast not in directions:
        raise InputError(
            f"{one.name}: the contrast {one.contrast} is none of these data's "
            f"({in_words(directions)}): give their groups the names of the claim's (labels, or "
            "--names). A symmetric contrast has no direction that could be confirmed"
        )
    return 1 - 2 * directions.index(one.contrast)


def _mean_weights(edges, pairs):
    """Mean weight of some pairs in each graph."""
    return edges[:, pairs].mean(axis=1, dtype=float)


def _as_graphs(columns):
    """Return numbers for each person as pairs of artificial graphs, so that a design can test them.

    A graph has 1, 3, 6, ... pairs: superfluous ones are 0.
    """
    count = columns.shape[1]
    vertices = 2
    while vertices * (vertices - 1) // 2 < count:
        vertices += 1
    pairs = vertices * (vertices - 1) // 2
    return np.pad(columns, ((0, 0), (0, pairs - count)))
