"""Draw how often each region is chosen over the training splits."""

from job import job

with job(snakemake):
    import pandas as pd
    from contrast_subgraphs.contrast.records import load_subgraphs
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.data.atlases import load_aal
    from contrast_subgraphs.report.figures.solutions import stability
    from contrast_subgraphs.report.figures.style import save

    contrasts = {
        record["contrast"]: record for record in map(load_subgraphs, snakemake.input.contrasts)
    }
    columns = ["contrast", "percentile", "index", "region", "count", "splits"]
    counts = pd.concat([load_table(path, columns) for path in snakemake.input.stability])
    save(stability(counts, load_aal(), contrasts), *snakemake.output)
