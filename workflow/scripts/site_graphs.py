"""Make the graphs of one site's subjects from their series."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import load_table, save_table
    from contrast_subgraphs.data.series import SiteSeries
    from contrast_subgraphs.graphs.correlation import site_graphs

    graphs, table = site_graphs(
        SiteSeries.load(snakemake.input.series),
        load_table(snakemake.input.table, ["subject", "status", "reason"]),
        **snakemake.params.graph,
    )
    save_table(table, snakemake.output.table)
    graphs.save(snakemake.output.graphs)
