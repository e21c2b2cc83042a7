"""List the regions of every contrast subgraph."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.graphs import CohortGraphs
    from contrast_subgraphs.data.atlases import load_aal
    from contrast_subgraphs.report.tables.formats import rounded, save_formats
    from contrast_subgraphs.report.tables.regions import regions_table

    graphs = {Path(path).stem: CohortGraphs.load(path) for path in snakemake.input.graphs}
    records = [load_subgraphs(path) for path in snakemake.input.contrasts]
    table = regions_table(records, graphs, load_aal())
    caption = "Regions of the contrast subgraphs, by weighted degree in the difference graph."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
