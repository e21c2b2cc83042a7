"""Best parameters of every method under the paper's protocol, the paper's and ours."""

from job import job

with job(snakemake):
    from contrast_subgraphs.core.files import load_table
    from contrast_subgraphs.report.tables.formats import save_formats
    from contrast_subgraphs.report.tables.paper import load_paper
    from contrast_subgraphs.report.tables.parameters import parameters_shown, parameters_table

    accuracy = load_table(snakemake.input.accuracy, ["cohort", "method", "protocol", "parameters"])
    table = parameters_table(accuracy, load_paper(snakemake.params.paper))
    caption = "Best parameters by mean test accuracy (appendix of the paper)."
    save_formats(
        table, parameters_shown(table, snakemake.params.labels), *snakemake.output, caption=caption
    )
