"""What is exchanged with what: exchangeability blocks (Winkler et al., NeuroImage 2014 and 2015).

A label, factor or variable that varies within people is permuted within each of them. One that does
not vary is exchanged between people, whose graphs stay together.

Permuting assumes that errors have the same distribution. Flipping signs assumes that they are
symmetric about 0 and independent between people, who may vary unequally (independent and symmetric
errors, ISE).
"""

import contextlib
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np

from ..core.checks import check_option, in_words, plural
from ..core.columns import check_nobody, whole_identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from .edge_statistic import NoTest

#: Depending on whether the question varies within people; graphs within people or blocks; or whole
#: people or blocks.
PERMUTED = ("auto", "within", "whole")
#: In addition, nothing is exchanged, and the signs of residuals are flipped.
EXCHANGES = (*PERMUTED, "signs")
#: With fewer relabellings a warning says how many there are.
FEW = 1000


class RelabellingWarning(DataWarning):
    """Relabellings are few, or some people have no part in them.

    It matters only where a design is used for a test: `unsaid` suppresses it elsewhere.
    """


class Exchange(NamedTuple):
    """The units that can be exchanged, for each of n graphs.

    `unit`: codes of what is exchanged as a whole; `block`: the block that units stay within;
    `split`: blocks that halves and folds represent in proportion; `together`: what no half or fold
    separates; `person`: whose graph it is; `whole`: what the units are called, "" for single
    graphs; `within`: whether graphs are permuted within people; `constant`: the number of people
    with only one value; `change`: whether the question is about a change within people; `signs`:
    whether the units keep their places and the signs of their residuals are flipped.
    """

    unit: np.ndarray
    block: np.ndarray
    split: np.ndarray
    together: np.ndarray
    person: np.ndarray
    whole: str = ""
    within: bool = False
    constant: int = 0
    change: bool = False
    signs: bool = False


def exchange_of(values, place, blocks, subjects, exchange, what, labels):
    """Return the `Exchange` that fits a question and its people.

    Parameters
    ----------
    values : ndarray of shape (n_graphs,)
        Codes of the label or variable: if they vary within people, graphs are exchanged there.
    place : ndarray of shape (n_graphs,)
        The order of a person's graphs.
    blocks, subjects : array_like of shape (n_graphs,), optional
    exchange : {"auto", "within", "whole", "signs"}
    what : str
        What is tested, in words.
    labels : sequence of str
        Names of the groups, if there are any.
    """
    check_option("exchange", exchange, EXCHANGES)
    n = len(values)
    block = codes(blocks, n, "block")
    person = np.arange(n)
    if subjects is not None:
        person = codes(subjects, n, "name")
        check_nobody(whole_identifiers(subjects, "names", n).tolist(), "subjects")
    repeated = person.max() + 1 < n
    nothing = np.zeros(n, dtype=np.int64)
    varying = _varying(values, person)
    # 1. Signs: those of all graphs of a person are flipped together.
    if exchange == "signs":
        apart = len(np.unique(np.column_stack([person, block]), axis=0)) > person.max() + 1
        split = nothing if apart else block
        change = bool(varying.any())
        return Exchange(person, nothing, split, person, person, change=change, signs=True)
    # 2. Whole blocks, such as families: they may be exchanged if no person is in two of them.
    if exchange == "whole" and blocks is not None:
        _check_nested(person, block)
        change = bool(varying.any())
        return Exchange(block, nothing, nothing, block, person, whole="block", change=change)
    # 3. One graph for each person: labels move freely within blocks.
    if not repeated:
        if exchange == "whole":
            raise InputError(
                "exchange: whole needs blocks, or people with several graphs, which are exchanged "
                "as wholes"
            )
        return Exchange(person, block, block, person, person)
    # 4. Several graphs for each person, who has one label: whole people are exchanged.
    if exchange == "whole" or (exchange == "auto" and not varying.any()):
        _check_nested(person, block)
        change = bool(varying.any())
        return Exchange(person, block, block, person, person, whole="person", change=change)
    # 5. Labels vary within people: graphs are permuted within each of them.
    names = np.asarray(subjects)[np.unique(person, return_index=True)[1]]
    _check_varying(varying, names, what, labels)
    # Graphs of one person in several blocks, such as scanners, stay within each of these.
    within = np.unique(np.column_stack([person, block]), axis=0, return_inverse=True)[1]
    order = np.lexsort((np.arange(n), place, person))
    unit = np.empty(n, dtype=np.int64)
    unit[order] = np.arange(n)
    nested = len(np.unique(within)) == person.max() + 1
    return Exchange(
        unit,
        within.reshape(n),
        block if nested else nothing,
        person,
        person,
        within=True,
        constant=int((~varying).sum()),
        change=True,
    )


@contextlib.contextmanager
def unsaid():
    """Suppress the warnings about permutations, for designs that are not used for any."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelabellingWarning)
        yield


def varies_within(values, subjects):
    """Return whether numbers or names vary between the graphs of any person."""
    if subjects is None:
        return False
    value = np.unique(values, return_inverse=True)[1]
    person = np.unique(subjects, return_inverse=True)[1]
    return bool(_varying(value, person).any())


def _varying(values, person):
    """Whether codes vary in each of the people."""
    pairs = np.unique(np.column_stack([person, values]), axis=0)
    return np.bincount(pairs[:, 0]) > 1


def _check_varying(varying, names, what, labels):
    """Raise `NoTest` unless labels or values vary within at least two people."""
    if not varying.any():
        raise NoTest(
            f"{what} is the same in all graphs of each person, so that exchange: within allows no "
            "relabelling: take exchange: whole (or auto), which exchanges whole people"
        )
    # A typing error in one name can make two people one, and nobody else vary.
    if varying.sum() == 1:
        where = "in both groups" if len(labels) == 2 else f"with several values of {what}"
        raise NoTest(
            f"1 subject ({names[varying][0]}) {where}, all others with one: within people a test "
            "needs at least two such; is the name right?"
        )


def _check_nested(person, block):
    """Raise InputError if a person has graphs in several blocks."""
    if len(np.unique(np.column_stack([person, block]), axis=0)) > person.max() + 1:
        raise InputError("a subject has graphs in more than one block")


def said_of_sizes(exchange, sizes, stays):
    """Return a warning about units of different sizes; "" if all have one size and can move.

    `sizes`: the number of graphs of each unit; `stays`: whether there is no other to exchange with.
    """
    counts = sorted(Counter(sizes.tolist()).items(), reverse=True)
    if not exchange.whole or (len(counts) < 2 and not stays.any()):
        return ""
    named = "person", PEOPLE
    if exchange.whole == "block":
        named = "block", "blocks"
    said = in_words(
        f"{count} {named[count > 1]} of {plural(size, 'graph')}" for size, count in counts
    )
    text = f"{said}: exchanged as wholes with others of as many graphs only"
    if stays.any():
        alone = int(stays.sum())
        verb = "stays where it is" if alone == 1 else "stay where they are"
        text += f"; {alone} {named[alone > 1]} without such another {verb}"
    return text


def codes(names, n, what):
    """Return codes of names in sorted order, one for each graph; None is one name for all."""
    if names is None:
        return np.zeros(n, dtype=np.int64)
    texts = whole_identifiers(names, f"{what}s", n)
    return np.unique(texts, return_inverse=True)[1].reshape(n)
