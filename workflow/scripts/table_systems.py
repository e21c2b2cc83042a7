"""Count the regions of every contrast subgraph by system and hemisphere."""

from job import job

with job(snakemake):
    from contrast_subgraphs.atlas import load_aal
    from contrast_subgraphs.files import load_table
    from contrast_subgraphs.graphs import CohortGraphs
    from contrast_subgraphs.regions import systems_table
    from contrast_subgraphs.tables import rounded, save_formats

    regions = load_table(snakemake.input.regions, ["cohort", "contrast", "region", "index"])
    table = systems_table(regions, CohortGraphs.load(snakemake.input.graphs).roi, load_aal())
    caption = "Contrast subgraphs by system and hemisphere."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
