"""Read every graph of the authors' archive, checked."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.core.files import save_table
    from contrast_subgraphs.data.published import read_archive

    archive = read_archive(snakemake.input[0])
    save_table(archive.members, snakemake.output.members)
    save_table(archive.graphs.density(), snakemake.output.density)
    # The authors left out subjects before they published: nothing to exclude here.
    save_table(pd.DataFrame(columns=["subject", "reason"]), snakemake.output.excluded)
    archive.graphs.save(snakemake.output.graphs)
