"""Find the contrast subgraphs of one cohort for every contrast and alpha."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import cohort_record, seconds_table, sweep_cohort
    from contrast_subgraphs.core.files import save_json, save_table
    from contrast_subgraphs.core.graphs import CohortGraphs, contrast_names

    params, output = snakemake.params, snakemake.output
    graphs = CohortGraphs.load(snakemake.input[0])
    files = zip(contrast_names(graphs.groups), output.subgraphs, output.seconds, strict=True)
    for contrast, subgraphs, seconds in files:
        solutions = sweep_cohort(graphs, contrast, params.seed, params.contrast)
        record = cohort_record(solutions, snakemake.wildcards.cohort, contrast, graphs.roi)
        save_table(seconds_table(solutions), seconds)
        save_json(subgraphs, record)
