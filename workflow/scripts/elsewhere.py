"""Measure the sets that other people chose in the people of one cohort."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.design.of_cohort import beside_modes
    from contrast_subgraphs.inference.elsewhere import confirmed_sets, in_other_people

    given, params = snakemake.input, snakemake.params
    graphs = CohortGraphs.load(given.graphs)
    members = load_table(given.members, ["subject"])
    settings = params.inference
    # As in the cohort's own test: the same design, or the p-values would not compare.
    if params.modes is not None:
        raw = CohortGraphs.load(given.raw)
        members, settings = beside_modes(
            raw, members, settings, params.adjust, params.modes, params.seed
        )
    of_cohort = graphs, members, settings, params.seed, snakemake.wildcards.cohort
    found = dict(zip(params.cohorts, given.found, strict=True))
    save_table(in_other_people(found, *of_cohort), snakemake.output.others)
    save_table(confirmed_sets(params.claims, *of_cohort), snakemake.output.confirmed)
