"""Fetch the phenotypic file."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.abide import fetch_phenotypes, load_manifest
    from contrast_subgraphs.data.manifest import check_unchanged

    params = snakemake.params
    # What is known about the release does not apply to another one or to simulated files.
    manifest = load_manifest() if params.released else None
    fetch_phenotypes(params.source, snakemake.output[0], manifest, params.sites)
    check_unchanged(snakemake.input.get("manifest"), **params.checked)
