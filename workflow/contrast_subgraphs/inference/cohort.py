"""The tests of a whole cohort, from the files of a run to their tables."""

import warnings

import pandas as pd

from ..core.errors import InputError
from ..design.design import NoTest
from .group_tests import group_tests, group_tests_table
from .permutation import columns_of, permutation_test
from .stability import COLUMNS as STABILITY_COLUMNS
from .stability import region_stability

#: Blocks that are taken where a cohort has them, and that need not be there.
SITE = "site"


def cohort_design(graphs, members, blocks, covariates):
    """Return what the tests of a cohort permute within and adjust for.

    Parameters
    ----------
    graphs : CohortGraphs
    members : pandas.DataFrame
        Of ``graphs/<cohort>.tsv``: ``subject`` and further columns.
    blocks : str or None
        A column, or None or ``none`` to permute freely. ``site`` is free too where the
        people have no sites.
    covariates : sequence of str
        Columns.

    Returns
    -------
    graphs : CohortGraphs
        Without the people who lack a covariate.
    design : dict
        ``blocks, covariates, subjects`` as `permutation_test` takes them.
    names : dict
        ``blocks`` and ``adjusted``: what the tables call them.

    Raises
    ------
    InputError
        If the members are not those of the graphs or lack a column.

    Warns
    -----
    UserWarning
        If people lack a covariate.
    """
    if members["subject"].tolist() != graphs.subject.tolist():
        raise InputError("the table of members and the graphs are of different people")
    within = None if blocks in (None, "none") else blocks
    if within == SITE and (SITE not in members or members[SITE].isna().all()):
        within = None
    asked = [name for name in (within, *covariates) if name is not None]
    for name in asked:
        if name not in members:
            raise InputError(
                f"inference: the people have no column {name!r}; there are "
                f"{', '.join(column for column in members if column != 'subject')}"
            )
    values = {name: members[name].to_numpy() for name in covariates}
    whole = members[list(covariates)].notna().all(axis=1).to_numpy()
    if not whole.all():
        warnings.warn(
            f"{(~whole).sum()} of {len(whole)} people lack {' or '.join(covariates)}: they are "
            "left out of the tests of this stage",
            stacklevel=2,
        )
        graphs = type(graphs)(
            graphs.adjacency[whole],
            graphs.y[whole],
            graphs.subject[whole],
            graphs.roi,
            graphs.groups,
        )
    design = {
        "blocks": None if within is None else members[within].to_numpy()[whole],
        "covariates": {name: column[whole] for name, column in values.items()},
        "subjects": graphs.subject,
    }
    return graphs, design, {"blocks": within or "none", "adjusted": "+".join(covariates)}


def cohort_test(graphs, members, records, settings, seed, cohort, **options):
    """Test a cohort's contrast subgraphs.

    Parameters
    ----------
    graphs : CohortGraphs
    members : pandas.DataFrame
    records : sequence of dict
        What ``contrast/<cohort>/<contrast>.json`` hold. With covariates only their
        penalties count: the adjusted subgraphs are others.
    settings : dict
        The section ``inference`` of the config.
    seed : int
    cohort : str
    **options
        ``kept, stamp, processes, weights`` for `permutation_test`.

    Returns
    -------
    pandas.DataFrame
        See `PermutationTest.table`, with ``cohort, blocks, adjusted``. Where the cohort
        allows no test p is missing and ``permutations`` 0.

    Warns
    -----
    UserWarning
        If the cohort allows no test.
    """
    arguments, names = _arguments(graphs, members, settings, seed, cohort)
    solved = {record["contrast"]: record["subgraphs"] for record in records}
    entries = records[0]["subgraphs"]
    percentiles = [e["percentile"] for e in entries if e["percentile"] is not None]
    alphas = [e["alpha"] for e in entries if e["percentile"] is None]
    try:
        table = permutation_test(
            percentiles=percentiles,
            alphas=alphas,
            permutations=settings["permutations"],
            solved=None if arguments["covariates"] else solved,
            regions=graphs.roi,
            **arguments,
            **options,
        ).table()
    except NoTest as error:
        warnings.warn(f"{cohort} allows no permutation test: {error}", stacklevel=2)
        table = pd.DataFrame(
            [{"contrast": name, **entry} for name, rows in solved.items() for entry in rows]
        )
        table = table.assign(size=table["nodes"].map(len), permutations=0, exact=False)
        table = table.reindex(columns=columns_of(graphs.groups))
    table.insert(0, "cohort", cohort)
    return table.assign(**names)


def cohort_group_tests(graphs, members, settings, seed, cohort):
    """Test a cohort edge by edge, on the same relabellings.

    Parameters
    ----------
    graphs, members, settings, seed, cohort
        As for `cohort_test`.

    Returns
    -------
    pandas.DataFrame
        See `group_tests_table`, with ``cohort, blocks, adjusted, permutations``; no rows
        where the cohort allows no test.
    """
    arguments, names = _arguments(graphs, members, settings, seed, cohort)
    threshold = settings["nbs_threshold"]
    try:
        found = group_tests(permutations=settings["permutations"], threshold=threshold, **arguments)
    except NoTest:
        found = {}
    table = group_tests_table(found, threshold)
    table.insert(0, "cohort", cohort)
    return table.assign(**names, permutations=settings["permutations"])


def cohort_stability(graphs, members, percentiles, settings, seed, cohort, **options):
    """Count how often each region of a cohort is chosen over half samples.

    Parameters
    ----------
    graphs, members, settings, seed, cohort
        As for `cohort_test`.
    percentiles : sequence of float
    **options
        ``processes, weights`` for `region_stability`.

    Returns
    -------
    pandas.DataFrame
        See `region_stability`, with ``cohort`` and ``region``; no rows where the cohort
        allows no test.
    """
    arguments, _ = _arguments(graphs, members, settings, seed, cohort)
    try:
        table = region_stability(
            percentiles=percentiles, halves=settings["halves"], **arguments, **options
        )
    except NoTest as error:
        warnings.warn(f"{cohort}: no half samples: {error}", stacklevel=2)
        table = pd.DataFrame(columns=STABILITY_COLUMNS)
    table.insert(0, "cohort", cohort)
    table["region"] = graphs.roi[table["index"].to_numpy(int)]
    return table


def _arguments(graphs, members, settings, seed, cohort):
    """What all tests of a cohort take, and what the tables call it."""
    chosen, design, names = cohort_design(
        graphs, members, settings["blocks"], settings["covariates"]
    )
    data = {
        "graphs": chosen.adjacency,
        "y": chosen.labels,
        "groups": chosen.groups,
        "seed": seed,
        "name": cohort,
    }
    return data | design, names
