"""Draw how often each region is chosen over the training splits."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.atlas import load_aal
    from contrast_subgraphs.contrast.cohort import load_subgraphs
    from contrast_subgraphs.figures.solutions import stability
    from contrast_subgraphs.figures.style import save
    from contrast_subgraphs.files import load_table

    contrasts = {
        record["contrast"]: record for record in map(load_subgraphs, snakemake.input.contrasts)
    }
    columns = ["contrast", "percentile", "index", "region", "count", "splits"]
    counts = pd.concat([load_table(path, columns) for path in snakemake.input.stability])
    save(stability(counts, load_aal(), contrasts), *snakemake.output)
