# Stage contrast: contrast subgraphs of each cohort, every contrast and alpha.


# It runs next to the first jobs, which leave a core idle; otherwise the first answers wait for it.
rule compile:
    output:
        touch(f"{CONTRAST}/compiled"),
    log:
        f"{LOGS}/contrast/compile.log",
    benchmark:
        f"{BENCHMARKS}/contrast/compile.tsv"
    priority: 4
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_hash("contrast", "compile.py"),
    message:
        "Compiling what finds contrast subgraphs (once)"
    script:
        "../scripts/compile.py"


# With the paper's own algorithm (DENSDP) on the same instances, for the table `solver`. Files
# are named after the contrasts: each question and pair of groups has a rule of its own.
for contrasts in dict.fromkeys(CONTRASTS.values()):
    cohorts = [cohort for cohort in ASKED if CONTRASTS[cohort] == contrasts]
    files = [f"{CONTRAST}/{{cohort}}/{name}" for name in contrasts]

    rule:
        name:
            "_".join(
                ("contrast_subgraphs", *cohorts)[: 2 if cohorts != list(ASKED) else 1]
            )
        input:
            graphs=f"{GRAPHS}/{{cohort}}.npz",
            members=f"{GRAPHS}/{{cohort}}.tsv",
            raw=f"{GRAPHS}/{{cohort}}.raw.npz" if MODES else [],
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
            cohort="|".join(cohorts),
        # What was found is reported as soon as possible.
        priority: 3
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=(config["contrast"]["limits"]["memory_mb"] or 7000) + 1000,
            runtime=120,
        params:
            seed=config["seed"],
            contrast=config["contrast"],
            # Where alpha comes from, and what is held constant.
            inference={key: INFERENCE_SETTINGS.get(key) for key in DESIGN_KEYS},
            adjust=ADJUST if MODES else [],
            modes=MODES,
            code=code_hash("contrast", "contrast_subgraphs.py"),
        message:
            "Contrast subgraphs of {wildcards.cohort}"
        script:
            "../scripts/contrast_subgraphs.py"
