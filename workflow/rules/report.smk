# Stage report: tables, figures and the page that tells the story.


def contrast_files(cohorts=COHORTS):
    return expand(
        f"{CONTRAST}/{{cohort}}/{{contrast}}.json", cohort=cohorts, contrast=CONTRASTS
    )


def benchmark_files():
    """(stage, job, file) of every measured job that the run's results rest on."""
    jobs = [("graphs", "subject_graphs")]
    jobs += [("graphs", f"cohort-{cohort}") for cohort in COHORTS]
    jobs += [
        ("contrast", f"{cohort}-{contrast}")
        for cohort in COHORTS
        for contrast in CONTRASTS
    ]
    jobs += [
        ("embeddings", f"{cohort}-{method}-{name}")
        for (method, cohort), sets in PARAMETER_SETS.items()
        for name in sets
    ]
    jobs += [
        ("evaluation", f"{protocol}-{cohort}-{method}")
        for protocol in EVALUATED
        for cohort in COHORTS
        for method in config["methods"]
    ]
    return [(stage, job, f"{BENCHMARKS}/{stage}/{job}.tsv") for stage, job in jobs]


REPORT_ASSETS = Path(workflow.basedir) / "workflow/contrast_subgraphs/resources/report"
# The paper says nothing of simulated graphs.
PAPER = [] if SOURCE == "simulated" else f"{RESOURCES}/paper.yaml"
LABELS = {name: cohort["label"] for name, cohort in config["cohorts"].items()}


rule table_cohorts:
    input:
        members=expand(f"{GRAPHS}/{{cohort}}.tsv", cohort=COHORTS),
        paper=PAPER,
    output:
        csv=f"{TABLES}/cohorts.csv",
        markdown=f"{TABLES}/cohorts.md",
        latex=f"{TABLES}/cohorts.tex",
    log:
        f"{LOGS}/report/table_cohorts.log",
    benchmark:
        f"{BENCHMARKS}/report/table_cohorts.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        cohorts=config["cohorts"],
        code=code_hash("table_cohorts.py"),
    message:
        "Table 1: the cohorts"
    script:
        "../scripts/table_cohorts.py"


rule table_accuracy:
    input:
        scores=score_files(),
        paper=PAPER,
    output:
        csv=f"{TABLES}/accuracy.csv",
        markdown=f"{TABLES}/accuracy.md",
        latex=f"{TABLES}/accuracy.tex",
    log:
        f"{LOGS}/report/table_accuracy.log",
    benchmark:
        f"{BENCHMARKS}/report/table_accuracy.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("table_accuracy.py"),
    message:
        "Table 2: accuracy, the paper's and ours, with controls"
    script:
        "../scripts/table_accuracy.py"


rule table_comparisons:
    input:
        scores=score_files(),
    output:
        csv=f"{TABLES}/comparisons.csv",
        markdown=f"{TABLES}/comparisons.md",
        latex=f"{TABLES}/comparisons.tex",
    log:
        f"{LOGS}/report/table_comparisons.log",
    benchmark:
        f"{BENCHMARKS}/report/table_comparisons.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("table_comparisons.py"),
    message:
        "Paired comparison of the methods"
    script:
        "../scripts/table_comparisons.py"


rule table_parameters:
    input:
        accuracy=f"{TABLES}/accuracy.csv",
        paper=PAPER,
    output:
        csv=f"{TABLES}/parameters.csv",
        markdown=f"{TABLES}/parameters.md",
        latex=f"{TABLES}/parameters.tex",
    log:
        f"{LOGS}/report/table_parameters.log",
    benchmark:
        f"{BENCHMARKS}/report/table_parameters.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("table_parameters.py"),
    message:
        "Best parameters, the paper's and ours"
    script:
        "../scripts/table_parameters.py"


rule table_rules:
    input:
        expand(f"{EVALUATION}/rules/{{cohort}}.csv", cohort=COHORTS),
    output:
        csv=f"{TABLES}/rules.csv",
        markdown=f"{TABLES}/rules.md",
        latex=f"{TABLES}/rules.tex",
    log:
        f"{LOGS}/report/table_rules.log",
    benchmark:
        f"{BENCHMARKS}/report/table_rules.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("table_rules.py"),
    message:
        "The rules read off the scatter plots, on the cohort and on held-out subjects"
    script:
        "../scripts/table_rules.py"


rule table_regions:
    input:
        graphs=expand(f"{GRAPHS}/{{cohort}}.npz", cohort=COHORTS),
        contrasts=contrast_files(),
    output:
        csv=f"{TABLES}/regions.csv",
        markdown=f"{TABLES}/regions.md",
        latex=f"{TABLES}/regions.tex",
    log:
        f"{LOGS}/report/table_regions.log",
    benchmark:
        f"{BENCHMARKS}/report/table_regions.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("table_regions.py"),
    message:
        "Regions of every contrast subgraph"
    script:
        "../scripts/table_regions.py"


rule table_systems:
    input:
        regions=f"{TABLES}/regions.csv",
        graphs=f"{GRAPHS}/{COHORTS[0]}.npz",
    output:
        csv=f"{TABLES}/systems.csv",
        markdown=f"{TABLES}/systems.md",
        latex=f"{TABLES}/systems.tex",
    log:
        f"{LOGS}/report/table_systems.log",
    benchmark:
        f"{BENCHMARKS}/report/table_systems.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("table_systems.py"),
    message:
        "Contrast subgraphs by system and hemisphere"
    script:
        "../scripts/table_systems.py"


rule table_runtime:
    input:
        [file for _, _, file in benchmark_files()],
    output:
        csv=f"{TABLES}/runtime.csv",
        markdown=f"{TABLES}/runtime.md",
        latex=f"{TABLES}/runtime.tex",
    log:
        f"{LOGS}/report/table_runtime.log",
    benchmark:
        f"{BENCHMARKS}/report/table_runtime.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        jobs=[(stage, job) for stage, job, _ in benchmark_files()],
        code=code_hash("table_runtime.py"),
    message:
        "Time and memory of every job"
    script:
        "../scripts/table_runtime.py"


rule table_recovery:
    input:
        truth=f"{DATA}/truth.json",
        contrasts=contrast_files(),
    output:
        csv=f"{TABLES}/recovery.csv",
        markdown=f"{TABLES}/recovery.md",
        latex=f"{TABLES}/recovery.tex",
    log:
        f"{LOGS}/report/table_recovery.log",
    benchmark:
        f"{BENCHMARKS}/report/table_recovery.tsv"
    localrule: True
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("table_recovery.py"),
    message:
        "Planted contrast subgraphs, found again?"
    script:
        "../scripts/table_recovery.py"


TABLE_NAMES = ["cohorts", "accuracy", "comparisons", "parameters", "runtime"]
TABLE_NAMES += ["regions", "systems"]
if len(CONTRAST_METHODS) == 2:
    TABLE_NAMES.append("rules")
if SOURCE == "simulated":
    TABLE_NAMES.append("recovery")


rule tables:
    input:
        expand(
            f"{TABLES}/{{name}}.{{format}}",
            name=TABLE_NAMES,
            format=["csv", "md", "tex"],
        ),


# Pictures of the first cohort that the config names for them are <figure>.pdf, those of
# any other <figure>-<cohort>.pdf.
PICTURED = report_cohorts(config)
SUFFIXES = {
    "" if cohort == PICTURED[0] else f"-{cohort}": cohort for cohort in PICTURED
}


wildcard_constraints:
    suffix=f"({'|'.join(SUFFIXES)})",


def of_cohort(pattern):
    """An input function: `pattern` for the cohort that a figure shows."""
    return lambda wildcards: expand(
        pattern, cohort=SUFFIXES[wildcards.suffix], contrast=CONTRASTS
    )


def figure_files():
    names = ["example"]
    per_cohort = ["contrast_large", "contrast_small", "contrast_symmetric"]
    per_cohort += ["degrees", "difference", "alpha_path"]
    if "nested" in PROTOCOLS:
        per_cohort += ["stability"] if CONTRAST_METHODS else []
    names += [f"{name}{suffix}" for name in per_cohort for suffix in SUFFIXES]
    if "paper" in PROTOCOLS:
        names += [f"boundaries_{method[3:]}" for method in CONTRAST_METHODS]
    names.append("leakage")
    return expand(f"{FIGURES}/{{name}}.{{format}}", name=names, format=["pdf", "png"])


rule figures:
    input:
        figure_files(),


rule figure_example:
    output:
        pdf=f"{FIGURES}/example.pdf",
        png=f"{FIGURES}/example.png",
    log:
        f"{LOGS}/report/figure-example.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-example.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("figure_example.py"),
    message:
        "Figure: the run-through example"
    script:
        "../scripts/figure_example.py"


rule figure_subgraphs:
    input:
        graphs=of_cohort(f"{GRAPHS}/{{cohort}}.npz"),
        contrasts=of_cohort(f"{CONTRAST}/{{cohort}}/{{contrast}}.json"),
    output:
        pdf=f"{FIGURES}/{{figure}}{{suffix}}.pdf",
        png=f"{FIGURES}/{{figure}}{{suffix}}.png",
    log:
        f"{LOGS}/report/figure-{{figure}}{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-{{figure}}{{suffix}}.tsv"
    wildcard_constraints:
        figure="contrast_large|contrast_small|contrast_symmetric",
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        percentiles=lambda wildcards: config["report"][wildcards.figure],
        edge_weight=config["report"]["edge_weight"],
        code=code_hash("figure_subgraphs.py"),
    message:
        "Figure: {wildcards.figure}{wildcards.suffix}"
    script:
        "../scripts/figure_subgraphs.py"


rule figure_summaries:
    input:
        of_cohort(f"{GRAPHS}/{{cohort}}.npz"),
    output:
        pdf=f"{FIGURES}/{{figure}}{{suffix}}.pdf",
        png=f"{FIGURES}/{{figure}}{{suffix}}.png",
    log:
        f"{LOGS}/report/figure-{{figure}}{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-{{figure}}{{suffix}}.tsv"
    wildcard_constraints:
        figure="degrees|difference",
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("figure_summaries.py"),
    message:
        "Figure: {wildcards.figure}{wildcards.suffix}"
    script:
        "../scripts/figure_summaries.py"


rule figure_alpha_path:
    input:
        of_cohort(f"{CONTRAST}/{{cohort}}/{{contrast}}.json"),
    output:
        pdf=f"{FIGURES}/alpha_path{{suffix}}.pdf",
        png=f"{FIGURES}/alpha_path{{suffix}}.png",
    log:
        f"{LOGS}/report/figure-alpha_path{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-alpha_path{{suffix}}.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("figure_alpha_path.py"),
    message:
        "Figure: alpha_path{wildcards.suffix}"
    script:
        "../scripts/figure_alpha_path.py"


rule figure_stability:
    input:
        stability=lambda wildcards: expand(
            f"{EVALUATION}/nested/{{cohort}}/{{method}}.stability.csv",
            cohort=SUFFIXES[wildcards.suffix],
            method=CONTRAST_METHODS,
        ),
        contrasts=of_cohort(f"{CONTRAST}/{{cohort}}/{{contrast}}.json"),
    output:
        pdf=f"{FIGURES}/stability{{suffix}}.pdf",
        png=f"{FIGURES}/stability{{suffix}}.png",
    log:
        f"{LOGS}/report/figure-stability{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-stability{{suffix}}.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("figure_stability.py"),
    message:
        "Figure: stability{wildcards.suffix}"
    script:
        "../scripts/figure_stability.py"


rule figure_boundaries:
    input:
        graphs=expand(f"{GRAPHS}/{{cohort}}.npz", cohort=COHORTS),
        splits=expand(f"{EVALUATION}/splits/{{cohort}}.csv", cohort=COHORTS),
        scores=lambda wildcards: expand(
            f"{EVALUATION}/paper/{{cohort}}/cs-{{problem}}.csv",
            cohort=COHORTS,
            problem=wildcards.problem,
        ),
        contrasts=expand(
            f"{CONTRAST}/{{cohort}}/{{contrast}}.json",
            cohort=COHORTS,
            contrast=CONTRASTS,
        ),
    output:
        pdf=f"{FIGURES}/boundaries_{{problem}}.pdf",
        png=f"{FIGURES}/boundaries_{{problem}}.png",
    log:
        f"{LOGS}/report/figure-boundaries_{{problem}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-boundaries_{{problem}}.tsv"
    wildcard_constraints:
        problem="p1|p2",
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("figure_boundaries.py"),
    message:
        "Figure: boundaries_{wildcards.problem}"
    script:
        "../scripts/figure_boundaries.py"


rule figure_leakage:
    input:
        accuracy=f"{TABLES}/accuracy.csv",
        scores=score_files(),
    output:
        pdf=f"{FIGURES}/leakage.pdf",
        png=f"{FIGURES}/leakage.png",
    log:
        f"{LOGS}/report/figure-leakage.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-leakage.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("figure_leakage.py"),
    message:
        "Figure: leakage"
    script:
        "../scripts/figure_leakage.py"


rule report:
    input:
        tables=expand(f"{TABLES}/{{name}}.csv", name=TABLE_NAMES),
        excluded=f"{GRAPHS}/excluded.tsv",
        figures=[file for file in figure_files() if file.endswith(".png")],
        contrasts=contrast_files(PICTURED),
        graphs=expand(f"{GRAPHS}/{{cohort}}.npz", cohort=PICTURED),
        data=(
            f"{DATA}/archive.zip"
            if SOURCE == "published"
            else f"{DATA}/phenotypes.csv"
        ),
        assets=[str(file) for file in REPORT_ASSETS.iterdir() if file.is_file()],
    output:
        report(
            f"{RESULTS}/report.html", category="Report", caption="../report/page.rst"
        ),
    log:
        f"{LOGS}/report/report.log",
    benchmark:
        f"{BENCHMARKS}/report/report.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        config=config,
        cohorts=PICTURED,
        root=workflow.basedir,
        code=code_hash("report.py"),
    message:
        "The page that tells the whole story: {output}"
    script:
        "../scripts/report.py"
