"""Find the contrast subgraphs of one cohort for every contrast and alpha."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.cohort import (
        cohort_record,
        found_sentence,
        seconds_table,
        sweep_cohort,
    )
    from contrast_subgraphs.core.atomic_files import save_json, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs

    ours, output = snakemake.params.contrast, snakemake.output
    paper = {**ours, "solver": "densdp", "alternatives": 0}
    graphs, found = CohortGraphs.load(snakemake.input[0]), {}
    for settings, subgraphs, seconds in (
        (ours, output.subgraphs, output.seconds),
        (paper, output.densdp, output.densdp_seconds),
    ):
        for contrast, *files in zip(graphs.contrasts, subgraphs, seconds, strict=True):
            solutions = sweep_cohort(graphs, contrast, snakemake.params.seed, settings)
            found.setdefault(contrast, solutions)
            named = snakemake.wildcards.cohort, contrast, graphs.roi
            record = cohort_record(solutions, *named, settings["edge_statistic"])
            save_json(files[0], record)
            save_table(seconds_table(solutions), files[1])
    # The terminal shows it beside the job's line, long before there is a page.
    print(found_sentence(snakemake.wildcards.cohort, found))
