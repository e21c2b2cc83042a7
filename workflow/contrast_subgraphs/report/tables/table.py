"""What a table is: how it is computed, which columns people see, what stands below it."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ...core.atomic_files import load_table, save_table, save_text
from ...core.errors import InputError
from ..formats import number, p_value, yes_no
from ..names import region_label
from ..sentences import sentence, templates
from .columns import sidecar

#: Column of a CSV -> its heading for people, or ``(heading, format or function)``. A column
#: without a heading is for programs alone.
HEADINGS = {
    "cohort": "Cohort",
    "contrast": "Contrast",
    "protocol": "Protocol",
    "method": "Method",
    "percentile": ("Percentile", "g"),
    "alpha": ("α", ".4f"),
    "set": "Set",
    "size": "Regions",
    "density": "Density",
    "objective": ("Objective", ".3f"),
    "fraction": ("Within", ".2f"),
    "rivals": "Rivals",
    "complete": ("All listed", yes_no),
    "nearest": ("Nearest", ".3f"),
    "least_overlap": ("Least overlap", ".2f"),
    "gap": ("Gap", ".4f"),
    "optimal": ("Proven optimal", yes_no),
    "explained": ("Explained", ".1%"),
    "regions": "Names",
    "region": ("Region", region_label),
    "hemisphere": "Hemisphere",
    "system": "System",
    "degree": ("Weighted degree", ".3f"),
    "share": ("In half samples", ".2f"),
    "share_permuted": ("By chance", ".2f"),
    "share_critical": ("Evidence above", ".2f"),
    "grouping": "Kind",
    "group": ("Regions of", str),
    "left": "Left",
    "right": "Right",
    "midline": "Midline",
    "count": "Regions",
    "expected": ("At random", ".1f"),
    "p_value": ("p", p_value),
    "null": "By chance",
    "z": ("z", ".2f"),
    "p": ("p", p_value),
    "p_contrast": ("p (penalties)", p_value),
    "p_familywise": ("p (family-wise)", p_value),
    "p_familywise_tail": ("by the tail", ".2g"),
    "interval": "95 % interval",
    "difference": ("Difference", ".2f"),
    "p_holm": ("p (Holm)", p_value),
    "effect": ("Effect", "g"),
    "planted": "Planted",
    "found": "Found",
    "common": "Common",
    "rule": "Rule",
    "part": "Measured on",
    "selected": "Selected",
    "correct": "Correct",
    "precision": ("Precision", ".2f"),
    "recall": ("Recall", ".2f"),
    "control_precision": ("Precision, permuted", ".2f"),
    "stage": "Stage",
    "job": "Job",
    "seconds": ("Seconds", ".1f"),
    "cpu_seconds": ("CPU seconds", ".1f"),
    "memory_mb": ("Memory (MB)", ".0f"),
    "statistic": ("Statistic", ".3g"),
    "edges": ("Edges", ".0f"),
}

#: Columns that are left out where nothing is known.
_OPTIONAL = (
    "description",
    "hemisphere",
    "system",
    "share",
    "share_permuted",
    "share_critical",
    "explained",
    "p_familywise_tail",
    "adjusted_r",
    "nuisance_r",
    "share_chosen",
)

#: Columns that are labels of the config.
_NAMED = ("cohort", "contrast", "method", "protocol")


@dataclass(frozen=True)
class Shown:
    """A table as people see it, in Markdown, in LaTeX and on the page alike."""

    texts: pd.DataFrame  # under readable headings
    caption: str
    notes: list  # lines below the table


@dataclass(frozen=True)
class Table:
    """A table: its CSV for programs and its texts for people.

    Its caption is the macro ``<name>_caption`` in ``templates/tables.txt``.
    """

    name: str  # of its files, ``tables/<name>.csv``, ``.md`` and ``.tex``
    #: Columns that the CSV must have, separated by spaces.
    columns: str
    #: `Results` -> the CSV's data frame, with all digits.
    make: Callable
    #: Where they differ from `HEADINGS`.
    headings: dict = field(default_factory=dict)
    #: The data frame and the `Names` -> texts under readable headings; by default of the columns
    #: that have a heading, in their order.
    show: Callable | None = None
    #: The same -> lines below the table.
    notes: Callable = lambda table, names: []
    #: Columns of the CSV that are text even where they look like numbers.
    text: tuple = ()

    def shown(self, table, names):
        """Return the table as people see it."""
        if self.show:
            texts = self.show(table, names)
        else:
            texts = written(table, names, self.columns, self.headings)
        caption = sentence("tables.txt", f"{self.name}_caption", names, list(texts))
        return Shown(texts, caption, self.notes(table, names))

    def save(self, results, folder):
        """Compute the table and write it as CSV with its sidecar, as Markdown and LaTeX."""
        table = self.make(results)
        shown = self.shown(table, results.names)
        for ending in ("md", "tex"):
            text = templates().get_template(f"table.{ending}").render(shown=shown)
            save_text(Path(folder) / f"{self.name}.{ending}", text)
        columns = sidecar(self.name, table, results.names)
        # Plain JSON, without our own digest: other programs take each key for a column.
        text = json.dumps(columns, indent=1, ensure_ascii=False)
        save_text(Path(folder) / f"{self.name}.json", text + "\n")
        save_table(table, Path(folder) / f"{self.name}.csv")

    def load(self, path):
        """Read the CSV that `save` wrote."""
        return load_table(path, self.columns.split(), dtype=dict.fromkeys(self.text, str))


def written(table, names, columns, headings=None):
    """Write the columns of a table as people read them, without those that have no heading.

    `columns`: separated by spaces; `headings`: in addition to `HEADINGS`.
    """
    known = HEADINGS | (headings or {})
    shown = {}
    for column in columns.split():
        heading = known.get(column)
        how = ""
        if not heading:
            continue
        if column not in table:
            raise InputError(f"a table lacks the column {column}")
        values = table[column]
        if column in _OPTIONAL and (values.isna() | (values.astype(str) == "")).all():
            continue
        if isinstance(heading, tuple):
            heading, how = heading
        if not how and column in _NAMED:
            how = functools.partial(names, column)
        if not callable(how):
            how = functools.partial(number, how=how)
        shown[heading] = [how(one) for one in values]
    return pd.DataFrame(shown, index=range(len(table)), dtype=object)


def sets_in(records):
    """Yield each record's subgraphs, with the columns that tables of subgraphs begin with."""
    for record in records:
        for subgraph in record["subgraphs"]:
            row = {"cohort": record["cohort"], "contrast": record["contrast"]}
            row |= {name: subgraph[name] for name in ("percentile", "alpha")}
            yield record, subgraph, row
