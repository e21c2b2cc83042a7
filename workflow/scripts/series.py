"""Fetch the time series of the subjects of one site, or of all."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.data.abide import fetch_site, load_manifest
    from contrast_subgraphs.data.manifest import check_unchanged

    params, output = snakemake.params, snakemake.output
    manifest = load_manifest() if params.released else None
    for site, file, about in zip(params.sites, output.series, output.table, strict=True):
        series, table = fetch_site(params.source, snakemake.input.phenotypes, site, manifest)
        save_table(table, about)
        series.save(file)
    check_unchanged(snakemake.input.get("manifest"), **params.checked)
