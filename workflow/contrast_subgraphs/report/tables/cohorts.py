"""Table ``cohorts``: how many subjects each cohort has (Table 1 of the paper)."""

import pandas as pd

from .table import Table, written


def cohorts_table(members, names, config, paper):
    """Count the members of each cohort's groups, next to the paper's numbers.

    `members`: for each cohort the table of its members (column ``group``); `config`: the
    section ``cohorts``; `paper`: from `load_paper`. Returns: ``cohort``, ``description``, a column
    for each group, with questions the people and graphs (people can come several times), then
    ``paper_<group>`` (missing for a cohort that the paper lacks).
    """
    rows = []
    for cohort, table in members.items():
        sizes = table["group"].value_counts()
        printed = paper["cohorts"].get(cohort, {})
        pair = names.pair(cohort)
        row = {"cohort": cohort, "description": (config[cohort] or {}).get("description", "")}
        for group in names.groups:
            row[group] = None
            if group in pair:
                row[group] = int(sizes.get(group, 0))
        if names.asks:
            values = None
            if not names.question(cohort).groups:
                values = table["value"].nunique()
            # People with several graphs count once.
            if "person" in table:
                people = table["person"].nunique()
            else:
                people = len(table)
            row |= {"people": people, "graphs": len(table), "values": values}
        rows.append(row | {f"paper_{group}": printed.get(group) for group in names.groups})
    counts = [name for name in rows[0] if name not in ("cohort", "description")]
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, "Int64"))


def cohorts_shown(table, names):
    """Return the table for people; the paper's numbers where there are any."""
    headings = {"description": "Description"}
    if "people" in table:
        of_pairs = any(one.within_person for one in names.questions.values())
        people = names.subjects.capitalize()
        if of_pairs:
            people = f"{people} or pairs"
        headings["people"] = (people, ".0f")
        if (table["graphs"] > table["people"]).any():
            headings["graphs"] = ("Graphs", ".0f")
    headings |= {name: (label, ".0f") for name, label in names.groups.items() if name in table}
    for name, label in names.groups.items():
        if names.paper and table.get(f"paper_{name}", pd.Series()).notna().any():
            headings[f"paper_{name}"] = (f"{label} (paper)", ".0f")
    return written(table, names, " ".join(["cohort", *headings]), headings)


TABLE = Table(
    name="cohorts",
    columns="cohort description",
    make=lambda results: cohorts_table(
        results.members, results.names, results.config["cohorts"], results.paper
    ),
    show=cohorts_shown,
    text=("description",),
)
