"""The same people twice: differences within people, whose signs are flipped."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.check_graphs import check_labels
from ..core.checks import RandomState, in_words, plural
from ..core.columns import check_nobody, whole_identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.graphs import GraphStack, labels_of_people
from ..core.labels import in_one_order
from .design import Design
from .determined import refuse_determining
from .edge_statistic import NoTest
from .groups import ordered_labels
from .question import Question, contrast_names
from .variable import taken


class Paired(Question):
    """How two conditions of the same people, or of matched pairs, differ."""

    kind = "paired"
    role = "person"
    refused = {"person": "paired names this column"} | Question.refused
    option = "For a table: the column that names the person, once in each group."
    on_demand = "classify"
    unpredicted = "the two graphs of a pair are compared only with each other"
    within_person = True

    def reasons(self, table):
        reasons = super().reasons(table)
        # Only people with a known name count: two unnamed graphs are not a pair.
        known = table[reasons == ""]
        twice = known.duplicated(["person", "rank"])
        if twice.any():
            raise InputError(
                f"{known['person'][twice].iloc[0]} ({self.column}) has more than one "
                "graph of one group: give one of each"
            )
        single = ~known.duplicated("person", keep=False)
        reasons[single[single].index] = "one of the two groups only"
        return reasons

    @property
    def contrasts(self):
        return contrast_names(self.groups)

    def make_design(self, graphs, *, subjects=None, blocks=None, exchange="auto", **common):
        """Return the `Design`: labels are exchanged within persons, whatever the blocks."""
        return paired(graphs.labels, graphs.person, labels=self.groups, **common)

    def title(self, labels):
        return f"Do the brain networks of {in_words(labels)} differ within pairs?"

    def estimate(self, labels):
        first, second = labels
        return f"the mean difference within pairs, {first} minus {second}"

    def sizes(self, counts, labels):
        return f"{counts[0]} pairs of {' and '.join(labels)}"


def paired(
    y: ArrayLike | GraphStack,
    subjects: ArrayLike,
    *,
    labels: Sequence | Mapping | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of two conditions of the same people.

    Labels are exchanged within people, which flips the signs of their differences. The test is
    exact if all ``2 ** n_people`` flips are used.

    Parameters
    ----------
    y : array_like of shape (n_graphs,), or CohortGraphs
        The condition of each graph (two different labels), or what `read_groups` returns.
    subjects : array_like of shape (n_graphs,)
        The person of each graph, once with each label. People with only one of the two are left
        out, with a warning.
    labels, random_state, name
        As for `two_groups`.
    covariates : mapping of str to array_like of shape (n_graphs,), optional
        What differs between the two graphs of a person, such as motion.

    Returns
    -------
    Design
        With the contrasts ``<first>-<second>``, ``<second>-<first>`` and ``symmetric``.

    Raises
    ------
    InputError
        If a person has more than one graph with one label, or if there are not two labels.
    NoTest
        If fewer than two people have both.

    See Also
    --------
    two_groups : Different people.
    permutation_test : Takes the design as `y`.

    Examples
    --------
    >>> design = paired(["before", "after"] * 3, ["a", "a", "b", "b", "c", "c"])
    >>> design.contrasts[0], design.possible
    ('after-before', 8)
    """
    if subjects is None:
        raise InputError("paired needs the subject of each graph")
    y, labels, _ = labels_of_people(y, labels, {})
    y, more = in_one_order(y, subjects=subjects, covariates=covariates)
    second, names = ordered_labels(check_labels(y, np.size(y)), labels)
    person = whole_identifiers(more["subjects"], "subjects", len(second))
    check_nobody(person.tolist(), "subjects")
    counts = pd.crosstab(person, second).reindex(columns=[False, True], fill_value=0)
    twice = counts.index[(counts > 1).any(axis=1)]
    if len(twice):
        raise InputError(f"{twice[0]} has more than one graph of one label: give one of each")
    whole = counts.index[(counts == 1).all(axis=1)]
    if len(whole) < len(counts):
        text = (
            f"{len(counts) - len(whole)} of {len(counts)} {PEOPLE} have a graph of one of "
            f"{names[0]} and {names[1]} only: left out"
        )
        warnings.warn(DataWarning(text), stacklevel=3)
    if len(whole) < 2:
        raise NoTest(f"{plural(len(whole), 'person')} with both {names[0]} and {names[1]}")
    rows = np.flatnonzero(np.isin(person, whole))
    person = person[rows]
    second = second[rows]
    common = taken({"covariates": more["covariates"]}, rows, np.size(y))
    refuse_determining(common["covariates"], second)
    return Design(
        (~second).astype(float)[:, None],
        contrasts=contrast_names(names),
        what="the difference within persons",
        labels=names,
        strata=second.astype(np.int64),
        # Blocks of one pair each: the only relabelling is to exchange the two.
        blocks=person,
        together=person,
        each=2,
        # One column for each person: their own level does not count.
        held=[(person[:, None] == whole.to_numpy()).astype(float)],
        rows=rows,
        n_graphs=np.size(y),
        random_state=random_state,
        name=name,
        **common,
    )
