"""What one cohort's people say once the other cohorts are known: their sets, and its level."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.core.holm import LEVEL
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.design.of_cohort import beside_modes
    from contrast_subgraphs.inference.chosen_penalty import cohort_levels
    from contrast_subgraphs.inference.cohort import cohort_would_find
    from contrast_subgraphs.inference.elsewhere import confirmed_sets, in_other_people

    given, output, params = snakemake.input, snakemake.output, snakemake.params
    graphs = CohortGraphs.load(given.graphs)
    members = load_table(given.members, ["subject"])
    settings = params.inference
    # As in the cohort's own test: the same design, or the p-values would not compare.
    if params.modes is not None:
        raw = CohortGraphs.load(given.raw)
        members, settings = beside_modes(
            raw, members, settings, params.adjust, params.modes, params.seed
        )
    cohort = snakemake.wildcards.cohort
    of_cohort = graphs, members, settings, params.seed, cohort
    found = dict(zip(params.cohorts, given.found, strict=True))
    save_table(in_other_people(found, *of_cohort), output.others)
    save_table(confirmed_sets(params.claims, *of_cohort), output.confirmed)
    # What this cohort's test would have found, corrected for the others as its answer is.
    tests = [load_table(path) for path in (*given.tests, *given.omnibus)]
    options = {"n_jobs": snakemake.threads, "edge_statistic": params.edge_statistic}
    level = cohort_levels(*tests).get(cohort, LEVEL)
    smallest = cohort_would_find(*of_cohort, kept=given.null, level=level, **options)
    save_table(smallest, output.would_find)
