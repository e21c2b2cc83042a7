"""Draw contrast subgraphs of one cohort on the brain, with its subjects beside them."""

from job import job

with job(snakemake):
    from contrast_subgraphs.atlas import load_aal
    from contrast_subgraphs.contrast.cohort import load_subgraphs
    from contrast_subgraphs.figures import subgraphs
    from contrast_subgraphs.figures.style import save
    from contrast_subgraphs.graphs import CohortGraphs

    params = snakemake.params
    draw = getattr(subgraphs, snakemake.params.figure)
    contrasts = {
        record["contrast"]: record for record in map(load_subgraphs, snakemake.input.contrasts)
    }
    graphs = CohortGraphs.load(snakemake.input.graphs[0])
    figure = draw(graphs, contrasts, load_aal(), params.percentiles, params.edge_weight)
    save(figure, *snakemake.output)
