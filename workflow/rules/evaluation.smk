# Stage evaluation: scores of every method and protocol, with their permuted controls.

EVALUATED = [
    *PROTOCOLS,
    *(["sites"] if config["evaluation"]["leave_one_site_out"] else []),
]


def evaluation_settings(protocol):
    """What a job of this protocol reads of the config's section `evaluation`."""
    keys = ("test_size", "folds", "repeats", "permutations", "svm")
    settings = {key: config["evaluation"][key] for key in keys}
    settings["repeats"] = {
        name: n for name, n in settings["repeats"].items() if name == protocol
    }
    return settings


def percentiles_of(method):
    return config["contrast"]["percentiles"] if method in CONTRAST_METHODS else []


def score_files(protocols=EVALUATED):
    return expand(
        f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.csv",
        protocol=protocols,
        cohort=COHORTS,
        method=config["methods"],
    )


rule splits:
    input:
        f"{GRAPHS}/{{cohort}}.npz",
    output:
        f"{EVALUATION}/splits/{{cohort}}.csv",
    log:
        f"{LOGS}/evaluation/splits-{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/splits-{{cohort}}.tsv"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        seed=config["seed"],
        evaluation={
            key: config["evaluation"][key] for key in ("test_size", "folds", "repeats")
        },
        code=code_hash("splits.py"),
    message:
        "Splits of {wildcards.cohort}, the same for every method"
    script:
        "../scripts/splits.py"


rule evaluate:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
        splits=f"{EVALUATION}/splits/{{cohort}}.csv",
        embeddings=embedding_files,
    output:
        scores=f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.csv",
    log:
        f"{LOGS}/evaluation/{{protocol}}-{{cohort}}-{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/{{protocol}}-{{cohort}}-{{method}}.tsv"
    resources:
        mem_mb=1500,
        runtime=120,
    params:
        seed=config["seed"],
        evaluation=lambda wildcards: evaluation_settings(wildcards.protocol),
        percentiles=lambda wildcards: percentiles_of(wildcards.method),
        code=code_hash("evaluate.py"),
    message:
        "Evaluating {wildcards.method} on {wildcards.cohort}, protocol {wildcards.protocol}"
    script:
        "../scripts/evaluate.py"


# Extracted anew from every training part, contrast subgraphs also tell how stable they are.
use rule evaluate as evaluate_with_stability with:
    output:
        scores=f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.csv",
        stability=f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.stability.csv",
    wildcard_constraints:
        protocol="nested|sites",
        method="cs-p1|cs-p2",


ruleorder: evaluate_with_stability > evaluate


rule rules_of_thumb:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        splits=f"{EVALUATION}/splits/{{cohort}}.csv",
    output:
        f"{EVALUATION}/rules/{{cohort}}.csv",
    log:
        f"{LOGS}/evaluation/rules-{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/rules-{{cohort}}.tsv"
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        seed=config["seed"],
        figures={
            name: config["report"][name]
            for name in ("contrast_large", "contrast_small", "contrast_symmetric")
        },
        permutations=config["evaluation"]["permutations"],
        code=code_hash("rules_of_thumb.py"),
    message:
        "The paper's rules of thumb on {wildcards.cohort}"
    script:
        "../scripts/rules_of_thumb.py"
