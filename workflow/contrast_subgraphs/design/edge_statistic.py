"""The weight of a pair of regions: a coefficient of a design, or that over its standard error."""

import functools

import numpy as np

from ..core.check_graphs import condensed_graphs
from ..core.checks import check_option
from ..core.errors import InputError
from ..core.pairs import blocks_of_pairs, square_of, upper_triangle
from .covariates import NOTHING, nuisance_basis, unexplained
from .freedman_lane import explained_again, permuted_residuals

#: A coefficient (for two groups the difference of their means), its t, and its t with a standard
#: error that allows for unequal spreads.
EDGE_STATISTICS = ("difference", "t", "welch")
#: The share of its squares by which a constant pair may vary, because of rounding.
CONSTANT = 1e-24
#: The bound of a t or an F is at least the value that chance alone exceeds this often.
BEYOND = 0.05
#: Rows of one matrix product. A fixed shape, so that the last digits of a draw do not
#: depend on how many draws are asked for.
CHUNK = 50


class NoTest(InputError):
    """The people allow no test: no relabelling changes anything, or a group is too small.

    See Also
    --------
    InputError : Its base class.

    Examples
    --------
    >>> from contrast_subgraphs import two_groups
    >>> try:
    ...     two_groups(["a", "a", "b"])
    ... except NoTest as error:
    ...     print(error)
    the group b has 1 subject: a test needs at least two in each group
    """


def t_statistic(difference, within, share, freedom):
    """Return Student's t of differences of two groups, or of coefficients, never infinite.

    `within` is the sum of squares within the groups (of the residuals), `share` is
    ``n_first n_second / n`` (what the covariates leave of the regressor), and `freedom` the degrees
    of freedom. The squares are at least those of one person who deviates by the whole difference,
    so that no t exceeds `largest_t`. Otherwise a pair that all people of one group have and nobody
    in the other would outweigh all the rest. A pair that is constant in both groups has this t,
    or 0.
    """
    largest = largest_t(share, freedom)
    least = difference**2 * (freedom * share / largest**2)
    scale = np.sqrt(np.maximum(within, least) / freedom / share)
    t = np.divide(difference, scale, out=np.zeros_like(difference), where=difference != 0)
    # Exactly the bound, to the last digit: pairs that differ by rounding are not a contrast.
    at_bound = (difference != 0) & (least >= within * (1 - CONSTANT))
    return np.where(at_bound, np.copysign(largest, difference), t)


def largest_t(share, freedom):
    """Return the bound of `t_statistic`; in the smallest groups it is the two-sided 5 % point."""
    # Imported here: all jobs and commands import this file, which few of them need, and scipy
    # takes a third of the time of a short job's imports.
    from scipy.special import stdtrit

    return np.maximum(np.sqrt(freedom * share), stdtrit(freedom, 1 - BEYOND / 2))


class EdgeStatistic:
    """The statistics of all pairs of vertices of some graphs, for many draws of a design.

    Without covariates, the difference of two groups is that of their mean graphs; otherwise it is
    the coefficient of the regressor in a linear model (`freedman_lane`). ``welch`` uses the
    standard error of MacKinnon and White (HC2, Journal of Econometrics 1985), which is Welch's for
    two groups. With sign flips it is the more cautious HC3, since there the people with most
    leverage may also vary most.

    Parameters
    ----------
    design : Design
    X : array_like of shape (n_graphs, n_vertices, n_vertices), or weights of all pairs
    kind : {"difference", "t", "welch"}

    Attributes
    ----------
    pairs : numpy.ndarray of int, shape (n_pairs, 2)
        The vertices of each pair, in the order of `numpy.triu_indices`.
    weights : numpy.ndarray of shape (n, n_pairs)
        Those of the design's graphs (`Design.rows`).
    edges : numpy.ndarray of shape (n, n_pairs)
        The same, or their ranks.
    bound : float
        The largest that a t can be.

    See Also
    --------
    Design.statistic : Returns it.

    References
    ----------
    MacKinnon, White: Some heteroskedasticity-consistent covariance matrix estimators with improved
    finite sample properties. Journal of Econometrics 29, 1985.
    https://doi.org/10.1016/0304-4076(85)90158-7

    Examples
    --------
    >>> from contrast_subgraphs import two_groups
    >>> graphs = np.zeros((4, 2, 2))
    >>> graphs[:2, 0, 1] = graphs[:2, 1, 0] = [1, 3]
    >>> statistic = two_groups(["a", "a", "b", "b"]).statistic(graphs)
    >>> statistic.observed().tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """

    def __init__(self, design, X, kind="difference"):
        self.kind = check_option("edge_statistic", kind, EDGE_STATISTICS)
        self.edges, self.n_vertices = condensed_graphs(X)
        count = len(self.edges)
        if count != design.n_graphs:
            raise InputError(f"the design is for {design.n_graphs} graphs, not for {count}")
        self.design = design
        self.pairs = np.transpose(upper_triangle(self.n_vertices))
        if len(design.rows) < count:
            self.edges = self.edges[design.rows]
        # Kept next to the ranks: effects are measured in the units of the weights.
        self.weights = self.edges
        if design.ranks:
            from scipy.stats import rankdata  # takes a second

            ranked = [rankdata(self.edges[:, part], axis=0) for part in blocks_of_pairs(self.edges)]
            self.edges = np.concatenate(ranked, axis=1, dtype=np.float32)
        self._left = float(design.residual @ design.residual)
        self._freedom = len(design.rows) - design.nuisance.shape[1] - 1

    @property
    def bound(self):
        """The largest that a t can be (`t_statistic`)."""
        return largest_t(self._left * self.design.each, self._freedom)

    def values(self, draws):
        """Return the signed statistics of permuted labels.

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n)
            Whose label each graph gets (`Design.draws`); at most `CHUNK` rows.

        Returns
        -------
        numpy.ndarray of shape (n_draws, n_pairs)
            Finite numbers.
        """
        if self.kind == "difference":
            return self._coefficients(draws)
        difference = self._coefficients(draws, as_fitted=True)
        if self.kind == "t":
            within = self._rest(draws, difference)
        else:
            rows = self.design.moved(self.design.residual, draws)
            bases = [self.design.moved(self.design.nuisance, draw) for draw in draws]
            within = self._robust(bases, rows, projected=True)
        return self._t(difference, within, self._left, self._freedom)

    def of_parts(self, parts, draws):
        """Return the signed statistics of parts of the people.

        Parameters
        ----------
        parts : numpy.ndarray of bool, shape (n_parts, n)
            Who is in each part; at most `CHUNK` rows.
        draws : numpy.ndarray of int, shape (n_parts, n)
            The labels of each part.

        Returns
        -------
        numpy.ndarray of shape (n_parts, n_pairs)

        Raises
        ------
        NoTest
            If a part has one group only, or is too small for the covariates.
        """
        design = self.design
        if self.kind == "difference" and design.plain:
            first = parts & design.first[draws]
            rest = parts & ~first
            if not (first.any(axis=1) & rest.any(axis=1)).all():
                raise NoTest("a part of the people has one group only")
            sizes = first.sum(axis=1)[:, None], rest.sum(axis=1)[:, None]
            sums = np.split(self._sums(np.concatenate([first, rest])), 2)
            return sums[0] / sizes[0] - sums[1] / sizes[1]
        rows = np.zeros(parts.shape)
        bases = []
        for row, part, draw in zip(rows, parts, draws, strict=True):
            basis = np.zeros((len(part), design.nuisance.shape[1]))
            found = nuisance_basis(design.nuisance[part], constant=False)
            basis[part, : found.shape[1]] = found
            row[part] = unexplained(design.moved(design.residual, draw)[part], basis[part])
            # In this part the covariates explain the regressor: its coefficient would be a rounding
            # error.
            if row @ row <= NOTHING * part.sum() * self._left / len(part):
                raise NoTest(
                    f"a part of the people is too small to tell the covariates from {design.what}"
                )
            bases.append(basis)
        left = (rows**2).sum(axis=1)[:, None]
        difference = self._sums(rows / left)
        if self.kind == "difference":
            return difference
        rank = np.array([np.linalg.norm(basis) ** 2 for basis in bases]).round()
        freedom = np.maximum(parts.sum(axis=1) - rank - 1, 1)[:, None]
        if self.kind == "welch":
            within = self._robust(bases, rows) * freedom / self._freedom
            return self._t(difference, within, left, freedom)
        rest = self._sums(parts.astype(float), squared=True)
        for row, basis in zip(rest, bases, strict=True):
            row -= (self._sums(basis.T) ** 2).sum(axis=0)
        return self._t(difference, rest - difference**2 * left, left, freedom)

    def _t(self, difference, within, left, freedom):
        """`t_statistic` with a bound that counts observations, of several graphs each."""
        each = self.design.each
        return t_statistic(difference, within * each, left * each, freedom)

    def matrix(self, weights):
        """Return a row of `values` as a symmetric matrix with zero diagonal."""
        return square_of(weights + 0.0)

    def observed(self):
        """Return the signed weights of all pairs for the labels as they are, as a matrix."""
        return self.matrix(self.values(self.design.observed())[0])

    def contrasts(self, weights):
        """Return the difference graph of each contrast from a row of `values`."""
        return self.design.forms(self.matrix(weights))

    def mean_graphs(self):
        """Return the mean graph of each stratum (group), (n_strata, n_vertices, n_vertices)."""
        strata = self.design.strata
        edges = self.edges
        means = np.zeros((strata.max() + 1, edges.shape[1]))
        for part in blocks_of_pairs(self.edges):
            for g, mean in enumerate(means):
                mean[part] = edges[strata == g, part].mean(axis=0, dtype=float)
        return np.stack([self.matrix(mean) for mean in means])

    def spreads(self):
        """Return how much each graph deviates from the whole model, and what that does to tests.

        The first are squares summed over the pairs, (n,), unbiased if graphs vary equally. The
        second is the variance of the coefficient given these, relative to the variance that
        permuted labels assume.
        """
        design = self.design
        basis = np.column_stack([design.nuisance, design.tested])
        squares = np.zeros(len(basis))
        for part in self._parts():
            squares += (unexplained(part.T, basis) ** 2).sum(axis=0)
        mean = squares.sum() / (len(basis) - basis.shape[1])
        squares /= np.maximum(1 - (basis**2).sum(axis=1), NOTHING)
        weight = (design.tested**2).sum(axis=1) / design.tested.shape[1]
        if mean > 0:
            return squares, float(weight @ squares / mean)
        return squares, 1.0

    def _coefficients(self, draws, as_fitted=False):
        """Coefficients of the permuted regressor, scaled to a comparable length by default."""
        design = self.design
        if design.plain:
            first = self._sums(design.first[draws])
            rest = self._total - first
            n_first = np.count_nonzero(design.first)
            return first / n_first - rest / (len(design.rows) - n_first)
        rows = permuted_residuals(design, draws, as_fitted)
        return self._sums(rows) / self._left

    @functools.cached_property
    def _total(self):
        """Sum of each pair's weights."""
        return self._sums(np.ones((1, len(self.design.rows)), dtype=bool))

    def _rest(self, draws, difference):
        """Sums of squares of the permuted residuals that the whole model leaves."""
        again = explained_again(self.design, draws, self._sums)
        return self._residual_squares - again - difference**2 * self._left

    @functools.cached_property
    def _residual_squares(self):
        """Sum of squares of each pair's residuals, given the nuisance variables."""
        total = np.concatenate([(part**2).sum(axis=0) for part in self._parts()])
        rest = total - (self._sums(self.design.nuisance.T) ** 2).sum(axis=0)
        return np.where(rest <= NOTHING * total, 0.0, rest)

    def _robust(self, bases, rows, projected=False):
        """Squares by HC2 or HC3 that replace those of the residuals in `t_statistic`."""
        found = np.zeros((len(rows), len(self.pairs)))
        start = 0
        power = 1
        if self.design.exchange.signs:
            power = 2
        for edges in self._parts():
            if projected:
                edges = unexplained(edges.T, self.design.nuisance).T
            stop = start + edges.shape[1]
            for out, basis, row in zip(found, bases, rows, strict=True):
                unit = row / np.linalg.norm(row)
                part = np.column_stack([basis, unit])
                residuals = edges - part @ (part.T @ edges)
                # A graph with much leverage has a small residual: its square is divided by 1 -
                # leverage (HC2) or by the square of that (HC3).
                leverage = (part**2).sum(axis=1)
                share = np.maximum(1 - leverage, NOTHING) ** power
                out[start:stop] = unit**2 / share @ residuals**2
            start = stop
        return found * self._freedom

    def _parts(self, dtype=float):
        centred = self.kind != "difference" and self.edges.dtype.kind == "f"
        for block in blocks_of_pairs(self.edges):
            part = self.edges[:, block].astype(dtype, order="F")
            # Squares of large numbers would hide small differences between them.
            if centred:
                mean, constant = (of[block] for of in self._centre)
                part = np.where(constant, 0.0, part - mean)
            yield part

    @functools.cached_property
    def _centre(self):
        """Mean of each pair, and whether it is the same in all people up to rounding."""
        blocks = (np.asfortranarray(self.edges[:, part]) for part in blocks_of_pairs(self.edges))
        mean = np.concatenate([block.mean(axis=0, dtype=float) for block in blocks])
        low = self.edges.min(axis=0).astype(float)
        high = self.edges.max(axis=0).astype(float)
        size = np.maximum(np.maximum(-low, high), np.finfo(float).tiny)
        apart = high - low
        return mean, apart <= np.sqrt(CONSTANT) * size

    def _sums(self, rows, squared=False):
        """Weighted sums of the graphs: a product of fixed shape, exact for zeros and ones."""
        counted = rows.dtype == bool and self.edges.dtype == np.uint8
        dtype = float
        if counted:
            dtype = np.float32  # holds every count
        # Padded to whole chunks: the product of a row is then the same whatever rows come with it.
        padded = np.zeros((-(-len(rows) // CHUNK) * CHUNK, rows.shape[1]), dtype)
        padded[: len(rows)] = rows
        parts = []
        for part in self._parts(dtype):
            if squared:
                part = part**2
            chunks = [padded[i : i + CHUNK] @ part for i in range(0, len(padded), CHUNK)]
            parts.append(np.concatenate(chunks))
        return np.concatenate(parts or [padded[:, :0]], axis=1, dtype=float)[: len(rows)]
