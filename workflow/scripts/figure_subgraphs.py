"""Draw contrast subgraphs of one cohort on the brain, with its subjects beside them."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.data.atlases import load_aal
    from contrast_subgraphs.report.figures import subgraphs
    from contrast_subgraphs.report.figures.style import save

    params = snakemake.params
    draw = getattr(subgraphs, snakemake.params.figure)
    contrasts = {
        record["contrast"]: record for record in map(load_subgraphs, snakemake.input.contrasts)
    }
    graphs = CohortGraphs.load(snakemake.input.graphs[0])
    figure = draw(graphs, contrasts, load_aal(), params.percentiles, params.edge_weight)
    save(figure, *snakemake.output)
