"""Evaluate one method on one cohort under each protocol, with permuted controls."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import save_table
    from contrast_subgraphs.core.graphs import CohortGraphs, load_members
    from contrast_subgraphs.evaluation.evaluate import evaluate
    from contrast_subgraphs.evaluation.splits import read_splits

    wildcards, params = snakemake.wildcards, snakemake.params
    graphs = CohortGraphs.load(snakemake.input.graphs)
    splits = read_splits(snakemake.input.splits, graphs.subject)
    site = load_members(snakemake.input.members, graphs)["site"].to_numpy(str)
    stability = iter(snakemake.output.get("stability", []))
    for protocol, path in zip(params.protocols, snakemake.output.scores, strict=True):
        result = evaluate(
            *(wildcards.method, protocol, graphs, splits, params.evaluation),
            cohort=wildcards.cohort,
            seed=params.seed,
            percentiles=params.percentiles,
            embeddings=snakemake.input.embeddings,
            site=site,
            own=params.own,
            processes=snakemake.threads,
        )
        if result.stability is not None:
            save_table(result.stability, next(stability))
        save_table(result.scores, path)
