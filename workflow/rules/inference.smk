# Stage inference: is the difference between the groups more than chance, and how large?


rule permutation_test:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
        contrasts=lambda wildcards: contrast_files([wildcards.cohort]),
        raw=f"{GRAPHS}/{{cohort}}.raw.npz" if MODES else [],
    output:
        table=f"{INFERENCE}/{{cohort}}.csv",
        regions=f"{INFERENCE}/{{cohort}}.regions.csv",
        group_tests=f"{INFERENCE}/{{cohort}}.group_tests.csv",
        effects=f"{INFERENCE}/{{cohort}}.effects.csv",
        held_out=f"{INFERENCE}/{{cohort}}.held_out.csv",
        sites=f"{INFERENCE}/{{cohort}}.sites.csv",
        over_sites=f"{INFERENCE}/{{cohort}}.over_sites.csv",
        found=f"{INFERENCE}/{{cohort}}.found.json",
        # Not removed before a rerun: further permutations continue the existing ones.
        null=update(f"{INFERENCE}/{{cohort}}.npz"),
    log:
        f"{LOGS}/inference/{{cohort}}.log",
    benchmark:
        f"{BENCHMARKS}/inference/{{cohort}}.tsv"
    # These are the longest jobs, and the page's first figures wait for them.
    priority: 2
    conda:
        "../../envs/contrast-subgraphs.yaml"
    # About 25 permutations a second on one core.
    threads: min(8, 1 + config["inference"]["permutations"] // 5000)
    resources:
        mem_mb=lambda wildcards, input: 2000 + 2 * int(input.size_mb),
        runtime=30 + config["inference"]["permutations"] // 500,
    params:
        seed=config["seed"],
        inference=INFERENCE_SETTINGS,
        adjust=ADJUST if MODES else [],
        modes=MODES,
        percentiles=config["contrast"]["percentiles"],
        edge_statistic=config["contrast"]["edge_statistic"],
        limits=config["contrast"]["limits"],
        code=code_hash("inference", "permutation_test.py"),
    message:
        "Permutation test of {wildcards.cohort}"
    script:
        "../scripts/permutation_test.py"


#: Files of sets that the config says to confirm.
CLAIMS = [claim["file"] for claim in config["confirm"] if "file" in claim]


# What depends on the other cohorts: their sets in one cohort's people, with those of `confirm`; and
# what would have been found, since its level depends on the p of the others.
rule elsewhere:
    input:
        graphs=f"{GRAPHS}/{{cohort}}.npz",
        members=f"{GRAPHS}/{{cohort}}.tsv",
        raw=f"{GRAPHS}/{{cohort}}.raw.npz" if MODES else [],
        found=of_tested(".found.json"),
        tests=of_tested(".csv"),
        omnibus=OMNIBUS_FILES,
        null=f"{INFERENCE}/{{cohort}}.npz",
        claims=CLAIMS,
    output:
        would_find=f"{INFERENCE}/{{cohort}}.would_find.csv",
        others=f"{INFERENCE}/{{cohort}}.others.csv",
        confirmed=f"{INFERENCE}/{{cohort}}.confirmed.csv",
    log:
        f"{LOGS}/inference/{{cohort}}.elsewhere.log",
    benchmark:
        f"{BENCHMARKS}/inference/{{cohort}}.elsewhere.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
        inference=INFERENCE_SETTINGS,
        adjust=ADJUST if MODES else [],
        modes=MODES,
        cohorts=TESTED,
        edge_statistic=config["contrast"]["edge_statistic"],
        claims=config["confirm"],
        # By content: an older file may take the place of a newer one.
        claims_digests=[one.sha256 for one in file_digests(CLAIMS)],
        code=code_hash("inference", "elsewhere.py"),
    message:
        "Sets of others in the people of {wildcards.cohort}"
    script:
        "../scripts/elsewhere.py"
