"""Set our solver beside the paper's algorithm on every instance."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.report.tables.formats import rounded, save_formats
    from contrast_subgraphs.report.tables.solver import solver_table

    given = snakemake.input
    times = [load_table(p, ["seconds"]) for p in (*given.seconds, *given.densdp_seconds)]
    ours = [load_subgraphs(path) for path in given.contrasts]
    paper = [load_subgraphs(path) for path in given.densdp]
    table = solver_table(ours, paper, times)
    caption = "Our solver and the paper's algorithm (DENSDP) on every instance; CPU seconds."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
