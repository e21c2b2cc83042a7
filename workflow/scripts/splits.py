"""Draw the splits that all methods of a cohort share."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.evaluation.splits import make_splits

    graphs = CohortGraphs.load(snakemake.input[0])
    cohort, params = snakemake.wildcards.cohort, snakemake.params
    save_table(make_splits(graphs, cohort, params.evaluation, params.seed), snakemake.output[0])
