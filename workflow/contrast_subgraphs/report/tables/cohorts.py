"""Table ``cohorts``: Table 1 of the paper beside ours."""

import pandas as pd

from .formats import number


def cohorts_table(members, cohorts, paper):
    """Return Table 1 with the paper's sizes beside ours.

    Parameters
    ----------
    members : dict of pandas.DataFrame
        For each cohort the table of its members (column ``group``).
    cohorts : dict
        The section ``cohorts`` of the config.
    paper : dict
        From `load_paper`.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``description``, ``td``, ``asd``, ``paper_td``, ``paper_asd``
        (missing for a cohort that the paper lacks).
    """
    rows = []
    for name, table in members.items():
        sizes = table["group"].value_counts()
        printed = paper["cohorts"].get(name, {})
        rows.append(
            {
                "cohort": name,
                "description": cohorts[name]["description"],
                "td": int(sizes.get("td", 0)),
                "asd": int(sizes.get("asd", 0)),
                "paper_td": printed.get("td"),
                "paper_asd": printed.get("asd"),
            }
        )
    whole = {"paper_td": "Int64", "paper_asd": "Int64"}
    return pd.DataFrame(rows).astype(whole)


def cohorts_shown(table, labels):
    """Return `cohorts_table` for people."""
    return pd.DataFrame(
        {
            "Dataset": table["cohort"].map(labels),
            "Description": table["description"],
            "TD": table["td"],
            "ASD": table["asd"],
            "TD (paper)": table["paper_td"].map(lambda v: number(v, 0)),
            "ASD (paper)": table["paper_asd"].map(lambda v: number(v, 0)),
        }
    )
