"""Compare every pair of methods on the same splits."""

from job import job

with job(snakemake):
    from contrast_subgraphs.evaluation.scores import load_scores
    from contrast_subgraphs.report.tables.comparisons import comparison_table, comparisons_shown
    from contrast_subgraphs.report.tables.formats import save_formats

    table = comparison_table(load_scores(snakemake.input.scores))
    caption = "Differences in accuracy between methods on the same splits."
    save_formats(
        table,
        comparisons_shown(table, snakemake.params.labels),
        *snakemake.output,
        caption=caption,
    )
