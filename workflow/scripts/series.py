"""Fetch the time series of one site's subjects."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.data.abide import fetch_site, load_manifest

    series, table = fetch_site(
        snakemake.params.source,
        snakemake.input.phenotypes,
        snakemake.wildcards.site,
        load_manifest() if snakemake.params.manifest else None,
    )
    save_table(table, snakemake.output.table)
    series.save(snakemake.output.series)
