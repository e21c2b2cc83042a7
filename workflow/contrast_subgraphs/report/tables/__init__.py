"""The tables: one module each, from files of the run to CSV, Markdown, LaTeX and the page.

A module defines a `Table`; a new one is named here, and in ``rules/report.smk``
under the files that it is made from.
"""

from . import (
    accuracy,
    alternatives,
    cohorts,
    comparisons,
    confounds,
    effects,
    group_tests,
    parameters,
    prediction,
    recovery,
    regions,
    rules,
    runtime,
    sets,
    significance,
    solver,
    subgraphs,
    systems,
)

#: Name -> `Table`.
TABLES = {
    module.TABLE.name: module.TABLE
    for module in (
        subgraphs,
        cohorts,
        significance,
        effects,
        group_tests,
        accuracy,
        comparisons,
        confounds,
        prediction,
        parameters,
        rules,
        regions,
        systems,
        sets,
        alternatives,
        solver,
        recovery,
        runtime,
    )
}
