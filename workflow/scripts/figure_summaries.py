"""Draw the summary graphs of one cohort: their degrees or their difference."""

from job import job

with job(snakemake):
    from contrast_subgraphs.atlas import load_aal
    from contrast_subgraphs.figures import summaries
    from contrast_subgraphs.figures.style import save
    from contrast_subgraphs.graphs import CohortGraphs

    draw = getattr(summaries, snakemake.params.figure)
    save(draw(CohortGraphs.load(snakemake.input[0]), load_aal()), *snakemake.output)
