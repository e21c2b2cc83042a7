"""Collect the graphs of one cohort of the authors' archive."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.core.graphs import SubjectGraphs
    from contrast_subgraphs.data.published import build_cohort

    graphs, members = build_cohort(
        SubjectGraphs.load(snakemake.input.graphs),
        load_table(snakemake.input.members, ["cohort", "subject", "group"]),
        snakemake.wildcards.cohort,
    )
    save_table(members, snakemake.output.members)
    graphs.save(snakemake.output.graphs)
