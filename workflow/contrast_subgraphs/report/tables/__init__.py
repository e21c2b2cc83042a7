"""The tables: one module each, from files of the run to CSV, Markdown, LaTeX and the page.

A module defines a `Table`; a new one is named here, and in ``rules/report.smk``
under the files that it is made from.
"""

from importlib import import_module

_ORDER = (
    "subgraphs",
    "cohorts",
    "omnibus",
    "significance",
    "would_find",
    "effects",
    "over_sites",
    "sites",
    "others",
    "confirmed",
    "group_tests",
    "accuracy",
    "comparisons",
    "confounds",
    "prediction",
    "parameters",
    "rules",
    "regions",
    "systems",
    "sets",
    "alternatives",
    "solver",
    "recovery",
    "runtime",
)

#: Name -> `Table`.
TABLES = {name: import_module(f".{name}", __name__).TABLE for name in _ORDER}
