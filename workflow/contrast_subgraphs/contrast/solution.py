"""What a solver gives back, and how it is written."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class NearOptimal:
    """A locally optimal set whose objective is near the best.

    Attributes
    ----------
    objective : float
    nodes : numpy.ndarray of int
        Sorted indices from 0.
    overlap : float
        Jaccard index with the solution's set.
    """

    objective: float
    nodes: np.ndarray
    overlap: float


@dataclass(frozen=True)
class Alternatives:
    """The locally optimal sets within a fraction of the optimum.

    Attributes
    ----------
    fraction : float
        Sets of at least ``(1 - fraction)`` times the solution's objective are listed.
    complete : bool
        Whether these are all such sets; if not, they are those that the search met.
    sets : tuple of NearOptimal
        Best first, without the solution itself.
    """

    fraction: float
    complete: bool
    sets: tuple = ()


@dataclass(frozen=True)
class Solution:
    """A contrast subgraph.

    Attributes
    ----------
    nodes : numpy.ndarray of int
        The set, sorted indices from 0.
    objective : float
        Its value (Problem 1 or 2).
    upper_bound : float
        No set has a higher value. Equal to the objective if that is proved optimal, else
        rounded up to six digits.
    optimal : bool
        True only if proved: no set has more than this one, up to 4e-9 of the objective on
        graphs of up to about 150 vertices (see `objective.margin_of`). Where rounding
        errors could sum up to more than 1e-6 of it, nothing is called optimal.
    alpha : float
        Penalty of each pair.
    percentile : float or None
        The percentile that gave `alpha`, if one did.
    solver : str
        ``exact``, ``search`` or ``densdp``.
    seconds : float
        CPU time.
    explored : int
        Nodes of the branch and bound, 0 without one.
    alternatives : Alternatives or None
        Near-optimal sets, if asked for.
    explained : float
        Share of the surplus of all pairs above alpha, ``sum of max(0, w - alpha)``, that
        lies inside the set (and inside no earlier one of several sets).
    further : tuple of Solution
        The sets after this one, if several were asked for.
    regions : tuple of str
        Names of the set's vertices; empty if they have none.

    Examples
    --------
    >>> found = Solution(np.array([0, 2]), 1.5, upper_bound=2.0, optimal=False, alpha=0.5)
    >>> found.gap
    0.25
    """

    nodes: np.ndarray
    objective: float
    upper_bound: float
    optimal: bool
    alpha: float
    percentile: float | None = None
    solver: str = "exact"
    seconds: float = 0.0
    explored: int = 0
    alternatives: Alternatives | None = field(default=None)
    explained: float = 0.0
    further: tuple = ()
    regions: tuple = ()

    @property
    def gap(self) -> float:
        """How much of the upper bound the set may miss: ``(bound - objective) / bound``."""
        if self.upper_bound <= 0:
            return 0.0
        return (self.upper_bound - self.objective) / self.upper_bound


def to_record(solution, roi_names=None):
    """Return a solution as the plain values that the JSON files hold.

    Parameters
    ----------
    solution : Solution
    roi_names : sequence of str, optional
        Names of all vertices; by default the solution's own, or numbers from 0.

    Returns
    -------
    dict
        ``percentile``, ``alpha``, ``objective``, ``upper_bound``, ``gap``, ``optimal``,
        ``nodes``, ``regions`` and ``alternatives`` (None if not asked for). If several sets
        were asked for, ``explained`` and the list ``further`` of the sets after the first,
        alike but for the percentile, alpha and alternatives. Times are not part of it, so
        that the same run writes the same bytes.
    """
    record = {
        "percentile": solution.percentile,
        "alpha": solution.alpha,
        **_found(solution, roi_names),
        "alternatives": None,
    }
    if solution.further:
        record["explained"] = solution.explained
        record["further"] = [
            {**_found(one, roi_names), "explained": one.explained} for one in solution.further
        ]
    if solution.alternatives is not None:
        record["alternatives"] = {
            "fraction": solution.alternatives.fraction,
            "complete": solution.alternatives.complete,
            "sets": [
                {
                    "objective": near.objective,
                    "nodes": [int(node) for node in near.nodes],
                    "overlap": near.overlap,
                }
                for near in solution.alternatives.sets
            ],
        }
    return record


def _found(solution, roi_names):
    """A set with its value and proof."""
    if roi_names is None:
        regions = solution.regions or solution.nodes
    else:
        regions = [roi_names[node] for node in solution.nodes]
    return {
        "objective": solution.objective,
        "upper_bound": solution.upper_bound,
        "gap": solution.gap,
        "optimal": solution.optimal,
        "nodes": [int(node) for node in solution.nodes],
        "regions": [str(region) for region in regions],
    }
