"""Evaluate the rules that the paper reads off its scatter plots on one cohort."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.evaluation.paper_rules import rules_table
    from contrast_subgraphs.evaluation.splits import read_splits

    params = snakemake.params
    graphs = CohortGraphs.load(snakemake.input.graphs)
    table = rules_table(
        graphs,
        read_splits(snakemake.input.splits, graphs.subject),
        params.figures,
        cohort=snakemake.wildcards.cohort,
        labels=params.labels,
        n_permutations=params.permutations,
        random_state=params.seed,
        edge_statistic=params.edge_statistic,
    )
    save_table(table, snakemake.output[0])
