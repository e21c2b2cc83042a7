"""Write the weights of all pairs of regions of a cohort's subjects."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.data.folder import load_subjects
    from contrast_subgraphs.graphs.edges import cohort_edges

    cohort_edges(
        CohortGraphs.load(snakemake.input.graphs),
        map(load_subjects, snakemake.input.series),
        snakemake.params.measure,
    ).save(snakemake.output[0])
