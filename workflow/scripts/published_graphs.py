"""Read every graph of the authors' archive, checked."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.core.graphs import GROUPS
    from contrast_subgraphs.data.published import check_cohorts, read_archive
    from contrast_subgraphs.design.sizes import check_sizes

    archive = read_archive(snakemake.input[0])
    # A cohort that does not exist, or is too small, is reported before any long job.
    for cohort, labels in check_cohorts(snakemake.params.cohorts, archive.members).items():
        check_sizes(labels, cohort, groups=GROUPS, **snakemake.params.evaluation)
    save_table(archive.members, snakemake.output.members)
    save_table(archive.graphs.density(), snakemake.output.density)
    # The authors left out subjects before they published; no one is excluded here.
    save_table(pd.DataFrame(columns=["subject", "reason"]), snakemake.output.excluded)
    archive.graphs.save(snakemake.output.graphs)
