# Stage embeddings: one file for each baseline, parameter set and cohort.


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
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        seed=embedding_seed,
        parameters=parameter_set,
        snapshots=lambda wildcards: shared_training(wildcards)[1],
        code=code_hash("embeddings", "embedding.py"),
    message:
        "Embedding {wildcards.cohort} by {wildcards.method} ({wildcards.parameters})"
    script:
        "../scripts/embedding.py"
