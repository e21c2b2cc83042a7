"""Make the graphs of all subjects, site by site; who was left out, and why."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.core.graphs import SubjectGraphs
    from contrast_subgraphs.data.folder import load_subjects
    from contrast_subgraphs.data.phenotypes import NO_FILE, read_phenotypes
    from contrast_subgraphs.graphs.cohorts import exclusions
    from contrast_subgraphs.graphs.correlation import site_graphs, warn_of_left_out

    given, params = snakemake.input, snakemake.params
    sites = []
    for series, table in zip(given.series, given.tables, strict=True):
        known = load_table(table, ["subject", "status", "reason"])
        sites.append(site_graphs(load_subjects(series), known, **params.graph))
    graphs = SubjectGraphs.concatenate(graphs for graphs, _ in sites)
    tables = [table for _, table in sites]
    phenotypes = read_phenotypes(given.phenotypes)
    excluded = exclusions(phenotypes, tables, params.quality_checked)
    with_file = int((phenotypes["FILE_ID"] != NO_FILE).sum())
    warn_of_left_out(excluded, with_file, own=snakemake.config["source"] == "folder")
    kinds = excluded["reason"].str.split(":").str[0].astype(str)
    print("left out:", kinds.value_counts().to_dict())
    save_table(excluded, snakemake.output.excluded)
    save_table(pd.concat(tables, ignore_index=True), snakemake.output.density)
    graphs.save(snakemake.output.graphs)
