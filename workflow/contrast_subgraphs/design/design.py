"""Who is compared: regressors, blocks to permute within, what is projected out, and the draws.

All tests of a cohort use the same draws (`Draws`): permutation number k depends on the seed, the
cohort's name, its subjects with their blocks, and k. So more permutations continue the sequence,
and two tests of one cohort see the same relabellings.
"""

import copy
import functools
import itertools
import math
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import in_words, plural
from ..core.columns import whole_identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.results import Result
from .covariates import (
    NOTHING,
    Covariates,
    nuisance_basis,
    ranked_numbers,
    read_columns,
    unexplained,
)
from .draws import Draws
from .edge_statistic import EdgeStatistic, NoTest
from .exchange import (
    FEW,
    RelabellingWarning,
    codes,
    exchange_of,
    said_of_sizes,
    varies_within,
)


class Design(Result, Draws):
    """Regressors of some graphs, and the permutations of their labels. It holds no graphs.

    Given graphs, `statistic(X, kind)` returns an `EdgeStatistic`.

    Parameters
    ----------
    regressors : array_like of shape (n, k)
        One column, unless the statistic is made for more.
    contrasts : tuple of str
        The names of the statistic, its negative and its absolute value, or of the statistic alone.
    what : str
        What is tested, in words.
    labels : sequence of str
        The groups' names.
    strata : array_like of shape (n,), optional
        The group of each graph, which half samples and folds represent in proportion.
    blocks : array_like of shape (n,), optional
        Within these, labels are permuted.
    covariates : mapping of str to array_like of shape (n,), or DataFrame, optional
        Numbers, or texts (categories).
    subjects : array_like of shape (n,), optional
        Names. Draws belong to the people, whatever the order of the graphs, and the graphs of one
        person stay together.
    exchange : {"auto", "within", "whole", "signs"}
        With ``auto``, what varies within people who have several graphs is permuted within them,
        without their means, and what does not vary is exchanged between people with equal numbers
        of graphs; ``within`` and ``whole`` ask for one of the two; with `blocks`, ``whole``
        exchanges blocks; ``signs`` flips the signs of people's residuals (`exchange_of`).
    exchanged : array_like of shape (n, ...), optional
        What varies or not; by default the regressors.
    together : array_like of shape (n,), optional
        What no half or fold separates.
    held : sequence of array_like of shape (n,)
        Columns that are projected out in addition to the covariates.
    place : array_like of shape (n,), optional
        The order inside what stays together.
    ranks : bool
        Whether weights are ranked, and with them numeric covariates (`ranked_numbers`).
    each : int
        The number of graphs that make one observation.
    rows : array_like of int, optional
        Which graphs these are, out of `n_graphs`.
    n_graphs : int, optional
        How many graphs there are in all.
    random_state : int
        Seed of the draws.
    name : str
        The cohort's, for the draws.

    Attributes
    ----------
    residuals : numpy.ndarray of shape (n, k)
        The regressors with the nuisance variables projected out.
    residual : numpy.ndarray of shape (n,)
        The first of them.
    nuisance : numpy.ndarray of shape (n, n_nuisance)
        An orthonormal basis of the constant and the covariates.
    cluster : numpy.ndarray of shape (n,)
        Codes of the people, or of what else no fold separates.
    level : numpy.ndarray of shape (n,), or None
        Codes of the units whose own levels the nuisance variables hold.
    plain : bool
        Whether the coefficient is the difference of the means of `first` and the others.
    alike : bool
        Whether no draw changes the space of the nuisance variables.
    idle : list
        Blocks with nothing to permute (there is a warning).
    possible : int
        The number of relabellings.
    exchange : Exchange
        What is exchanged.

    See Also
    --------
    two_groups, of_variable, paired, interaction, several_groups, design_matrix : Make designs.

    References
    ----------
    Winkler, Ridgway, Webster, Smith, Nichols: Permutation inference for the general linear model.
    NeuroImage 92, 2014. https://doi.org/10.1016/j.neuroimage.2014.01.060

    Examples
    --------
    >>> from contrast_subgraphs import two_groups
    >>> two_groups(["a"] * 7 + ["b"] * 7)
    <Design: the difference between the groups; 14 graphs, contrasts a-b, b-a and symmetric; 3432
    relabellings>
    """

    def __init__(
        self,
        regressors,
        *,
        contrasts,
        what="the difference between the groups",
        labels=(),
        strata=None,
        blocks=None,
        covariates=None,
        subjects=None,
        exchange="auto",
        exchanged=None,
        together=None,
        held=(),
        place=None,
        ranks=False,
        each=1,
        rows=None,
        n_graphs=None,
        random_state=0,
        name="",
    ):
        self.regressors = np.asarray(regressors, dtype=float)
        n = len(self.regressors)
        self.contrasts = tuple(contrasts)
        self.what = what
        if rows is None:
            rows = np.arange(n)
        if n_graphs is None:
            n_graphs = n
        if strata is None:
            strata = np.zeros(n, dtype=np.int64)
        if exchanged is None:
            exchanged = self.regressors
        self.rows = np.asarray(rows)
        self.n_graphs = n_graphs
        self.ranks = ranks
        self.each = each
        labels = tuple(labels)
        self._asked = "the group"
        if not labels:
            self._asked = what
        self._values = np.unique(np.asarray(exchanged), axis=0, return_inverse=True)[1].reshape(-1)
        if place is None:
            place = self._values
        asked = self._asked, labels
        units = exchange_of(self._values, place, blocks, subjects, exchange, *asked)
        if together is not None:
            # Halves and folds may keep more together than permutations do, such as both graphs of a
            # pair.
            kept = codes(together, n, "person")
            units = units._replace(together=kept, split=np.zeros(n, dtype=np.int64))
        super().__init__(
            units,
            strata=strata,
            place=place,
            labels=labels,
            random_state=random_state,
            name=name,
        )
        self.cluster = self._together
        self._hold(read_columns(covariates, n), held)
        self._tell_apart(blocks)

    def _hold(self, columns, held):
        """Project covariates, and the columns `held`, out of the regressors."""
        self.covariates = tuple(columns)
        if self.exchange.change:
            # A change within people is asked about: differences between them are projected out.
            held = [*held, _indicators(self.exchange.person)]
        if self.ranks:
            columns = ranked_numbers(columns)
        if columns:
            columns = Covariates().fit(columns).columns_
        else:
            columns = np.zeros((len(self.regressors), 0))
        self.nuisance = nuisance_basis(np.column_stack([columns, *held]))
        self.level = self._held_level()
        residuals = unexplained(self.regressors.T, self.nuisance)
        if _nothing_left(residuals, self.regressors, self.nuisance):
            names = "the rest"
            if columns.size:
                names = f"the covariates {in_words(self.covariates)}"
            elif self.exchange.change:
                names = "the people, within whom it varies,"
            raise InputError(f"{names} leave nothing of {self.what} to test")
        self.residuals = residuals.T
        self.residual = residuals[0]
        self.first = self.regressors[:, 0] == 1
        # Means of zeros and ones are counts: exact, and quicker than a regression.
        two = np.isin(self.regressors, (0, 1)).all() and self.regressors.shape[1] == 1
        self.plain = bool(two and self.nuisance.shape[1] == 1 and not self.exchange.signs)

    def _said(self):
        return (
            f"{self.what}; {plural(len(self.rows), 'graph')}, contrasts "
            f"{in_words(self.contrasts)}; {self._how_many()} relabellings"
        )

    def _how_many(self):
        """Return the number of relabellings, rounded if it is long."""
        if self.possible < 10**6:
            return str(self.possible)
        return f"about 1e{math.floor(math.log10(self.possible))}"

    def statistic(self, X: ArrayLike, kind: str = "difference") -> EdgeStatistic:
        """Return the statistic of all pairs of vertices of some graphs.

        Parameters
        ----------
        X : array_like of shape (n_graphs, n_vertices, n_vertices), or weights of all pairs
        kind : {"difference", "t", "welch"}

        Returns
        -------
        EdgeStatistic
        """
        return EdgeStatistic(self, X, kind)

    def forms(self, weights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the weights of each contrast from signed ones.

        Parameters
        ----------
        weights : numpy.ndarray
            Of the first contrast.

        Returns
        -------
        tuple of numpy.ndarray
            The weights as they are, their negative and their absolute value, or the first alone.
        """
        return (weights, 0.0 - weights, np.abs(weights))[: len(self.contrasts)]

    @functools.cached_property
    def tested(self):
        """Orthonormal basis of what is tested, (n, k): the regressors' residuals."""
        return nuisance_basis(self.residuals, constant=False)

    def moved(self, values: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """Return numbers of the graphs as permuted (or flipped) by draws.

        Parameters
        ----------
        values : numpy.ndarray of shape (n,)
            For a single draw they may have more dimensions, (n, ...).
        draws : numpy.ndarray of int, shape (n_draws, n) or (n,)

        Returns
        -------
        numpy.ndarray of shape (n_draws, n), or that of `values` for a single draw
        """
        if not self.exchange.signs:
            return values[draws]
        flipped = draws.reshape(*draws.shape, *[1] * (values.ndim - 1))
        return values * flipped

    def relabelled(self, draws: np.ndarray) -> np.ndarray:
        """Return the first regressor as permuted (or flipped) by draws.

        Parameters
        ----------
        draws : numpy.ndarray of int, shape (n_draws, n)

        Returns
        -------
        numpy.ndarray of shape (n_draws, n)
        """
        regressor = self.regressors[:, 0]
        if not self.exchange.signs:
            return regressor[draws]
        return regressor - self.residual + self.moved(self.residual, draws)

    def draws(self, permutations: int) -> tuple[Callable, int, bool]:
        """Return the relabellings to compare with: random ones, or all others if they are few.

        Parameters
        ----------
        permutations : int
            The number of random ones. Where no more are possible, all are taken.

        Returns
        -------
        function
            Of start and stop; it gives rows for `EdgeStatistic.values`.
        int
            The number of rows.
        bool
            Whether these are all there are.

        Examples
        --------
        >>> from contrast_subgraphs import two_groups
        >>> rows, count, every = two_groups(["a", "a", "b", "b"]).draws(1000)
        >>> count, every, rows(0, 1).shape
        (5, True, (1, 4))
        """
        if self.possible - 1 > permutations:
            return self.random, permutations, False
        # All of them: p is then exact, and no relabelling counts twice.
        every = np.array(list(self._all_others()), dtype=np.int64).reshape(-1, len(self.rows))
        return lambda start, stop: every[start:stop], len(every), True

    def _held_level(self):
        """Codes of the persons, or whole blocks, whose own levels the nuisance variables hold."""
        for code in (self.exchange.person, self.cluster):
            size = np.bincount(code)
            explained = np.zeros((len(size), self.nuisance.shape[1]))
            np.add.at(explained, code, self.nuisance)
            # What the nuisance variables leave of each unit's indicator, whose squared length is
            # the number of its graphs.
            left = size - (explained**2).sum(axis=1)
            if size.max() > 1 and (left <= NOTHING * size).all():
                return code
        return None

    def _tell_apart(self, blocks):
        """Set what distinguishes units and the number of relabellings; warn of what cannot move."""
        if self.exchange.signs:
            self.alike = False
            self.idle = []
            self.possible = 2 ** len(self._starts)
            self._say_if_few()
            return
        ends = self._starts + self._sizes
        units = [self._order[a:b] for a, b in zip(self._starts, ends, strict=True)]
        self.alike = True
        for k, (one, other) in enumerate(itertools.pairwise(units)):
            if self._class[k] == self._class[k + 1] and self.alike:
                # How far an exchange of the two leads out of the nuisance variables' space.
                apart = self.nuisance[one] - self.nuisance[other]
                outside = 2 * (apart**2).sum() - ((apart.T @ apart) ** 2).sum()
                self.alike = bool(outside <= NOTHING)
        # Units with the same regressors give the same statistic when exchanged, provided that the
        # nuisance variables do not tell them apart: such exchanges are no relabellings.
        values = np.unique(self.regressors, axis=0, return_inverse=True)[1].reshape(-1)
        tokens = [tuple(values[unit]) for unit in units]
        known = {token: k for k, token in enumerate(sorted(set(tokens)))}
        label = np.array([known[token] for token in tokens])
        if self.alike:
            self._token = label
        else:
            self._token = np.arange(len(tokens))
        classes = [np.flatnonzero(self._class == one) for one in range(self._class.max() + 1)]
        self._movable = [units for units in classes if len(set(label[units])) > 1]
        # Multinomial coefficients, one for each class of exchangeable units: the distinct orders of
        # their tokens.
        self.possible = math.prod(
            math.factorial(len(units))
            // math.prod(math.factorial(c) for c in np.bincount(self._token[units]))
            for units in self._movable
        )
        moving = np.zeros(len(units), dtype=bool)
        if self._movable:
            moving = np.isin(self._class, self._class[np.concatenate(self._movable)])
        self._say_what_moves(blocks, moving)

    def _say_what_moves(self, blocks, moving):
        """Raise `NoTest` if nothing can move; warn of what cannot, and of few relabellings."""
        self.idle = []
        if blocks is not None:
            fixed = np.repeat(~moving, self._sizes)
            names = whole_identifiers(blocks, "blocks")[self._order]
            self.idle = sorted(set(names[fixed]) - set(names[~fixed]))
        one = "one value"
        if self.labels:
            one = "one group"
        if not moving.any():
            raise NoTest(self._nothing_moves(one))
        if self.exchange.constant:
            people = self.exchange.person.max() + 1
            _warn(
                f"{self._asked} is the same in all graphs of {self.exchange.constant} of {people} "
                f"{PEOPLE}: permuted within {PEOPLE}, these contribute nothing"
            )
        elif sizes := said_of_sizes(self.exchange, self._sizes, self._alone()):
            _warn(sizes)
        if self.idle and not self.exchange.within and not self.exchange.whole:
            people = int(np.isin(names, self.idle).sum())
            holds = "blocks {} hold"
            if len(self.idle) == 1:
                holds = "block {} holds"
            _warn(
                f"the {holds.format(', '.join(self.idle))} {PEOPLE} of {one} only: permuting "
                f"labels there changes nothing ({people} of {len(names)} {PEOPLE})",
                DataWarning,
            )
        self._say_if_few()

    def _say_if_few(self):
        """Warn if there are few relabellings, and say what that means for p."""
        if self.possible < FEW:
            _warn(
                f"only {self.possible} relabellings are possible, including the observed one: "
                f"no p can be below 1/{self.possible} = {1 / self.possible:.2g}"
            )

    def _alone(self):
        """Whether each unit has no other of its size in its block."""
        return np.bincount(self._class)[self._class] == 1

    def _nothing_moves(self, one):
        """Why there is no relabelling but the observed one, and what to do."""
        exchange = self.exchange
        if exchange.whole:
            units = "blocks"
            if exchange.whole == "person":
                units = "people"
            other = ""
            if varies_within(self._values, exchange.unit):
                other = f"; exchange: within permutes the graphs of each of the {units}"
            return (
                f"no two whole {units} of as many graphs (and in one block) differ in "
                f"{self._asked}, so that exchanging them changes nothing and there is no test"
                + other
            )
        if exchange.within:
            return (
                f"within people and blocks {self._asked} does not vary: permuting within both "
                "changes nothing, so there is no test. Leave the blocks out"
            )
        return (
            f"every block holds people of {one} only: permuting labels within blocks changes "
            "nothing, so there is no test. Take larger blocks; where a block is a person (or a "
            'family) with several graphs, exchange="whole"'
        )

    def _all_others(self):
        """Every relabelling but the observed one."""
        if self.exchange.signs:
            every = itertools.product((1, -1), repeat=len(self._starts))
            next(every)  # all as they are
            yield from (np.array(signs)[self.exchange.unit] for signs in every)
            return
        ways = [list(_arrangements(self._token[units], units)) for units in self._movable]
        for choice in itertools.product(*ways):
            givers = np.arange(len(self._starts))
            for units, given in zip(self._movable, choice, strict=True):
                givers[units] = given
            if (self._token[givers] != self._token).any():
                yield self._exchanged(givers)

    def within_places(self) -> "Design":
        """Return this design with one level for each place among the nuisance variables.

        Labels move only inside of places (`Draws.places`), such as blocks. So differences between
        these are the same for all relabellings, and an effect without them is what p is about.

        Raises
        ------
        NoTest
            If covariates and places together leave nothing of what is tested.

        Examples
        --------
        Both blocks have a difference of 1. They differ by 10, and hold other shares of both groups:

        >>> from contrast_subgraphs import two_groups
        >>> design = two_groups(list("aabbaabbbb"), blocks=list("ppppqqqqqq"))
        >>> weights = np.array([2.0, 2, 1, 1, 12, 12, 11, 11, 11, 11])
        >>> for one in design, design.within_places():
        ...     value = one.residual
        ...     print(round(float(value @ weights / (value @ value)), 2))
        -0.67
        1.0
        """
        place = self.places()
        if not place.any():
            return self
        nuisance = nuisance_basis(np.column_stack([self.nuisance, _indicators(place)]))
        residuals = unexplained(self.regressors.T, nuisance)
        if _nothing_left(residuals, self.regressors, nuisance):
            raise NoTest(
                f"the covariates leave nothing of {self.what} to test between graphs that may be "
                "exchanged with each other"
            )
        within = copy.copy(self)
        # Computed from the residuals when it is first asked for.
        vars(within).pop("tested", None)
        within.nuisance = nuisance
        within.residuals = residuals.T
        within.residual = residuals[0]
        within.level = within._held_level()
        within.plain = False
        return within

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return all that the draws and their statistics depend on, except for seed and names.

        Returns
        -------
        tuple of numpy.ndarray
        """
        return self.regressors, self.nuisance, self._order, self._starts, self._class


def _arrangements(tokens, units):
    """Yield every distinct way to deal out the tokens of some units: whose token each one gets."""
    left = {token: list(units[tokens == token]) for token in np.unique(tokens)}

    def deal(count):
        if count == 0:
            yield []
        for token in left:
            if left[token]:
                # The first unit with this token stands for all of them, so that no arrangement
                # comes twice.
                giver = left[token].pop(0)
                for rest in deal(count - 1):
                    yield [giver, *rest]
                left[token].insert(0, giver)

    return deal(len(units))


def _nothing_left(residuals, regressors, nuisance):
    """Whether regressors (or a combination) are explained, or no degree of freedom is left.

    `residuals` (k, n) are those of the `regressors` (n, k).
    """
    n, k = regressors.shape
    if n <= nuisance.shape[1] + k:
        return True
    size = np.linalg.norm(regressors, axis=0)
    if not size.all():
        return True
    least = np.linalg.eigvalsh((residuals / size[:, None]) @ (residuals / size[:, None]).T)[0]
    return bool(least <= NOTHING)


def _indicators(code):
    """One column of zeros and ones for each of the numbers from 0."""
    return (code[:, None] == np.arange(code.max() + 1)).astype(float)


def _warn(text, category=RelabellingWarning):
    """Warn about a design; the warning names the user's line that made it."""
    warnings.warn(category(text), stacklevel=7)
