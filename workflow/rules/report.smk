# Stage report: tables, figures and the page that tells the story.

LABELS = {name: cohort["label"] for name, cohort in config["cohorts"].items()}


rule table_cohorts:
    input:
        members=expand(f"{GRAPHS}/{{cohort}}.tsv", cohort=COHORTS),
        paper=f"{RESOURCES}/paper.yaml",
    output:
        csv=f"{TABLES}/cohorts.csv",
        markdown=f"{TABLES}/cohorts.md",
        latex=f"{TABLES}/cohorts.tex",
    params:
        cohorts=config["cohorts"],
        code=code_hash("table_cohorts.py"),
    log:
        f"{LOGS}/report/table_cohorts.log",
    benchmark:
        f"{BENCHMARKS}/report/table_cohorts.tsv"
    resources:
        mem_mb=500,
        runtime=10,
    localrule: True
    message:
        "Table 1: the cohorts"
    script:
        "../scripts/table_cohorts.py"


rule table_accuracy:
    input:
        scores=score_files(),
        paper=f"{RESOURCES}/paper.yaml",
    output:
        csv=f"{TABLES}/accuracy.csv",
        markdown=f"{TABLES}/accuracy.md",
        latex=f"{TABLES}/accuracy.tex",
    params:
        labels=LABELS,
        code=code_hash("table_accuracy.py"),
    log:
        f"{LOGS}/report/table_accuracy.log",
    benchmark:
        f"{BENCHMARKS}/report/table_accuracy.tsv"
    resources:
        mem_mb=500,
        runtime=10,
    localrule: True
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
    params:
        labels=LABELS,
        code=code_hash("table_comparisons.py"),
    log:
        f"{LOGS}/report/table_comparisons.log",
    benchmark:
        f"{BENCHMARKS}/report/table_comparisons.tsv"
    resources:
        mem_mb=500,
        runtime=10,
    localrule: True
    message:
        "Paired comparison of the methods"
    script:
        "../scripts/table_comparisons.py"


rule table_parameters:
    input:
        accuracy=f"{TABLES}/accuracy.csv",
        paper=f"{RESOURCES}/paper.yaml",
    output:
        csv=f"{TABLES}/parameters.csv",
        markdown=f"{TABLES}/parameters.md",
        latex=f"{TABLES}/parameters.tex",
    params:
        labels=LABELS,
        code=code_hash("table_parameters.py"),
    log:
        f"{LOGS}/report/table_parameters.log",
    benchmark:
        f"{BENCHMARKS}/report/table_parameters.tsv"
    resources:
        mem_mb=500,
        runtime=10,
    localrule: True
    message:
        "Best parameters, the paper's and ours"
    script:
        "../scripts/table_parameters.py"


TABLE_NAMES = ["cohorts", "accuracy", "comparisons", "parameters"]


rule tables:
    input:
        expand(f"{TABLES}/{{name}}.{{format}}", name=TABLE_NAMES, format=["csv", "md", "tex"]),
