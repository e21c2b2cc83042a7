"""Draw figures made from the same files, each as PDF and PNG."""

from job import job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs.report.figures import FIGURES, About, figure_of, save
    from contrast_subgraphs.report.results import Results

    paths = {
        name: [files] if isinstance(files, str) else list(files)
        for name, files in snakemake.input.items()
    }
    results = Results(snakemake.params.config, **paths)
    for pdf in (Path(path) for path in snakemake.output if path.endswith(".pdf")):
        name, cohort = figure_of(pdf, snakemake.params.config)
        about = About(results.config, results.names, cohort, results.significance)
        subject = f"{results.names.source} data. {about.sizes(results)}".strip()
        drawn = FIGURES[name].draw(results, cohort)
        said = {"title": FIGURES[name].words("title", about), "subject": subject}
        save(drawn, pdf, pdf.with_suffix(".png"), **said, sealed=True)
