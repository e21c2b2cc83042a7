"""Collect the graphs of all sites, their density, and who was left out and why."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.core.files import load_table, save_table
    from contrast_subgraphs.core.graphs import SubjectGraphs
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.graphs.cohorts import count_reasons, exclusions

    tables = [load_table(path, ["subject", "status", "reason"]) for path in snakemake.input.tables]
    graphs = SubjectGraphs.concatenate(map(SubjectGraphs.load, snakemake.input.graphs))
    phenotypes = read_phenotypes(snakemake.input.phenotypes)
    excluded = exclusions(phenotypes, tables, snakemake.params.quality_checked)
    print(*count_reasons(excluded), sep="\n")
    save_table(excluded, snakemake.output.excluded)
    save_table(pd.concat(tables, ignore_index=True), snakemake.output.density)
    graphs.save(snakemake.output.graphs)
