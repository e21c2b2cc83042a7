"""Does a slope, or a change over time, differ between two groups?"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.check_graphs import check_labels
from ..core.checks import RandomState, in_words
from ..core.columns import numbers
from ..core.graphs import GraphStack, labels_of_people
from ..core.labels import in_one_order
from .design import Design
from .groups import ordered_labels
from .question import Question
from .variable import known_rows, taken


class Interaction(Question):
    """Whether the slope on a variable differs between two groups."""

    kind = "interaction"
    role = "value"
    schema = {
        "anyOf": [
            Question.schema,
            # Refused by `complaints`, with what to write instead.
            {"type": "array", "minItems": 2, "maxItems": 2, "items": Question.schema},
        ]
    }
    named_by_groups = False
    compares = False
    unpredicted = "a difference of slopes predicts neither a person's group nor the variable"

    @classmethod
    def complaints(cls, entry):
        yield from super().complaints(entry)
        if isinstance(entry[cls.kind], list):
            group, column = entry[cls.kind]
            yield (
                cls.kind,
                f"[{group}, {column}]: name the variable alone, `interaction: {column}`. Its slope "
                "is compared between two of the config's `groups`: say there who they are, by "
                f"{group}, and which two by `groups: [a, b]` here",
            )

    @property
    def contrasts(self):
        first, second = self.groups
        return f"{self.called}-in-{first}", f"{self.called}-in-{second}", "symmetric"

    def make_design(self, graphs, **common):
        return interaction(
            graphs.labels,
            graphs.value,
            called=self.called,
            labels=self.groups,
            **common,
        )

    def check_nuisance(self, table, y, where):
        """Accept any column: the groups and the variable are in the model already."""

    def title(self, labels):
        first, second = labels
        where = f"differently in {first} and in {second}"
        return f"Are brain networks related to {self.column} {where}?"

    def statement(self, labels):
        return f"the relation to {self.column} differs between {in_words(labels)}"

    def estimate(self, labels):
        first, second = labels
        slope = f"the slope on {self.column}, for one standard deviation of it"
        return f"{slope}, in {first} minus that in {second} (their interaction, both in the model)"

    def contrast_labels(self, labels):
        first, second = (f"More with {self.column} in {label}" for label in labels)
        return first, second, "Symmetric"

    def sides(self, labels):
        first, second = labels
        return (
            f"with higher {self.column} in {first} than in {second}",
            f"with higher {self.column} in {second} than in {first}",
        )


def interaction(
    y: ArrayLike | GraphStack,
    values: ArrayLike,
    *,
    called: str = "variable",
    labels: Sequence | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of a variable's slope in one group minus that in the other.

    The group and the variable themselves are in the model, and the residuals of the interaction
    are permuted (Freedman and Lane 1983). If subjects repeat, each person is in the model too, and
    people are exchanged as wholes: the question is then about the change over time.

    Parameters
    ----------
    y : array_like of shape (n_graphs,), or CohortGraphs
        The group of each graph, or people, as `read_groups` returns them.
    values : array_like of shape (n_graphs,)
        The numbers of the variable. Slopes are for one standard deviation of it.
    called : str
        The name of the variable.
    labels
        As for `two_groups`.
    blocks, covariates, subjects, exchange, random_state, name
        As for `permutation_test`. The draws depend on `name`, that of the cohort, too.

    Returns
    -------
    Design
        With the contrasts ``<called>-in-<first>``, ``<called>-in-<second>`` (where the slope is
        larger) and ``symmetric``.

    Raises
    ------
    InputError
        If the variable is constant or not numeric, or if there are not two labels.
    NoTest
        If no relabelling changes anything, so that there is no test.

    See Also
    --------
    of_variable : One slope for all people.
    permutation_test : Takes the design as `y`.

    References
    ----------
    Freedman, Lane: A nonstochastic interpretation of reported significance levels. Journal of
    Business and Economic Statistics 1, 1983. https://doi.org/10.1080/07350015.1983.10509354

    Examples
    --------
    >>> interaction(["a", "b"] * 4, range(8), called="age").contrasts
    ('age-in-a', 'age-in-b', 'symmetric')
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
    y, more = in_one_order(y, values=values, **common)
    second, names = ordered_labels(check_labels(y, np.size(y)), labels)
    found = numbers(more.pop("values"), called, len(second))
    rows = known_rows(found, called)
    first = ~second[rows]
    found = found[rows]
    found = (found - found.mean()) / (found.std() or 1.0)
    # 1. The main effects of group and variable are in the model.
    held = [first[:, None], found[:, None]]
    more = taken(more, rows, len(second))
    # 2. So is each person, if people have several graphs: slopes are then those within people.
    if more.get("subjects") is not None:
        people, person = np.unique(more["subjects"], return_inverse=True)
        if len(people) < len(person):
            held.append((person[:, None] == np.arange(len(people))).astype(float))
    # 3. The interaction is tested. Whether people are exchanged as wholes depends on the group
    #    alone: the values of a variable nearly always vary within people.
    return Design(
        (first * found)[:, None],
        contrasts=Interaction(called=called, groups=names).contrasts,
        what=f"the interaction of the groups and {called}",
        strata=(~first).astype(np.int64),
        held=held,
        exchanged=first,
        place=found,
        rows=rows,
        n_graphs=len(second),
        **more,
    )
