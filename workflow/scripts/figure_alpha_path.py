"""Draw size and objective of the contrast subgraphs over alpha."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.report.figures.solutions import alpha_path
    from contrast_subgraphs.report.figures.style import save

    contrasts = {record["contrast"]: record for record in map(load_subgraphs, snakemake.input)}
    save(alpha_path(contrasts), *snakemake.output)
