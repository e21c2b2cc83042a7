"""Draw the splits that all methods of a cohort share."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.evaluation.labels import blocks_of
    from contrast_subgraphs.evaluation.splits import make_splits

    graphs = CohortGraphs.load(snakemake.input.graphs)
    members = load_table(snakemake.input.members, ["subject"])
    params = snakemake.params
    splits = make_splits(
        graphs,
        cohort=snakemake.wildcards.cohort,
        repeats=max(params.evaluation["repeats"].values()),
        test_size=params.evaluation["test_size"],
        folds=params.evaluation["folds"],
        blocks=blocks_of(members, params.blocks),
        exchange=params.exchange,
        random_state=params.seed,
    )
    save_table(splits, snakemake.output[0])
