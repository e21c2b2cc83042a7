"""Table 1: the cohorts and their sizes, the paper's and ours."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.report.tables.cohorts import cohorts_shown, cohorts_table
    from contrast_subgraphs.report.tables.formats import save_formats
    from contrast_subgraphs.report.tables.paper import load_paper

    cohorts = snakemake.params.cohorts
    members = {Path(path).stem: load_table(path, ["group"]) for path in snakemake.input.members}
    table = cohorts_table(members, cohorts, load_paper(snakemake.params.paper))
    labels = {name: cohort["label"] for name, cohort in cohorts.items()}
    caption = "Cohorts and their sizes (Table 1 of the paper)."
    save_formats(table, cohorts_shown(table, labels), *snakemake.output, caption=caption)
