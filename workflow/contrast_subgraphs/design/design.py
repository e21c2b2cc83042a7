"""Who is compared with whom: two groups, blocks to permute within, and what is projected out.

All tests of this stage work on the same draws: permutation number k of a cohort depends on
the seed, the cohort's name, its subjects with their blocks, and k. More permutations
therefore continue the sequence, and two tests of one cohort see the same relabellings.
"""

import functools
import itertools
import math
import warnings

import numpy as np

from ..core import seeds
from ..core.checks import check_option, check_seed
from ..core.errors import InputError
from ..core.graphs import check_graphs, check_labels, missing_entries
from .edge_statistic import CONSTANT, EDGE_STATISTICS, t_statistic

#: Rows of one matrix product. A fixed shape, so that the last digits of a draw do not
#: depend on how many draws are asked for.
CHUNK = 50
#: Name of the draws whose halves are looked at.
PERMUTED = "halves of permuted labels"
#: Pairs of vertices that are turned into floats at a time.
_COLUMNS = 1 << 16
#: What is left of the groups after projection must be more than this share of them.
_ALL_EXPLAINED = 1e-9


class NoTest(InputError):
    """The subjects allow no permutation test."""


class Design:
    """Two groups of graphs and the permutations of their labels.

    Parameters
    ----------
    graphs : array_like of shape (n_subjects, n_vertices, n_vertices)
        Symmetric; the diagonal is ignored.
    y : array_like of shape (n_subjects,)
        The group of each subject: two different labels.
    groups : sequence of two labels, optional
        The order of the groups: the first contrast is the first minus the second.
        By default the labels sorted.
    blocks : array_like of shape (n_subjects,), optional
        Labels are permuted within these, for example sites.
    covariates : mapping of str to array_like of shape (n_subjects,), optional
        Nuisance variables: numbers, or texts that are taken as categories.
    subjects : sequence of str, optional
        Names. With them a draw belongs to the people, in whatever order they are given.
    seed : int
    name : str
        Of the cohort.
    weights : {"difference", "t"}
        What `differences` and `halved_differences` return (`design.edge_statistic.t_statistic`).

    Attributes
    ----------
    groups : tuple of str
    y : numpy.ndarray of shape (n_subjects,)
        0 for the first group, 1 for the second.
    residual : numpy.ndarray of shape (n_subjects,)
        1 for the first group, 0 for the second, with the nuisance variables projected out.
    nuisance : numpy.ndarray of shape (n_subjects, n_nuisance)
        Orthonormal basis of the constant and the covariates.
    covariates : tuple of str
        Their names.
    idle : list of str
        Blocks with people of one group only.
    pairs : numpy.ndarray of int, shape (n_pairs, 2)
        The pairs of vertices, in the order of the difference graphs' weights.
    possible : int
        Number of different relabellings, the observed one among them.

    Raises
    ------
    InputError
        If the groups, blocks or covariates do not allow a test.

    Warns
    -----
    UserWarning
        If a block has people of one group only.
    """

    def __init__(
        self,
        graphs,
        y,
        groups=None,
        blocks=None,
        covariates=None,
        subjects=None,
        seed=0,
        name="",
        weights="difference",
    ):
        check_seed(seed, "seed")
        check_option("weights", weights, EDGE_STATISTICS)
        self.weights = weights
        graphs = check_graphs(graphs)
        self.n_vertices = graphs.shape[1]
        self.pairs = np.transpose(np.triu_indices(self.n_vertices, 1))
        self._edges = graphs[:, self.pairs[:, 0], self.pairs[:, 1]]
        n = len(graphs)
        self.groups, self.y = _two_groups(y, groups, n)
        self._seed, self._name = seed, name
        self._order, self._block = _canonical_order(blocks, subjects, n)
        self.idle = self._check_blocks(blocks)
        columns = _columns(covariates, n)
        self.covariates = tuple(columns)
        self.nuisance = _basis([np.ones((n, 1)), *columns.values()])
        indicator = (self.y == 0).astype(float)
        self.residual = self._project(indicator[None])[0]
        left = self.residual @ self.residual
        if left <= _ALL_EXPLAINED * n or n <= self.nuisance.shape[1] + 1:
            raise InputError(
                f"the covariates {', '.join(self.covariates)} leave nothing of the difference "
                "between the groups to test: remove some"
            )
        self.possible = self._count()

    def differences(self, draws):
        """Return the difference graphs, first group minus second, of permuted labels.

        Without covariates the difference of the groups' mean graphs; with them the
        coefficient of the group in a linear model (Freedman and Lane, Journal of Business
        and Economic Statistics 1983).

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n_subjects)
            Which subject's group each subject gets; at most `CHUNK` rows.

        Returns
        -------
        numpy.ndarray of shape (n_draws, n_pairs)
            Weights of the pairs of vertices, in the order of `numpy.triu_indices`.
        """
        if self.weights == "t":
            return self.t_values(draws, bounded=True)
        return self._mean_differences(draws)

    def _mean_differences(self, draws):
        if self.covariates:
            # Permuted residuals are in part explained by the nuisance variables again, so that
            # permuted coefficients would vary less than the observed one, by about the
            # nuisance variables' share of the people. Weights of one length make up for it.
            rows = self._project(self.residual[draws])
            left, length = self.residual @ self.residual, (rows**2).sum(axis=1)
            kept = length > _ALL_EXPLAINED * left
            rows *= np.where(kept, np.sqrt(left / np.where(kept, length, 1.0)), 0.0)[:, None]
            return self._sums(rows) / left
        first = self._sums((self.y[draws] == 0).astype(float))
        rest = self._sums(np.ones((1, len(self.y)))) - first
        n_first = np.count_nonzero(self.y == 0)
        return first / n_first - rest / (len(self.y) - n_first)

    def observed(self):
        """Return the draw that changes nothing, of shape (1, n_subjects)."""
        return np.arange(len(self.y))[None]

    def draws(self, permutations):
        """Return the relabellings to compare with: random ones, or all others if those are few.

        Parameters
        ----------
        permutations : int

        Returns
        -------
        draws : callable
            ``draws(start, stop)`` gives rows for `differences`.
        count : int
            How many there are.
        exact : bool
            Whether these are all the others.
        """
        if self.possible - 1 > permutations:
            return self.random, permutations, False
        every = np.array(list(self._all_others()))
        return lambda start, stop: every[start:stop], len(every), True

    def matrix(self, weights):
        """Return a row of `differences` as a symmetric matrix with zero diagonal."""
        matrix = np.zeros((self.n_vertices, self.n_vertices))
        matrix[self.pairs[:, 0], self.pairs[:, 1]] = weights
        return matrix + matrix.T

    def t_values(self, draws, bounded=False):
        """Return each pair's t statistic of the groups, first minus second.

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n_subjects)
            As for `differences`.
        bounded : bool
            As the weights of a difference graph, never infinite.

        Returns
        -------
        numpy.ndarray of shape (n_draws, n_pairs)
            Infinite where the groups differ and nothing else varies; 0 where nothing varies.
        """
        # The residuals of the reduced model, permuted, have the sum of squares `whole`. Of it
        # the nuisance variables explain a part again, and the groups `explained`.
        left = self.residual @ self.residual
        whole = self._residual_squares
        difference = self._mean_differences(draws)
        if self.covariates:  # as fitted, of any length
            difference = self._sums(self._project(self.residual[draws])) / left
        explained = difference**2 * left
        rest = whole - explained
        if self.covariates:
            for column in self.nuisance.T:
                rest = rest - self._sums(self._project(column[draws])) ** 2
        freedom = len(self.y) - self.nuisance.shape[1] - 1
        if bounded:
            return t_statistic(difference, rest, left, freedom)
        tiny = _ALL_EXPLAINED * np.maximum(whole, np.finfo(float).tiny)
        none = rest <= tiny
        scale = np.sqrt(np.where(none, 1.0, rest) / freedom / left)
        sure = np.where(explained <= tiny, 0.0, np.copysign(np.inf, difference))
        return np.where(none, sure, difference / scale)

    @functools.cached_property
    def _residual_squares(self):
        """Sum of squares of each pair's residuals of the nuisance variables."""
        total = np.concatenate([(part**2).sum(axis=0) for part in self._parts()])
        rest = total - (self._sums(self.nuisance.T) ** 2).sum(axis=0)
        return np.where(rest <= _ALL_EXPLAINED * total, 0.0, rest)

    def halved_differences(self, start, stop, permuted=False):
        """Return the difference graphs of random halves of the people, number `start` to `stop`.

        Half of each group in each block, a half person more or less at random.

        Parameters
        ----------
        start, stop : int
            At most `CHUNK` of them.
        permuted : bool
            Whether to permute the labels first.

        Returns
        -------
        numpy.ndarray of shape (stop - start, n_pairs)
        """
        name = PERMUTED if permuted else "halves"
        halves = np.zeros((stop - start, len(self.y)), dtype=bool)
        draws = np.repeat(self.observed(), len(halves), axis=0)
        for row, k in enumerate(range(start, stop)):
            if permuted:
                draws[row] = self.random(k, k + 1, name)[0]
            rng = seeds.generator(self._seed, name, self._name, k, "half")
            halves[row, self._half(self.y[draws[row]], rng)] = True
        if self.weights == "t":
            return self._halved_t(halves, self._within(halves, draws))
        if self.covariates:
            return self._sums(self._within(halves, draws))
        first = halves & (self.y[draws] == 0)
        rest = halves & ~first
        return self._sums(first) / first.sum(1)[:, None] - self._sums(rest) / rest.sum(1)[:, None]

    def _halved_t(self, halves, rows):
        """Each half's t statistics, from the weights whose sum is the group's coefficient."""
        bases = [_basis([self.nuisance[half]], constant=False) for half in halves]
        rest = self._sums(halves.astype(float), squared=True)
        for row, (half, basis) in enumerate(zip(halves, bases, strict=True)):
            explained = np.zeros((basis.shape[1], len(half)))
            explained[:, half] = basis.T
            rest[row] -= (self._sums(explained) ** 2).sum(axis=0)
        difference, left = self._sums(rows), 1 / (rows**2).sum(axis=1)[:, None]
        freedom = [
            half.sum() - basis.shape[1] - 1 for half, basis in zip(halves, bases, strict=True)
        ]
        freedom = np.maximum(freedom, 1)[:, None]
        return t_statistic(difference, rest - difference**2 * left, left, freedom)

    def _within(self, halves, draws):
        """Weights of the people whose sum is the coefficient of the group in each half."""
        rows = np.zeros(halves.shape)
        for row, half, draw in zip(rows, halves, draws, strict=True):
            basis = _basis([self.nuisance[half]], constant=False)
            value = self.residual[draw][half]
            value = value - basis @ (basis.T @ value)
            size = value @ value
            if size <= _ALL_EXPLAINED * len(value):
                raise NoTest(
                    "half of the people are too few to tell the groups from the covariates"
                )
            row[half] = value / size
        return rows

    def _half(self, y, rng):
        """Half of each group in each block, in the order of the draws."""
        chosen = []
        for block in range(self._block.max() + 1):
            for group in (0, 1):
                cell = self._order[(self._block == block)[self._order] & (y[self._order] == group)]
                # Of an odd number either half, so that small blocks are not lost.
                size = (len(cell) + int(rng.integers(2))) // 2
                chosen.append(rng.permutation(cell)[:size])
        chosen = np.concatenate(chosen)
        for group in (0, 1):
            if not (y[chosen] == group).any():
                raise NoTest(f"the group {self.groups[group]} is too small to be halved")
        return chosen

    def mean_graphs(self):
        """Return the mean graph of each group, of shape (2, n_vertices, n_vertices)."""
        return np.stack([self.matrix(self._edges[self.y == g].mean(axis=0)) for g in (0, 1)])

    def arrays(self):
        """Return all that the permuted difference graphs depend on, beside seed and names."""
        return self._edges, self.y, self._block, self.nuisance

    def random(self, start, stop, purpose="permutation"):
        """Return the random relabellings from number `start` to `stop`, as rows for `differences`.

        Parameters
        ----------
        start, stop : int
        purpose : str
            Draws for another purpose are others.
        """
        rows = np.empty((stop - start, len(self.y)), dtype=np.int64)
        block = self._block[self._order]
        for row, k in enumerate(range(start, stop)):
            keys = seeds.generator(self._seed, purpose, self._name, k).random(len(block))
            rows[row, self._order] = self._order[np.lexsort((keys, block))]
        return rows

    def _members(self):
        """The subjects of each block that has both groups, in the order of the draws."""
        found = [self._order[self._block[self._order] == b] for b in range(self._block.max() + 1)]
        return [members for members in found if len(set(self.y[members])) == 2]

    def _count(self):
        if self.covariates:
            return math.prod(math.factorial(len(members)) for members in self._members())
        return math.prod(
            math.comb(len(members), int(self.y[members].sum())) for members in self._members()
        )

    def _all_others(self):
        """Every relabelling but the observed one."""
        blocks = self._members()
        ways = itertools.permutations if self.covariates else self._ways
        for choice in itertools.product(*(list(ways(tuple(members))) for members in blocks)):
            row = np.arange(len(self.y))
            for members, givers in zip(blocks, choice, strict=True):
                row[members] = givers
            same = row == np.arange(len(row)) if self.covariates else self.y[row] == self.y
            if not same.all():
                yield row

    def _ways(self, members):
        """Each way to give out the labels of a block: for each member whose label it gets."""
        second = [i for i in members if self.y[i] == 1]
        first = [i for i in members if self.y[i] == 0]
        for chosen in itertools.combinations(range(len(members)), len(second)):
            givers = iter(first)
            takers = dict(zip(chosen, second, strict=True))
            yield [takers[i] if i in takers else next(givers) for i in range(len(members))]

    def _check_blocks(self, blocks):
        if blocks is None:
            return []
        names = [str(name) for name in blocks]
        groups = {}
        for name, group in zip(names, self.y, strict=True):
            groups.setdefault(name, set()).add(int(group))
        idle = sorted(name for name, found in groups.items() if len(found) == 1)
        if len(idle) == len(groups):
            raise NoTest(
                "every block holds people of one group only: permuting labels within blocks "
                "changes nothing, so there is no test. Permute freely, or use other blocks"
            )
        if idle:
            people = sum(name in idle for name in names)
            one = len(idle) == 1
            warnings.warn(
                f"the {'block' if one else 'blocks'} {', '.join(idle)} "
                f"{'holds' if one else 'hold'} people of one group only: permuting labels "
                f"there changes nothing ({people} of {len(names)} people)",
                stacklevel=4,
            )
        return idle

    def _project(self, rows):
        return rows - (rows @ self.nuisance) @ self.nuisance.T

    def _parts(self):
        centred = self.weights == "t" and self._edges.dtype.kind == "f"
        for start in range(0, self._edges.shape[1], _COLUMNS):
            part = self._edges[:, start : start + _COLUMNS].astype(float)
            if centred:  # squares of large numbers would hide how these differ
                mean, constant = (of[start : start + _COLUMNS] for of in self._centre)
                part = np.where(constant, 0.0, part - mean)
            yield part

    @functools.cached_property
    def _centre(self):
        """Mean of each pair, and whether it is the same in everybody but for rounding."""
        mean = self._edges.mean(axis=0, dtype=float)
        size = np.maximum(np.abs(self._edges).max(axis=0, initial=0.0), np.finfo(float).tiny)
        apart = np.ptp(self._edges, axis=0)
        return mean, apart <= np.sqrt(CONSTANT) * size

    def _sums(self, rows, squared=False):
        """Weighted sums of the graphs: a product of fixed shape, exact for zeros and ones."""
        padded = np.zeros((-(-len(rows) // CHUNK) * CHUNK, rows.shape[1]))
        padded[: len(rows)] = rows
        parts = [
            np.concatenate([padded[i : i + CHUNK] @ part for i in range(0, len(padded), CHUNK)])
            for part in (one**2 if squared else one for one in self._parts())
        ]
        return np.concatenate(parts or [np.zeros((len(padded), 0))], axis=1)[: len(rows)]


def _two_groups(y, groups, n):
    y = check_labels(y, n)
    try:
        found = np.unique(y)
    except TypeError as error:
        raise InputError(f"y holds labels that cannot be sorted ({error})") from error
    groups = list(found) if groups is None else list(groups)
    strange = [label for label in found if label not in groups]
    if len(groups) != 2 or groups[0] == groups[1] or strange:
        raise InputError(
            "y must hold two different labels"
            + (f", {groups[0]} and {groups[1]}" if len(groups) == 2 else "")
            + f"; it holds {', '.join(map(str, found)) or 'none'}"
        )
    labels = (y == groups[1]).astype(np.int64)
    for group, label in enumerate(groups):
        count = int((labels == group).sum())
        if count < 2:
            raise NoTest(
                f"the group {label} has {count} subject{'s' if count != 1 else ''}: "
                "a test needs at least two in each group"
            )
    return tuple(map(str, groups)), labels


def _canonical_order(blocks, subjects, n):
    """The order in which draws are dealt out, and the number of each subject's block."""
    block = np.zeros(n, dtype=np.int64)
    if blocks is not None:
        missing = missing_entries(blocks)
        blocks = np.asarray(blocks)
        if blocks.shape != (n,):
            raise InputError(f"blocks must hold one entry for each of {n} graphs")
        missing = missing | [value == "" for value in blocks.tolist()]
        if missing.any():
            raise InputError(f"the block of {missing.sum()} of {n} subjects is missing")
        block = np.unique(blocks.astype(str), return_inverse=True)[1].reshape(n)
    names = np.arange(n) if subjects is None else np.asarray(subjects).astype(str)
    if names.shape != (n,) or len(np.unique(names)) != n:
        raise InputError(f"subjects must hold one name for each of {n} graphs, each once")
    return np.lexsort((names, block)), block


def _columns(covariates, n):
    """Covariates as float columns: categories become indicators."""
    columns = {}
    try:
        covariates = dict(covariates if covariates is not None else {})
    except (TypeError, ValueError) as error:
        raise InputError(
            "covariates must be a mapping of names to one value for each graph, such as "
            f"{{'age': ages}}, not {covariates!r}"
        ) from error
    for name, values in covariates.items():
        missing = missing_entries(values)
        values = np.asarray(values)
        if values.shape != (n,):
            raise InputError(f"the covariate {name} must hold one value for each of {n} graphs")
        missing = int((missing | [value == "" for value in values.tolist()]).sum())
        if missing:
            raise InputError(
                f"the covariate {name} is missing for {missing} of {n} subjects: leave them out, "
                "or the covariate"
            )
        if values.dtype.kind in "OUS":
            columns[name] = (values[:, None] == np.unique(values.astype(str))[None]).astype(float)
        else:
            column = values.astype(float)
            if not np.isfinite(column).all():
                raise InputError(f"the covariate {name} holds a number that is not finite")
            columns[name] = column[:, None]
    return columns


def _basis(columns, constant=True):
    """Orthonormal basis of the space of some columns; the first is constant, if there is one."""
    scaled = []
    for column in columns:
        column = column - column.mean(axis=0) if scaled and constant else column
        size = np.linalg.norm(column, axis=0)
        scaled.append(column[:, size > 0] / size[size > 0])
    left, values, _ = np.linalg.svd(np.concatenate(scaled, axis=1), full_matrices=False)
    return left[:, values > 1e-10 * values[0]]
