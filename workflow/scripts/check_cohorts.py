"""Check that every cohort can be made from the phenotypes, and count its people."""

from job import job

with job(snakemake):
    import warnings
    from pathlib import Path

    import numpy as np
    from contrast_subgraphs.core.atomic_files import save_table, save_text
    from contrast_subgraphs.data.phenotypes import read_phenotypes
    from contrast_subgraphs.design import questions_of
    from contrast_subgraphs.design.sizes import check_sizes
    from contrast_subgraphs.graphs.cohorts import check_cohorts

    config, output = snakemake.config, snakemake.output[0]
    only_checked = Path(output).suffix == ".checked"
    if only_checked:
        # The rule `cohorts` gives these warnings, for the cohorts as they are then.
        warnings.simplefilter("ignore")
    groups = {name: group["where"] for name, group in config["groups"].items()}
    sizes = check_cohorts(read_phenotypes(snakemake.input[0]), groups, config["cohorts"])
    evaluation = {key: config["evaluation"][key] for key in ("test_size", "folds")}
    questions = questions_of(config)
    for _, row in sizes.iterrows():
        question = questions[row["cohort"]]
        if question.task == "classify":
            labels = np.repeat([0, 1], row[list(question.groups)].astype(int))
            check_sizes(labels, row["cohort"], groups=question.groups, **evaluation)
    if only_checked:
        # Nothing about the cohorts, so that the file stays the same when the config has others.
        save_text(output, "every cohort of the config was found among the people\n")
    else:
        save_table(sizes, output)
