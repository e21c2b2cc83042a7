"""Does a slope, or a change over time, differ between two groups?"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..core.columns import numbers
from ..core.graphs import check_labels, question_contrasts
from ..core.labels import in_one_order
from .design import Common, Design, ordered_labels
from .variable import known_rows, taken


def interaction(
    y: ArrayLike,
    values: ArrayLike,
    *,
    called: str = "variable",
    labels: Sequence | None = None,
    **common: Unpack[Common],
) -> Design:
    """Return the `Design` of a variable's slope in one group minus that in the other.

    The group and the variable themselves are in the model, and what is permuted are the
    residuals of the interaction (Freedman and Lane 1983). Where subjects repeat, each person is
    in the model too, and persons are exchanged as wholes: the change over time.

    Parameters
    ----------
    y : array_like of shape (n_graphs,)
        The group of each graph.
    values : array_like of shape (n_graphs,)
        The variable, numbers; slopes are for one standard deviation.
    called : str
        Its name.
    labels
        As for `two_groups`.
    **common
        ``blocks, covariates, subjects, exchange, random_state, name`` as for `Design`.

    Returns
    -------
    Design
        With the contrasts ``<called>-in-<first>``, ``<called>-in-<second>`` (where the slope is
        larger) and ``symmetric``.

    Examples
    --------
    >>> interaction(["a", "b"] * 4, range(8), called="age").contrasts
    ('age-in-a', 'age-in-b', 'symmetric')
    """
    y, more = in_one_order(y, values=values, **common)
    second, names = ordered_labels(check_labels(y, np.size(y)), labels)
    found = numbers(more.pop("values"), called, len(second))
    rows = known_rows(found, called)
    first, found = ~second[rows], found[rows]
    found = (found - found.mean()) / (found.std() or 1.0)
    held, more = [first[:, None], found[:, None]], taken(more, rows, len(second))
    if more.get("subjects") is not None:
        people, person = np.unique(more["subjects"], return_inverse=True)
        if len(people) < len(person):
            held.append((person[:, None] == np.arange(len(people))).astype(float))
    return Design(
        (first * found)[:, None],
        contrasts=question_contrasts("interaction", names, called),
        what=f"the interaction of the groups and {called}",
        strata=(~first).astype(np.int64),
        held=held,
        exchanged=first,
        place=found,
        rows=rows,
        n_graphs=len(second),
        **more,
    )
