"""Write the weights of all pairs of regions of a cohort's subjects."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_npz
    from contrast_subgraphs.data.folder import load_subjects
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.graphs.pair_weights import cohort_covariances, cohort_edges

    graphs = CohortGraphs.load(snakemake.input.graphs)
    # One site at a time is in memory.
    sites = snakemake.input.series
    of_pairs = snakemake.params.measure, snakemake.params.transform
    arrays = {"z": cohort_edges(graphs, map(load_subjects, sites), *of_pairs)}
    if snakemake.params.series:
        arrays["covariance"] = cohort_covariances(graphs, map(load_subjects, sites))
    save_npz(snakemake.output[0], compressed=False, subject=graphs.subject, **arrays)
