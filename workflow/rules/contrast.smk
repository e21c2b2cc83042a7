# Stage contrast: contrast subgraphs of each cohort, every contrast and alpha.


# With the paper's own algorithm (DENSDP) on the same instances, for the table `solver`. Files
# are called after the groups: each pair has a rule of its own.
for pair, contrasts in CONTRASTS.items():
    files = [f"{CONTRAST}/{{cohort}}/{name}" for name in contrasts]

    rule:
        name:
            "_".join(("contrast_subgraphs", *pair)[: None if len(CONTRASTS) > 1 else 1])
        input:
            f"{GRAPHS}/{{cohort}}.npz",
        output:
            subgraphs=[f"{file}.json" for file in files],
            seconds=[f"{file}.seconds.csv" for file in files],
            densdp=[f"{file}.densdp.json" for file in files],
            densdp_seconds=[f"{file}.densdp.seconds.csv" for file in files],
        log:
            f"{LOGS}/contrast/{{cohort}}.log",
        benchmark:
            f"{BENCHMARKS}/contrast/{{cohort}}.tsv"
        wildcard_constraints:
            cohort="|".join(cohort for cohort in COHORTS if PAIR[cohort] == pair),
        # What was found is said as soon as it can be.
        priority: 1
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
