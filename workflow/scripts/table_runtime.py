"""Time and memory of every job, as Snakemake measured them."""

from job import job

with job(snakemake):
    from contrast_subgraphs.report.tables.formats import save_formats
    from contrast_subgraphs.report.tables.runtime import runtime_shown, runtime_table

    jobs = zip(snakemake.params.jobs, snakemake.input, strict=True)
    table = runtime_table([(stage, name, path) for (stage, name), path in jobs])
    caption = "Time and memory of the jobs, start of Python and imports included."
    save_formats(table, runtime_shown(table), *snakemake.output, caption=caption)
