"""List the user's own files and what they hold."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.errors import InputError
    from contrast_subgraphs.data.manifest import Manifest, changed_meanwhile, own_files

    params = snakemake.params
    manifest = Manifest.of(own_files(params.source, params.settings), params.memory)
    # Snakemake planned the run from the files as they were; they have changed since.
    if manifest.digest != params.digest:
        raise InputError(changed_meanwhile([]))
    manifest.save(snakemake.output[0])
