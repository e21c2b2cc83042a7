"""Fetch the phenotypic file."""

from job import job, resource

with job(snakemake):
    from contrast_subgraphs.data.abide import fetch_phenotypes, load_manifest

    params, known = snakemake.params, resource(snakemake.params.manifest)
    manifest = load_manifest(known) if known else None
    fetch_phenotypes(params.source, snakemake.output[0], manifest, params.sites)
