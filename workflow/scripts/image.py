"""Make the series of one person's images."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_npz
    from contrast_subgraphs.data.images import image_series

    # One person a job: images are large, and a stopped run keeps what is finished.
    series, names = image_series(snakemake.params.images, **snakemake.params.settings)
    save_npz(snakemake.output[0], series=series, names=names)
