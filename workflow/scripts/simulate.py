"""Write an ABIDE-shaped release with planted contrast subgraphs."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_json
    from contrast_subgraphs.data.simulated import truth, write_release

    source = snakemake.params.source
    write_release(source, snakemake.params.seed, snakemake.output.release)
    save_json(snakemake.output.truth, truth(source))
