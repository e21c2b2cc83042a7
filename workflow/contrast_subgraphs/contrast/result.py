"""The results of the solvers, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.checks import in_room, plural
from ..core.errors import InputError
from ..core.notebook import draw_weights
from ..core.results import Result


@dataclass(frozen=True, repr=False)
class NearOptimal(Result):
    """A locally optimal set whose objective is near the best; `overlap` is the Jaccard index.

    See Also
    --------
    Alternatives : All of them.
    """

    objective: float
    nodes: np.ndarray
    overlap: float

    def _said(self) -> str:
        return (
            f"{plural(len(self.nodes), 'region')}, objective {self.objective:.6g}, overlap "
            f"{self.overlap:.2f}"
        )


@dataclass(frozen=True, repr=False)
class Alternatives(Result):
    """The locally optimal sets of at least ``(1 - fraction)`` times the best objective.

    Best first, without the best set itself. If `complete` these are all, otherwise only those met.

    See Also
    --------
    sweep : Lists them if `alternatives` is given.
    """

    fraction: float
    complete: bool
    sets: tuple[NearOptimal, ...] = ()

    def _said(self) -> str:
        which = "all" if self.complete else "those met"
        return f"{plural(len(self.sets), 'set')} within {self.fraction:.3g} of the best ({which})"

    def table(self) -> pd.DataFrame:
        """Return one row for each set: ``objective, size, overlap``."""
        rows = [
            {"objective": one.objective, "size": len(one.nodes), "overlap": one.overlap}
            for one in self.sets
        ]
        return pd.DataFrame(rows, columns=["objective", "size", "overlap"])


def _named_alike(names, nodes, regions):
    """Return the names of some vertices; raise InputError if they are known by other names."""
    found = tuple(str(names[node]) for node in nodes)
    if regions and found != tuple(regions):
        raise InputError(
            f"these names are not those of the result ({in_room(regions)}): are they in another "
            "order? Leave them out"
        )
    return found


@dataclass(frozen=True, kw_only=True, repr=False)
class _Result(Result):
    """What is known about a set, or a pair of sets."""

    objective: float
    upper_bound: float
    optimal: bool
    alpha: float
    percentile: float | None = None
    solver: str = "exact"
    seconds: float = 0.0
    explored: int = 0
    explained: float = 0.0

    @property
    def gap(self) -> float:
        """The share of the upper bound that may be missing: ``(bound - objective) / bound``."""
        # The empty set, which is then optimal.
        if self.upper_bound <= 0:
            return 0.0
        return (self.upper_bound - self.objective) / self.upper_bound

    def _proof(self) -> str:
        """Return the penalty, the objective, and whether it is proved, as a phrase."""
        at = "" if self.percentile is None else f" (percentile {self.percentile:g})"
        proved = "proved the best"
        if not self.optimal:
            proved = f"not proved, none has more than {self.upper_bound:.6g}"
        return f"alpha {self.alpha:.4g}{at}, objective {self.objective:.6g}, {proved}"


@dataclass(frozen=True, kw_only=True, repr=False)
class ContrastSubgraphResult(_Result):
    """A contrast subgraph.

    Attributes
    ----------
    nodes : numpy.ndarray of int
        The set, sorted indices from 0.
    objective : float
        Its value (Problem 1 or 2).
    upper_bound : float
        No set has a higher value. Equal to the objective if the set is proved optimal, otherwise
        rounded up to six digits.
    optimal : bool
        True only if proved: no set has more, up to rounding errors (docs/solver.md).
    alpha, percentile : float, float or None
        Penalty of each pair, and the percentile that gave it, if one did.
    solver : str
        ``exact``, ``search`` or ``densdp``.
    seconds, explored : float, int
        CPU time, and nodes of the branch and bound.
    alternatives : Alternatives or None
        Near-optimal sets, if requested.
    explained : float
        Share of the surplus of all pairs above alpha, ``sum of max(0, w - alpha)``, that
        lies inside the set (and inside no earlier one of several sets).
    further : tuple of ContrastSubgraphResult
        The sets after this one, if several were requested.
    regions : tuple of str
        Names of the set's vertices; empty if vertices have no names.
    weights : numpy.ndarray of shape (n_nodes, n_nodes) or None
        The difference graph inside the set; None for a result that was read from a file.

    See Also
    --------
    contrast_subgraph, sweep : Find such sets.
    save, load : Write and read files of them.

    Examples
    --------
    >>> found = ContrastSubgraphResult(
    ...     nodes=np.array([0, 2]), objective=1.5, upper_bound=2.0, optimal=False, alpha=0.5
    ... )
    >>> found.gap, found.to_dict()["regions"]
    (0.25, ['0', '2'])
    """

    nodes: np.ndarray
    alternatives: Alternatives | None = None
    further: tuple[ContrastSubgraphResult, ...] = ()
    regions: tuple[str, ...] = ()
    weights: np.ndarray | None = None

    def _said(self) -> str:
        names = ""
        if self.regions:
            names = f" ({in_room(self.regions)})"
        more = ""
        if self.further:
            more = f"; {plural(len(self.further), 'further set')}"
        return f"{plural(len(self.nodes), 'region')}{names}, {self._proof()}{more}"

    def _called(self) -> list[str]:
        """Return the names of the set's vertices, or their numbers from 0."""
        return [str(name) for name in self.regions or self.nodes.tolist()]

    def table(self) -> pd.DataFrame:
        """Return one row for each region of the set and of those after it.

        Returns
        -------
        pandas.DataFrame
            ``set`` (from 1), ``index`` (of the vertex, from 0), ``region``, and ``degree``: the sum
            of the weights of its pairs inside the set, NaN where the weights are not known.
        """
        rows = []
        for number, one in enumerate((self, *self.further), 1):
            degrees = np.full(len(one.nodes), np.nan)
            if one.weights is not None:
                degrees = one.weights.sum(axis=0)
            for node, name, degree in zip(one.nodes, one._called(), degrees, strict=True):
                rows.append({"set": number, "index": node, "region": name, "degree": degree})
        return pd.DataFrame(rows, columns=["set", "index", "region", "degree"])

    def _draw(self, axes: Any) -> bool:
        return draw_weights(axes, self.weights, self._called(), self._called())

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the plain values that the JSON files hold, without times.

        `names` are those of all vertices; by default the result's own, or numbers from 0.
        """
        near = None
        if self.alternatives is not None:
            near = asdict(self.alternatives)
            near["sets"] = [one | {"nodes": one["nodes"].tolist()} for one in near["sets"]]
        record = {"percentile": self.percentile, "alpha": self.alpha, **self._set(names)}
        record["alternatives"] = near
        if self.further:
            record["explained"] = self.explained
            record["further"] = [
                one._set(names) | {"explained": one.explained} for one in self.further
            ]
        return record

    def _set(self, names):
        """Return the set with its value and bound."""
        regions = self.regions or self.nodes
        if names is not None:
            regions = _named_alike(names, self.nodes, self.regions)
        return {
            **{key: getattr(self, key) for key in ("objective", "upper_bound", "gap", "optimal")},
            "nodes": [int(node) for node in self.nodes],
            "regions": [str(region) for region in regions],
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> ContrastSubgraphResult:
        """Return the result that `to_dict` wrote, without times; `explained` is NaN if missing."""
        # Further sets are written without what they share with the first.
        shared = {key: record[key] for key in ("alpha", "percentile")} | {"alternatives": None}
        near = record["alternatives"]
        if near is not None:
            sets = [one | {"nodes": np.array(one["nodes"], int)} for one in near["sets"]]
            near = Alternatives(**near | {"sets": tuple(NearOptimal(**one) for one in sets)})
        kept = ("objective", "upper_bound", "optimal", "alpha", "percentile", "solver")
        return cls(
            nodes=np.array(record["nodes"], dtype=np.int64),
            regions=tuple(record["regions"]),
            alternatives=near,
            further=tuple(cls.from_dict(shared | one) for one in record.get("further", ())),
            explained=record.get("explained", np.nan),
            **{key: record[key] for key in kept if key in record},
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class BipartiteContrastResult(_Result):
    """Two sets of vertices and the surplus between them.

    Attributes
    ----------
    first, second : numpy.ndarray of int
        The two sets, sorted indices from 0; the first one has the smallest index.
    regions : tuple of two tuples of str
        Names of the vertices of either set; empty if vertices have no names.

    The other attributes are those of `ContrastSubgraphResult`.

    See Also
    --------
    bipartite_contrasts : Finds such sets.

    Examples
    --------
    >>> found = BipartiteContrastResult(
    ...     first=np.array([0]), second=np.array([2]), objective=1.0, upper_bound=1.0,
    ...     optimal=True, alpha=0.5,
    ... )
    >>> found.to_dict(["V1", "V2", "MT"])["second_regions"]
    ['MT']
    """

    first: np.ndarray
    second: np.ndarray
    regions: tuple[tuple[str, ...], ...] = ()

    def _said(self) -> str:
        sizes = f"{len(self.first)} and {plural(len(self.second), 'region')}"
        names = ""
        if self.regions:
            names = f" ({in_room(self.regions[0], 50)}; {in_room(self.regions[1], 50)})"
        return f"{sizes}{names}, {self._proof()}"

    def table(self) -> pd.DataFrame:
        """Return one row for each region: ``side`` (``first`` or ``second``), ``index, region``."""
        rows = []
        for k, side in enumerate(("first", "second")):
            nodes = getattr(self, side).tolist()
            names = self.regions[k] if self.regions else nodes
            for node, name in zip(nodes, names, strict=True):
                rows.append({"side": side, "index": node, "region": str(name)})
        return pd.DataFrame(rows, columns=["side", "index", "region"])

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return plain values for a JSON file; `names` as for `ContrastSubgraphResult`."""
        record: dict[str, Any] = {"alpha": self.alpha, "percentile": self.percentile}
        for k, side in enumerate(("first", "second")):
            nodes = getattr(self, side).tolist()
            regions = self.regions[k] if self.regions else nodes
            if names is not None:
                regions = _named_alike(names, nodes, regions if self.regions else ())
            record |= {side: nodes, f"{side}_regions": [str(region) for region in regions]}
        keys = ("objective", "upper_bound", "gap", "optimal", "explained")
        return record | {key: getattr(self, key) for key in keys}
