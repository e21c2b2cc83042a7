"""Draw the summary graphs of one cohort: their degrees or their difference."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.data.atlases import load_aal
    from contrast_subgraphs.report.figures import summaries
    from contrast_subgraphs.report.figures.style import save

    draw = getattr(summaries, snakemake.params.figure)
    save(draw(CohortGraphs.load(snakemake.input[0]), load_aal()), *snakemake.output)
