"""The field's own tests on the same graphs and the same relabellings.

Each looks at the t statistic of the groups in every edge (of a linear model with the
covariates, if there are any):

* network-based statistic (Zalesky, Fornito and Bullmore, NeuroImage 2010): edges above a
  threshold form components; p of the largest one by its number of edges;
* max-T: p of the largest t over all edges (Westfall and Young 1993), and the edges that
  reach the family-wise level;
* false discovery rate (Benjamini and Hochberg 1995) of p-values edge by edge. These compare
  each edge's t with its own mean and sd over the relabellings, by a t distribution: counts
  of relabellings cannot be small enough for thousands of edges.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

from ..core.checks import check_count
from ..core.compiled import kernel
from ..core.errors import InputError
from ..design import Design, make_design
from ..design.edge_statistic import CHUNK
from .permutation import ROUNDING, p_value

#: The threshold of the network-based statistic, in units of t.
THRESHOLD = 3.1
#: Level at which edges count as found.
LEVEL = 0.05
TESTS = ("nbs", "max-t", "fdr")
#: Of the table.
COLUMNS = ["contrast", "test", "threshold", "statistic", "edges", "regions", "p"]


@dataclass(frozen=True)
class Edges:
    """What one test finds in one contrast.

    Attributes
    ----------
    statistic : float
        Edges of the largest component, the largest t, the smallest p before correction.
    p : float
        Corrected for all edges of the contrast.
    pairs : numpy.ndarray of int, shape (n_edges, 2)
        Edges of the largest component, or those with a corrected p up to `LEVEL`.
    """

    statistic: float
    p: float
    pairs: np.ndarray


def group_tests(
    X: ArrayLike,
    y: ArrayLike | Design,
    *,
    labels: Sequence | Mapping | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | None = None,
    subjects: Sequence[str] | None = None,
    n_permutations: int = 1000,
    threshold: float = THRESHOLD,
    random_state: int = 0,
) -> dict[str, dict[str, Edges]]:
    """Test every edge: network-based statistic, max-T, false discovery rate.

    Parameters
    ----------
    X, y, labels, blocks, covariates, subjects, n_permutations, random_state
        As for `permutation_test`, which sees the same relabellings.
    threshold : float
        From this t on an edge belongs to the network-based statistic's components.

    Returns
    -------
    dict of dict of Edges
        Contrast -> test (`TESTS`) -> what it finds.

    Raises
    ------
    InputError
        As `permutation_test`, or if the threshold is not above 0.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> graphs = np.triu(rng.random((40, 6, 6)) < 0.3, 1).astype(int)
    >>> graphs[:20, :3, :3] = np.triu(np.ones((3, 3), int), 1)
    >>> graphs = graphs + graphs.transpose(0, 2, 1)
    >>> found = group_tests(graphs, np.repeat(["a", "b"], 20), n_permutations=199)
    >>> found["a-b"]["nbs"].pairs.tolist(), found["a-b"]["nbs"].p, found["b-a"]["nbs"].statistic
    ([[0, 1], [0, 2], [1, 2]], 0.005, 0.0)
    """
    check_count(n_permutations, "n_permutations")
    if not isinstance(threshold, Real) or not threshold > 0:
        raise InputError(f"the threshold of the network-based statistic must be above 0, "
                         f"not {threshold!r}")  # fmt: skip
    design = make_design(
        X,
        y,
        labels=labels,
        blocks=blocks,
        covariates=covariates,
        subjects=subjects,
        random_state=random_state,
    )
    statistic, contrasts = design.statistic(X), design.contrasts
    draws, count, exact = design.draws(n_permutations)
    with threadpool_limits(1, "blas"):
        observed = statistic.t_values(design.observed())[0]
        components = [_largest(form >= threshold, statistic) for form in _forms(observed)]
        largest = np.zeros((count, 3, 2))
        total, squares = observed.copy(), observed**2
        for start in range(0, count, CHUNK):
            rows = statistic.t_values(draws(start, min(start + CHUNK, count)))
            for k, row in enumerate(rows, start):
                for c, form in enumerate(_forms(row)):
                    size = len(_largest(form >= threshold, statistic))
                    largest[k, c] = size, form.max(initial=-np.inf)
            finite = np.nan_to_num(rows, posinf=_HUGE, neginf=-_HUGE)
            total += finite.sum(axis=0)
            squares += (finite**2).sum(axis=0)
    by_edge = _edge_p_values(observed, total, squares, count + 1)
    found = {}
    for c, (contrast, form) in enumerate(zip(contrasts, _forms(observed), strict=True)):
        edges = components[c]
        most = p_value(form, largest[:, c, 1][:, None], exact).p if form.size else np.ones(0)
        q = benjamini_hochberg(by_edge[c])
        found[contrast] = {
            "nbs": Edges(
                float(len(edges)),
                float(p_value(len(edges), largest[:, c, 0], exact).p),
                statistic.pairs[edges],
            ),
            "max-t": Edges(
                float(form.max(initial=-np.inf)),
                float(most.min(initial=1.0)),
                statistic.pairs[most <= LEVEL],
            ),
            "fdr": Edges(
                float(by_edge[c].min(initial=1.0)),
                float(q.min(initial=1.0)),
                statistic.pairs[q <= LEVEL],
            ),
        }
    return found


#: In place of an infinite t (an edge that all of one group have and none of the other).
_HUGE = 1e6


def _forms(t):
    """The t values of the three contrasts."""
    return t, 0.0 - t, np.abs(t)


def _largest(kept, statistic):
    """Which of the kept edges form the largest component, by its edges; the first of equals."""
    kept = np.flatnonzero(kept)
    component = _components(statistic.pairs[kept], statistic.n_vertices)
    return kept[component == np.argmax(np.bincount(component))] if len(kept) else kept


@kernel
def _components(ends, n_vertices):
    """Number of the component that each edge belongs to, by union and find."""
    parent = np.arange(n_vertices)
    for edge in range(len(ends)):
        roots = [0, 0]
        for side in range(2):
            vertex = ends[edge, side]
            while parent[vertex] != vertex:
                parent[vertex] = parent[parent[vertex]]
                vertex = parent[vertex]
            roots[side] = vertex
        parent[max(roots)] = min(roots)
    component = np.empty(len(ends), dtype=np.int64)
    for edge in range(len(ends)):
        vertex = ends[edge, 0]
        while parent[vertex] != vertex:
            vertex = parent[vertex]
        component[edge] = vertex
    return component


def _edge_p_values(observed, total, squares, count):
    """One-sided p of each edge in both directions, and two-sided, (3, n_pairs)."""
    mean = total / count
    sd = np.sqrt(np.maximum(squares / count - mean**2, 0.0) * count / max(count - 1, 1))
    constant = sd <= ROUNDING * np.maximum(1.0, np.abs(mean))
    z = np.where(constant, 0.0, (observed - mean) / np.where(constant, 1.0, sd))
    z = np.clip(z, -_HUGE, _HUGE)
    below = stdtr(max(count - 1, 1), -z)
    above = stdtr(max(count - 1, 1), z)
    return np.stack([below, above, np.minimum(1.0, 2 * np.minimum(below, above))])


def benjamini_hochberg(p_values):
    """Return p-values adjusted to control the false discovery rate.

    Parameters
    ----------
    p_values : array_like of shape (n,)

    Returns
    -------
    numpy.ndarray of shape (n,)

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")[::-1]
    ranks = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(np.minimum(1.0, p[order] * len(p) / ranks))
    return adjusted


def group_tests_table(found, threshold=THRESHOLD):
    """Return one row for each contrast and test of `group_tests`.

    Returns
    -------
    pandas.DataFrame
        ``contrast, test, threshold`` (of the network-based statistic), ``statistic, edges,
        regions, p``.
    """
    rows = [
        {
            "contrast": contrast,
            "test": test,
            "threshold": threshold if test == "nbs" else np.nan,
            "statistic": edges.statistic,
            "edges": len(edges.pairs),
            "regions": len(np.unique(edges.pairs)),
            "p": edges.p,
        }
        for contrast, tests in found.items()
        for test, edges in tests.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)
