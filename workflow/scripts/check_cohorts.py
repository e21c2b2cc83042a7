"""Check that every cohort can be made from the phenotypes, and count its people."""

from job import job

with job(snakemake):
    import warnings
    from pathlib import Path

    import numpy as np
    from contrast_subgraphs.core.atomic_files import save_table, save_text
    from contrast_subgraphs.core.graphs import groups_of, question_of
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.design.sizes import check_sizes
    from contrast_subgraphs.graphs.cohorts import check_cohorts

    config, output = snakemake.config, snakemake.output[0]
    only_checked = Path(output).suffix == ".checked"
    if only_checked:
        warnings.simplefilter("ignore")  # the rule `cohorts` warns, of the cohorts as they are then
    groups = {name: group["where"] for name, group in config["groups"].items()}
    sizes = check_cohorts(read_phenotypes(snakemake.input[0]), groups, config["cohorts"])
    evaluation = {key: config["evaluation"][key] for key in ("test_size", "folds")}
    for _, row in sizes.iterrows():
        pair = list(groups_of(config, row["cohort"]))
        if question_of(config["cohorts"][row["cohort"]]):
            continue
        labels = np.repeat([0, 1], row[pair].astype(int))
        check_sizes(labels, row["cohort"], groups=pair, **evaluation)
    if only_checked:
        # Nothing about the cohorts: it stays as it is when the config has others.
        save_text(output, "every cohort of the config was found among the people\n")
    else:
        save_table(sizes, output)
