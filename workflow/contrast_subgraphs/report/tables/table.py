"""What a table is: how it is computed, what its columns are called, what stands below it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ...core.atomic_files import load_table, save_table, save_text
from ...core.errors import InputError
from .formats import number, to_latex, to_markdown


@dataclass(frozen=True)
class Shown:
    """A table as people see it, in Markdown, in LaTeX and on the page alike.

    Attributes
    ----------
    texts : pandas.DataFrame
        Texts under readable headings.
    caption : str
    notes : list of str
        Lines below the table.
    """

    texts: pd.DataFrame
    caption: str
    notes: list


@dataclass(frozen=True)
class Table:
    """A table: its CSV for programs and its texts for people.

    Attributes
    ----------
    name : str
        Of its files, ``tables/<name>.csv``, ``.md`` and ``.tex``.
    caption : str or callable
        A callable takes the `Names`.
    columns : str
        Columns that the CSV must have, separated by spaces.
    make : callable
        `Results` -> the CSV's data frame, with all digits.
    show : callable
        The data frame and the `Names` -> texts under readable headings.
    notes : callable
        The same -> lines below the table.
    text : tuple of str
        Columns of the CSV that are text even where they look like numbers.
    """

    name: str
    caption: str | Callable
    columns: str
    make: Callable
    show: Callable
    notes: Callable = lambda table, names: []
    text: tuple = ()

    def shown(self, table, names):
        """Return the table as people see it."""
        caption = self.caption if isinstance(self.caption, str) else self.caption(names)
        return Shown(self.show(table, names), caption, self.notes(table, names))

    def save(self, results, folder):
        """Compute the table and write it as CSV, Markdown and LaTeX."""
        table = self.make(results)
        shown = self.shown(table, results.names)
        above = f"{shown.caption}\n\n"
        below = "".join(f"\n{note}\n" for note in shown.notes)
        path = Path(folder) / self.name
        save_text(f"{path}.md", above + to_markdown(shown.texts) + below)
        save_text(f"{path}.tex", to_latex(shown.texts, shown.caption, shown.notes))
        save_table(table, f"{path}.csv")

    def load(self, path):
        """Read the CSV that `save` wrote.

        Raises
        ------
        InputError
            If it is missing, damaged or lacks a column.
        """
        dtype = dict.fromkeys(self.text, str)
        return load_table(path, self.columns.split(), dtype=dtype)


def texts(table, names, columns):
    """Write the columns of a table as people read them.

    Parameters
    ----------
    table : pandas.DataFrame
    names : Names
    columns : dict
        Heading -> column, or ``(column, digits)``, or ``(column, function)``. Cohorts,
        groups, contrasts, methods and protocols get their labels.

    Returns
    -------
    pandas.DataFrame of str

    Examples
    --------
    >>> texts(pd.DataFrame({"alpha": [0.05]}), None, {"α": ("alpha", 3)}).values.tolist()
    [['0.050']]
    """
    shown = {}
    for heading, column in columns.items():
        column, how = column if isinstance(column, tuple) else (column, None)
        if column not in table:
            raise InputError(f"a table lacks the column {column}")
        if how is None and column in ("cohort", "group", "contrast", "method", "protocol"):
            shown[heading] = [names(column, value) for value in table[column]]
        elif how is None:
            shown[heading] = ["" if pd.isna(value) else str(value) for value in table[column]]
        elif isinstance(how, int):
            shown[heading] = [number(value, how) for value in table[column]]
        else:
            shown[heading] = [how(value) for value in table[column]]
    return pd.DataFrame(shown, index=range(len(table)), dtype=object)
