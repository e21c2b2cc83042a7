# Stage report: tables, figures and the page that tells the story.


# The paper says nothing of simulated graphs.
PAPER = SOURCE != "simulated"
LABELS = {name: cohort["label"] for name, cohort in config["cohorts"].items()}


rule table_cohorts:
    input:
        members=expand(f"{GRAPHS}/{{cohort}}.tsv", cohort=COHORTS),
    output:
        csv=report(f"{TABLES}/cohorts.csv", category="Tables"),
        markdown=f"{TABLES}/cohorts.md",
        latex=f"{TABLES}/cohorts.tex",
    log:
        f"{LOGS}/report/table_cohorts.log",
    benchmark:
        f"{BENCHMARKS}/report/table_cohorts.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        cohorts=config["cohorts"],
        paper=PAPER,
        code=code_hash("report", "table_cohorts.py"),
    message:
        "Table 1: the cohorts"
    script:
        "../scripts/table_cohorts.py"


rule table_accuracy:
    input:
        scores=score_files(),
    output:
        csv=report(f"{TABLES}/accuracy.csv", category="Tables"),
        markdown=f"{TABLES}/accuracy.md",
        latex=f"{TABLES}/accuracy.tex",
    log:
        f"{LOGS}/report/table_accuracy.log",
    benchmark:
        f"{BENCHMARKS}/report/table_accuracy.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        paper=PAPER,
        code=code_hash("report", "table_accuracy.py"),
    message:
        "Table 2: accuracy, the paper's and ours, with controls"
    script:
        "../scripts/table_accuracy.py"


rule table_comparisons:
    input:
        scores=score_files(),
    output:
        csv=report(f"{TABLES}/comparisons.csv", category="Tables"),
        markdown=f"{TABLES}/comparisons.md",
        latex=f"{TABLES}/comparisons.tex",
    log:
        f"{LOGS}/report/table_comparisons.log",
    benchmark:
        f"{BENCHMARKS}/report/table_comparisons.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("report", "table_comparisons.py"),
    message:
        "Paired comparison of the methods"
    script:
        "../scripts/table_comparisons.py"


rule table_parameters:
    input:
        accuracy=f"{TABLES}/accuracy.csv",
    output:
        csv=report(f"{TABLES}/parameters.csv", category="Tables"),
        markdown=f"{TABLES}/parameters.md",
        latex=f"{TABLES}/parameters.tex",
    log:
        f"{LOGS}/report/table_parameters.log",
    benchmark:
        f"{BENCHMARKS}/report/table_parameters.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        labels=LABELS,
        paper=PAPER,
        code=code_hash("report", "table_parameters.py"),
    message:
        "Best parameters, the paper's and ours"
    script:
        "../scripts/table_parameters.py"


rule table_solver:
    input:
        contrasts=contrast_files(),
        seconds=[file.replace(".json", ".seconds.csv") for file in contrast_files()],
        densdp=[file.replace(".json", ".densdp.json") for file in contrast_files()],
        densdp_seconds=[
            file.replace(".json", ".densdp.seconds.csv") for file in contrast_files()
        ],
    output:
        csv=report(f"{TABLES}/solver.csv", category="Tables"),
        markdown=f"{TABLES}/solver.md",
        latex=f"{TABLES}/solver.tex",
    log:
        f"{LOGS}/report/table_solver.log",
    benchmark:
        f"{BENCHMARKS}/report/table_solver.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_solver.py"),
    message:
        "Our solver and the paper's on every instance"
    script:
        "../scripts/table_solver.py"


rule table_alternatives:
    input:
        contrast_files(),
    output:
        csv=report(f"{TABLES}/alternatives.csv", category="Tables"),
        markdown=f"{TABLES}/alternatives.md",
        latex=f"{TABLES}/alternatives.tex",
    log:
        f"{LOGS}/report/table_alternatives.log",
    benchmark:
        f"{BENCHMARKS}/report/table_alternatives.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_alternatives.py"),
    message:
        "How close the rivals of each contrast subgraph are"
    script:
        "../scripts/table_alternatives.py"


rule table_rules:
    input:
        expand(f"{EVALUATION}/rules/{{cohort}}.csv", cohort=COHORTS),
    output:
        csv=report(f"{TABLES}/rules.csv", category="Tables"),
        markdown=f"{TABLES}/rules.md",
        latex=f"{TABLES}/rules.tex",
    log:
        f"{LOGS}/report/table_rules.log",
    benchmark:
        f"{BENCHMARKS}/report/table_rules.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_rules.py"),
    message:
        "The rules read off the scatter plots, on the cohort and on held-out subjects"
    script:
        "../scripts/table_rules.py"


rule table_regions:
    input:
        graphs=expand(f"{GRAPHS}/{{cohort}}.npz", cohort=COHORTS),
        contrasts=contrast_files(),
    output:
        csv=report(f"{TABLES}/regions.csv", category="Tables"),
        markdown=f"{TABLES}/regions.md",
        latex=f"{TABLES}/regions.tex",
    log:
        f"{LOGS}/report/table_regions.log",
    benchmark:
        f"{BENCHMARKS}/report/table_regions.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_regions.py"),
    message:
        "Regions of every contrast subgraph"
    script:
        "../scripts/table_regions.py"


rule table_systems:
    input:
        regions=f"{TABLES}/regions.csv",
        graphs=f"{GRAPHS}/{COHORTS[0]}.npz",
    output:
        csv=report(f"{TABLES}/systems.csv", category="Tables"),
        markdown=f"{TABLES}/systems.md",
        latex=f"{TABLES}/systems.tex",
    log:
        f"{LOGS}/report/table_systems.log",
    benchmark:
        f"{BENCHMARKS}/report/table_systems.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_systems.py"),
    message:
        "Contrast subgraphs by system and hemisphere"
    script:
        "../scripts/table_systems.py"


rule table_runtime:
    input:
        [file for _, _, file in benchmark_files()],
    output:
        csv=report(f"{TABLES}/runtime.csv", category="Tables"),
        markdown=f"{TABLES}/runtime.md",
        latex=f"{TABLES}/runtime.tex",
    log:
        f"{LOGS}/report/table_runtime.log",
    benchmark:
        f"{BENCHMARKS}/report/table_runtime.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        jobs=[(stage, job) for stage, job, _ in benchmark_files()],
        code=code_hash("report", "table_runtime.py"),
    message:
        "Time and memory of every job"
    script:
        "../scripts/table_runtime.py"


rule table_recovery:
    input:
        truth=f"{DATA}/truth.json",
        contrasts=contrast_files(),
    output:
        csv=report(f"{TABLES}/recovery.csv", category="Tables"),
        markdown=f"{TABLES}/recovery.md",
        latex=f"{TABLES}/recovery.tex",
    log:
        f"{LOGS}/report/table_recovery.log",
    benchmark:
        f"{BENCHMARKS}/report/table_recovery.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code_hash("report", "table_recovery.py"),
    message:
        "Planted contrast subgraphs, found again?"
    script:
        "../scripts/table_recovery.py"


TABLE_NAMES = ["cohorts", "accuracy", "comparisons", "parameters", "runtime"]
TABLE_NAMES += ["regions", "systems", "alternatives"]
if config["contrast"]["solver"] != "densdp":
    TABLE_NAMES.append("solver")
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


wildcard_constraints:
    suffix=f"({'|'.join(SUFFIXES)})",


rule figures:
    input:
        figure_files(),


rule figure_example:
    output:
        pdf=f"{FIGURES}/example.pdf",
        png=report(
            f"{FIGURES}/example.png",
            category="Figures",
            caption="../contrast_subgraphs/report/captions_rst/example.rst",
        ),
    log:
        f"{LOGS}/report/figure-example.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-example.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("report", "figure_example.py"),
    message:
        "Figure: the run-through example"
    script:
        "../scripts/figure_example.py"


for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):

    rule:
        name:
            f"figure_{figure}"
        input:
            graphs=of_cohort(f"{GRAPHS}/{{cohort}}.npz"),
            contrasts=of_cohort(f"{CONTRAST}/{{cohort}}/{{contrast}}.json"),
        output:
            pdf=f"{FIGURES}/{figure}{{suffix}}.pdf",
            png=report(
                f"{FIGURES}/{figure}{{suffix}}.png",
                category="Figures",
                caption=f"../contrast_subgraphs/report/captions_rst/{figure}.rst",
            ),
        log:
            f"{LOGS}/report/figure-{figure}{{suffix}}.log",
        benchmark:
            f"{BENCHMARKS}/report/figure-{figure}{{suffix}}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            figure=figure,
            cohort=lambda wildcards: SUFFIXES[wildcards.suffix],
            percentiles=config["report"][figure],
            edge_weight=config["report"]["edge_weight"],
            code=code_hash("report", "figure_subgraphs.py"),
        message:
            f"Figure: {figure}{{wildcards.suffix}}"
        script:
            "../scripts/figure_subgraphs.py"


for figure in ("degrees", "difference"):

    rule:
        name:
            f"figure_{figure}"
        input:
            of_cohort(f"{GRAPHS}/{{cohort}}.npz"),
        output:
            pdf=f"{FIGURES}/{figure}{{suffix}}.pdf",
            png=report(
                f"{FIGURES}/{figure}{{suffix}}.png",
                category="Figures",
                caption=f"../contrast_subgraphs/report/captions_rst/{figure}.rst",
            ),
        log:
            f"{LOGS}/report/figure-{figure}{{suffix}}.log",
        benchmark:
            f"{BENCHMARKS}/report/figure-{figure}{{suffix}}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            figure=figure,
            cohort=lambda wildcards: SUFFIXES[wildcards.suffix],
            code=code_hash("report", "figure_summaries.py"),
        message:
            f"Figure: {figure}{{wildcards.suffix}}"
        script:
            "../scripts/figure_summaries.py"


rule figure_alpha_path:
    input:
        of_cohort(f"{CONTRAST}/{{cohort}}/{{contrast}}.json"),
    output:
        pdf=f"{FIGURES}/alpha_path{{suffix}}.pdf",
        png=report(
            f"{FIGURES}/alpha_path{{suffix}}.png",
            category="Figures",
            caption="../contrast_subgraphs/report/captions_rst/alpha_path.rst",
        ),
    log:
        f"{LOGS}/report/figure-alpha_path{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-alpha_path{{suffix}}.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        cohort=lambda wildcards: SUFFIXES[wildcards.suffix],
        code=code_hash("report", "figure_alpha_path.py"),
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
        png=report(
            f"{FIGURES}/stability{{suffix}}.png",
            category="Figures",
            caption="../contrast_subgraphs/report/captions_rst/stability.rst",
        ),
    log:
        f"{LOGS}/report/figure-stability{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-stability{{suffix}}.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        cohort=lambda wildcards: SUFFIXES[wildcards.suffix],
        code=code_hash("report", "figure_stability.py"),
    message:
        "Figure: stability{wildcards.suffix}"
    script:
        "../scripts/figure_stability.py"


for problem in ("p1", "p2"):

    rule:
        name:
            f"figure_boundaries_{problem}"
        input:
            graphs=expand(f"{GRAPHS}/{{cohort}}.npz", cohort=COHORTS),
            splits=expand(f"{EVALUATION}/splits/{{cohort}}.csv", cohort=COHORTS),
            scores=expand(
                f"{EVALUATION}/paper/{{cohort}}/cs-{problem}.csv", cohort=COHORTS
            ),
            contrasts=contrast_files(),
        output:
            pdf=f"{FIGURES}/boundaries_{problem}.pdf",
            png=report(
                f"{FIGURES}/boundaries_{problem}.png",
                category="Figures",
                caption=f"../contrast_subgraphs/report/captions_rst/boundaries_{problem}.rst",
            ),
        log:
            f"{LOGS}/report/figure-boundaries_{problem}.log",
        benchmark:
            f"{BENCHMARKS}/report/figure-boundaries_{problem}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            problem=problem,
            labels=LABELS,
            code=code_hash("report", "figure_boundaries.py"),
        message:
            f"Figure: boundaries_{problem}"
        script:
            "../scripts/figure_boundaries.py"


rule figure_leakage:
    input:
        accuracy=f"{TABLES}/accuracy.csv",
        scores=score_files(),
    output:
        pdf=f"{FIGURES}/leakage.pdf",
        png=report(
            f"{FIGURES}/leakage.png",
            category="Figures",
            caption="../contrast_subgraphs/report/captions_rst/leakage.rst",
        ),
    log:
        f"{LOGS}/report/figure-leakage.log",
    benchmark:
        f"{BENCHMARKS}/report/figure-leakage.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        labels=LABELS,
        code=code_hash("report", "figure_leakage.py"),
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
    output:
        report(
            f"{RESULTS}/report.html", category="Report", caption="../report/page.rst"
        ),
    log:
        f"{LOGS}/report/report.log",
    benchmark:
        f"{BENCHMARKS}/report/report.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        config=config,
        cohorts=PICTURED,
        code=code_hash("report", "report.py"),
    message:
        "The page that tells the whole story: {output}"
    script:
        "../scripts/report.py"
