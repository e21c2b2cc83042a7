"""Write an ABIDE-shaped release with planted contrast subgraphs."""

from job import job

with job(snakemake):
    from contrast_subgraphs.data.simulated import write_release
    from contrast_subgraphs.files import save_json

    truth = write_release(
        snakemake.params.source, snakemake.params.seed, snakemake.output.release
    )
    save_json(snakemake.output.truth, truth)
