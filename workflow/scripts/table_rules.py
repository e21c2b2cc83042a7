"""The paper's rules on every cohort."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.report.tables.formats import rounded, save_formats

    table = pd.concat([load_table(path, ["rule", "part"]) for path in snakemake.input])
    caption = "The rules that the paper reads off its scatter plots (Sections 1.2 and 4.1)."
    save_formats(table, rounded(table), *snakemake.output, caption=caption)
