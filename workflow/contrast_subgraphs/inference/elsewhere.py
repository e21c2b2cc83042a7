"""Do sets hold in people of a run who had no part in their choice?

These are the sets found in the run's other cohorts (`in_other_people`), and those of the config's
section ``confirm``, which others found or claim (`confirmed_sets`). Each is one test of a set that
is fixed in advance, without a search (`confirm`). Cohorts may share people: those who chose a set
are left out where it is measured, and counted.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.checks import in_words
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.holm import holm
from ..design import CohortGraphs, NoTest
from ..design.of_cohort import cohort_design
from .chosen_penalty import shown_sets
from .confirm import confirm
from .fixed_sets import (
    FixedSet,
    digest_of,
    doubts_of_the_same,
    how_found,
    load_sets,
    named_set,
    names_of,
    save_sets,
)
from .sites import enough_people

_MEASURED = "shared n_first n_second effect low high d p permutations exact".split()
#: Columns of `in_other_people`: the cohort that chose, and the one that is measured.
OTHERS = ["cohort", "contrast", "percentile", "elsewhere", *_MEASURED]
#: Columns of `confirmed_sets`.
CONFIRMED = ["cohort", "set", "contrast", "pairs", *_MEASURED]


def save_shown(
    path: Any,
    graphs: CohortGraphs,
    records: Sequence[Mapping[str, Any]],
    tests: pd.DataFrame,
    effects: pd.DataFrame,
    settings: Mapping[str, Any],
) -> None:
    """Write the sets of a cohort that are shown, one for each direction, for use by `confirm`.

    Parameters
    ----------
    path : str or pathlib.Path
    graphs : CohortGraphs
    records : sequence of dict
        ``contrast/<cohort>/<contrast>.json`` of the cohort.
    tests, effects : pandas.DataFrame
        From `cohort_test` and `cohort_effects`: they decide which sets are shown (`shown_sets`).
    settings : dict
        The config's section ``inference``.
    """
    entries = {record["contrast"]: record["subgraphs"] for record in records}
    found = []
    for row in shown_sets(tests, effects).to_dict("records"):
        # A symmetric contrast has no direction that could be confirmed.
        if row["contrast"] not in graphs.contrasts[:2] or len(graphs.contrasts) < 2:
            continue
        for entry in entries[row["contrast"]]:
            if entry["percentile"] == row["percentile"]:
                found.append({"contrast": row["contrast"], **entry})
    save_sets(
        path,
        found,
        graphs,
        how_found(graphs.weights, settings["covariates"]),
        people=graphs.people,
    )


def in_other_people(
    found: Mapping[str, Any],
    graphs: CohortGraphs,
    members: pd.DataFrame,
    settings: Mapping[str, Any],
    seed: int,
    cohort: str,
) -> pd.DataFrame:
    """Measure the sets of other cohorts in those people of this cohort who are not in them.

    Parameters
    ----------
    found : mapping of str to path
        Cohort -> the file that `save_shown` wrote for it.
    graphs, members, settings, seed, cohort
        The cohort that is measured, as for `cohort_test`.

    Returns
    -------
    pandas.DataFrame
        With the columns `OTHERS`. The effect is NaN if too few people are left, or only people of
        one group. Cohorts with other contrasts have no rows.
    """
    rows = []
    for other, path in found.items():
        if other == cohort:
            continue
        # A cohort that found nothing has an empty file: that is no mistake here.
        sets = [one for one in load_sets(path, empty=True) if one.contrast in graphs.contrasts[:2]]
        # Within a run a name is one person, however the graphs were made.
        chose = frozenset().union(*(one.subjects for one in sets))
        known = np.isin(graphs.people.astype(str), sorted(chose))
        about = {"cohort": other, "elsewhere": cohort}
        for one, measured in _measured(sets, known, graphs, members, settings, seed, cohort):
            kept = {"contrast": one.contrast, "percentile": one.percentile}
            rows.append(about | kept | measured)
    return pd.DataFrame(rows, columns=OTHERS)


def confirmed_sets(
    claims: Sequence[Mapping[str, Any]],
    graphs: CohortGraphs,
    members: pd.DataFrame,
    settings: Mapping[str, Any],
    seed: int,
    cohort: str,
) -> pd.DataFrame:
    """Test the sets of the config's section ``confirm`` in a cohort.

    Parameters
    ----------
    claims : sequence of dict
        ``{file, rename, name}`` of `find --save` or of a run, or ``{regions, contrast, between,
        name}``.
    graphs, members, settings, seed, cohort
        As for `cohort_test`.

    Returns
    -------
    pandas.DataFrame
        With the columns `CONFIRMED`. Sets with a contrast that the cohort does not have give no
        rows. People whose graphs are among those that chose a file's sets are left out and counted.
    """
    rows = []
    names = names_of(graphs.people)
    how = how_found(graphs.weights, settings["covariates"])
    for claim in claims:
        sets = [one for one in _claimed(claim, graphs.roi) if one.contrast in graphs.contrasts[:2]]
        chose = frozenset().union(*(one.people for one in sets))
        known = np.array([chose != set() and digest_of(row) in chose for row in graphs.weights])
        # People who are left out because of their graphs need no warning about their names.
        left = [name for name, out in zip(names, known, strict=True) if not out]
        for text in doubts_of_the_same(sets, left, how):
            warnings.warn(f"{cohort}: {text}", stacklevel=2)
        for one, measured in _measured(sets, known, graphs, members, settings, seed, cohort):
            pairs = int(one.pairs(graphs.roi.tolist()).sum())
            about = {"cohort": cohort, "set": one.name, "contrast": one.contrast, "pairs": pairs}
            rows.append(about | measured)
            if "why" in measured:
                text = (
                    f"{cohort}: {one.name} is not tested, {measured['shared']} of {len(names)} "
                    f"{PEOPLE} chose it: {measured['why']}"
                )
                warnings.warn(DataWarning(text), stacklevel=2)
    return pd.DataFrame(rows, columns=CONFIRMED)


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Return the tests of all cohorts with ``p_holm``, corrected for their number.

    Examples
    --------
    >>> corrected(pd.DataFrame({"p": [0.01, float("nan"), 0.04]}))["p_holm"].tolist()
    [0.02, nan, 0.04]
    """
    # Only tests that were made count for the correction.
    tested = table["p"].notna()
    adjusted = pd.Series(np.nan, index=table.index)
    adjusted[tested] = holm(table.loc[tested, "p"].to_numpy(dtype=float))
    return table.assign(p_holm=adjusted)


def _claimed(claim, regions):
    """Yield the sets of one entry of the config's section ``confirm``."""
    if "file" in claim:
        for one in load_sets(claim["file"], claim.get("rename")):
            yield replace(one, name=f"{claim.get('name', claim['file'])}: {one.name}")
        return
    yield named_set(
        claim["regions"],
        regions,
        claim["contrast"],
        between=claim.get("between"),
        name=claim.get("name"),
    )


def _measured(
    sets: Sequence[FixedSet], known, graphs, members, settings, seed, cohort
) -> Iterator[tuple[FixedSet, dict]]:
    """Yield each set with its test in the people of a cohort who are not `known` to have chosen it.

    If the others allow no test, ``why`` says the reason. The number of people left out is given.
    """
    measured = {"shared": int(known.sum())}
    if not sets:
        return
    try:
        with warnings.catch_warnings():
            # The cohort's own tests give these warnings.
            warnings.simplefilter("ignore")
            rest, design = cohort_design(graphs.of(~known), members[~known], settings, seed, cohort)
            people = design.people_of_strata()
            measured |= {"n_first": people[0], "n_second": people[-1]}
            if not enough_people(people, design.labels):
                raise NoTest(f"too few people of each group are left ({in_words(people)})")
            # Those who chose are left out already: `confirm` must not refuse the others.
            sets = [replace(one, people=frozenset()) for one in sets]
            table = confirm(
                rest.weights,
                design,
                sets,
                regions=rest.roi,
                n_permutations=settings["permutations"],
            ).table()
    except NoTest as error:
        for one in sets:
            yield one, measured | {"why": str(error)}
        return
    for one, row in zip(sets, table.to_dict("records"), strict=True):
        yield one, measured | {key: row[key] for key in row if key in _MEASURED}
