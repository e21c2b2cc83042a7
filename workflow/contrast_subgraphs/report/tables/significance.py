"""Table ``significance``: the permutation test of every contrast subgraph."""

import pandas as pd

from ...evaluation.summary import holm
from .formats import number, p_value, percentile
from .table import Table, texts

COLUMNS = (
    "cohort contrast percentile alpha objective size null_mean null_sd z p p_contrast "
    "p_familywise p_familywise_low p_familywise_high blocks adjusted permutations"
)


def significance_shown(table, names):
    """Return the table for people."""
    densities = [
        [
            f"{names('group', group)} {number(row[f'density_{group}'])}"
            for group in _groups(table)
            if not pd.isna(row[f"density_{group}"])
        ]
        for _, row in table.iterrows()
    ]
    ends = zip(table["p_familywise_low"], table["p_familywise_high"], strict=True)
    interval = ["" if pd.isna(low) else f"{low:.3f} to {high:.3f}" for low, high in ends]
    null = [
        "" if pd.isna(mean) else f"{mean:.3f} ± {sd:.3f}"
        for mean, sd in zip(table["null_mean"], table["null_sd"], strict=True)
    ]
    shown = {
        "Cohort": "cohort",
        "Contrast": "contrast",
        "Percentile": ("percentile", percentile),
        "α": ("alpha", 4),
        "Regions": "size",
        "Density": "density",
        "Objective": ("objective", 3),
        "Permuted labels": "null",
        "z": ("z", 2),
        "p": ("p", p_value),
        "p (penalties)": ("p_contrast", p_value),
        "p (family-wise)": ("p_familywise", p_value),
        "95 % interval": "interval",
    }
    more = {"density": [", ".join(parts) for parts in densities], "null": null}
    return texts(table.assign(interval=interval, **more), names, shown)


def significance_notes(table, names):
    """Say what was permuted, what the p-values are corrected for, and what they do not say."""
    notes = [
        "p: of the best surplus over all sets of regions, which is corrected for the choice among "
        "them; p (penalties): over the penalties of a contrast too; p (family-wise): over all "
        "penalties and contrasts of a cohort, with the interval of what infinitely many "
        "permutations would give. A small p says that the groups differ, not that each region of "
        "the subgraph does."
    ]
    for (blocks, adjusted, count, exact), rows in table.groupby(
        ["blocks", "adjusted", "permutations", "exact"], sort=False, dropna=False
    ):
        where = ", ".join(names("cohort", name) for name in rows["cohort"].unique())
        if count == 0:
            notes.append(f"{where}: the groups allow no permutation test.")
            continue
        within = "freely" if blocks == "none" else f"within each {blocks}"
        kind = "all other" if exact else "random"
        adjusted = "" if pd.isna(adjusted) or not adjusted else f", adjusted for {adjusted}"
        notes.append(f"{where}: {count} {kind} permutations of the labels {within}{adjusted}.")
    return notes + over_pairs(table, names) + names.units


def over_pairs(table, names):
    """Say that nothing is corrected over several pairs of groups, and what would be."""
    if len(names.groups) < 3 or set(table["cohort"]) != set(names.cohorts):
        return []  # two groups, or a part of the table
    smallest = table.groupby("cohort", sort=False)["p_familywise"].min().dropna()
    corrected = zip(smallest.index, holm(smallest.to_numpy()), strict=True)
    return [
        f"No p-value is corrected over these {len(names.cohorts)} cohorts, each of which compares "
        "two of the groups. Corrected over them too (Holm), the smallest family-wise p of each: "
        + ", ".join(f"{names('cohort', name)} {p_value(p)}" for name, p in corrected)
        + "."
    ]


def _groups(table):
    return [name.removeprefix("density_") for name in table if name.startswith("density_")]


TABLE = Table(
    name="significance",
    caption="Is the difference more than chance? Each contrast subgraph's objective against those "
    "of permuted labels, with the best set searched again each time and α held.",
    columns=COLUMNS,
    make=lambda results: results.significance,
    show=significance_shown,
    notes=significance_notes,
    text=("blocks", "adjusted"),
)


def chance_shown(table, names):
    """Return a row for each cohort and contrast: its smallest p-values over the penalties."""
    rows = []
    for (cohort, contrast), part in table.groupby(["cohort", "contrast"], sort=False):
        part = part[part["z"].notna()]
        if part.empty:
            continue
        best = part.loc[part["z"].idxmax()]
        rows.append(
            {
                "Cohort": names("cohort", cohort),
                "Contrast": names("contrast", contrast),
                "At percentile": percentile(best["percentile"]),
                "Regions": f"{best['size']}",
                "z": number(best["z"]),
                "p (penalties)": p_value(part["p_contrast"].min()),
                "p (family-wise)": p_value(part["p_familywise"].min()),
            }
        )
    return pd.DataFrame(rows)


#: The table `significance` in short, a view of it for the page.
CHANCE = Table(
    name="significance",
    caption="Is the difference more than chance? For each contrast the penalty at which it stands "
    "out most from permuted diagnoses (z: in their standard deviations), with p over all sets and "
    "penalties of the contrast, and over all contrasts of the cohort too (family-wise).",
    columns=TABLE.columns,
    make=TABLE.make,
    show=chance_shown,
    notes=over_pairs,
    text=TABLE.text,
)
