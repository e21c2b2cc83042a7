"""Compare every pair of methods on the same splits."""

from job import job

with job(snakemake):
    from contrast_subgraphs.statistics import comparison_table, load_scores
    from contrast_subgraphs.tables import comparisons_shown, save_formats

    table = comparison_table(load_scores(snakemake.input.scores))
    caption = "Differences in accuracy between methods on the same splits."
    save_formats(
        table,
        comparisons_shown(table, snakemake.params.labels),
        *snakemake.output,
        caption=caption,
    )
