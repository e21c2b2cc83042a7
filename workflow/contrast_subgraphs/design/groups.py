"""Two groups of different people: which connections are stronger in one than in the other?"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.check_graphs import check_labels
from ..core.checks import RandomState, in_words, plural
from ..core.errors import InputError
from ..core.graphs import GraphStack, labels_of_people
from ..core.labels import in_one_order
from .design import Design
from .determined import refuse_determining
from .edge_statistic import NoTest
from .question import Question, contrast_names


class Groups(Question):
    """How two groups differ: the question of a cohort that names no other."""

    kind = ""
    refused = dict.fromkeys(("person", "ranks"), "is for contrasts, such as paired")
    of_means = True
    task = "classify"

    @property
    def contrasts(self):
        return contrast_names(self.groups)

    def make_design(self, graphs, **common):
        return two_groups(
            graphs.labels,
            labels=self.groups,
            **common,
        )


def two_groups(
    y: ArrayLike | GraphStack,
    *,
    labels: Sequence | Mapping | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of two groups of different people.

    Parameters
    ----------
    y : array_like of shape (n_graphs,), or CohortGraphs
        The group of each graph (two different labels), or people, as `read_groups` returns them.
    labels : sequence of two labels, or dict of label to name, optional
        Their order: the first contrast is the first minus the second. Sorted by default.
    blocks, covariates, subjects, exchange, random_state, name
        As for `permutation_test`. The draws depend on `name`, that of the cohort, too.

    Returns
    -------
    Design
        With the contrasts ``<first>-<second>``, ``<second>-<first>`` and ``symmetric``.

    Raises
    ------
    InputError
        If labels are missing, if there are not two, or if they are more or fewer than the graphs.
    NoTest
        If a group has fewer than two graphs, or no relabelling changes anything.

    See Also
    --------
    several_groups, of_variable, paired, interaction : Other questions.
    permutation_test : Takes the design as `y`.

    References
    ----------
    Freedman, Lane: A nonstochastic interpretation of reported significance levels. Journal of
    Business and Economic Statistics 1, 1983. https://doi.org/10.1080/07350015.1983.10509354

    Examples
    --------
    >>> design = two_groups(["a", "a", "b", "b", "b"])
    >>> design.contrasts, design.possible
    (('a-b', 'b-a', 'symmetric'), 10)
    """
    common = {
        "blocks": blocks,
        "covariates": covariates,
        "subjects": subjects,
        "exchange": exchange,
        "random_state": random_state,
        "name": name,
    }
    y, labels, common = labels_of_people(y, labels, common)
    y, common = in_one_order(y, **common)
    # Labels may be of any type, and a dict gives them names: only their order matters here.
    second, names = ordered_labels(check_labels(y, np.size(y)), labels)
    for label, count in zip(names, (np.sum(~second), np.sum(second)), strict=True):
        if count < 2:
            raise NoTest(
                f"the group {label} has {plural(count, 'subject')}: a test needs at least two in "
                "each group"
            )
    # A covariate that is the group itself would leave rounding errors to be tested.
    refuse_determining(common.get("covariates"), second)
    return Design(
        # 1 in the first group, so that the coefficient is the first mean minus the second.
        (~second).astype(float)[:, None],
        contrasts=contrast_names(names),
        labels=names,
        strata=second.astype(np.int64),
        **common,
    )


def ordered_labels(y, labels=None):
    """Return whether each label is the second of two, and the names of both in their order."""
    try:
        found = np.unique(y)
    except TypeError as error:
        raise InputError(f"y holds labels that cannot be sorted ({error})") from error
    names = labels if isinstance(labels, dict) else {}
    labels = list(found) if labels is None else list(labels)
    if len(labels) != 2 or labels[0] == labels[1] or not np.isin(found, labels).all():
        raise InputError(
            "y must hold two different labels"
            + (f", {labels[0]} and {labels[1]}" if len(labels) == 2 else "")
            + f"; it holds {in_words(found) or 'none'}"
        )
    return y == labels[1], tuple(str(names.get(label, label)) for label in labels)
