"""Does the contrast subgraph of a map exceed chance? A test against maps of permuted data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..contrast.alpha import Penalty, check_percentile
from ..contrast.maps import StatisticMap, solve_map
from ..contrast.result import ContrastSubgraphResult
from ..contrast.solve import Settings, one_penalty
from ..contrast.solver.limits import Limits
from ..contrast.solver.search import search_quick
from ..core.checks import RandomState, check_number, plural
from ..core.errors import InputError
from ..core.notebook import draw_null
from ..core.old_names import old_property
from ..core.results import Result
from .p_values import p_value


@dataclass(frozen=True, repr=False)
class MapTestResult(Result):
    """Result of `map_permutation_test`.

    Attributes
    ----------
    found : ContrastSubgraphResult
        The contrast subgraph of the observed map.
    statistic : float
        The best surplus that the search finds in the observed map.
    null_distribution : numpy.ndarray of shape (n_maps,)
        The same in each null map.
    pvalue : float
        For the set as a whole, over all sets of regions.
    pvalue_interval : tuple of two floats
        95 % interval of the value for infinitely many null maps.
    pvalue_tail : float
        As `pvalue`, but from a fitted tail if it is small.

    See Also
    --------
    map_permutation_test : Returns it.

    Examples
    --------
    >>> found = ContrastSubgraphResult(
    ...     nodes=np.array([0, 2, 3]), objective=1.5, upper_bound=1.5, optimal=True, alpha=0.5
    ... )
    >>> test = MapTestResult(
    ...     found=found,
    ...     statistic=1.5,
    ...     null_distribution=np.array([0.4, 0.9, 1.6, 0.2]),
    ...     pvalue=0.4,
    ...     pvalue_interval=(0.01, 0.81),
    ...     pvalue_tail=0.4,
    ... )
    >>> test
    <MapTestResult: 3 regions, alpha 0.5, objective 1.5, proved the best; p = 0.4 (4 null maps)>
    >>> test.table()[["size", "statistic", "p"]].values.tolist()
    [[3.0, 1.5, 0.4]]
    """

    found: ContrastSubgraphResult
    statistic: float
    null_distribution: np.ndarray
    pvalue: float
    pvalue_interval: tuple[float, float]
    pvalue_tail: float

    def _said(self) -> str:
        count = len(self.null_distribution)
        return f"{self.found._said()}; p = {self.pvalue:.3g} ({plural(count, 'null map')})"

    def _draw(self, axes: Any) -> bool:
        what = "largest surplus of a map"
        return draw_null(axes, self.statistic, self.null_distribution, what)

    def table(self) -> pd.DataFrame:
        """Return one row: ``size, alpha, objective, optimal, statistic, p, p_low, p_high, p_tail``.

        Named as the columns of `PermutationTestResult.table`.
        """
        low, high = self.pvalue_interval
        row = {
            "size": len(self.found.nodes),
            "alpha": self.found.alpha,
            "objective": self.found.objective,
            "optimal": self.found.optimal,
            "statistic": self.statistic,
            "p": self.pvalue,
            "p_low": low,
            "p_high": high,
            "p_tail": self.pvalue_tail,
        }
        return pd.DataFrame([row])

    p = old_property("p", "pvalue", "pvalue")
    p_tail = old_property("p_tail", "pvalue_tail", "pvalue_tail")


def map_permutation_test(
    statistics: ArrayLike,
    null_maps: np.ndarray | Sequence[ArrayLike],
    *,
    percentile: float | None = None,
    alpha: float | None = None,
    direction: str = "positive",
    values: str | None = None,
    mask: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    solver: str = "exact",
    random_state: RandomState = 0,
    limits: Mapping | Limits | None = None,
) -> MapTestResult:
    """Test the contrast subgraph of a map against maps of the same statistic for permuted labels.

    The test statistic is the best surplus that the search finds over all sets of regions, in the
    observed map as in the null maps (Westfall and Young 1993). So p holds for the set as a whole,
    however it was found.

    Parameters
    ----------
    statistics, direction, values, mask, names, solver, random_state, limits
        As for `contrast_of_map`.
    null_maps : array_like of shape (n_maps, n_regions, n_regions) or (n_maps, n_pairs), or sequence
        The maps of permuted data, each in one of the forms of `statistics`.
    percentile, alpha : float, optional
        The penalty, the same in all maps. A percentile is averaged over all maps, including the
        observed one, so that the penalty does not tell which map is observed.

    Returns
    -------
    MapTestResult

    Raises
    ------
    InputError
        If `contrast_of_map` does not accept a map, or if its regions differ from the observed map.

    See Also
    --------
    contrast_of_map : Finds the set.
    permutation_test : The same for graphs of people.

    References
    ----------
    Winkler, Ridgway, Douaud, Nichols, Smith: Faster permutation inference in brain imaging.
    NeuroImage 141, 2016. https://doi.org/10.1016/j.neuroimage.2016.05.068

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> null = rng.normal(size=(99, 45))  # of the 45 pairs of ten regions
    >>> observed = rng.normal(size=45)
    >>> observed[[0, 1, 2, 9, 10, 17]] += 6.0  # the pairs of the first four
    >>> test = map_permutation_test(observed, null, percentile=90)
    >>> test.found.nodes.tolist(), test.pvalue
    ([0, 1, 2, 3], 0.01)
    """
    observed = StatisticMap.of(statistics, mask, direction, values, names)
    one_penalty(percentile, alpha)
    if len(null_maps) == 0:
        raise InputError("there is no null map: p needs maps of permuted data")
    null = []
    for k, one in enumerate(null_maps):
        each = StatisticMap.of(one, mask, direction, values, names, f"null map {k}")
        if each.weights.shape != observed.weights.shape:
            raise InputError(
                f"null map {k} has {len(each.weights)} regions, the map has {len(observed.weights)}"
            )
        # With fewer pairs a null map could reach less, and p would be too small.
        if (each.tested != observed.tested).any():
            raise InputError(f"null map {k} has other pairs than the map")
        null.append(each)
    if percentile is None:
        alpha = check_number(alpha, "alpha", 0)
    else:
        percentile = check_percentile(percentile)
        alpha = float(np.mean([each.alpha_at(percentile) for each in (observed, *null)]))
    settings = Settings(solver, random_state, limits=limits)
    found = solve_map(observed, Penalty(alpha, percentile), settings)

    def best(given):
        return search_quick([given.against(alpha)], [alpha], seed=settings.seed)[1][0, 0]

    # By the quick search in the observed map too: the proved set could exceed what the search
    # finds, and p would be too small.
    statistic = best(observed)
    distribution = np.array([best(each) for each in null])
    value = p_value(statistic, distribution, tail=True)
    return MapTestResult(
        found=found,
        statistic=float(statistic),
        null_distribution=distribution,
        pvalue=float(value.p),
        pvalue_interval=(float(value.low), float(value.high)),
        pvalue_tail=float(value.tail),
    )
