"""Write the page with everything that the run found."""

from job import ROOT, job

with job(snakemake):
    from pathlib import Path

    from contrast_subgraphs import __version__
    from contrast_subgraphs.core.atomic_files import load_json
    from contrast_subgraphs.report.page import build_report
    from contrast_subgraphs.report.provenance import collect_provenance

    params, given = snakemake.params, snakemake.input
    tables = {Path(path).stem: path for path in given.tables}
    tables["excluded"] = given.excluded
    files = [path for path in (given.manifest, given.data) if path]
    last = build_report(
        snakemake.output[0],
        config=params.config,
        tables=tables,
        figures=given.figures,
        contrasts=given.contrasts,
        graphs={Path(path).stem: path for path in given.graphs},
        atlas=given.atlas,
        warned=params.warnings,
        reading=load_json(given.reading)["sentence"] if given.reading else "",
        members={Path(path).stem: path for path in given.members},
        left_out={Path(path).name.split(".")[0]: path for path in given.left_out},
        texts=Path(snakemake.output[0]).parent,
        provenance=collect_provenance(params.config, [*files, *given.graphs], ROOT, __version__),
    )
    # What was found, where the page is, what to read first: the Snakefile says it at the end.
    print(*last, sep="\n")
