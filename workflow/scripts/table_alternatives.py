"""Summarise the near-optimal rivals of every contrast subgraph."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.report.tables.alternatives import alternatives_table
    from contrast_subgraphs.report.tables.formats import rounded, save_formats

    table = alternatives_table([load_subgraphs(path) for path in snakemake.input])
    caption = "Locally optimal sets whose objective is near the best: how stable is the answer?"
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
