"""Read every subject's file of the user's own data."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_json, save_table
    from contrast_subgraphs.data.folder import read_folder
    from contrast_subgraphs.data.manifest import check_unchanged
    from contrast_subgraphs.data.people import find_subjects

    source, checked = snakemake.params.source, snakemake.params.checked
    subjects = find_subjects(source)
    data, table, coverage, reading = read_folder(source, subjects)
    # For images, the series read here are not the user's files, so people are found again.
    same = source == checked["source"]
    check_unchanged(snakemake.input.manifest, **checked, subjects=subjects if same else None)
    save_json(snakemake.output.reading, reading.record())
    save_table(table, snakemake.output.table)
    save_table(coverage, snakemake.output.coverage)
    data.save(snakemake.output.series)
