"""Evaluate one method on one cohort under each protocol, with permuted controls."""

from job import job

with job(snakemake):
    import numpy as np
    import pandas as pd
    from contrast_subgraphs.core.atlas import load_atlas
    from contrast_subgraphs.core.atomic_files import load_table, save_table
    from contrast_subgraphs.core.method import Method
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.evaluation.evaluate import evaluate
    from contrast_subgraphs.evaluation.labels import blocks_of
    from contrast_subgraphs.evaluation.splits import read_splits
    from contrast_subgraphs.evaluation.subject_data import Subjects, load_weights
    from contrast_subgraphs.evaluation.svm import svm_grid

    wildcards, params = snakemake.wildcards, snakemake.params
    graphs = CohortGraphs.load(snakemake.input.graphs)
    splits = read_splits(snakemake.input.splits, graphs.subject)
    members, tested = load_table(snakemake.input.members, ["subject"]), None
    # People outside the cohort train too, but only those of the cohort are ever tested.
    if snakemake.input.pool:
        cohort, graphs = graphs.subject, CohortGraphs.load(snakemake.input.pool[0])
        members = load_table(snakemake.input.pool[1], ["subject"])
        tested = np.isin(graphs.subject, cohort)
        splits = read_splits(snakemake.input.splits, graphs.subject[tested])
    weights = snakemake.input.get("weights")
    method = Method(**params.method)
    needs, settings = method.needs, params.evaluation
    subjects = Subjects(
        members,
        load_weights(weights, graphs.subject) if "weights" in needs else None,
        load_atlas(snakemake.input.atlas)["system"].to_numpy(str),
        load_weights(weights, graphs.subject, "covariance") if "covariances" in needs else None,
    )
    stability, confounds = list(snakemake.output.get("stability", [])), []
    for protocol, path in zip(params.protocols, snakemake.output.scores, strict=True):
        result = evaluate(
            graphs,
            method,
            name=wildcards.method,
            cohort=wildcards.cohort,
            protocol=protocol,
            splits=splits[: settings["repeats"].get(protocol)],
            test_size=settings["test_size"],
            folds=settings["folds"],
            candidates=svm_grid(**settings["svm"]),
            n_permutations=settings["permutations"],
            n_controls=settings["controls"],
            control_splits=settings["repeats"].get("permuted"),
            stop_after=settings["stop_after"],
            percentiles=params.percentiles,
            edge_statistic=params.edge_statistic,
            adjust=params.adjust,
            modes=params.modes,
            embeddings=snakemake.input.embeddings,
            reseeded=snakemake.input.get("reseeded", []),
            site=members["site"].to_numpy(str),
            blocks=blocks_of(members, params.blocks),
            exchange=params.exchange,
            subjects=subjects,
            members=tested,
            random_state=params.seed,
            n_jobs=snakemake.threads,
        )
        if stability and result.stability is not None:
            save_table(result.stability, stability.pop(0))
        save_table(result.scores, path)
        confounds.append(result.confounds)
    if snakemake.output.get("confounds"):
        save_table(pd.concat(confounds, ignore_index=True), snakemake.output.confounds)
