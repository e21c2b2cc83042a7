"""Draw the paper's accuracy, ours under both protocols, and the controls."""

from job import job

with job(snakemake):
    from contrast_subgraphs.figures.classification import leakage
    from contrast_subgraphs.figures.style import save
    from contrast_subgraphs.files import load_table
    from contrast_subgraphs.statistics import load_scores

    accuracy = load_table(snakemake.input.accuracy)
    scores = load_scores(snakemake.input.scores)
    save(leakage(accuracy, scores, snakemake.params.labels), *snakemake.output)
