"""Collect the graphs of the subjects that a cohort's expression selects."""

from job import job

with job(snakemake):
    from dataclasses import replace
    from pathlib import Path

    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.core.graphs import SubjectGraphs
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.design import Question
    from contrast_subgraphs.graphs.cohorts import build_cohort

    graphs, members, left_out = build_cohort(
        SubjectGraphs.load(snakemake.input.graphs),
        read_phenotypes(snakemake.input.phenotypes),
        load_table(snakemake.input.excluded, ["subject", "reason"]),
        snakemake.params.groups,
        snakemake.wildcards.cohort,
        snakemake.params.where,
        load_table(snakemake.input.density, ["subject", "volumes"]),
        snakemake.params.missing_covariates,
        Question.from_json(snakemake.params.question),
    )
    save_table(members, snakemake.output.members)
    save_table(left_out, snakemake.output.left_out)
    # The name of a file that is still to be adjusted is longer than the cohort's.
    file = snakemake.output.graphs
    replace(graphs, cohort=Path(file).stem).save(file)
