"""Put the archive of the published graphs into the data folder."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.published import fetch_archive

    fetch_archive(snakemake.params.source, snakemake.output[0])
