"""Write tables made from the same files, each as CSV, Markdown and LaTeX."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.report.results import Results
    from contrast_subgraphs.report.tables import TABLES

    paths = {
        name: [files] if isinstance(files, str) else list(files)
        for name, files in snakemake.input.items()
    }
    results = Results(snakemake.params.config, **paths)
    for name in snakemake.params.names:
        TABLES[name].save(results, Path(snakemake.output[0]).parent)
