# Stage graphs: one graph per subject, one file of graphs per cohort.

if SOURCE == "published":

    rule subject_graphs:
        input:
            f"{DATA}/archive.zip",
        output:
            graphs=f"{GRAPHS}/subjects.npz",
            members=f"{GRAPHS}/members.tsv",
            density=f"{GRAPHS}/density.tsv",
            excluded=f"{GRAPHS}/excluded.tsv",
        log:
            f"{LOGS}/graphs/subject_graphs.log",
        benchmark:
            f"{BENCHMARKS}/graphs/subject_graphs.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            cohorts=COHORTS,
            evaluation=SIZES,
            code=code_hash("graphs", "published_graphs.py"),
        message:
            "Reading and checking every published graph"
        script:
            "../scripts/published_graphs.py"

    rule cohort:
        input:
            graphs=f"{GRAPHS}/subjects.npz",
            members=f"{GRAPHS}/members.tsv",
        output:
            graphs=f"{GRAPHS}/{{cohort}}.npz",
            members=f"{GRAPHS}/{{cohort}}.tsv",
        log:
            f"{LOGS}/graphs/cohort-{{cohort}}.log",
        benchmark:
            f"{BENCHMARKS}/graphs/cohort-{{cohort}}.tsv"
        priority: 3
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            code=code_hash("graphs", "published_cohort.py"),
        message:
            "Collecting the graphs of the cohort {wildcards.cohort}"
        script:
            "../scripts/published_cohort.py"

else:

    rule subject_graphs:
        input:
            phenotypes=f"{DATA}/phenotypes.csv",
            series=expand(f"{DATA}/series/{{site}}.npz", site=SITES),
            tables=expand(f"{DATA}/series/{{site}}.tsv", site=SITES),
        output:
            graphs=f"{GRAPHS}/subjects.npz",
            density=f"{GRAPHS}/density.tsv",
            excluded=f"{GRAPHS}/excluded.tsv",
        log:
            f"{LOGS}/graphs/subject_graphs.log",
        benchmark:
            f"{BENCHMARKS}/graphs/subject_graphs.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=3000,
            runtime=10,
        params:
            graph={
                key: value
                for key, value in config["graph"].items()
                if key not in ("adjust", "modes")
            },
            quality_checked=RELEASE_SETTINGS.get("quality_checked", False),
            code=code_hash("graphs", "subject_graphs.py"),
        message:
            "Graphs of all subjects, and who was left out"
        script:
            "../scripts/subject_graphs.py"

    rule cohort:
        input:
            graphs=f"{GRAPHS}/subjects.npz",
            phenotypes=f"{DATA}/phenotypes.csv",
            excluded=f"{GRAPHS}/excluded.tsv",
            density=f"{GRAPHS}/density.tsv",
        output:
            graphs=f"{GRAPHS}/{{cohort}}{RAW}.npz",
            members=f"{GRAPHS}/{{cohort}}.tsv",
            left_out=f"{GRAPHS}/{{cohort}}.excluded.tsv",
        log:
            f"{LOGS}/graphs/cohort-{{cohort}}.log",
        benchmark:
            f"{BENCHMARKS}/graphs/cohort-{{cohort}}.tsv"
        priority: 3
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            groups=lambda wildcards: {
                name: config["groups"][name]["where"]
                for name in QUESTIONS[wildcards.cohort].groups
            },
            where=lambda wildcards: WHERE[wildcards.cohort],
            question=lambda wildcards: QUESTIONS[wildcards.cohort].to_json(),
            missing_covariates=config.get("missing_covariates", "keep"),
            code=code_hash("graphs", "cohort.py"),
        message:
            "Collecting the graphs of the cohort {wildcards.cohort}"
        script:
            "../scripts/cohort.py"

    if RAW:

        # A rule of its own: if a rule has one more output than when it last ran, Snakemake does not
        # see what else has changed.
        rule adjust:
            input:
                graphs=f"{GRAPHS}/{{cohort}}.raw.npz",
                members=f"{GRAPHS}/{{cohort}}.tsv",
            output:
                f"{GRAPHS}/{{cohort}}.npz",
            log:
                f"{LOGS}/graphs/adjust-{{cohort}}.log",
            benchmark:
                f"{BENCHMARKS}/graphs/adjust-{{cohort}}.tsv"
            priority: 3
            localrule: True
            conda:
                "../../envs/contrast-subgraphs.yaml"
            resources:
                mem_mb=2000,
                runtime=10,
            params:
                names=ADJUST,
                modes=MODES,
                seed=config["seed"] if MODES else None,
                code=code_hash("graphs", "adjust.py"),
            message:
                "Regressing covariates out of the graphs of the cohort {wildcards.cohort}"
            script:
                "../scripts/adjust.py"

    # Weights of all pairs, for the methods that ask for them.
    rule edges:
        input:
            graphs=f"{GRAPHS}/{{cohort}}.npz",
            series=expand(f"{DATA}/series/{{site}}.npz", site=SITES),
        output:
            f"{GRAPHS}/{{cohort}}.edges.npz",
        log:
            f"{LOGS}/graphs/edges-{{cohort}}.log",
        benchmark:
            f"{BENCHMARKS}/graphs/edges-{{cohort}}.tsv"
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            measure=config["graph"]["measure"],
            transform=config["graph"].get("transform"),
            # The user's matrices have no covariances.
            series=SOURCE != "folder" or config["sources"]["folder"]["kind"] == "series",
            code=code_hash("graphs", "edges.py"),
        message:
            "Weights of all pairs of regions, cohort {wildcards.cohort}"
        script:
            "../scripts/edges.py"
