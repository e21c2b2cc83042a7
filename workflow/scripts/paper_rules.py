"""Evaluate, in one cohort, the rules that the paper reads off its scatter plots."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.evaluation.labels import Labels, blocks_of
    from contrast_subgraphs.evaluation.paper_rules import rules_table
    from contrast_subgraphs.evaluation.splits import read_splits

    params = snakemake.params
    graphs = CohortGraphs.load(snakemake.input.graphs)
    members = load_table(snakemake.input.members, ["subject"])
    # The same draws of labels as for the accuracies, so that both controls compare.
    draws = Labels(
        graphs,
        blocks=blocks_of(members, params.blocks),
        exchange=params.exchange,
        random_state=params.seed,
        name=snakemake.wildcards.cohort,
    )
    table = rules_table(
        graphs,
        read_splits(snakemake.input.splits, graphs.subject),
        params.figures,
        draws=draws,
        labels=params.labels,
        n_permutations=params.permutations,
        random_state=params.seed,
        edge_statistic=params.edge_statistic,
    )
    save_table(table, snakemake.output[0])
