"""Count the regions of every contrast subgraph by system and hemisphere."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.data.atlases import load_aal
    from contrast_subgraphs.report.tables.formats import rounded, save_formats
    from contrast_subgraphs.report.tables.systems import systems_table

    regions = load_table(snakemake.input.regions, ["cohort", "contrast", "region", "index"])
    table = systems_table(regions, CohortGraphs.load(snakemake.input.graphs).roi, load_aal())
    caption = "Contrast subgraphs by system and hemisphere."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
