"""Table 1: the cohorts and their sizes, the paper's and ours."""

from job import job, resource

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.files import load_table
    from contrast_subgraphs.tables import cohorts_shown, cohorts_table, load_paper, save_formats

    cohorts = snakemake.params.cohorts
    members = {Path(path).stem: load_table(path, ["group"]) for path in snakemake.input.members}
    table = cohorts_table(members, cohorts, load_paper(resource(snakemake.params.paper)))
    labels = {name: cohort["label"] for name, cohort in cohorts.items()}
    caption = "Cohorts and their sizes (Table 1 of the paper)."
    save_formats(table, cohorts_shown(table, labels), *snakemake.output, caption=caption)
