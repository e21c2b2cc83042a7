"""What a table is: how it is computed, which columns people see, what stands below it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ...core.atomic_files import load_table, save_table, save_text
from ...core.errors import InputError
from ..formats import count, number, p_value, percent, percentile, to_latex, to_markdown, yes_no
from ..names import region_label
from ..sentences import sentence

#: Column of a CSV -> its heading for people, or ``(heading, digits or function)``. A column
#: without a heading is for programs alone.
HEADINGS = {
    "cohort": "Cohort",
    "contrast": "Contrast",
    "protocol": "Protocol",
    "method": "Method",
    "percentile": ("Percentile", percentile),
    "alpha": ("α", 4),
    "set": "Set",
    "size": "Regions",
    "density": "Density",
    "objective": ("Objective", 3),
    "fraction": ("Within", 2),
    "rivals": "Rivals",
    "complete": ("All listed", yes_no),
    "nearest": ("Nearest", 3),
    "least_overlap": ("Least overlap", 2),
    "gap": ("Gap", 4),
    "optimal": ("Proven optimal", yes_no),
    "explained": ("Explained", percent),
    "regions": "Names",
    "region": ("Region", region_label),
    "hemisphere": "Hemisphere",
    "system": "System",
    "degree": ("Weighted degree", 3),
    "share": ("In half samples", 2),
    "share_permuted": ("With permuted labels", 2),
    "share_critical": ("Evidence above", 2),
    "grouping": "Kind",
    "group": ("Regions of", str),
    "left": "Left",
    "right": "Right",
    "midline": "Midline",
    "count": "Regions",
    "expected": ("At random", 1),
    "p_value": ("p", p_value),
    "null": "Permuted labels",
    "z": ("z", 2),
    "p": ("p", p_value),
    "p_contrast": ("p (penalties)", p_value),
    "p_familywise": ("p (family-wise)", p_value),
    "interval": "95 % interval",
    "difference": ("Difference", 2),
    "p_holm": ("p (Holm)", p_value),
    "effect": ("Effect", percentile),
    "planted": "Planted",
    "found": "Found",
    "common": "Common",
    "rule": "Rule",
    "part": "Measured on",
    "selected": "Selected",
    "correct": "Correct",
    "precision": ("Precision", 2),
    "recall": ("Recall", 2),
    "control_precision": ("Precision, permuted", 2),
    "stage": "Stage",
    "job": "Job",
    "seconds": ("Seconds", 1),
    "cpu_seconds": ("CPU seconds", 1),
    "memory_mb": ("Memory (MB)", 0),
    "statistic": ("Statistic", lambda value: "" if pd.isna(value) else f"{value:.3g}"),
    "edges": ("Edges", count),
}

#: Columns that are left out where nothing is known.
_OPTIONAL = ("hemisphere", "system", "share", "share_permuted", "share_critical", "explained")


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

    Its caption is the macro ``<name>_caption`` in ``templates/tables.txt``.

    Attributes
    ----------
    name : str
        Of its files, ``tables/<name>.csv``, ``.md`` and ``.tex``.
    columns : str
        Columns that the CSV must have, separated by spaces, in the order in which those with
        a heading are shown.
    make : callable
        `Results` -> the CSV's data frame, with all digits.
    headings : dict
        Where they differ from `HEADINGS`.
    show : callable, optional
        The data frame and the `Names` -> texts under readable headings, if these are not
        the columns as they are.
    notes : callable
        The same -> lines below the table.
    text : tuple of str
        Columns of the CSV that are text even where they look like numbers.
    """

    name: str
    columns: str
    make: Callable
    headings: dict = field(default_factory=dict)
    show: Callable | None = None
    notes: Callable = lambda table, names: []
    text: tuple = ()

    def shown(self, table, names):
        """Return the table as people see it."""
        if self.show:
            texts = self.show(table, names)
        else:
            texts = written(table, names, self.columns, self.headings)
        caption = sentence("tables.txt", f"{self.name}_caption", names)
        return Shown(texts, caption, self.notes(table, names))

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
        """Read the CSV that `save` wrote."""
        dtype = dict.fromkeys(self.text, str)
        return load_table(path, self.columns.split(), dtype=dtype)


def written(table, names, columns, headings=None):
    """Write the columns of a table as people read them.

    `names`: cohorts, groups, contrasts, methods and protocols get their labels; `columns`:
    separated by spaces; those without a heading are left out; `headings`: beside `HEADINGS`.

    >>> written(pd.DataFrame({"alpha": [0.05], "y": 1}), None, "alpha y").to_dict("list")
    {'α': ['0.0500']}
    """
    known, shown = HEADINGS | (headings or {}), {}
    for column in columns.split():
        heading = known.get(column)
        if not heading:
            continue
        if column not in table:
            raise InputError(f"a table lacks the column {column}")
        values = table[column]
        if column in _OPTIONAL and (values.isna() | (values.astype(str) == "")).all():
            continue
        heading, how = heading if isinstance(heading, tuple) else (heading, None)
        if how is None and column in ("cohort", "contrast", "method", "protocol"):
            shown[heading] = [names(column, value) for value in values]
        elif how is None:
            shown[heading] = ["" if pd.isna(value) else str(value) for value in values]
        elif isinstance(how, int):
            shown[heading] = [number(value, how) for value in values]
        else:
            shown[heading] = [how(value) for value in values]
    return pd.DataFrame(shown, index=range(len(table)), dtype=object)


def rows_of(records):
    """Yield each record's subgraphs, with the columns that tables of subgraphs begin with."""
    for record in records:
        for subgraph in record["subgraphs"]:
            row = {"cohort": record["cohort"], "contrast": record["contrast"]}
            row |= {name: subgraph[name] for name in ("percentile", "alpha")}
            yield record, subgraph, row
