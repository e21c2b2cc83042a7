"""Draw the run-through example of the paper (Figure 2)."""

from job import job

with job(snakemake):
    from contrast_subgraphs.report.figures.style import save
    from contrast_subgraphs.report.figures.summaries import example

    save(example(), *snakemake.output)
