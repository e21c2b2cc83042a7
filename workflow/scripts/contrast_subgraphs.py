"""Find the contrast subgraphs of one cohort and one contrast for every alpha."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import cohort_record, seconds_table, sweep_cohort
    from contrast_subgraphs.core.files import save_json, save_table
    from contrast_subgraphs.core.graphs import CohortGraphs

    cohort, contrast = snakemake.wildcards.cohort, snakemake.wildcards.contrast
    graphs = CohortGraphs.load(snakemake.input[0])
    solutions = sweep_cohort(graphs, contrast, snakemake.params.seed, snakemake.params.contrast)
    save_table(seconds_table(solutions), snakemake.output.seconds)
    save_json(snakemake.output.subgraphs, cohort_record(solutions, cohort, contrast, graphs.roi))
