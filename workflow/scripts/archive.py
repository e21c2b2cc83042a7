"""Put the archive of the published graphs into the data folder."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.manifest import check_unchanged
    from contrast_subgraphs.data.published import fetch_archive

    fetch_archive(snakemake.params.source, snakemake.output[0])
    # After reading: a file that changed meanwhile would not be the one of the manifest.
    check_unchanged(snakemake.input.get("manifest"), **snakemake.params.checked)
