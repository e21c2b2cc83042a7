# Stage data: phenotypes and series of ABIDE or of the simulation, or the published graphs.

if SOURCE == "published":
    ARCHIVE = config["sources"]["published"]["archive"]

    # The archive of the authors' graphs: downloaded, or copied from where it lies.
    rule archive:
        input:
            [] if "://" in ARCHIVE else ARCHIVE,
        output:
            f"{DATA}/archive.zip",
        params:
            source=config["sources"]["published"],
            code=code_hash("archive.py"),
        log:
            f"{LOGS}/data/archive.log",
        benchmark:
            f"{BENCHMARKS}/data/archive.tsv"
        resources:
            mem_mb=500,
            runtime=30,
        localrule: True
        message:
            "Fetching the archive of the published graphs"
        script:
            "../scripts/archive.py"
