"""Permuted labels as a control: which ones, when a labelling is given up, and when it is enough."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.checks import check_option
from ..core.columns import identifiers
from ..core.errors import InputError
from ..core.processes import mapped
from ..design.exchange import PERMUTED, varies_within
from .scores import TIE
from .splits import permuted_labels, stratified_splits, taken
from .summary import mean_accuracy

#: A labelling is given up when the splits that are left would have to score this many standard
#: errors better than those before (normal tail .001).
GIVEN_UP = 3.0


@dataclass(frozen=True)
class Labels:
    """The labels of some graphs, true and permuted, with their splits.

    Labels that vary within people are permuted within these, others go with the person, within
    `blocks` or among all, as in the tests (`design.exchange`). Those of the `members` of a cohort
    stay among these: the others are only trained on.
    """

    y: np.ndarray
    members: np.ndarray  # whether each is of the cohort
    person: np.ndarray | None
    blocks: np.ndarray | None
    exchange: str = "auto"

    def __post_init__(self):
        check_option("exchange", self.exchange, PERMUTED)
        several = self.person is not None and len(set(self.person)) < len(self.y)
        if self.exchange == "within" and several and not self.varies:
            raise InputError(
                "all graphs of each person have one label, so that exchange: within leaves nothing "
                "to permute: take exchange: whole (or auto), which exchanges whole people"
            )

    @property
    def varies(self):
        """Whether labels vary within people."""
        return varies_within(self.y, self.person)

    @property
    def within_people(self):
        """Whether labels are permuted within the people who have several graphs."""
        return self.person is not None and self.exchange != "whole" and self.varies

    @property
    def within(self):
        """Within which names labels are permuted, if not among all."""
        if self.within_people:
            return self.person
        return self.blocks

    @property
    def in_blocks(self):
        """Whether permuting within blocks differs from among all, and changes anything."""
        within = self.within
        if within is None:
            return False
        names = set(within[self.members])
        labels = [set(self.y[self.members & (within == name)]) for name in names]
        return len(labels) > 1 and max(map(len, labels)) > 1

    def permuted(self, in_blocks, seed, *names):
        """Return the labels in random order."""
        blocks = None
        if in_blocks:
            blocks = self.within
        if not self.members.all():
            side = np.where(self.members, "cohort ", "others ").astype(object)
            if blocks is None:
                blocks = side
            else:
                blocks = side + blocks
        person = None
        if not self.within_people:
            person = self.person
        return permuted_labels(self.y, seed, *names, site=blocks, person=person)

    def splits(self, y, count, test_size, seed, *names):
        """Draw random splits of the members, stratified by some labels; the others train."""
        person = taken(self.person, self.members)
        drawn = stratified_splits(y[self.members], count, test_size, seed, *names, person=person)
        return self.placed(drawn)

    def placed(self, splits):
        """Return splits of the members as splits of all.

        Where a person is in the test part, all other graphs of this person are in neither (-1).
        """
        placed = np.zeros((len(splits), len(self.members)), dtype=bool)
        placed[:, self.members] = splits
        if self.person is None or self.members.all():
            return placed
        return without_others(placed, self.person)


def without_others(splits, person):
    """Return splits in whose training part no graph is of a person in the test part."""
    parts = splits.astype(int)
    for part in parts:
        part[np.isin(person, person[part == 1]) & (part == 0)] = -1
    return parts


def blocks_of(members, column):
    """Return within what labels are permuted: a column of a cohort's members, as in the tests.

    One block of all for ``none``.
    """
    if column is None or column == "none":
        return np.full(len(members), "all")
    check_option("inference.blocks: a column of the people", column, list(members))
    return identifiers(members, column)


def labellings(labels, control, count, splits, *, fixed, test_size, seed, cohort):
    """Yield permuted labels: number, labels, splits, and the names of their draws.

    Splits are stratified by the permuted labels unless these are `fixed`.
    """
    in_blocks = control == "permuted_within_site"
    purpose = "permutation"
    if in_blocks:
        purpose = "permutation within site"
    for permutation in range(count):
        names = cohort, purpose, permutation
        permuted = labels.permuted(in_blocks, seed, *names)
        if not fixed:
            splits = labels.splits(permuted, len(splits), test_size, seed, *names)
        yield permutation, permuted, splits, names


def given_up(results, few, accuracies):
    """Say whether a labelling can no longer reach the mean accuracy of the true one, `results`.

    After the first `few` splits, if the rest would have to be better by `GIVEN_UP` standard errors;
    a split's deviation is that of the true labels, at least that of its test part's coins.
    """
    own = np.array([one["accuracy"] for one in results])
    done = len(accuracies)
    left = len(own) - len(accuracies)
    if done < few or left == 0:
        return False
    mean = np.mean(accuracies)
    wanted = (own.sum() - done * mean) / left - mean
    deviation = max(own.std(ddof=1), 0.5 / np.sqrt(results[0]["test"]))
    return bool(wanted > GIVEN_UP * deviation * np.sqrt(1 / done + 1 / left))


def until_enough(run, labellings, beaten, protocol, stop_after, n_jobs):
    """Yield the permuted labellings' results until enough scored as well as the true labels.

    Sequential Monte Carlo (Besag and Clifford, Biometrika 1991): the p-value
    (1 + exceedances) / (1 + permutations) stays valid.
    """
    exceeding = 0
    enough = stop_after or np.inf
    observed, planned = beaten
    # Several processes work ahead a little; what is beyond the end is not used.
    ahead = 1
    if n_jobs > 1:
        ahead = 4 * n_jobs
    for batch in _batches(labellings, ahead):
        for permutation, results in mapped(run, batch, min(n_jobs, len(batch))):
            yield permutation, results
            whole = len({result["repeat"] for result in results}) == planned
            exceeding += whole and labelling_accuracy(results, protocol) >= observed - TIE
            if exceeding >= enough:
                return


def _batches(items, size):
    """Yield the items in lists of a size (`itertools.batched`, which Python 3.11 lacks)."""
    items = iter(items)
    while batch := list(itertools.islice(items, size)):
        yield batch


def labelling_accuracy(results, protocol):
    """The accuracy of one labelling, as the table has it."""
    table = pd.DataFrame(results, columns=["which", "test", "accuracy"])
    return mean_accuracy(table.rename(columns={"which": "parameters"}), protocol)
