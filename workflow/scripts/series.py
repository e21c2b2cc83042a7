"""Fetch the time series of one site's subjects."""

from job import job, resource

with job(snakemake):
    from contrast_subgraphs.data.abide import fetch_site, load_manifest
    from contrast_subgraphs.files import save_table

    known = resource(snakemake.params.manifest)
    series, table = fetch_site(
        snakemake.params.source,
        snakemake.input.phenotypes,
        snakemake.wildcards.site,
        load_manifest(known) if known else None,
    )
    save_table(table, snakemake.output.table)
    series.save(snakemake.output.series)
