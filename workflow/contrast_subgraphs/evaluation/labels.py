"""The labels of a cohort's graphs, with splits, folds and permutations from one engine."""

import numpy as np

from ..core.checks import check_option
from ..core.columns import identifiers, whole_identifiers
from ..core.errors import InputError
from ..design import NoTest
from ..design.draws import Draws
from ..design.exchange import PERMUTED, codes, exchange_of, varies_within
from ..design.sizes import check_sizes


class Labels:
    """The labels of some graphs, true and permuted, with all draws of an evaluation (`Draws`).

    The units that are exchanged, and that no split or fold separates, are those of the tests:
    graphs, people with several graphs, or whole blocks such as families (`exchange_of`). Labels of
    a cohort's members stay among the members: other people are only trained on.

    Parameters
    ----------
    graphs : CohortGraphs
        People may have several graphs each.
    members : ndarray of bool, optional
        Whether each graph belongs to the cohort; all by default.
    blocks : array_like of shape (n_graphs,), optional
        Labels are permuted within them; with ``whole`` blocks are exchanged, and stay together.
    site : array_like of shape (n_graphs,), optional
        Where each graph was measured: the blocks, if no others are given.
    exchange : {"auto", "within", "whole"}
    random_state : int
    name : str
        The name of the cohort.
    """

    def __init__(
        self,
        graphs,
        *,
        members=None,
        blocks=None,
        site=None,
        exchange="auto",
        random_state=0,
        name="",
    ):
        check_option("exchange", exchange, PERMUTED)
        self.y = graphs.y
        self.groups = graphs.groups
        self._numeric = graphs.numeric
        self.name = name
        if members is None:
            members = np.ones(len(self.y), dtype=bool)
        self.members = np.asarray(members)
        if site is not None:
            site = whole_identifiers(site, "sites")
        self.site = site
        within = site
        if blocks is not None:
            within = whole_identifiers(blocks, "blocks", len(self.y))
        #: Names of what no split or fold separates, if not single graphs.
        self.together = graphs.person
        units = None
        # A single block is the same as none. Sites are exchanged as wholes only on request.
        if exchange == "whole" and blocks is not None and len(set(within)) > 1:
            units = within
            within = None
            self.together = units
        self._draw(self._exchange(graphs.person, units, exchange), within, random_state)

    def _exchange(self, person, units, exchange):
        """Return the `Exchange` of a test of these labels, or the nearest one that is possible."""
        what = "the group"
        if self.variable:
            what = "the variable"
        asked = what, self.groups
        values = np.unique(self.y, return_inverse=True)[1]
        several = person is not None and len(set(person)) < len(values)
        if units is None and not several:
            # For single graphs there is only one way.
            exchange = "auto"
        if exchange == "within" and not varies_within(values, person):
            raise InputError(
                "all graphs of each person have one label, so that exchange: within leaves nothing "
                "to permute: take exchange: whole (or auto), which exchanges whole people"
            )
        try:
            return exchange_of(values, self.y, units, person, exchange, *asked)
        except NoTest:
            if exchange == "within":
                raise
            # Only one person has both labels. A control has to move something: whole people.
            return exchange_of(values, self.y, None, person, "whole", *asked)

    def _draw(self, exchange, within, random_state):
        """Set the draws among all people, and those within blocks if these differ."""
        n = len(self.y)
        names = within
        block = codes(within, n, "block")
        free = exchange
        if exchange.within:
            # Within blocks means within people; among all, each graph moves by itself.
            names = self.together
            block = _combined(exchange.person, block)
            single = np.arange(n)
            free = exchange._replace(unit=single, person=single)
        self.draws = self._draws(free, np.zeros(n, dtype=np.int64), random_state)
        #: Names of the blocks, and the draws within them; None where these are as among all.
        self.blocks = None
        self.within = None
        if self._differs(block):
            self.blocks = names
            self.within = self._draws(exchange, block, random_state)

    def _draws(self, exchange, block, random_state):
        """Return the draws of units within blocks, with members and other people kept apart."""
        # A label must not move between members and others: the groups would change their sizes.
        others = (~self.members).astype(np.int64)
        return Draws(
            exchange._replace(block=_combined(others, block)),
            strata=self.y,
            place=self.y,
            random_state=random_state,
            name=self.name,
        )

    def _differs(self, block):
        """Whether permuting within blocks changes anything, and differs from that among all."""
        names = set(block[self.members])
        labels = [set(self.y[self.members & (block == name)]) for name in names]
        return len(labels) > 1 and max(map(len, labels)) > 1

    @property
    def variable(self):
        """Whether the labels are the numbers of a variable."""
        return self._numeric

    @property
    def stratified(self):
        """Whether splits are stratified by labels: permuted labels then need their own splits."""
        return self.draws.stratified(self.y)

    def check(self, test_size, folds):
        """Raise InputError if there are too few members for the splits and the inner folds.

        If graphs stay together, such as those of a person, there must be enough people.
        """
        y = self.y[self.members]
        people = self.draws.people_of(self.y, self.members)
        n = len(people)
        if self.groups:
            check_sizes(y, self.name, test_size, folds, self.groups)
            if self.draws.stratified(self.y, self.members):
                check_sizes(people, self.name, test_size, folds, self.groups)
            elif n * (1 - test_size) < folds:
                raise InputError(
                    f"cohort {self.name}: {n} people (or whole blocks), each with all of their "
                    f"graphs, are too few for {folds} folds among {1 - test_size:.0%} of them"
                )
        elif n * test_size < 3 or n * (1 - test_size) < 2 * folds:
            raise InputError(
                f"cohort {self.name}: {n} people are too few to predict a variable of "
                f"{test_size:.0%} of them with {folds} folds among the rest"
            )
        elif np.ptp(y) == 0:
            raise InputError(f"cohort {self.name}: the variable is the same in all people")

    def permuted(self, in_blocks, *names):
        """Return the labels in random order."""
        draws = self.draws
        if in_blocks:
            draws = self.within
        return self.y[draws.relabelling(*names)]

    def splits(self, y, count, test_size, *names):
        """Draw random splits of the members, stratified by some labels; the others train."""
        rows = np.flatnonzero(self.members)
        return self.placed(self.draws.test_parts(y, count, test_size, *names, rows=rows))

    def placed(self, splits):
        """Return splits of the members as splits of all.

        If a person is in the test part, other graphs of this person are in neither part (-1).
        """
        placed = np.zeros((len(splits), len(self.members)), dtype=bool)
        placed[:, self.members] = splits
        if self.members.all():
            return placed
        return self.apart(placed)

    def apart(self, splits):
        """Return splits that train on no graph of a person who is in the test part."""
        if self.together is None:
            return splits
        parts = splits.astype(int)
        for part in parts:
            tested = np.isin(self.together, self.together[part == 1])
            part[tested & (part == 0)] = -1
        return parts


def _combined(first, second):
    """Return codes of the pairs of two codes, in the order of the first."""
    return np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)[1].reshape(-1)


def blocks_of(members, column):
    """Return the blocks that labels are permuted within, a column of members as in the tests.

    With ``none`` all people are in one block.
    """
    if column is None or column == "none":
        return np.full(len(members), "all")
    check_option("inference.blocks: a column of the people", column, list(members))
    return identifiers(members, column)
