"""Compare the contrast subgraphs found with the planted ones."""

from job import job

with job(snakemake):
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.files import load_json
    from contrast_subgraphs.data.simulated import recovery
    from contrast_subgraphs.report.tables.formats import rounded, save_formats

    records = [load_subgraphs(path) for path in snakemake.input.contrasts]
    table = recovery(load_json(snakemake.input.truth), records)
    caption = "Planted contrast subgraphs, at the percentile nearest to their size."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
