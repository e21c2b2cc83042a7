"""Permuted labels as a control: which ones, when one is given up, and when there are enough."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.processes import mapped
from .scores import TIE
from .summary import mean_accuracy

#: A labelling is given up when the splits that are left would have to score this many standard
#: errors better than those before (normal tail .001).
GIVEN_UP = 3.0


@dataclass(frozen=True)
class Controls:
    """How many labellings are scored, and on how many splits.

    Parameters
    ----------
    permutations : int
        The number of labellings in a test.
    chance : int, optional
        The number of labellings where there is no test; by default as many as in a test.
    splits : int, optional
        The number of random splits on which a level of chance is scored; all by default.
    stop_after : int, optional
        A test ends once this many labellings have scored as well as the true one.
    n_jobs : int
    """

    permutations: int = 0
    chance: int | None = None
    splits: int | None = None
    stop_after: int | None = None
    n_jobs: int = 1

    @property
    def without_test(self):
        """The number of labellings for a level of chance, where nothing is tested."""
        return min(self.permutations, self.chance or self.permutations)


def labellings(protocol, in_blocks, count, parts):
    """Yield permuted labels, within blocks or among all.

    Each comes as a number, the labels, the parts that are tested, and the names of the draws.
    """
    purpose = "permutation"
    if in_blocks:
        purpose = "permutation within site"
    for permutation in range(count):
        names = purpose, permutation
        permuted = protocol.labels.permuted(in_blocks, *names)
        yield permutation, permuted, protocol.redrawn(permuted, parts, *names), names


def given_up(results, few, accuracies):
    """Return whether a labelling can hardly reach the mean accuracy of the true one, `results`.

    It is given up after the first `few` splits if the rest would have to be better by `GIVEN_UP`
    standard errors. The standard deviation of a split is that of the true labels, but at least that
    of coin tosses for its test part.
    """
    own = np.array([one["accuracy"] for one in results])
    done = len(accuracies)
    left = len(own) - len(accuracies)
    if done < few or left == 0:
        return False
    mean = np.mean(accuracies)
    # How much better than so far the remaining splits would have to be for an equal mean.
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
    # Several processes work ahead a little; results after the end are not used, so that the outcome
    # does not depend on the number of processes.
    ahead = 1
    if n_jobs > 1:
        ahead = 4 * n_jobs
    for batch in _batches(labellings, ahead):
        for permutation, results in mapped(run, batch, min(n_jobs, len(batch))):
            yield permutation, results
            whole = len({result["repeat"] for result in results}) == planned
            # A labelling that was given up counts as worse, and a tie counts against the true
            # labels.
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
