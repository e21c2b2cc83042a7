"""Draw the decision regions of CS-P1 or CS-P2, a panel for each cohort."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.evaluation.scores import load_scores
    from contrast_subgraphs.evaluation.splits import read_splits
    from contrast_subgraphs.report.figures import classification
    from contrast_subgraphs.report.figures.style import save

    records = [load_subgraphs(path) for path in snakemake.input.contrasts]
    panels = []
    for (cohort, label), path, splits, scores in zip(
        snakemake.params.labels.items(),
        snakemake.input.graphs,
        snakemake.input.splits,
        snakemake.input.scores,
        strict=True,
    ):
        graphs = CohortGraphs.load(path)
        contrasts = {r["contrast"]: r for r in records if r["cohort"] == cohort}
        first = read_splits(splits, graphs.subject)[0]
        scores = load_scores([scores])
        panels.append(classification.boundary_panel(label, graphs, contrasts, scores, first))
    draw = getattr(classification, f"boundaries_{snakemake.params.problem}")
    save(draw(panels), *snakemake.output)
