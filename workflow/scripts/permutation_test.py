"""Test whether the differences in one cohort are more than chance."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.files import load_subgraphs
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.design.of_cohort import beside_modes
    from contrast_subgraphs.inference.cohort import (
        cohort_edge_tests,
        cohort_effects,
        cohort_stability,
        cohort_test,
    )
    from contrast_subgraphs.inference.elsewhere import save_shown
    from contrast_subgraphs.inference.sites import cohort_sites

    given, output, params = snakemake.input, snakemake.output, snakemake.params
    graphs = CohortGraphs.load(given.graphs)
    members = load_table(given.members, ["subject"])
    settings = params.inference
    if params.modes is not None:
        raw = CohortGraphs.load(given.raw)
        members, settings = beside_modes(
            raw, members, settings, params.adjust, params.modes, params.seed
        )
    of_cohort = settings, params.seed, snakemake.wildcards.cohort
    options = {"n_jobs": snakemake.threads, "edge_statistic": params.edge_statistic}
    records = [load_subgraphs(path) for path in given.contrasts]
    # 1. Is it more than chance? `kept` continues the permutations of an earlier run.
    table = cohort_test(
        graphs,
        members,
        records,
        *of_cohort,
        kept=output.null,
        stamp=params.code,
        limits=params.limits,
        **options,
    )
    # 2. Which regions do half samples choose?
    regions = cohort_stability(graphs, members, params.percentiles, *of_cohort, **options)
    save_table(regions, output.regions)
    # 3. The field's usual tests, for comparison.
    edges = cohort_edge_tests(graphs, members, *of_cohort, **options)
    save_table(edges, output.group_tests)
    # 4. How large is it in people who did not choose the set, and at each site?
    effects, people = cohort_effects(graphs, members, records, *of_cohort, **options)
    save_table(effects, output.effects)
    sites, over_sites = cohort_sites(graphs, members, table, effects, *of_cohort, **options)
    save_table(sites, output.sites)
    save_table(over_sites, output.over_sites)
    save_shown(output.found, graphs, records, table, effects, settings)
    save_table(people, output.held_out)
    save_table(table, output.table)
