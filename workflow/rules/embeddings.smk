# Stage embeddings: one file for each baseline, parameter set and cohort.

from contrast_subgraphs.baselines import parameter_sets, slug, snapshot_source

#: {(method, cohort): {slug: parameter set}}
PARAMETER_SETS = {
    (method, cohort): {
        slug(parameters): parameters
        for parameters in parameter_sets(method, config["baselines"][method], cohort)
    }
    for method in BASELINES
    for cohort in COHORTS
}


def parameter_set(wildcards):
    return PARAMETER_SETS[wildcards.method, wildcards.cohort][wildcards.parameters]


def shared_training(wildcards):
    """The parameter set whose training holds this one's (None) and the snapshots to keep."""
    sets = list(PARAMETER_SETS[wildcards.method, wildcards.cohort].values())
    return snapshot_source(wildcards.method, parameter_set(wildcards), sets)


def shared_training_file(wildcards):
    source, _ = shared_training(wildcards)
    if source is None:
        return []
    return f"{EMBEDDINGS}/{wildcards.cohort}/{wildcards.method}/{slug(source)}.npz"


def embedding_files(wildcards):
    sets = PARAMETER_SETS.get((wildcards.method, wildcards.cohort), {})
    return [
        f"{EMBEDDINGS}/{wildcards.cohort}/{wildcards.method}/{name}.npz"
        for name in sets
    ]


rule embedding:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        source=shared_training_file,
    output:
        f"{EMBEDDINGS}/{{cohort}}/{{method}}/{{parameters}}.npz",
    log:
        f"{LOGS}/embeddings/{{cohort}}-{{method}}-{{parameters}}.log",
    benchmark:
        f"{BENCHMARKS}/embeddings/{{cohort}}-{{method}}-{{parameters}}.tsv"
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        seed=config["seed"],
        parameters=parameter_set,
        snapshots=lambda wildcards: shared_training(wildcards)[1],
        code=lambda wildcards: code_hash(
            "embedding.py", f"baselines/{wildcards.method.replace('-', '_')}.py"
        ),
    message:
        "Embedding {wildcards.cohort} by {wildcards.method} ({wildcards.parameters})"
    script:
        "../scripts/embedding.py"
