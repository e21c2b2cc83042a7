# Stage data: phenotypes and series of ABIDE, of the simulation or of a folder, or the
# published graphs.

from contrast_subgraphs.core import processes
from contrast_subgraphs.data.images import series_source
from contrast_subgraphs.data.manifest import Manifest, own_files

SETTINGS = config["sources"][SOURCE]
#: Where digests of files that have not changed are kept.
MEMORY = ".snakemake/own_files.json"
# New files are read here, before Snakemake prints anything.
processes.show_progress(
    workflow.is_main_process and "CONTRAST_SUBGRAPHS_QUIET" not in os.environ,
    every=0.1 if sys.stderr.isatty() else 5,
)
try:
    OWN_FILES = own_files(SOURCE, SETTINGS)
    OWN = Manifest.of(OWN_FILES, MEMORY)
except InputError as error:
    raise WorkflowError(f"error: {error}") from None
processes.show_progress(False)
MANIFEST = f"{DATA}/manifest.tsv" if OWN_FILES else []
#: What a job needs to check whether they are still what the manifest says.
CHECKED = {"name": SOURCE, "source": SETTINGS, "memory": MEMORY}

if OWN_FILES:

    # The user's own files, known by their contents. Whatever reads them depends on this list, and
    # is never `ancient` to it: below an input that is ancient and made again Snakemake does not
    # see other changes.
    rule manifest:
        output:
            MANIFEST,
        log:
            f"{LOGS}/data/manifest.log",
        benchmark:
            f"{BENCHMARKS}/data/manifest.tsv"
        priority: 4
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=30,
        params:
            source=SOURCE,
            settings=SETTINGS,
            memory=MEMORY,
            digest=OWN.digest,
            code=code_hash("data", "manifest.py"),
        message:
            "Listing your own files"
        script:
            "../scripts/manifest.py"


if SOURCE == "published":

    # The archive of the authors' graphs: downloaded, or copied from where it is.
    rule archive:
        input:
            manifest=MANIFEST,
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
            source=SETTINGS,
            checked=CHECKED,
            code=code_hash("data", "archive.py"),
        message:
            "Fetching the archive of the published graphs"
        script:
            "../scripts/archive.py"

elif SOURCE == "folder":
    # One's own data are read in one job, which the stage graphs sees as one site.
    FETCHED = SITES = ["all"]
    RELEASE_SETTINGS = {}
    READ = SETTINGS

    if SETTINGS["kind"] == "image":
        # Series of the atlas's regions, one job a person, which are then read as a file each.
        IMAGES = {}
        for one in OWN_FILES:
            if one.role == "data":
                IMAGES.setdefault(one.subject, []).append(str(one.path))
        READ = series_source(SETTINGS, f"{DATA}/images", list(IMAGES))

        # This depends only on the manifest's rows for this person; otherwise all are made again.
        rule image:
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
                settings=SETTINGS["image"],
                images=lambda wildcards: IMAGES[wildcards.subject],
                digest=lambda wildcards: OWN.digest_of(wildcards.subject),
                atlas=OWN.digest_of("", "atlas"),
                code=code_hash("data", "image.py"),
            message:
                "Series of the regions in the images of {wildcards.subject}"
            script:
                "../scripts/image.py"

    rule phenotypes:
        input:
            manifest=MANIFEST,
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
            source=SETTINGS,
            checked=CHECKED,
            code=code_hash("data", "people.py"),
        message:
            "Reading the table of people"
        script:
            "../scripts/people.py"

    rule series:
        input:
            manifest=MANIFEST,
            images=(
                [f"{DATA}/images/{name}.npz" for name in IMAGES]
                if SETTINGS["kind"] == "image"
                else []
            ),
            checked=f"{DATA}/cohorts.checked",
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
            checked=CHECKED,
            code=code_hash("data", "folder.py"),
        message:
            "Reading every subject's file"
        script:
            "../scripts/folder.py"

else:
    RELEASE = f"{DATA}/release"

    if SOURCE == "abide":
        from contrast_subgraphs.data.abide import SITES

        RELEASE_SETTINGS = SETTINGS
        RELEASED = True
        # A site is a job, so that what is downloaded is kept.
        FETCHED, PARTS, WHAT = SITES, ["{site}"], "{site}"
    else:
        from contrast_subgraphs.data.simulated import SITES, release_source

        RELEASE_SETTINGS = release_source(RELEASE)
        RELEASED = False
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
            manifest=MANIFEST,
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
            released=RELEASED,
            checked=CHECKED,
            code=code_hash("data", "phenotypes.py"),
        message:
            "Fetching the phenotypes"
        script:
            "../scripts/phenotypes.py"

    rule series:
        input:
            manifest=MANIFEST,
            release=RELEASE if SOURCE == "simulated" else [],
            phenotypes=f"{DATA}/phenotypes.csv",
            checked=f"{DATA}/cohorts.checked",
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
            released=RELEASED,
            checked=CHECKED,
            # For a release on this machine, the manifest says what is missing.
            again=[] if OWN_FILES else missing_before,
            code=code_hash("data", "series.py"),
        message:
            "Fetching the time series of "
            + ("all sites" if WHAT == "all" else "the site {wildcards.site}")
        script:
            "../scripts/series.py"


if SOURCE != "published":

    # A wrong cohort is found before the long download. It has no parameters, since another cohort
    # must fetch nothing again; that one is checked by the rule `cohorts`.
    rule check_cohorts:
        input:
            f"{DATA}/phenotypes.csv",
        output:
            f"{DATA}/cohorts.checked",
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

    # The sizes of the cohorts as the config has them now, and the people in none of the groups.
    rule cohorts:
        input:
            f"{DATA}/phenotypes.csv",
            f"{DATA}/cohorts.checked",
        output:
            f"{DATA}/cohorts.tsv",
        log:
            f"{LOGS}/data/cohorts.log",
        benchmark:
            f"{BENCHMARKS}/data/cohorts.tsv"
        priority: 4
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            groups={name: one["where"] for name, one in config["groups"].items()},
            cohorts={
                name: {key: value for key, value in one.items() if key != "label"}
                for name, one in config["cohorts"].items()
            },
            evaluation=SIZES,
            code=code_hash("graphs", "check_cohorts.py"),
        message:
            "Counting the people of the cohorts"
        script:
            "../scripts/check_cohorts.py"


# Names, places and systems of the regions. Those of AAL are known; for the release's other
# atlases, the series have the regions' numbers.
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
        source=SETTINGS if SOURCE == "folder" else None,
        code=code_hash("data", "atlas.py"),
    message:
        "Writing the table of the regions"
    script:
        "../scripts/atlas.py"
