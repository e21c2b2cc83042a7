# Stage contrast: contrast subgraphs of each cohort for every alpha.


rule contrast_subgraphs:
    input:
        f"{GRAPHS}/{{cohort}}.npz",
    output:
        subgraphs=f"{CONTRAST}/{{cohort}}/{{contrast}}.json",
        seconds=f"{CONTRAST}/{{cohort}}/{{contrast}}.seconds.csv",
    log:
        f"{LOGS}/contrast/{{cohort}}-{{contrast}}.log",
    benchmark:
        f"{BENCHMARKS}/contrast/{{cohort}}-{{contrast}}.tsv"
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        seed=config["seed"],
        contrast=config["contrast"],
        code=code_hash("contrast_subgraphs.py"),
    message:
        "Contrast subgraphs {wildcards.contrast} of {wildcards.cohort}"
    script:
        "../scripts/contrast_subgraphs.py"
