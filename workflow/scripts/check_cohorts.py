"""Check that every cohort can be made from the phenotypes."""

from job import job

with job(snakemake):
    from contrast_subgraphs.cohorts import check_cohorts, read_phenotypes
    from contrast_subgraphs.files import save_table

    config = snakemake.config
    sizes = check_cohorts(read_phenotypes(snakemake.input[0]), config["groups"], config["cohorts"])
    save_table(sizes, snakemake.output[0])
