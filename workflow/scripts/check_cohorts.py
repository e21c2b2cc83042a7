"""Check that every cohort can be made from the phenotypes."""

from job import job

with job(snakemake):
    import numpy as np
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.core.graphs import groups_of, question_of
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.design.sizes import check_sizes
    from contrast_subgraphs.graphs.cohorts import check_cohorts

    config = snakemake.config
    groups = {name: group["where"] for name, group in config["groups"].items()}
    sizes = check_cohorts(read_phenotypes(snakemake.input[0]), groups, config["cohorts"])
    evaluation = {key: config["evaluation"][key] for key in ("test_size", "folds")}
    for _, row in sizes.iterrows():
        pair = list(groups_of(config, row["cohort"]))
        if question_of(config["cohorts"][row["cohort"]]):
            continue
        labels = np.repeat([0, 1], row[pair].astype(int))
        check_sizes(labels, row["cohort"], groups=pair, **evaluation)
    save_table(sizes, snakemake.output[0])
