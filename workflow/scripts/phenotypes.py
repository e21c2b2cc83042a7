"""Fetch the phenotypic file."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.abide import fetch_phenotypes, load_manifest

    manifest = load_manifest(snakemake.input.manifest)
    fetch_phenotypes(snakemake.params.source, snakemake.output[0], manifest)
