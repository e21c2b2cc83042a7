"""Draw the paper's accuracy, ours under both protocols, and the controls."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.evaluation.scores import load_scores
    from contrast_subgraphs.report.figures.classification import leakage
    from contrast_subgraphs.report.figures.style import save

    accuracy = load_table(snakemake.input.accuracy)
    scores = load_scores(snakemake.input.scores)
    save(leakage(accuracy, scores, snakemake.params.labels), *snakemake.output)
