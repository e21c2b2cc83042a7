"""List the regions of every contrast subgraph."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.atlas import load_aal
    from contrast_subgraphs.contrast.cohort import load_subgraphs
    from contrast_subgraphs.graphs import CohortGraphs
    from contrast_subgraphs.regions import regions_table
    from contrast_subgraphs.tables import rounded, save_formats

    graphs = {Path(path).stem: CohortGraphs.load(path) for path in snakemake.input.graphs}
    records = [load_subgraphs(path) for path in snakemake.input.contrasts]
    table = regions_table(records, graphs, load_aal())
    caption = "Regions of the contrast subgraphs, by weighted degree in the difference graph."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
