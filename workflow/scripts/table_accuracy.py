"""Table 2: accuracy of every method and cohort, the paper's and ours."""

from job import job

with job(snakemake):
    from contrast_subgraphs.evaluation.scores import load_scores
    from contrast_subgraphs.report.tables.accuracy import (
        accuracy_notes,
        accuracy_shown,
        accuracy_table,
    )
    from contrast_subgraphs.report.tables.formats import save_formats
    from contrast_subgraphs.report.tables.paper import load_paper

    paper = load_paper(snakemake.params.paper)
    table = accuracy_table(load_scores(snakemake.input.scores), paper["accuracy"])
    caption = "Accuracy (mean ± standard deviation; Table 2 of the paper), with permuted controls."
    labels = snakemake.params.labels
    save_formats(
        table,
        accuracy_shown(table, labels),
        *snakemake.output,
        caption=caption,
        notes=accuracy_notes(table, labels),
    )
