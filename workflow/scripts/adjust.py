"""Regress covariates out of a cohort's graphs; inside a training part this is done anew."""

from job import job

with job(snakemake):
    from dataclasses import replace

    from contrast_subgraphs.core.atomic_files import load_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.graphs.cohorts import adjust_cohort

    graphs = CohortGraphs.load(snakemake.input.graphs)
    members = load_table(snakemake.input.members, ["subject"])
    # The file before the adjustment has a longer name; warnings should say the cohort's.
    graphs = replace(graphs, cohort=snakemake.wildcards.cohort)
    params = snakemake.params
    adjusted = adjust_cohort(graphs, members, params.names, modes=params.modes, seed=params.seed)
    adjusted.save(snakemake.output[0])
