# Stage evaluation: scores of every method and protocol, with their permuted controls.


rule splits:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
    output:
        f"{EVALUATION}/splits/{{cohort}}.csv",
    log:
        f"{LOGS}/evaluation/splits-{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/splits-{{cohort}}.tsv"
    # A cohort that is too small for the folds is found here, before any long job.
    priority: 3
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        seed=config["seed"],
        evaluation={
            key: config["evaluation"][key] for key in ("test_size", "folds", "repeats")
        },
        blocks=WHOLE_BLOCKS,
        exchange=EXCHANGE,
        code=code_hash("evaluation", "splits.py"),
    message:
        "Splits of {wildcards.cohort}, the same for every method"
    script:
        "../scripts/splits.py"


# All protocols of a method and cohort are one job: they share what is loaded.
rule evaluate:
    input:
        graphs=f"{GRAPHS}/{{cohort}}{RAW}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
        pool=pool_files,
        splits=f"{EVALUATION}/splits/{{cohort}}.csv",
        atlas=f"{DATA}/atlas.tsv",
        embeddings=embedding_files,
        reseeded=reseeded_files,
        weights=weights_file,
    output:
        scores=expand(
            f"{EVALUATION}/{{protocol}}/{{{{cohort}}}}/{{{{method}}}}.csv",
            protocol=PROTOCOLS,
        ),
        confounds=(
            f"{EVALUATION}/confounds/{{cohort}}/{{method}}.csv" if CONFOUNDED else []
        ),
    log:
        f"{LOGS}/evaluation/{{cohort}}-{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/{{cohort}}-{{method}}.tsv"
    wildcard_constraints:
        cohort="|".join(EVALUATED) or "none",
    conda:
        "../../envs/contrast-subgraphs.yaml"
    # The time of an evaluation grows with the number of parameter sets of its grid.
    threads: lambda wildcards, input: min(8, 1 + len(input.embeddings) // 10)
    resources:
        mem_mb=lambda wildcards, input: (
            1000 + 12 * len(input.embeddings) + 2 * int(input.size_mb)
        ),
        runtime=lambda wildcards, input: 120 + 2 * len(input.embeddings),
    params:
        seed=config["seed"],
        protocols=lambda wildcards: (
            PREDICTION_PROTOCOLS if wildcards.cohort in PREDICTED else PROTOCOLS
        ),
        evaluation=EVALUATION_SETTINGS,
        percentiles=lambda wildcards: percentiles_of(wildcards.method),
        edge_statistic=config["contrast"]["edge_statistic"],
        adjust=ADJUST,
        modes=MODES,
        blocks=config["inference"]["blocks"],
        exchange=EXCHANGE,
        method=lambda wildcards: method_entry(wildcards.method),
        own=lambda wildcards: OWN_METHODS.get(wildcards.method, {}).get("hash"),
        code=code_hash("evaluation", "evaluate.py"),
    message:
        "Evaluating {wildcards.method} on {wildcards.cohort}"
    script:
        "../scripts/evaluate.py"


# Contrast subgraphs are found again in every training part, which shows how stable they are.
use rule evaluate as evaluate_with_stability with:
    output:
        scores=rules.evaluate.output.scores,
        confounds=rules.evaluate.output.confounds,
        stability=expand(
            f"{EVALUATION}/{{protocol}}/{{{{cohort}}}}/{{{{method}}}}.stability.csv",
            protocol=[name for name in PROTOCOLS if name != "paper"],
        ),
    wildcard_constraints:
        cohort="|".join(EVALUATED) or "none",
        method="|".join(CONTRAST_METHODS) or "none",


ruleorder: evaluate_with_stability > evaluate


if PREDICTED:

    # A variable is predicted by the methods that can do so.
    use rule evaluate as predict with:
        output:
            scores=expand(
                f"{EVALUATION}/{{protocol}}/{{{{cohort}}}}/{{{{method}}}}.csv",
                protocol=PREDICTION_PROTOCOLS,
            ),
        wildcard_constraints:
            cohort="|".join(PREDICTED),
            method="|".join(PREDICTING),


rule paper_rules:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
        splits=f"{EVALUATION}/splits/{{cohort}}.csv",
    output:
        f"{EVALUATION}/rules/{{cohort}}.csv",
    log:
        f"{LOGS}/evaluation/rules-{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/evaluation/rules-{{cohort}}.tsv"
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        seed=config["seed"],
        blocks=WHOLE_BLOCKS,
        exchange=EXCHANGE,
        edge_statistic=config["contrast"]["edge_statistic"],
        figures=rules_figures,
        labels=lambda wildcards: [
            config["groups"][group]["label"]
            for group in QUESTIONS[wildcards.cohort].groups
        ],
        # A few are enough: precision and recall are pooled over the permutations.
        permutations=min(20, config["evaluation"]["permutations"]),
        code=code_hash("evaluation", "paper_rules.py"),
    message:
        "The paper's rules of thumb on {wildcards.cohort}"
    script:
        "../scripts/paper_rules.py"
