"""Is the difference real? A permutation test of contrast subgraphs.

A contrast subgraph is always found, even between two random halves of one group. The test
asks whether the best surplus of the observed labels is more than what permuted labels
give. The recipe, for a contrast and a penalty alpha:

1. take alpha from the observed difference graph and hold it (`hold`, below);
2. permute the labels within blocks, and build the difference graph again;
3. let T be the largest surplus over all vertex sets;
4. p = (1 + number of permutations with T at least the observed) / (1 + permutations).

Since T is a maximum over *all* vertex sets, p is corrected for the choice among them: it is
family-wise over vertex sets by construction (the maximum statistic of Westfall and Young,
Resampling-Based Multiple Testing, 1993, section 2.6; for brain images Nichols and Holmes,
Human Brain Mapping 2002). It says that some difference between the groups is there, not
that every region of the subgraph differs. Over several penalties and contrasts T is
standardised by the mean and sd over the permutations, the observed labels among them, and
the maximum is taken once more.

An alpha from the observed difference graph is a function of the observed labels: where these
make the weights spread by chance, alpha is larger too. The test is then conservative
(simulated without an effect: mean p .52 to .59, p up to .05 in .02 to .06). With
``hold="null"`` alpha is the mean over other relabellings of what the percentile gives there.
It knows nothing of the observed labels, p is uniform without an effect, and the subgraphs
tested are those at that alpha, not the reported ones.

T comes from the tabu search, not from a proof. A search that misses an optimum (3 in 11,520,
docs/solver.md) does not make p too small, because the observed T that is compared is what
*the same* search finds for the observed labels, whatever was proved about them: a permutation
test is valid for any statistic that treats observed and permuted labels alike (Lehmann and
Romano, Testing Statistical Hypotheses, 2005, theorem 15.2.1). The proved objective is reported
beside it.
"""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from threadpoolctl import threadpool_limits

from ..contrast.alpha import alphas_of_percentiles, check_percentile
from ..contrast.objective import surplus, surplus_of
from ..contrast.records import sweep_or_empty
from ..contrast.solve import listed_penalties, sweep
from ..contrast.solver.search import search_quick
from ..core.atomic_files import load_npz, save_npz
from ..core.checks import check_count
from ..core.errors import InputError
from ..core.graphs import contrast_names, warn_of_absent_regions
from ..core.processes import mapped
from ..design.design import CHUNK, Design

#: Differences up to this much, in units of the largest statistic, are rounding errors; a
#: permuted statistic that is smaller by no more counts as reaching the observed one.
ROUNDING = 1e-9
#: Level of the interval that states the Monte-Carlo error of a p-value.
LEVEL = 0.95
#: From the observed difference graph, or from other relabellings.
HOLDS = ("observed", "null")
#: Relabellings that an alpha with ``hold="null"`` is the mean of.
ALPHA_DRAWS = 200
#: The paper's penalties.
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


@dataclass(frozen=True)
class PermutationTest:
    """Result of `permutation_test`, for C contrasts, K penalties and B permutations.

    Attributes
    ----------
    groups, contrasts : tuple of str
    percentiles : tuple of (float or None)
        None for a penalty that was given as a value. Length K.
    alphas, objective : numpy.ndarray of shape (C, K)
        Penalty, and value of the observed contrast subgraph.
    optimal : numpy.ndarray of bool, shape (C, K)
        Whether that value is proved to be the largest.
    nodes : list of list of numpy.ndarray of int
        The observed contrast subgraphs.
    density : numpy.ndarray of shape (C, K, 2)
        Mean weight of the pairs inside each, in the mean graph of either group; NaN for
        sets of fewer than two vertices.
    statistic : numpy.ndarray of shape (C, K)
        Best surplus that the search finds with the observed labels.
    null : numpy.ndarray of shape (B, C, K)
        The same with permuted labels.
    exact : bool
        Whether the permutations are all there are.
    covariates : tuple of str
        What was adjusted for.

    Examples
    --------
    >>> graphs = np.zeros((12, 3, 3))
    >>> graphs[:6, 0, 1] = graphs[:6, 1, 0] = 1
    >>> y = np.repeat(["a", "b"], 6)
    >>> test = permutation_test(graphs, y, percentiles=[], alphas=[0.5])
    >>> test.nodes[0][0].tolist(), round(float(test.p().p[0, 0]), 4)
    ([0, 1], 0.0011)
    >>> test.table()[["contrast", "size", "p_familywise"]].round(4).values.tolist()
    [['a-b', 2, 0.0022], ['b-a', 0, 1.0], ['symmetric', 2, 0.0022]]
    """

    groups: tuple
    contrasts: tuple
    percentiles: tuple
    alphas: np.ndarray
    objective: np.ndarray
    optimal: np.ndarray
    nodes: list
    density: np.ndarray
    statistic: np.ndarray
    null: np.ndarray
    exact: bool
    covariates: tuple = ()

    @property
    def null_mean(self):
        """Mean statistic over all relabellings, the observed one among them, (C, K)."""
        return self._all().mean(axis=0)

    @property
    def null_sd(self):
        """Standard deviation of the statistic over the same, (C, K)."""
        return self._all().std(axis=0)

    @property
    def z(self):
        """The observed statistic, standardised, (C, K)."""
        return self._standardised()[0]

    def p(self) -> "PValue":
        """Return p-values of each contrast and penalty by itself, as `PValue`, (C, K)."""
        return p_value(self.statistic, self.null, self.exact)

    def p_contrast(self) -> "PValue":
        """Return p-values corrected for the penalties of a contrast, as `PValue`, (C, K).

        The smallest of a row is the p-value of the contrast as a whole.
        """
        scores = self._standardised()
        return p_value(scores[0], scores[1:].max(axis=2)[:, :, None], self.exact)

    def p_familywise(self) -> "PValue":
        """Return p-values corrected for all contrasts and penalties, as `PValue`, (C, K)."""
        scores = self._standardised()
        return p_value(scores[0], scores[1:].max(axis=(1, 2))[:, None, None], self.exact)

    def critical(self, level: float = 0.05) -> float:
        """Return the smallest z whose family-wise p is at most `level`; NaN if there is none."""
        most = np.sort(self._standardised().max(axis=(1, 2)))[::-1]
        reached = int(level * len(most) + ROUNDING)
        return float(most[reached - 1]) if reached else np.nan

    def table(self) -> pd.DataFrame:
        """Return one row for each contrast and penalty.

        Returns
        -------
        pandas.DataFrame
            ``contrast, percentile, alpha, objective, optimal, size, density_<group>,
            null_mean, null_sd, null_low, null_high`` (5 % and 95 % of the permuted
            statistics)``, z, z_critical, p, p_low, p_high, p_contrast, p_contrast_low,
            p_contrast_high, p_familywise, p_familywise_low, p_familywise_high,
            permutations, exact``; ``_low`` and ``_high`` are the 95 % interval of what
            infinitely many permutations would give.
        """
        count = len(self.percentiles)
        table = pd.DataFrame(
            {
                "contrast": np.repeat(self.contrasts, count),
                "percentile": np.array(list(self.percentiles) * len(self.contrasts), dtype=float),
                "alpha": self.alphas.ravel(),
                "objective": self.objective.ravel(),
                "optimal": self.optimal.ravel(),
                "size": [len(nodes) for row in self.nodes for nodes in row],
            }
        )
        for place, group in enumerate(self.groups):
            table[f"density_{group}"] = self.density[:, :, place].ravel()
        table["null_mean"] = self.null_mean.ravel()
        table["null_sd"] = self.null_sd.ravel()
        low, high = np.quantile(self._all(), (0.05, 0.95), axis=0)
        table["null_low"], table["null_high"] = low.ravel(), high.ravel()
        table["z"] = self.z.ravel()
        table["z_critical"] = self.critical()
        for name in ("p", "p_contrast", "p_familywise"):
            value = getattr(self, name)()
            table[name] = value.p.ravel()
            table[f"{name}_low"], table[f"{name}_high"] = value.low.ravel(), value.high.ravel()
        table["permutations"] = len(self.null)
        table["exact"] = self.exact
        return table[columns_of(self.groups)]

    def _all(self):
        return np.concatenate([self.statistic[None], self.null])

    def _standardised(self):
        """Observed and permuted statistics, standardised together."""
        every = self._all()
        mean, sd = every.mean(axis=0), every.std(axis=0)
        constant = sd <= ROUNDING * np.abs(every).max(axis=0)
        return np.where(constant, 0.0, (every - mean) / np.where(constant, 1.0, sd))


def columns_of(groups):
    """Return the columns of `PermutationTest.table` for two groups."""
    p_values = [
        f"{name}{end}"
        for name in ("p", "p_contrast", "p_familywise")
        for end in ("", "_low", "_high")
    ]
    return [
        *"contrast percentile alpha objective optimal size".split(),
        *(f"density_{group}" for group in groups),
        *"null_mean null_sd null_low null_high z z_critical".split(),
        *p_values,
        *"permutations exact".split(),
    ]


@dataclass(frozen=True)
class PValue:
    """A Monte-Carlo p-value and the interval of the exact one (Clopper and Pearson 1934)."""

    p: np.ndarray
    low: np.ndarray
    high: np.ndarray


def p_value(observed, null, exact=False):
    """Return ``(1 + #{null >= observed}) / (1 + B)`` with its Monte-Carlo interval.

    Parameters
    ----------
    observed : array_like of shape (...)
    null : array_like of shape (B, ...)
        Values that differ from the observed one by rounding errors only reach it.
    exact : bool
        Whether the B values are all there are: the interval is then the p-value itself.

    Returns
    -------
    PValue

    Raises
    ------
    InputError
        If a value is NaN: it would count as one that does not reach the observed one.

    Examples
    --------
    >>> value = p_value(2.5, [1.0, 2.0, 3.0, 0.5])
    >>> float(value.p), float(value.low.round(3)), float(value.high.round(3))
    (0.4, 0.006, 0.806)
    """
    observed, null = np.asarray(observed, dtype=float), np.asarray(null, dtype=float)
    if np.isnan(observed).any() or np.isnan(null).any():
        raise InputError("a statistic is NaN: there is no p-value of it")
    slack = ROUNDING * np.maximum(np.abs(observed), np.abs(null).max(axis=0, initial=0.0))
    slack = np.where(np.isfinite(slack), slack, 0.0)  # an infinite one is reached by such only
    reached = np.asarray((null >= observed - slack).sum(axis=0))
    count = len(null)
    p = (1 + reached) / (1 + count)
    if exact:
        return PValue(p, p, p)
    if count == 0:
        return PValue(p, np.zeros_like(p), np.ones_like(p))
    tail = (1 - LEVEL) / 2
    low = betaincinv(np.maximum(reached, 1), count - reached + 1, tail)
    high = betaincinv(reached + 1, np.maximum(count - reached, 1), 1 - tail)
    return PValue(p, np.where(reached == 0, 0.0, low), np.where(reached == count, 1.0, high))


def permutation_test(
    graphs: ArrayLike,
    y: ArrayLike,
    percentiles: Sequence[float] = PERCENTILES,
    alphas: Sequence[float] = (),
    groups: Sequence | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | None = None,
    permutations: int = 1000,
    seed: int = 0,
    subjects: Sequence[str] | None = None,
    regions: Sequence[str] | None = None,
    name: str = "",
    hold: str = "observed",
    solver: str = "exact",
    solved: Mapping[str, Sequence[dict]] | None = None,
    kept: str | Path | None = None,
    stamp: str = "",
    processes: int = 1,
    weights: str = "difference",
) -> PermutationTest:
    """Test whether two groups of graphs differ by more than chance in their contrast subgraphs.

    The module's docstring has the recipe, what the p-values are corrected for, and why a
    heuristic search does not make them too small.

    With `covariates` the difference graph is the coefficient of the group in a linear model
    of each edge, and the residuals are permuted (Freedman and Lane 1983; Winkler et al.,
    NeuroImage 2014).

    Parameters
    ----------
    graphs : array_like of shape (n_subjects, n_vertices, n_vertices)
        Adjacency matrices, or symmetric matrices of weights.
    y : array_like of shape (n_subjects,)
        The group of each subject: two different labels.
    percentiles, alphas : float or sequence of float
        The penalties, as percentiles of the observed difference graph's weights and as
        plain values.
    groups : sequence of two labels, optional
        Their order; by default sorted.
    blocks : array_like of shape (n_subjects,), optional
        Labels are permuted within these only, for example sites.
    covariates : mapping of str to array_like of shape (n_subjects,), optional
        Nuisance variables, numbers or categories.
    permutations : int
        If there are no more relabellings than these, all are taken: an exact test.
    seed : int
    subjects : sequence of str, optional
        Names: with them the answer does not depend on the order of the subjects.
    regions : sequence of str, optional
        Names, for the warnings.
    name : str
        Of the cohort: draw number k depends on it, the seed and k.
    hold : {"observed", "null"}
        Whether the percentiles are those of the observed difference graph, or of the mean of
        others (see the module).
    solver : {"exact", "search"}
        Of the observed subgraphs, as in `contrast.sweep`.
    solved : mapping of str to sequence of dict, optional
        For each contrast the observed subgraphs where they are known: ``percentile``,
        ``alpha``, ``objective``, ``optimal``, ``nodes``. They are not solved again.
    kept : str or pathlib.Path, optional
        An ``.npz`` file to write the permuted statistics to as they come, and to continue
        from where it holds some of the same test.
    stamp : str
        Something that changes with the code: statistics in `kept` under another are not used.
    processes : int
        The result is the same with any number.
    weights : {"difference", "t"}
        What pairs weigh in the difference graphs: the difference of the groups' means, or its t
        statistic (`design.edge_statistic.t_statistic`), with covariates that of the linear model.

    Returns
    -------
    PermutationTest

    Raises
    ------
    InputError
        If there are fewer than two subjects in a group, every block has one group only, a
        block or covariate is missing, or an option cannot be used.

    Warns
    -----
    UserWarning
        If a block has people of one group only, or one group has no edge at a region where
        the other has some.

    Examples
    --------
    Six graphs of one edge against six without any: of 924 relabellings two are as far apart.

    >>> import numpy as np
    >>> graphs = np.zeros((12, 3, 3))
    >>> graphs[:6, 0, 1] = graphs[:6, 1, 0] = 1
    >>> y = ["patient"] * 6 + ["control"] * 6
    >>> test = permutation_test(graphs, y, alphas=[0.5], percentiles=[])
    >>> test.contrasts, test.exact, len(test.null)
    (('control-patient', 'patient-control', 'symmetric'), True, 923)
    """
    check_count(permutations, "permutations")
    check_count(processes, "processes")
    percentiles, alphas = listed_penalties(percentiles), listed_penalties(alphas)
    if not len(percentiles) + len(alphas):
        raise InputError("give at least one penalty, as percentiles or as alphas")
    if hold not in HOLDS:
        raise InputError(f"hold must be one of {', '.join(HOLDS)}, not {hold!r}")
    percentiles = [check_percentile(percentile) for percentile in percentiles]
    alphas = [_positive(alpha) for alpha in alphas]
    design = Design(graphs, y, groups, blocks, covariates, subjects, seed, name, weights)
    contrasts = contrast_names(design.groups)
    warn_of_absent_regions(np.asarray(graphs), design.y, design.groups, regions, name)
    with threadpool_limits(1, "blas"):
        observed = _contrasts(design, design.differences(design.observed())[0])
        if hold == "null":
            found = _solve_at(observed, _null_alphas(design, percentiles, alphas), solver, seed)
        elif solved is None:
            plain = _solve_at(observed, [alphas] * 3, solver, seed)
            found = [
                [*map(vars, sweep(matrix, percentiles, (), solver, seed=seed)), *rest]
                for matrix, rest in zip(observed, plain, strict=True)
            ]
        else:
            found = _check_solved(solved, contrasts, observed, percentiles, alphas)
        held = np.array([[entry["alpha"] for entry in row] for row in found])
        nodes = [[np.asarray(entry["nodes"], dtype=np.int64) for entry in row] for row in found]
        statistic = _best_surpluses(observed, held, seed)
        _warn_of_better(statistic, found, contrasts)
        draws, count, exact = design.draws(permutations)
        key = _key(design, held, (seed, name, exact, stamp, weights), subjects)
        null = _null(design, draws, count, held, seed, kept, key, processes)
    if kept is not None:
        save_npz(kept, key=key, null=null, statistic=statistic, alphas=held)
    return PermutationTest(
        groups=design.groups,
        contrasts=contrasts,
        percentiles=(*percentiles, *[None] * len(alphas)),
        alphas=held,
        objective=np.array([[entry["objective"] for entry in row] for row in found]),
        optimal=np.array([[bool(entry["optimal"]) for entry in row] for row in found]),
        nodes=nodes,
        density=_densities(design.mean_graphs(), nodes),
        statistic=statistic,
        null=null,
        exact=exact,
        covariates=design.covariates,
    )


def _null(design, draws, count, alphas, seed, kept, key, processes):
    """Statistics of all draws, continuing from those that are kept."""
    null = _kept(kept, key, alphas.shape)[:count]
    todo = range(len(null) // CHUNK * CHUNK, count, CHUNK)

    def chunk(start):
        rows = design.differences(draws(start, min(start + CHUNK, count)))
        return [
            _best_surpluses(_contrasts(design, row), alphas, seed)
            for k, row in enumerate(rows, start)
            if k >= len(null)
        ]

    parts = [null]
    for part in mapped(chunk, todo, processes):
        parts.append(np.reshape(part, (-1, *alphas.shape)))
        if kept is not None:
            save_npz(kept, key=key, null=np.concatenate(parts))
    return np.concatenate(parts)


def _kept(path, key, shape):
    """The statistics that an earlier run of the same test has kept."""
    none = np.zeros((0, *shape))
    if path is None:
        return none
    try:
        arrays = load_npz(path, "key", "null")
    except InputError:  # none, or damaged
        return none
    usable = str(arrays["key"]) == key and arrays["null"].shape[1:] == shape
    return arrays["null"] if usable else none


def _key(design, alphas, settings, subjects):
    """Text that changes with anything that the permuted statistics depend on."""
    digest = hashlib.sha256()
    names = None if subjects is None else [str(subject) for subject in subjects]
    digest.update(repr((settings, names, design.groups)).encode())
    for array in (*design.arrays(), alphas):
        digest.update(repr((array.shape, array.dtype.str)).encode() + array.tobytes())
    return digest.hexdigest()


def _contrasts(design, weights):
    """Difference graphs of the three contrasts from the pairs' weights, first minus second."""
    matrix = design.matrix(weights)
    return matrix, 0.0 - matrix, np.abs(matrix)


def _best_surpluses(matrices, alphas, seed):
    """Best surplus that the search finds for each contrast and penalty, (C, K)."""
    return np.array(
        [
            search_quick([matrix], row, seed=seed)[1][0]
            for matrix, row in zip(matrices, alphas, strict=True)
        ]
    )


def _null_alphas(design, percentiles, alphas):
    """Penalties of each contrast: means over relabellings that no p-value uses."""
    total = np.zeros((3, len(percentiles)))
    for start in range(0, ALPHA_DRAWS, CHUNK):
        for row in design.differences(design.random(start, start + CHUNK, "alpha")):
            total += [
                alphas_of_percentiles(matrix, percentiles) for matrix in _contrasts(design, row)
            ]
    plain = np.broadcast_to(np.asarray(alphas, dtype=float), (3, len(alphas)))
    return np.concatenate([total / ALPHA_DRAWS, plain], axis=1)


def _positive(alpha):
    """A plain penalty as a float; one above all weights is no error here: nothing exceeds it."""
    number = isinstance(alpha, Real) and not isinstance(alpha, bool)
    if not number or not 0 < alpha < np.inf:
        raise InputError(f"alpha must be a finite number above 0, not {alpha!r}")
    return float(alpha)


def _solve_at(matrices, alphas, solver, seed):
    """Contrast subgraphs at given penalties; none above a penalty gives the empty one."""
    rows = []
    for matrix, row in zip(matrices, alphas, strict=True):
        found = sweep_or_empty(matrix, alphas=[*map(_positive, row)], solver=solver, seed=seed)
        rows.append([*map(vars, found)])
    return rows


def _check_solved(solved, contrasts, observed, percentiles, alphas):
    """The known subgraphs in the order of the contrasts, if they are of these graphs."""
    asked = [*map(float, percentiles), *([None] * len(alphas))]
    rows = []
    for contrast, matrix in zip(contrasts, observed, strict=True):
        entries = list(solved.get(contrast, []))
        if [entry["percentile"] for entry in entries] != asked:
            raise InputError(
                f"the known subgraphs of {contrast} are not at the penalties asked for"
            )
        for entry in entries:
            value = surplus_of(surplus(matrix, entry["alpha"]), entry["nodes"])
            if abs(value - entry["objective"]) > ROUNDING * max(1.0, abs(value)):
                raise InputError(
                    f"the known subgraph of {contrast} at alpha {entry['alpha']:.6g} has the "
                    f"objective {entry['objective']:.6g}, in these graphs {value:.6g}: "
                    "they come from different runs"
                )
        rows.append(entries)
    return rows


def _warn_of_better(statistic, found, contrasts):
    """Say where the search beats the known subgraph: p is that of the better one."""
    for contrast, row, entries in zip(contrasts, statistic, found, strict=True):
        for value, entry in zip(row, entries, strict=True):
            if value > entry["objective"] + ROUNDING * max(1.0, abs(value)):
                warnings.warn(
                    f"{contrast} at alpha {entry['alpha']:.6g}: the known subgraph has the "
                    f"objective {entry['objective']:.6g}, the best one at least {value:.6g}; "
                    "z and p are those of the best one",
                    stacklevel=3,
                )


def _densities(means, nodes):
    """Mean weight of the pairs inside each set, in either mean graph, (C, K, 2)."""
    return np.array(
        [
            [
                [
                    surplus_of(mean, inside) / (len(inside) * (len(inside) - 1) / 2)
                    if len(inside) > 1
                    else np.nan
                    for mean in means
                ]
                for inside in row
            ]
            for row in nodes
        ]
    )
