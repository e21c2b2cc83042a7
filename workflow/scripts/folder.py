"""Read every subject's file of the user's own data."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_json, save_table
    from contrast_subgraphs.data.folder import read_folder
    from contrast_subgraphs.data.manifest import check_unchanged

    data, table, coverage, reading = read_folder(snakemake.params.source)
    check_unchanged(snakemake.input.manifest, **snakemake.params.checked)
    save_json(snakemake.output.reading, reading.record())
    save_table(table, snakemake.output.table)
    save_table(coverage, snakemake.output.coverage)
    data.save(snakemake.output.series)
