"""Check that every cohort can be made from the phenotypes."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import save_table
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.graphs.cohorts import check_cohorts

    config = snakemake.config
    groups = {name: group["where"] for name, group in config["groups"].items()}
    sizes = check_cohorts(read_phenotypes(snakemake.input[0]), groups, config["cohorts"])
    save_table(sizes, snakemake.output[0])
