"""Random draws for some graphs: relabellings, halves, folds and test parts.

Both tests and accuracies draw here, so that the same units are exchanged, and the same graphs stay
together, in both. A draw depends on the seed, the cohort's name, its purpose and its number. So
more draws continue the sequence.
"""

import itertools

import numpy as np

from ..core import seeds
from ..core.checks import check_seed
from ..core.errors import InputError
from .edge_statistic import NoTest
from .question import holds_numbers
from .sizes import test_part_counts

#: The purpose of the relabellings whose halves are compared with those of the observed labels.
PERMUTED = "halves of permuted labels"


class Draws:
    """Random draws for some graphs, whose labels are exchanged in units.

    Parameters
    ----------
    exchange : Exchange
        The units, the blocks within which they are exchanged, and what stays together.
    strata : ndarray of shape (n_graphs,)
        The group of each graph, which half samples and folds represent in proportion.
    place : ndarray of shape (n_graphs,)
        The order of the graphs inside a unit: the first of one takes the label of the first of
        another.
    labels : sequence of str
        Names of the strata, for error messages.
    random_state : int
    name : str
        The cohort's name.

    See Also
    --------
    Design : Adds regressors, and the number of relabellings.

    References
    ----------
    Winkler, Webster, Vidaurre, Nichols, Smith: Multi-level block permutation. NeuroImage 123, 2015.
    https://doi.org/10.1016/j.neuroimage.2015.05.092

    Examples
    --------
    Two graphs of a person stay together: labels are exchanged between whole people.

    >>> from contrast_subgraphs import two_groups
    >>> draws = two_groups(["a"] * 4 + ["b"] * 4, subjects=list("ppqqrrss"))
    >>> draws.people_of_strata().tolist(), draws.folds(2).reshape(4, 2).tolist()
    ([2, 2], [[1, 1], [0, 0], [1, 1], [0, 0]])
    """

    def __init__(self, exchange, *, strata, place, labels=(), random_state=0, name=""):
        self.exchange = exchange
        self.strata = np.asarray(strata)
        self.labels = tuple(labels)
        self.random_state = check_seed(random_state)
        self.name = name
        self._split = exchange.split
        self._together = exchange.together
        self._arrange(place)

    def _arrange(self, place):
        """Set the units in the order of the draws, those that can be exchanged next to each other.

        The order depends on the people and not on that of their graphs, and so do the draws.
        """
        unit = self.exchange.unit
        n = len(unit)
        # 1. Graphs by unit, inside it by person and place, so that first takes the place of first.
        inside = np.lexsort((np.arange(n), place, self.exchange.person, unit))
        kind = _kinds(unit[inside], self.exchange.block[inside])
        # 2. Units by kind: a draw then sorts random numbers within each kind.
        self._order = inside[np.argsort(kind[unit[inside]], kind="stable")]
        # 3. Where each unit begins, its size and kind, and the place of each graph in its unit.
        begins = np.flatnonzero(np.diff(unit[self._order], prepend=-1))
        self._starts = begins
        self._sizes = np.diff(np.append(begins, n))
        self._class = kind[unit[self._order[begins]]]
        self._within = np.arange(n) - np.repeat(begins, self._sizes)

    # --- relabellings -------------------------------------------------------------------

    def observed(self):
        """Return the draw that changes nothing.

        Returns
        -------
        numpy.ndarray of int, shape (1, n)
        """
        if self.exchange.signs:
            return np.ones((1, len(self._order)), dtype=np.int64)
        return np.arange(len(self._order))[None]

    def random(self, start, stop, purpose="permutation"):
        """Return some of the random relabellings.

        Parameters
        ----------
        start, stop : int
            The numbers of the first, and of the one after the last.
        purpose : str
            Draws for another purpose are independent of these.

        Returns
        -------
        numpy.ndarray of int, shape (stop - start, n)
            Whose label each graph gets, or the sign of each.
        """
        rows = np.empty((stop - start, len(self._order)), dtype=np.int64)
        for row, k in enumerate(range(start, stop)):
            rng = seeds.generator(self.random_state, purpose, self.name, k)
            if self.exchange.signs:
                rows[row] = rng.choice((-1, 1), size=len(self._starts))[self.exchange.unit]
                continue
            # Sorted by class first: a random order of the units within each class.
            givers = np.lexsort((rng.random(len(self._starts)), self._class))
            rows[row] = self._exchanged(givers)
        return rows

    def places(self):
        """Return codes of places: no relabelling moves a label from one of them to another.

        They are the blocks; with whole people or blocks, each place in those of one size.

        Returns
        -------
        numpy.ndarray of int, shape (n,)
            All 0 where signs are flipped, since labels do not move.
        """
        code = np.zeros(len(self._order), dtype=np.int64)
        if self.exchange.signs:
            return code
        kind = np.repeat(self._class, self._sizes)
        pairs = np.column_stack([kind, self._within])
        code[self._order] = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        return code

    def relabelling(self, *names):
        """Return one random relabelling, (n,), for the purpose `names`: whose label each gets.

        It has the same distribution as those of `random`. It shuffles the units kind by kind, as
        earlier versions did, so that their accuracies can be reproduced.
        """
        rng = seeds.generator(self.random_state, self.name, *names)
        units = np.arange(len(self._starts))
        kinds = np.split(units, np.flatnonzero(np.diff(self._class)) + 1)
        return self._exchanged(np.concatenate([rng.permutation(kind) for kind in kinds]))

    def changes(self, y):
        """Return whether any relabelling changes a label.

        That is so if units of one kind differ in their labels.

        Parameters
        ----------
        y : numpy.ndarray of shape (n,)

        Returns
        -------
        bool
        """
        units = np.split(y[self._order], self._starts[1:])
        labels = {(kind, *unit.tolist()) for kind, unit in zip(self._class, units, strict=True)}
        return len(labels) > len(set(self._class))

    def _exchanged(self, givers):
        """The draw in which unit k gets the labels of unit ``givers[k]``."""
        row = np.empty(len(self._order), dtype=np.int64)
        row[self._order] = self._order[np.repeat(self._starts[givers], self._sizes) + self._within]
        return row

    def strata_of(self, draw):
        """Return the stratum of each graph in one draw: flips of signs change none.

        Parameters
        ----------
        draw : numpy.ndarray of int, shape (n,)

        Returns
        -------
        numpy.ndarray of int, shape (n,)
        """
        if self.exchange.signs:
            return self.strata
        return self.strata[draw]

    # --- halves and folds of all people -------------------------------------------------

    def people_of_strata(self):
        """Return the number of people (or of what else no fold separates) in each stratum.

        Returns
        -------
        numpy.ndarray of int, shape (n_strata,)
        """
        pairs = np.unique(np.column_stack([self.strata, self._together]), axis=0)
        return np.bincount(pairs[:, 0])

    def halves(self, start, stop, relabelling=None):
        """Return random halves of the people, with the labels that they are halves of.

        A half has half of each group in each block; odd numbers are rounded up or down at random.

        Parameters
        ----------
        start, stop : int
            The numbers of the first half, and of the one after the last.
        relabelling : int, optional
            The number of a draw of `random` for the purpose `PERMUTED`; by default the observed
            labels are halved.

        Returns
        -------
        numpy.ndarray of bool, shape (stop - start, n)
            Who is in each half.
        numpy.ndarray of int, shape (stop - start, n)
            The draw of each half.

        Raises
        ------
        NoTest
            If a group is too small to be halved.
        """
        one = self.observed()
        names = ["halves", self.name]
        if relabelling is not None:
            one = self.random(relabelling, relabelling + 1, PERMUTED)
            names = [PERMUTED, self.name, relabelling]
        draws = np.repeat(one, stop - start, axis=0)
        halves = np.zeros(draws.shape, dtype=bool)
        for half, draw, k in zip(halves, draws, range(start, stop), strict=True):
            half[:] = self._half(draw, seeds.generator(self.random_state, *names, k, "half"))
        return halves, draws

    def part(self, share, number):
        """Return a random part of the people.

        It has the same share of each group in each block, rounded up or down at random.

        Parameters
        ----------
        share : float
        number : int
            The number of the part, out of all parts of this share.

        Returns
        -------
        numpy.ndarray of bool, shape (n,)
        """
        rng = seeds.generator(self.random_state, "part", self.name, float(share), number)

        def size(cell):
            return int(share * len(cell) + rng.random())

        cells = self._cells(self.observed()[0])
        return np.isin(self._together, _some_of(cells, size, rng))

    def _half(self, draw, rng):
        """Half of the people of each group in each block."""

        def size(cell):
            # Odd numbers are rounded at random, so that blocks of one person are not always lost.
            return (len(cell) + int(rng.integers(2))) // 2

        half = np.isin(self._together, _some_of(self._cells(draw), size, rng))
        for stratum in range(self.strata.max() + 1):
            if not (self.strata_of(draw)[half] == stratum).any():
                group = "the people are"
                if self.labels:
                    group = f"the group {self.labels[stratum]} is"
                raise NoTest(f"{group} too small to be halved")
        return half

    def folds(self, n_folds, repeat=0, draw=None):
        """Return the fold of each graph, with equal shares of each group in each block.

        Parameters
        ----------
        n_folds : int
        repeat : int
            The number of the assignment to folds.
        draw : numpy.ndarray of int, shape (n,), optional
            The labels are permuted by it; by default they are the observed ones.

        Returns
        -------
        numpy.ndarray of int, shape (n,)
            Folds are numbered from 0.
        """
        if draw is None:
            draw = self.observed()[0]
        rng = seeds.generator(self.random_state, "folds", self.name, repeat)
        cells = list(self._cells(draw))
        strata = self.strata.max() + 1
        # Group by group: if small blocks were dealt out in turn, a fold could lack a group.
        in_turn = [cell for group in range(strata) for cell in cells[group::strata]]
        return _dealt([rng.permutation(cell) for cell in in_turn], n_folds)[self._together]

    def _cells(self, draw):
        """The people of each group in each block, in the order of the draws."""
        at = np.unique(self._together[self._order], return_index=True)[1]
        first = self._order[np.sort(at)]  # one graph of each person
        people = self._together[first]
        strata = self.strata_of(draw)
        for block, stratum in itertools.product(
            range(self._split.max() + 1), range(self.strata.max() + 1)
        ):
            cell = (self._split[first] == block) & (strata[first] == stratum)
            yield people[cell]

    # --- test parts, and folds of the rest ----------------------------------------------

    def test_parts(self, y, count, test_size, *names, rows=slice(None)):
        """Draw random test parts, stratified by some labels, (count, n_rows), true if tested.

        The first parts do not depend on how many there are, nor those for a variable on its values.
        Graphs that belong together stay together, and are stratified if each person has one label.

        Parameters
        ----------
        y : ndarray of shape (n_graphs,)
            Codes of two groups, or floats of a variable.
        count : int
        test_size : float
            The share of the people in a test part.
        *names : str or int
            What the parts are for, in addition to the cohort.
        rows : index, optional
            The graphs that are split; all by default.
        """
        strata, code = self._strata_of_people(y, rows)
        sizes = test_part_counts(np.bincount(strata, minlength=2).tolist(), test_size)
        cells = [np.flatnonzero(strata == group) for group in range(len(sizes))]
        parts = np.zeros((count, len(strata)), dtype=bool)
        for number, part in enumerate(parts):
            rng = seeds.generator(self.random_state, "split", self.name, *names, number)
            asked = iter(sizes)
            part[_some_of(cells, lambda _cell, asked=asked: next(asked), rng)] = True
        return parts[:, code]

    def inner_folds(self, y, train, n_folds, *names):
        """Return the fold of each training graph, and -1 for others, stratified by the labels `y`.

        Graphs that belong together are in one fold, stratified if each person has one label. Labels
        of people outside the training part change nothing.

        Raises
        ------
        InputError
            If a group is in one fold only, so that the other folds cannot learn it.
        """
        rng = seeds.generator(self.random_state, "folds", self.name, *names)
        strata, code = self._strata_of_people(y, train)
        if self.stratified(y, train):
            dealt = [rng.permutation(np.flatnonzero(strata == group)) for group in (0, 1)]
        else:
            # Each person gets a random place in the turn.
            dealt = [np.argsort(rng.permutation(len(strata)))]
        fold = np.full(len(y), -1)
        fold[train] = _dealt(dealt, n_folds)[code]
        if not holds_numbers(y) and not self.stratified(y, train):
            _check_folds(fold, y, train, n_folds)
        return fold

    def stratified(self, y, rows=slice(None)):
        """Whether people can be stratified: each has one label, and the labels are groups."""
        if holds_numbers(y):
            return False
        first, code = self._people(rows)
        labels = y[rows]
        return bool((labels[first][code] == labels).all())

    def people_of(self, y, rows=slice(None)):
        """Return the label of one graph of each person, or of what else stays together."""
        return y[rows][self._people(rows)[0]]

    def _people(self, rows):
        """The place of one graph of each person among some rows, and the person of each row."""
        return np.unique(self._together[rows], return_index=True, return_inverse=True)[1:]

    def _strata_of_people(self, y, rows):
        """The group of each person among some rows, or 0 for all, and the person of each row."""
        first, code = self._people(rows)
        if self.stratified(y, rows):
            return y[rows][first], code
        return np.zeros(len(first), dtype=int), code


def _kinds(unit, block):
    """Codes of units that can be exchanged: equally many graphs, in the same blocks.

    `unit` (n_graphs,) holds codes in ascending order, `block` the block of each graph.
    """
    begins = np.flatnonzero(np.diff(unit, prepend=-1))
    blocks = [tuple(part.tolist()) for part in np.split(block, begins[1:])]
    rank = {one: number for number, one in enumerate(sorted(set(blocks)))}
    return np.array([rank[one] for one in blocks])


def _some_of(cells, size, rng):
    """Draw some people of each cell: `size` says how many."""
    chosen = []
    for cell in cells:
        # The size is asked for first, since it may be drawn from the same generator.
        wanted = size(cell)
        chosen.append(rng.permutation(cell)[:wanted])
    return np.concatenate(chosen)


def _dealt(cells, n_folds):
    """Deal the people of all cells out to the folds, cell after cell; the fold of each person."""
    people = np.concatenate(cells)
    fold = np.empty(len(people), dtype=np.int64)
    fold[people] = np.arange(len(people)) % n_folds
    return fold


def _check_folds(fold, y, train, n_folds):
    """Raise InputError if a group is in one fold only, so that the others cannot learn it."""
    for number in range(n_folds):
        rest = train[fold[train] != number]
        if len(np.unique(y[rest])) < len(np.unique(y[train])):
            raise InputError(
                "people with graphs of both groups are too few for the inner folds: one group is "
                f"in one of {n_folds} folds only. Take fewer folds, or more people"
            )
