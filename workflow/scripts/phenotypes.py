"""Fetch the phenotypic file."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.abide import fetch_phenotypes, load_manifest

    params = snakemake.params
    manifest = load_manifest() if snakemake.params.manifest else None
    fetch_phenotypes(params.source, snakemake.output[0], manifest, params.sites)
