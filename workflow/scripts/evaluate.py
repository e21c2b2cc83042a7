"""Evaluate one method under one protocol on one cohort, with its permuted controls."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import save_table
    from contrast_subgraphs.core.graphs import CohortGraphs, load_members
    from contrast_subgraphs.evaluation.evaluate import evaluate
    from contrast_subgraphs.evaluation.splits import read_splits

    wildcards, params = snakemake.wildcards, snakemake.params
    graphs = CohortGraphs.load(snakemake.input.graphs)
    result = evaluate(
        wildcards.method,
        wildcards.protocol,
        graphs,
        read_splits(snakemake.input.splits, graphs.subject),
        params.evaluation,
        cohort=wildcards.cohort,
        seed=params.seed,
        percentiles=params.percentiles,
        embeddings=snakemake.input.embeddings,
        site=load_members(snakemake.input.members, graphs)["site"].to_numpy(str),
        processes=snakemake.threads,
    )
    if result.stability is not None:
        save_table(result.stability, snakemake.output.stability)
    save_table(result.scores, snakemake.output.scores)
