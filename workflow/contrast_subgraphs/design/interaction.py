"""Does a slope, or a change over time, differ between two groups?"""

import numpy as np

from ..core.graphs import check_labels
from .design import Design, ordered_labels
from .variable import known_rows, numbers, taken


def interaction(y, values, *, called="variable", labels=None, **common):
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
    second, labels = ordered_labels(check_labels(y, len(y)), labels)
    values = numbers(values, called)
    rows = known_rows(values, called)
    first, values = ~second[rows], values[rows]
    values = (values - values.mean()) / (values.std() or 1.0)
    held, common = [first[:, None], values[:, None]], taken(common, rows)
    if common.get("subjects") is not None:
        people, person = np.unique(common["subjects"], return_inverse=True)
        if len(people) < len(person):
            held.append((person[:, None] == np.arange(len(people))).astype(float))
    return Design(
        (first * values)[:, None],
        contrasts=(f"{called}-in-{labels[0]}", f"{called}-in-{labels[1]}", "symmetric"),
        what=f"the interaction of the groups and {called}",
        strata=(~first).astype(np.int64),
        held=held,
        place=values,
        rows=rows,
        n_graphs=len(y),
        **common,
    )
