"""Draw figures made from the same files, each as PDF and PNG."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.report.figures import FIGURES, figure_of
    from contrast_subgraphs.report.figures.figure import View
    from contrast_subgraphs.report.figures.style import save
    from contrast_subgraphs.report.results import Results

    paths = {
        name: [files] if isinstance(files, str) else list(files)
        for name, files in snakemake.input.items()
    }
    results = Results(snakemake.params.config, **paths)
    # Each figure is listed twice in the output, as PDF and PNG.
    for pdf in (Path(path) for path in snakemake.output if path.endswith(".pdf")):
        name, cohort = figure_of(pdf, snakemake.params.config)
        view = View(results, cohort)
        subject = f"{results.names.source} data. {view.sizes}".strip()
        said = {"title": FIGURES[name].words("title", view), "subject": subject}
        save(FIGURES[name].draw(view), pdf, pdf.with_suffix(".png"), **said, sealed=True)
