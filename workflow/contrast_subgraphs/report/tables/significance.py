"""Table ``significance``: the permutation test of every contrast subgraph."""

import functools

import pandas as pd

from ...core.holm import holm
from ...inference.chosen_penalty import shown_sets
from ..formats import density_text, p_value
from ..sentences import sentence
from .table import Table, written

COLUMNS = (
    "cohort contrast percentile alpha objective size null_mean null_sd z p p_contrast "
    "p_familywise p_familywise_low p_familywise_high p_familywise_tail blocks adjusted permutations"
)

_SHOWN = (
    "cohort contrast percentile alpha size density objective null z p p_contrast p_familywise "
    "interval p_familywise_tail"
)


def significance_shown(table, names):
    """Return the table for people."""
    of = {name: f"{names.column}_{name}" for name in names.groups}
    densities = [
        ", ".join(
            f"{names('group', name)} {density_text(row[column])}"
            for name, column in of.items()
            if column in table and not pd.isna(row[column])
        )
        for _, row in table.iterrows()
    ]
    ends = zip(table["p_familywise_low"], table["p_familywise_high"], strict=True)
    interval = ["" if pd.isna(low) else f"{low:.3f} to {high:.3f}" for low, high in ends]
    null = [
        "" if pd.isna(mean) else f"{mean:.3f} ± {sd:.3f}"
        for mean, sd in zip(table["null_mean"], table["null_sd"], strict=True)
    ]
    shown = table.assign(density=densities, null=null, interval=interval)
    return written(_smaller_tails(shown), names, _SHOWN, {"density": names.measure.capitalize()})


def _smaller_tails(table):
    """Leave out p-values of the fitted tail where they say no more than those by counting."""
    tail = table["p_familywise_tail"]
    # The tail is used only where counting is too coarse.
    return table.assign(p_familywise_tail=tail.where(tail < 0.99 * table["p_familywise"]))


def significance_notes(table, names):
    """Say what was permuted, what the p-values are corrected for, and what they do not say."""
    notes = [sentence("tables.txt", "significance_columns")]
    for (blocks, adjusted, count, exact), rows in table.fillna({"adjusted": ""}).groupby(
        ["blocks", "adjusted", "permutations", "exact"], sort=False, dropna=False
    ):
        where = [names("cohort", name) for name in rows["cohort"].unique()]
        if all(names.question(cohort).within_person for cohort in rows["cohort"]):
            blocks = "pair"  # one person twice, or two who are matched
        notes.append(
            sentence("tables.txt", "permuted", ", ".join(where), count, exact, blocks, adjusted)
        )
    return notes + chance_notes(table, names) + names.units


def chance_notes(table, names):
    """Say what p by the tail is, and what is corrected over pairs of groups."""
    tails = _smaller_tails(table)["p_familywise_tail"].notna().any()
    notes = over_pairs(table, names)
    if tails:
        return [sentence("tables.txt", "tails"), *notes]
    return notes


def over_pairs(table, names):
    """Say that nothing is corrected over several pairs of groups, and what would be."""
    # A part of the table would give a correction for too few pairs.
    if len(names.groups) < 3 or set(table["cohort"]) != set(names.cohorts):
        return []  # two groups, or a part of the table
    asking = [cohort for cohort, one in names.questions.items() if not one.of_means]
    pairs = table[~table["cohort"].isin(asking)]
    smallest = pairs.groupby("cohort", sort=False)["p_familywise"].min().dropna()
    if len(smallest) < 2:
        return []
    corrected = zip(smallest.index, holm(smallest.to_numpy()), strict=True)
    each = [f"{names('cohort', name)} {p_value(p)}" for name, p in corrected]
    return [sentence("tables.txt", "over_pairs", len(smallest), ", ".join(each))]


TABLE = Table(
    name="significance",
    columns=COLUMNS,
    make=lambda results: results.significance,
    show=significance_shown,
    notes=significance_notes,
    text=("blocks", "adjusted"),
)


def chance_shown(table, names, effects=None):
    """Return a row for each cohort and contrast: of the set that is shown."""
    shown = shown_sets(table, effects)
    columns = "cohort contrast percentile size z p_contrast p_familywise p_familywise_tail"
    heading = {"percentile": ("At percentile", "{:g}".format)}
    return written(_smaller_tails(shown), names, columns, heading)


def chance(effects=None):
    """Return the table `significance` in short, a view of it for the page.

    `effects`: the table of this name, by which the sets are chosen.
    """
    return Table(
        name="chance",
        columns=COLUMNS,
        make=TABLE.make,
        show=functools.partial(chance_shown, effects=effects),
        notes=chance_notes,
    )
