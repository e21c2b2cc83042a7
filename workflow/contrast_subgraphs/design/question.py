"""The question about a cohort's graphs: the base class of all kinds, and their registry.

Each kind is a class in its own file in this folder. All other stages ask the question itself: which
columns it needs, who is left out, what its contrasts are called, how it is tested, whether people
can be classified or predicted, and how its answer is worded.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from ..core.checks import did_you_mean, in_words
from ..core.columns import columns_of, gaps, numbers, persons
from ..core.errors import InputError

#: Key of the config -> class; two groups, which need no key, are under "".
KINDS: dict[str, type["Question"]] = {}
#: How a column that a question names is read, by what it holds.
_READ = {"value": numbers, "person": persons}


class Outcome(NamedTuple):
    """The labels or numbers to explain, if nothing else is needed (`Question.design_of`)."""

    y: np.ndarray


def holds_numbers(y: np.ndarray) -> bool:
    """Return whether outcomes are the numbers of a variable, and not the codes of groups.

    >>> holds_numbers(np.array([0, 1, 1])), holds_numbers(np.array([21.0, 35.5]))
    (False, True)
    """
    # Codes are whole numbers, and what a table says of a variable is read as floats.
    return y.dtype.kind == "f"


@dataclass(frozen=True)
class Question:
    """A question about some graphs: on which groups, or which column of the people's table.

    A kind of question is a subclass. Its definition registers it under its `kind`.

    Parameters
    ----------
    called : str
        The name that contrasts are derived from (the cohort, or the variable), unless they are
        named after the groups.
    groups : tuple of str
        Names of the groups, in the order of their codes; empty if no groups are compared.
    column : str
        The column of the people's table that the question names, if it names one.
    person : str
        The column that says whose graph each is, if people have several.
    ranks : bool
        Whether the variable and the weights are ranked.

    See Also
    --------
    question_of : Makes one from a cohort of the config.

    Examples
    --------
    >>> question = question_of({"variable": "AGE_AT_SCAN"}, "age", ["td", "asd"])
    >>> question.contrasts
    ('more-with-age', 'less-with-age', 'symmetric')
    >>> question.title(("td", "asd"))
    'Are brain networks related to AGE_AT_SCAN?'
    """

    #: The key of the config, and of its schema, that asks a question of this kind.
    kind: ClassVar[str]
    #: The help text of its command-line option; a kind without one exists only in the config.
    option: ClassVar[str] = ""
    #: What the schema of the config allows as the value of the key.
    schema: ClassVar[Mapping[str, Any]] = {"type": "string", "minLength": 1}
    #: What the named column holds: ``value`` (numbers), ``person``, or nothing.
    role: ClassVar[str] = ""
    #: Keys of a cohort that cannot be used with it, and why.
    refused: ClassVar[dict[str, str]] = {"ranks": "is for a variable"}
    #: Whether two groups are compared, or several at once.
    of_groups: ClassVar[bool] = True
    #: Whether more than two groups give one question for each pair of them.
    by_pairs: ClassVar[bool] = True
    #: Whether contrasts are named after the two groups, not after the question.
    named_by_groups: ClassVar[bool] = True
    #: Whether it has two directions, which can be found, measured and pictured.
    directed: ClassVar[bool] = True
    #: Whether what is measured is a difference between groups, not a slope.
    compares: ClassVar[bool] = True
    #: Whether the difference graph is that of the groups' means, which needs only single graphs.
    of_means: ClassVar[bool] = False
    #: Whether labels are exchanged within persons, whatever the blocks are.
    within_person: ClassVar[bool] = False
    #: What a run does with new people: ``classify`` or ``predict`` them, or nothing.
    task: ClassVar[str] = ""
    #: What can be done with them on request, though a run does not.
    on_demand: ClassVar[str] = ""
    #: Why a run does neither.
    unpredicted: ClassVar[str] = ""

    called: str = ""
    groups: tuple[str, ...] = ()
    column: str = ""
    person: str = ""
    ranks: bool = False

    def __init_subclass__(cls):
        super().__init_subclass__()
        KINDS[cls.kind] = cls

    def __post_init__(self):
        object.__setattr__(self, "groups", tuple(map(str, self.groups)))

    # --- from the config, into files ----------------------------------------------------

    @classmethod
    def complaints(cls, entry):
        """Yield what is wrong with a cohort of the config.

        Parameters
        ----------
        entry : mapping
            The cohort's keys.

        Yields
        ------
        tuple of str
            A key, and a message about it.
        """
        for key, why in cls.refused.items():
            if key in entry:
                yield key, why

    @classmethod
    def of_entry(cls, name, entry, groups):
        """Return the question of a cohort of the config.

        Parameters
        ----------
        name : str
            The cohort's name.
        entry : mapping
            Its keys.
        groups : sequence of str
            The config's groups, used if the entry names none.

        Returns
        -------
        Question
        """
        column = entry.get(cls.kind) if cls.role else ""
        names = (entry.get("groups") or groups) if cls.of_groups else ()
        return cls(
            called="" if cls.named_by_groups else name,
            groups=tuple(names),
            column=column or "",
            person=entry.get("person") or "",
            ranks=entry.get("ranks", False),
        )

    def to_json(self):
        """Return the question as a text."""
        return json.dumps({"kind": self.kind} | asdict(self))

    @staticmethod
    def from_json(text):
        """Return the question that `to_json` wrote."""
        given = json.loads(text)
        kind = given.pop("kind")
        return KINDS[kind](**given)

    # --- of whom ------------------------------------------------------------------------

    def columns(self):
        """Return the columns that are needed: role -> (key of the config, column)."""
        found = {}
        if self.person:
            found["person"] = ("person", self.person)
        if self.role:
            found[self.role] = (self.kind, self.column)
        return found

    def read(self, table, place):
        """Return the columns that are needed from a table of people.

        Parameters
        ----------
        table : pandas.DataFrame
        place : str
            The text before the key of the config in an error message.

        Returns
        -------
        pandas.DataFrame
            One column for each role.

        Raises
        ------
        InputError
            If a column is missing, or does not hold what its role needs.
        """
        found = pd.DataFrame(index=table.index)
        for role, (key, column) in self.columns().items():
            if column not in table:
                near = did_you_mean(column, columns_of(table))
                raise InputError(f"{place}{key}: there is no column {column!r}{near}")
            try:
                found[role] = _READ[role](table, column)
            except InputError as error:
                raise InputError(f"{place}{key}: {error}") from error
        return found

    def reasons(self, table):
        """Return why people are left out.

        Parameters
        ----------
        table : pandas.DataFrame
            A row for each of the cohort's people, with ``rank`` (the code of the group) and a
            column for each role in `columns`.

        Returns
        -------
        pandas.Series of str
            "" for those who are not left out.
        """
        named = {column: table[role] for role, (_, column) in self.columns().items()}
        return gaps(named, table.index)

    def outcome(self, codes, value):
        """Return what is to be explained: the groups' codes, or the numbers of a variable."""
        return codes

    # --- how it is tested ---------------------------------------------------------------

    @property
    def contrasts(self):
        """Names of the contrasts: both directions, and either; or the only one."""
        raise NotImplementedError

    def design(self, graphs, **common):
        """Return the design of a cohort's graphs, with the names of the question's contrasts.

        Parameters
        ----------
        graphs : CohortGraphs
        **common
            As for `make_design`, but for the people, who are those of the graphs.

        Returns
        -------
        Design
        """
        design = self.make_design(graphs, subjects=graphs.people, **common)
        design.contrasts = self.contrasts
        return design

    def make_design(self, graphs, **common):
        """Return the design of a cohort's graphs, with contrasts of any name.

        Parameters
        ----------
        graphs : CohortGraphs
        **common
            ``subjects, blocks, covariates, exchange, random_state, name``, as for `Design`.

        Returns
        -------
        Design
        """
        raise NotImplementedError

    def design_of(self, y):
        """Return the `Design` for labels or numbers alone, without people, blocks or covariates.

        Used for the training part of a prediction, where `y` holds the numbers of the variable.
        """
        design = self.make_design(Outcome(y))
        design.contrasts = self.contrasts
        return design

    def check_nuisance(self, table, y, where):
        """Raise InputError if columns that are held constant determine the answer."""
        from .determined import refuse_determining

        refuse_determining(table, y, where)

    # --- in words -----------------------------------------------------------------------

    def title(self, labels):
        """Return the question in words; `labels` are those of the groups."""
        return f"Do the brain networks of {in_words(labels)} differ?"

    def statement(self, labels):
        """Return what is shown, or not shown, as a clause after `it is not shown that`."""
        return f"{in_words(labels)} differ"

    def estimate(self, labels):
        """Return what is estimated for each pair of regions, as a noun phrase of a methods section.

        The first direction is where it is large; `labels` are those of the groups.
        """
        if not self.compares:
            return f"the slope for one {self.unit()}"
        first, second = labels
        return f"the mean in {first} minus that in {second}"

    def contrast_labels(self, labels):
        """Return the names of the contrasts in tables and figures."""
        first, second = self.ends(labels)
        return f"{first}−{second}", f"{second}−{first}", "Symmetric"

    def ends(self, labels):
        """Return the names of both ends: the groups, or high and low values."""
        return tuple(labels)

    def sides(self, labels):
        """Return in whom, or with what, each direction has more, after `more connected`."""
        return tuple(f"in {label}" for label in labels)

    def called_in_text(self, label):
        """Return its name in sentences; `label` is that of the cohort, or of a contrast."""
        return label

    def where(self):
        """Return the heading above the regions that are found."""
        if self.compares:
            return "Where the groups differ"
        return "Which regions"

    def unit(self, values=None):
        """Return the unit of a slope, such as ``standard deviation of age``; "" if it is no slope.

        `values` is the number of different values of the variable.
        """
        if self.compares:
            return ""
        return f"standard deviation of {self.column}"

    def units(self, values=None):
        """Return of what an effect is a slope, in each of the two directions (see `unit`)."""
        unit = self.unit(values)
        return unit, unit

    def about(self, codes):
        """Return the question and its people for JSON; `codes` are groups' codes, or a variable."""
        said = {self.kind: self.column} if self.role else {}
        if not self.groups:
            return said | {"people": len(codes)}
        sizes = {name: int((codes == code).sum()) for code, name in enumerate(self.groups)}
        return said | {"groups": sizes}

    def sizes(self, counts, labels):
        """Return the number of graphs in each group as text; "" without groups."""
        named = zip(counts, labels, strict=False)
        return ", ".join(f"{count} {label}" for count, label in named)


def question_of(entry: Mapping | None, name: str, groups: Iterable[str]) -> Question:
    """Return the question of a cohort of the config.

    Parameters
    ----------
    entry : mapping
        The cohort's keys; ``variable``, ``paired`` and so on ask something other than how two
        groups differ.
    name : str
        The cohort's name.
    groups : iterable of str
        The config's groups, used if the entry names none.

    Returns
    -------
    Question

    Examples
    --------
    >>> question_of({"where": "True"}, "all", ["td", "asd"]).contrasts
    ('td-asd', 'asd-td', 'symmetric')
    """
    entry = entry or {}
    return KINDS[kind_of(entry)].of_entry(name, entry, groups)


def kind_of(entry: Mapping) -> str:
    """Return the key that names the kind of a cohort's question; "" for two groups."""
    asked = [kind for kind in asked_kinds() if kind in entry]
    return asked[0] if asked else ""


def asked_kinds() -> list[str]:
    """Return the keys of the config that ask something other than how two groups differ."""
    return [kind for kind in KINDS if kind]


def plain_question(groups: Iterable[str]) -> Question:
    """Return the default question, how two groups differ."""
    return question_of(None, "", groups)


def named_questions(cohorts: Mapping, groups: Sequence[str]) -> dict[str, Question]:
    """Return each cohort's question as its own entry names it, by the cohort's name."""
    return {name: question_of(entry, name, groups) for name, entry in cohorts.items()}


def questions_of(config: Mapping) -> dict[str, Question]:
    """Return the question of each cohort of a checked config, by the cohort's name."""
    found = named_questions(config["cohorts"], tuple(config["groups"]))
    # The column of the person is named where all groups are compared at once. It holds for each
    # pair of groups too: otherwise these would take several graphs of a person for several people.
    persons = {one.person for one in found.values() if not one.directed and one.person}
    if len(persons) == 1:
        [person] = persons
        for name, one in found.items():
            if one.of_means:
                found[name] = replace(one, person=person)
    return found


def contrast_names(groups: Sequence[str]) -> tuple[str, str, str]:
    """Return the contrasts of two groups: Problem 1 in both directions, and Problem 2."""
    # Contrasts are file names and columns: two that look the same would overwrite each other.
    first, second = map(str, groups)
    if first.strip() == second.strip():
        raise InputError(
            f"the groups are called {first!r} and {second!r}: give them different names"
        )
    names = f"{first}-{second}", f"{second}-{first}", "symmetric"
    if len(set(names)) < len(names):
        raise InputError(
            f"the groups {first!r} and {second!r} give the contrasts {', '.join(names)}, which "
            "are not three different names: give the groups other names"
        )
    return names
