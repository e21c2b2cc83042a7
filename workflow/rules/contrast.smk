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
        mem_mb=(config["contrast"]["limits"]["memory_mb"] or 7000) + 1000,
        runtime=60,
    params:
        seed=config["seed"],
        contrast=config["contrast"],
        code=code_hash("contrast", "contrast_subgraphs.py"),
    message:
        "Contrast subgraphs {wildcards.contrast} of {wildcards.cohort}"
    script:
        "../scripts/contrast_subgraphs.py"


# The paper's own algorithm on the same instances, for the table `solver`.
use rule contrast_subgraphs as densdp with:
    output:
        subgraphs=f"{CONTRAST}/{{cohort}}/{{contrast}}.densdp.json",
        seconds=f"{CONTRAST}/{{cohort}}/{{contrast}}.densdp.seconds.csv",
    log:
        f"{LOGS}/contrast/{{cohort}}-{{contrast}}-densdp.log",
    benchmark:
        f"{BENCHMARKS}/contrast/{{cohort}}-{{contrast}}-densdp.tsv"
    params:
        seed=config["seed"],
        contrast={**config["contrast"], "solver": "densdp", "alternatives": 0},
        code=code_hash("contrast", "contrast_subgraphs.py"),
    message:
        "The paper's algorithm on {wildcards.contrast} of {wildcards.cohort}"
