"""Write the user's table of people with the columns that the later stages know."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.core.columns import as_written
    from contrast_subgraphs.data.manifest import check_unchanged
    from contrast_subgraphs.data.people import find_subjects

    subjects = find_subjects(snakemake.params.source)
    subjects.warn()
    # As written: what reads the table types its columns by the same rules again.
    save_table(as_written(subjects.table), snakemake.output[0])
    check_unchanged(snakemake.input.manifest, **snakemake.params.checked, subjects=subjects)
