"""The graphs of one cohort, with the question that is asked of them."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..core.atomic_files import WAY_OUT
from ..core.errors import InputError
from ..core.graphs import GROUPS, GraphStack
from .groups import Groups
from .question import Question


@dataclass(frozen=True)
class CohortGraphs(GraphStack):
    """Graphs of one cohort, all on the same vertices."""

    weights: np.ndarray  # (n_subjects, n_pairs): uint8 if 0 or 1
    y: np.ndarray  # the place among `groups`, 0 for the first; the numbers of a variable
    subject: np.ndarray  # names (``FILE_ID``), each once
    roi: np.ndarray  # names of the regions, in the order of the rows
    groups: tuple = GROUPS  # names of the two groups, or of several; none for a variable
    cohort: str = ""  # its name, if it has one: that of its file, too
    question: Question = Groups()  # by default how the groups differ; in the file as JSON
    value: np.ndarray | None = None  # the numbers of a variable, where there are groups too
    person: np.ndarray | None = None  # whose graphs these are, where people have several

    optional = ("cohort", "question", "value", "person")

    def __post_init__(self):
        """Names are texts, also where a file held them as arrays."""
        super().__post_init__()
        object.__setattr__(self, "groups", tuple(map(str, self.groups)))
        object.__setattr__(self, "cohort", str(self.cohort))
        question = self.question
        if not isinstance(question, Question):
            question = Question.from_json(str(question))
        if question.of_groups:
            question = replace(question, groups=self.groups)
        object.__setattr__(self, "question", question)

    @property
    def labels(self):
        """The name of each subject's group, or its number of a variable, (n_subjects,)."""
        return np.array(self.groups)[self.y] if self.groups else self.y

    @property
    def people(self):
        """Whose graphs these are, (n_subjects,)."""
        return self.subject if self.person is None else self.person

    @property
    def numbers(self):
        """The numbers of a variable, (n_subjects,), or None."""
        return self.value if self.groups else self.y

    @property
    def contrasts(self):
        """Names of the contrasts: both directions, and either; or the only one."""
        return self.question.contrasts

    def to_write(self):
        """Return what `save` writes; of how two groups differ no more than that."""
        arrays = super().to_write() | {"question": self.question.to_json()}
        if self.question.of_means and self.person is None:
            del arrays["question"]
        return arrays

    def of(self, rows):
        """Return the graphs of some of the subjects."""
        each = ("weights", "y", "subject", "value", "person")
        given = {name: getattr(self, name) for name in each}
        return replace(self, **{n: of[rows] for n, of in given.items() if of is not None})

    @classmethod
    def load(cls, path):
        """Read what `save` wrote: it must hold the cohort that its name says."""
        graphs = super().load(path)
        if graphs.cohort not in ("", Path(path).stem):
            raise InputError(f"{path} holds the cohort {graphs.cohort!r}: {WAY_OUT}")
        return graphs
