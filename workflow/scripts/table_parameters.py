"""Best parameters of every method under the paper's protocol, the paper's and ours."""

from job import job, resource

with job(snakemake):
    from contrast_subgraphs.files import load_table
    from contrast_subgraphs.tables import (
        load_paper,
        parameters_shown,
        parameters_table,
        save_formats,
    )

    accuracy = load_table(snakemake.input.accuracy, ["cohort", "method", "protocol", "parameters"])
    table = parameters_table(accuracy, load_paper(resource(snakemake.params.paper)))
    caption = "Best parameters by mean test accuracy (appendix of the paper)."
    save_formats(
        table, parameters_shown(table, snakemake.params.labels), *snakemake.output, caption=caption
    )
