"""Test whether the contrast subgraphs of one cohort are more than chance."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.files import load_table, save_table
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.inference.cohort import cohort_test

    given = snakemake.input
    table = cohort_test(
        CohortGraphs.load(given.graphs),
        load_table(given.members, ["subject"]),
        [load_subgraphs(path) for path in given.contrasts],
        snakemake.params.inference,
        snakemake.params.seed,
        snakemake.wildcards.cohort,
        kept=snakemake.output.null,
        stamp=snakemake.params.code,
        processes=snakemake.threads,
    )
    save_table(table, snakemake.output.table)
