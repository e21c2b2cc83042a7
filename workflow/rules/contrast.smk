# Stage contrast: contrast subgraphs of each cohort, every contrast and alpha.


# With the paper's own algorithm (DENSDP) on the same instances, for the table `solver`.
rule contrast_subgraphs:
    input:
        f"{GRAPHS}/{{cohort}}.npz",
    output:
        subgraphs=subgraph_files(".json"),
        seconds=subgraph_files(".seconds.csv"),
        densdp=subgraph_files(".densdp.json"),
        densdp_seconds=subgraph_files(".densdp.seconds.csv"),
    log:
        f"{LOGS}/contrast/{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/contrast/{{cohort}}.tsv"
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=(config["contrast"]["limits"]["memory_mb"] or 7000) + 1000,
        runtime=120,
    params:
        seed=config["seed"],
        contrast=config["contrast"],
        code=code_hash("contrast", "contrast_subgraphs.py"),
    message:
        "Contrast subgraphs of {wildcards.cohort}"
    script:
        "../scripts/contrast_subgraphs.py"
