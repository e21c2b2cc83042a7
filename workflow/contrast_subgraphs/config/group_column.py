"""The column of a table of people with the group, and the config's rules made from it."""

import keyword
import re
from typing import NamedTuple

from ..core.checks import in_words, plural
from ..core.columns import check_column, columns_of, is_number, missing_entries
from ..core.errors import InputError
from ..data import bids
from ..data.people import KNOWN_COLUMNS
from .layouts import MOST_GROUPS

#: Common names of the column with the group, the surest first.
_GROUP_NAMES = (
    *("group", "diagnosis", "dx", "dx_group", "diagnostic_group", "status", "condition"),
    *("patient", "genotype", "treatment", "arm"),
)
#: Words in the names of columns that say how people were measured, not who they are.
_TECHNICAL = re.compile(
    "coil|scan|vendor|manufactur|model|software|version|field|tesla|protocol|sequence|phase|encod"
    "|echo|station|device|machine|rater|quality|(^|_)qc|batch|wave|visit|date|day|month|year"
    "|language|consent|include|exclude|usable|release|series|acquisition|modality|tool|pipeline"
)
#: Columns that are held constant rather than compared, in addition to those that the stages know.
_COVARIATES = ("handedness", "hand", "eye_status_at_scan", "session", "session_id", "run", "cohort")


class Groups(NamedTuple):
    """The groups of people: a column's values."""

    #: None if no column is certain.
    column: str | None = None
    values: tuple = ()

    @property
    def names(self):
        """Different names for the values."""
        names = [_name(value) for value in self.values]
        if len({name.lower() for name in names}) < len(names):
            names = [f"{name}_{number}" for number, name in enumerate(names, start=1)]
        return names

    @property
    def rules(self):
        """The expression for each value; True and False are conditions themselves."""
        column = _as_word(self.column)
        rules = [f"{column} == {value!r}" for value in self.values]
        conditions = {True: f"{column} and True", False: f"not {column}"}
        for place, value in enumerate(self.values):
            if isinstance(value, bool):
                rules[place] = conditions[value]
        return rules


def _as_word(text):
    return re.sub(r"\W+", "_", text)


def _name(value):
    name = re.sub(r"\W+", "_", str(value), flags=re.ASCII).strip("_") or "group"
    return name if re.match(r"[A-Za-z]", name) else f"group{name}"


class _Column(NamedTuple):
    """A column that may say the group."""

    name: str
    #: The name without capitals and signs.
    called: str
    n_values: int
    #: How many entries are missing.
    missing: int
    text: bool

    @property
    def covariate(self):
        """Whether it is held constant rather than compared."""
        known = {name for _, names in KNOWN_COLUMNS.values() for name in names}
        return self.called in known or self.called in _COVARIATES

    @property
    def technical(self):
        """Whether it says how people were measured."""
        return bool(_TECHNICAL.search(self.called))


def find_groups(layout, chosen=None):
    """Return the `Groups` of the people in a layout, and sentences about what was found.

    `chosen`: the column of groups, if it is given. Otherwise a column with a usual name comes
    first, then one of texts that is not a covariate, then any other with two values. A column with
    a usual name that is empty for some people is not passed over for another one.
    """
    table = layout.people
    columns = [
        _column(table, name) for name in columns_of(table) if name not in (layout.column, bids.ID)
    ]
    candidates = [one for one in columns if 2 <= one.n_values <= MOST_GROUPS]
    said = [_told(table, one) for one in candidates]
    if chosen is None:
        found, doubt = _likely(columns, candidates)
        said += doubt
    else:
        found = _chosen(table, chosen, columns)
    if found is None:
        said.append("no column tells groups apart: give --group-column, or EDIT the config")
        return Groups(), said
    column = found.name
    if not _as_word(column).isidentifier() or keyword.iskeyword(column):
        said.append(f"rename the column {column!r}: no rule can have such a name in it")
    elif _as_word(column) != column:
        said.append(f"rename the column {column!r}: rules have no spaces in names")
    values = sorted(table[column].dropna().unique())
    values = tuple(value.item() if hasattr(value, "item") else value for value in values)
    parts = [f"groups by the column {column}"]
    if len(values) > 2:
        parts.append("each pair is compared")
    if found.missing:
        parts.append(f"{plural(found.missing, 'person')} without a value left out")
    return Groups(column, values), [*said, "; ".join(parts)]


def _column(table, name):
    column = table[name]
    called = re.sub(r"\W+", "_", name.strip().lower())
    missing = int(missing_entries(column).sum())
    return _Column(name, called, column.nunique(), missing, not is_number(column))


def _told(table, one):
    """Say how many people have each value."""
    counts = table[one.name].value_counts(sort=False).sort_index()
    told = ", ".join(f"{value} ({n})" for value, n in counts.items())
    kind = ""
    if one.covariate:
        kind = "; describes people: a covariate, not the group"
    elif one.technical:
        kind = "; describes the measurement"
    return f"column {one.name}: {told}{kind}"


def _chosen(table, name, columns):
    """Return the column that is given, or raise InputError."""
    check_column(table, name, "--group-column: the table")
    count = next((one.n_values for one in columns if one.name == name), 0)
    if not 2 <= count <= MOST_GROUPS:
        raise InputError(
            f"the column {name} has {plural(count, 'value')}: groups are 2 to {MOST_GROUPS}"
        )
    return next(one for one in columns if one.name == name)


def _likely(columns, candidates):
    """Return the column with the group, None if no column is certain; and what is uncertain."""
    whole = [one for one in candidates if not one.missing]
    called = [one for name in _GROUP_NAMES for one in columns if one.called == name]
    # The usual name decides, even if the column has gaps: a complete other column would compare
    # something else.
    if called:
        return next((one for one in called if one in whole), None), []
    own = [one for one in whole if not one.covariate and not one.technical]
    found = [one for one in own if one.text] or [one for one in own if one.n_values == 2]
    # Nothing says which of them it is.
    if len(found) > 1:
        shown = in_words([one.name for one in found], "or")
        return None, [f"the groups may be in {shown}: say it by --group-column"]
    return next(iter(found), None), []
