"""Embed the graphs of one cohort by one baseline with one parameter set."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import load_npz, save_npz
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.embeddings import embed, from_snapshot

    method, params = snakemake.wildcards.method, snakemake.params
    # A longer training passed through this parameter set: its snapshot saves a training of its
    # own.
    if snakemake.input.get("source"):
        source = load_npz(snakemake.input.source)
        arrays = from_snapshot(params.parameters, source)
    else:
        graphs = CohortGraphs.load(snakemake.input.graphs)
        arrays = embed(
            method,
            params.parameters,
            graphs,
            random_state=params.seed,
            snapshots=params.snapshots,
            verbose=1,
        )
    save_npz(snakemake.output[0], **arrays)
