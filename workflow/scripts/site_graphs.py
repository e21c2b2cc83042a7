"""Make the graphs of one site's subjects from their series."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import load_table, save_table
    from contrast_subgraphs.data.folder import load_subjects
    from contrast_subgraphs.data.matrices import SubjectMatrices
    from contrast_subgraphs.graphs.correlation import matrix_graphs, site_graphs

    data = load_subjects(snakemake.input.series)
    make_graphs = matrix_graphs if isinstance(data, SubjectMatrices) else site_graphs
    graphs, table = make_graphs(
        data,
        load_table(snakemake.input.table, ["subject", "status", "reason"]),
        **snakemake.params.graph,
    )
    save_table(table, snakemake.output.table)
    graphs.save(snakemake.output.graphs)
