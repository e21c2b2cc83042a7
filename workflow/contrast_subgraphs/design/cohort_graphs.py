"""The graphs of one cohort, with the question that is asked about them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT
from ..core.checks import plural
from ..core.errors import InputError
from ..core.graphs import GROUPS, GraphStack
from ..core.notebook import draw_weights
from ..core.pairs import square_of
from ..core.results import Result
from .groups import Groups
from .question import Question, kind_of, question_of


@dataclass(frozen=True, repr=False)
class CohortGraphs(Result, GraphStack):
    """Graphs of people, all on the same regions, with the question that is asked about them.

    `read_groups` returns it, and all public functions take it in place of graphs and labels.

    Attributes
    ----------
    weights : numpy.ndarray of shape (n_subjects, n_pairs)
        Each pair of regions once, in the order of `numpy.triu_indices`.
    adjacency : numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        The same as symmetric matrices with zeros on the diagonal.
    y : numpy.ndarray of shape (n_subjects,)
        The index in `groups`, 0 for the first; or the numbers of a variable.
    labels : numpy.ndarray of shape (n_subjects,)
        The name of each subject's group, or its value of a variable.
    subject : numpy.ndarray of str, shape (n_subjects,)
    roi : numpy.ndarray of str, shape (n_rois,)
        Names of the regions.
    groups : tuple of str
        Names of the groups in order; none for a variable.
    contrasts : tuple of str
        The names of both directions, and of either.

    See Also
    --------
    read_groups : Reads them from files.
    difference_graph, permutation_test, held_out_effect : Take them as they are.

    Examples
    --------
    >>> graphs = np.zeros((4, 3, 3))
    >>> graphs[:2, 0, 1] = graphs[:2, 1, 0] = 1
    >>> names = [np.array(list(letters)) for letters in ("pqrs", "ABC")]
    >>> people = CohortGraphs(graphs, np.array([0, 0, 1, 1]), *names, ("ill", "well"))
    >>> people
    <CohortGraphs: 4 graphs of 3 regions: 2 ill, 2 well>
    >>> people.labels.tolist(), people.contrasts[0]
    (['ill', 'ill', 'well', 'well'], 'ill-well')
    """

    weights: np.ndarray  # (n_subjects, n_pairs): uint8 if 0 or 1
    y: np.ndarray  # the index in `groups`, 0 for the first; or the numbers of a variable
    subject: np.ndarray  # names (``FILE_ID``), each once
    roi: np.ndarray  # names of the regions, in the order of the rows
    groups: tuple = GROUPS  # names of the two or more groups; none for a variable
    cohort: str = ""  # its name, if it has one, which is also that of its file
    question: Question = Groups()  # by default how the groups differ; JSON in the file
    value: np.ndarray | None = None  # the numbers of a variable, if there are groups too
    person: np.ndarray | None = None  # whose graph each is, if people have several

    optional = ("cohort", "question", "value", "person")

    def __post_init__(self):
        """Turn names into texts (a file holds them as arrays), and JSON into the question."""
        super().__post_init__()
        # The dataclass is frozen: only this way can its fields be brought into one form.
        object.__setattr__(self, "groups", tuple(map(str, self.groups)))
        object.__setattr__(self, "cohort", str(self.cohort))
        question = self.question
        if not isinstance(question, Question):
            question = Question.from_json(str(question))
        # Groups may have been renamed since the question was written.
        if question.of_groups:
            question = replace(question, groups=self.groups)
        object.__setattr__(self, "question", question)

    def _said(self) -> str:
        sizes = self.question.column or self.question.called
        if self.groups:
            counts = [int((self.y == k).sum()) for k in range(len(self.groups))]
            named = zip(counts, self.groups, strict=True)
            sizes = ", ".join(f"{count} {name}" for count, name in named)
        cohort = self.cohort and f"{self.cohort}, "
        graphs = plural(len(self.y), "graph")
        return f"{cohort}{graphs} of {plural(len(self.roi), 'region')}: {sizes}"

    def table(self) -> pd.DataFrame:
        """Return one row for each graph: ``subject``, and its ``group`` or ``value``."""
        # The name says what the numbers are: codes of groups are never shown as values.
        kind = "value"
        if self.groups:
            kind = "group"
        columns = {"subject": self.subject, kind: self.labels}
        return pd.DataFrame(columns)

    def _draw(self, axes: Any) -> bool:
        # All graphs together: what differs is the business of `difference_graph`.
        mean = square_of(self.weights.mean(axis=0, dtype=float))
        return draw_weights(axes, mean, self.roi, self.roi)

    @property
    def labels(self) -> np.ndarray:
        """The name of each subject's group, or its value of a variable, (n_subjects,)."""
        if self.groups:
            return np.array(self.groups)[self.y]
        return self.y

    @property
    def numeric(self) -> bool:
        """Whether `y` holds the numbers of a variable, which are predicted and not classified."""
        return not self.groups

    @property
    def people(self) -> np.ndarray:
        """Whose graphs these are, (n_subjects,)."""
        # Unless something else is known, each graph is a person's only one.
        if self.person is None:
            return self.subject
        return self.person

    @property
    def numbers(self) -> np.ndarray | None:
        """The numbers of a variable, (n_subjects,), or None."""
        # With groups, y holds their codes, which are no measurements.
        if self.groups:
            return self.value
        return self.y

    @property
    def contrasts(self) -> tuple[str, ...]:
        """Names of the contrasts: both directions, and either; or the only one."""
        return self.question.contrasts

    def to_write(self) -> dict[str, Any]:
        """Return what `save` writes, without a question that is only how two groups differ."""
        arrays = super().to_write() | {"question": self.question.to_json()}
        # Files of the plain question stay the same, byte for byte, as before there were others.
        if self.question.of_means and self.person is None:
            del arrays["question"]
        return arrays

    def of(self, rows: np.ndarray) -> "CohortGraphs":
        """Return the graphs of some of the subjects.

        Parameters
        ----------
        rows : numpy.ndarray of bool or int
            Which graphs, as an index.

        Returns
        -------
        CohortGraphs
        """
        # Fields with one entry for each graph; the others belong to the cohort as a whole.
        each = ("weights", "y", "subject", "value", "person")
        given = {name: getattr(self, name) for name in each}
        return replace(self, **{n: of[rows] for n, of in given.items() if of is not None})

    def asking(
        self, entry: Mapping[str, Any], people: pd.DataFrame, place: str
    ) -> "tuple[CohortGraphs, pd.Series]":
        """Return the graphs with the question of an entry of a config about their people.

        Two groups stay groups unless the question has none. Also returns why people are left out,
        with "" for those who are not.

        Parameters
        ----------
        entry : mapping
            As a cohort of the config has it, such as ``{"variable": "age", "person": "name"}``.
        people : pandas.DataFrame
            A row for each graph, in their order.
        place : str
            The text before a key of the entry in an error message.

        Returns
        -------
        CohortGraphs, pandas.Series
        """
        question = question_of(entry, str(entry.get(kind_of(entry), "")), self.groups)
        columns = question.read(people, place)
        reasons = question.reasons(columns.assign(rank=self.y))
        value = None
        person = None
        if "value" in columns:
            value = columns["value"].to_numpy()
        if "person" in columns:
            person = columns["person"].to_numpy()
        asked = replace(
            self,
            y=question.outcome(self.y, value),
            groups=question.groups,
            cohort=question.called,
            question=question,
            value=value if question.groups else None,
            person=person,
        )
        return asked, reasons

    @classmethod
    def load(cls, path: str | Path) -> "CohortGraphs":
        """Read what `save` wrote; the file's name must be that of the cohort in it.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        CohortGraphs

        Raises
        ------
        InputError
            If the file is damaged, or holds another cohort than its name says.
        """
        graphs = super().load(path)
        if graphs.cohort not in ("", Path(path).stem):
            raise InputError(f"{path} holds the cohort {graphs.cohort!r}: {WAY_OUT}")
        return graphs
