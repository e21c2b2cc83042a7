"""Table 2: accuracy of every method and cohort, the paper's and ours."""

from job import job, resource

with job(snakemake):
    from contrast_subgraphs.statistics import accuracy_table, load_scores
    from contrast_subgraphs.tables import accuracy_notes, accuracy_shown, load_paper, save_formats

    paper = load_paper(resource(snakemake.params.paper))
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
