"""Summarise the near-optimal rivals of every contrast subgraph."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.cohort import load_subgraphs
    from contrast_subgraphs.tables import alternatives_table, rounded, save_formats

    table = alternatives_table([load_subgraphs(path) for path in snakemake.input])
    caption = "Locally optimal sets whose objective is near the best: how stable is the answer?"
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
