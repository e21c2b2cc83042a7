"""Find the contrast subgraphs of one cohort for every contrast and alpha."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.cohort import (
        cohort_as_tested,
        cohort_record,
        found_sentence,
        seconds_table,
        sweep_cohort,
    )
    from contrast_subgraphs.core.atomic_files import load_table, save_json, save_table
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.design.of_cohort import beside_modes

    params, output = snakemake.params, snakemake.output
    cohort = snakemake.wildcards.cohort
    ours = params.contrast
    # The paper's own algorithm on the same instances, for comparison.
    paper = {**ours, "solver": "densdp", "alternatives": 0}
    members = load_table(snakemake.input.members, ["subject"])
    settings = params.inference
    # Modes are measured in the graphs before the adjustment, which takes them out.
    if params.modes is not None:
        raw = CohortGraphs.load(snakemake.input.raw)
        members, settings = beside_modes(
            raw, members, settings, params.adjust, params.modes, params.seed
        )
    graphs, known = cohort_as_tested(
        CohortGraphs.load(snakemake.input.graphs),
        members,
        settings,
        params.seed,
        cohort,
        ours,
    )
    found = {}
    for settings, subgraphs, seconds in (
        (ours, output.subgraphs, output.seconds),
        (paper, output.densdp, output.densdp_seconds),
    ):
        for contrast, *files in zip(graphs.contrasts, subgraphs, seconds, strict=True):
            solutions = sweep_cohort(graphs, contrast, params.seed, settings, **known)
            found.setdefault(contrast, solutions)
            kind = settings["edge_statistic"]
            record = cohort_record(solutions, cohort, contrast, graphs.roi, kind)
            save_json(files[0], record)
            save_table(seconds_table(solutions), files[1])
    # The terminal shows it next to the job's line, long before there is a page.
    print(found_sentence(cohort, found))
