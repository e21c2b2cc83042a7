"""What each column of a table holds: a sidecar next to its CSV, as BIDS has them for tables.

The descriptions stand in ``columns.yaml`` alone. Headings of the page are no part of them: they are
short, and one of them serves columns of several tables.
"""

import functools
from importlib.resources import files

import pandas as pd

from ...core.extras import optional

#: Columns that hold names of the config -> what kind of name.
NAMED = {
    "cohort": "cohort",
    "elsewhere": "cohort",
    "contrast": "contrast",
    "method": "method",
    "other": "method",
    "protocol": "protocol",
}


@functools.cache
def described_columns():
    """Return what ``columns.yaml`` says: table, or ``shared`` -> column -> description."""
    text = (files(__package__) / "columns.yaml").read_text(encoding="utf-8")
    return optional("yaml", "workflow").safe_load(text)


def sidecar(name, table, names):
    """Return what the columns of a table hold, for ``tables/<name>.json``.

    Parameters
    ----------
    name : str
        Of the table.
    table : pandas.DataFrame
        As its CSV has it.
    names : Names
        Labels of the run, for the levels of columns that hold names.

    Returns
    -------
    dict
        Column -> ``Description``, and where there are any ``Units`` and ``Levels``.
    """
    found = {}
    for column in table.columns:
        entry = {}
        known = _known(name, column, names)
        if isinstance(known, str):
            known = {"description": known}
        for key in ("description", "units", "levels"):
            if key in known:
                entry[key.capitalize()] = known[key]
        levels = _levels(column, table, names)
        if levels:
            entry["Levels"] = levels
        found[column] = entry
    return found


def _known(name, column, names):
    """Return what is said of a column: of this table, else of all, under its own name or a mark."""
    described = described_columns()
    marks = [column]
    # A group may be called like a column; where a table has one of each group, these go first.
    for group in names.groups:
        prefix = column.removesuffix(group)
        if prefix == column:
            continue
        measured = prefix.removesuffix("_")
        if measured in ("density", "mean_weight"):
            marks.append("<measure>_<group>")
        marks.insert(0, f"{prefix}<group>")
    # A table's own description goes before the shared one.
    for section in (described.get(name) or {}, described["shared"]):
        for mark in marks:
            if mark in section:
                return section[mark]
    return {}


def _levels(column, table, names):
    """Return the labels of the names that a column holds."""
    kind = NAMED.get(column)
    if kind is None:
        return {}
    values = dict.fromkeys(str(one) for one in table[column] if not pd.isna(one))
    return {one: str(names(kind, one)) for one in values}
