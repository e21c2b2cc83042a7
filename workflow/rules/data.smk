# Stage data: phenotypes and series of ABIDE, of the simulation or of a folder, or the
# published graphs.

from contrast_subgraphs.data.images import series_source
from contrast_subgraphs.data.people import find_subjects
from contrast_subgraphs.data.regions import atlas_path

if SOURCE == "published":
    ARCHIVE = config["sources"]["published"]["archive"]

    # The archive of the authors' graphs: downloaded, or copied from where it lies.
    rule archive:
        input:
            ARCHIVE if Path(ARCHIVE).is_file() else [],
        output:
            f"{DATA}/archive.zip",
        log:
            f"{LOGS}/data/archive.log",
        benchmark:
            f"{BENCHMARKS}/data/archive.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=30,
        params:
            source=config["sources"]["published"],
            given=state_of([ARCHIVE]) if Path(ARCHIVE).is_file() else None,
            code=code_hash("data", "archive.py"),
        message:
            "Fetching the archive of the published graphs"
        script:
            "../scripts/archive.py"

elif SOURCE == "folder":
    # One's own data are read in one job, which the stage graphs sees as one site.
    FETCHED = SITES = ["all"]
    RELEASE_SETTINGS = {}
    FOLDER = config["sources"]["folder"]
    PEOPLE = find_subjects(FOLDER)
    FILES = {name: [str(path) for path in own] for name, own in PEOPLE.runs.items()}
    READ = FOLDER

    if FOLDER.get("kind") == "image":
        # Series of the atlas's regions, one job a person, which are then read as a file each.
        IMAGES = FILES
        READ = series_source(FOLDER, f"{DATA}/images", list(IMAGES))

        rule image:
            input:
                images=lambda wildcards: IMAGES[wildcards.subject],
                atlas=FOLDER["image"]["atlas"],
            output:
                f"{DATA}/images/{{subject}}.npz",
            log:
                f"{LOGS}/data/images/{{subject}}.log",
            benchmark:
                f"{BENCHMARKS}/data/images/{{subject}}.tsv"
            wildcard_constraints:
                subject="[^/]+",
            conda:
                "../../envs/contrast-subgraphs.yaml"
            resources:
                mem_mb=4000,
                runtime=60,
            params:
                settings=FOLDER["image"],
                given=lambda wildcards: state_of(
                    [*IMAGES[wildcards.subject], FOLDER["image"]["atlas"]]
                ),
                code=code_hash("data", "image.py"),
            message:
                "Series of the regions in the images of {wildcards.subject}"
            script:
                "../scripts/image.py"

        FILES = {name: [f"{DATA}/images/{name}.npz"] for name in FILES}

    rule phenotypes:
        input:
            str(PEOPLE.path),
        output:
            f"{DATA}/phenotypes.csv",
        log:
            f"{LOGS}/data/phenotypes.log",
        benchmark:
            f"{BENCHMARKS}/data/phenotypes.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            source=FOLDER,
            given=state_of([PEOPLE.path]),
            code=code_hash("data", "people.py"),
        message:
            "Reading the table of people"
        script:
            "../scripts/people.py"

    ATLAS = atlas_path(FOLDER)
    GIVEN = state_of(
        {PEOPLE.path, *sum(PEOPLE.runs.values(), ()), *([ATLAS] if ATLAS else [])}
    )

    rule series:
        input:
            files=sorted({path for own in FILES.values() for path in own}),
            table=str(PEOPLE.path),
            atlas=str(ATLAS or "") or [],
            checked=ancient(f"{DATA}/cohorts.tsv"),
        output:
            series=f"{DATA}/series/all.npz",
            table=f"{DATA}/series/all.tsv",
            coverage=f"{DATA}/series/all.coverage.tsv",
            reading=f"{DATA}/reading.json",
        log:
            f"{LOGS}/data/series-all.log",
        benchmark:
            f"{BENCHMARKS}/data/series-all.tsv"
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=3000,
            runtime=60,
        params:
            source=READ,
            given=GIVEN,
            code=code_hash("data", "folder.py"),
        message:
            "Reading every subject's file"
        script:
            "../scripts/folder.py"

else:
    RELEASE = f"{DATA}/release"

    if SOURCE == "abide":
        from contrast_subgraphs.data.abide import SITES

        RELEASE_SETTINGS = config["sources"]["abide"]
        MANIFEST = True
        # A site is a job, so that what is downloaded is kept.
        FETCHED, PARTS, WHAT = SITES, ["{site}"], "{site}"
    else:
        from contrast_subgraphs.data.simulated import SITES, release_source

        RELEASE_SETTINGS = release_source(RELEASE)
        MANIFEST = False
        FETCHED, PARTS, WHAT = ["all"], SITES, "all"

    # Files in the shape of ABIDE's, which the rules below read as they read ABIDE's.
    rule simulate:
        output:
            release=directory(RELEASE),
            truth=f"{DATA}/truth.json",
        log:
            f"{LOGS}/data/simulate.log",
        benchmark:
            f"{BENCHMARKS}/data/simulate.tsv"
        priority: 4
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            source=config["sources"]["simulated"],
            seed=config["seed"],
            code=code_hash("data", "simulate.py"),
        message:
            "Simulating an ABIDE-shaped release with planted contrast subgraphs"
        script:
            "../scripts/simulate.py"

    rule phenotypes:
        input:
            release=RELEASE if SOURCE == "simulated" else [],
        output:
            f"{DATA}/phenotypes.csv",
        log:
            f"{LOGS}/data/phenotypes.log",
        benchmark:
            f"{BENCHMARKS}/data/phenotypes.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=30,
        params:
            source=RELEASE_SETTINGS,
            sites=list(SITES),
            manifest=MANIFEST,
            code=code_hash("data", "phenotypes.py"),
        message:
            "Fetching the phenotypes"
        script:
            "../scripts/phenotypes.py"

    rule series:
        input:
            release=RELEASE if SOURCE == "simulated" else [],
            phenotypes=f"{DATA}/phenotypes.csv",
            # It must be there, but another cohort fetches nothing again.
            checked=ancient(f"{DATA}/cohorts.tsv"),
        output:
            series=[f"{DATA}/series/{site}.npz" for site in PARTS],
            table=[f"{DATA}/series/{site}.tsv" for site in PARTS],
        log:
            f"{LOGS}/data/series-{WHAT}.log",
        benchmark:
            f"{BENCHMARKS}/data/series-{WHAT}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=120,
        params:
            source=RELEASE_SETTINGS,
            sites=fetched_together,
            manifest=MANIFEST,
            again=missing_before,
            code=code_hash("data", "series.py"),
        message:
            "Fetching the time series of "
            + ("all sites" if WHAT == "all" else "the site {wildcards.site}")
        script:
            "../scripts/series.py"


if SOURCE != "published":

    # A wrong cohort is found before the long download. No parameters: once the series are
    # there, the rule `cohort` finds it as soon, and were this rule to run again, Snakemake
    # would not look at what else has changed behind its output marked `ancient`.
    rule check_cohorts:
        input:
            f"{DATA}/phenotypes.csv",
        output:
            f"{DATA}/cohorts.tsv",
        log:
            f"{LOGS}/data/check_cohorts.log",
        benchmark:
            f"{BENCHMARKS}/data/check_cohorts.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        message:
            "Checking the cohorts against the phenotypes"
        script:
            "../scripts/check_cohorts.py"


# Names, places and systems of the regions. Those of AAL are known; of the release's other
# atlases the series have the regions' numbers.
rule atlas:
    input:
        (
            expand(f"{DATA}/series/{{site}}.npz", site=SITES)
            if SOURCE == "folder"
            or SOURCE == "abide"
            and RELEASE_SETTINGS["derivative"] != "rois_aal"
            else []
        ),
    output:
        f"{DATA}/atlas.tsv",
    log:
        f"{LOGS}/data/atlas.log",
    benchmark:
        f"{BENCHMARKS}/data/atlas.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        source=config["sources"].get(SOURCE) if SOURCE == "folder" else None,
        code=code_hash("data", "atlas.py"),
    message:
        "Writing the table of the regions"
    script:
        "../scripts/atlas.py"
