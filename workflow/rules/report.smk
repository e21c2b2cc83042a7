# Stage report: tables, figures and the page.

# What labels, captions and the paper's numbers depend on.
NAMED = {
    key: config.get(key)
    for key in ("source", "groups", "cohorts", "methods", "own_methods")
    + ("report", "graph")
}
NAMED["evaluation"] = {"train": config["evaluation"].get("train")}
NAMED["contrast"] = {"edge_statistic": config["contrast"]["edge_statistic"]}


SUBGRAPH_FILES = {
    "atlas": f"{DATA}/atlas.tsv",
    "graphs": of_stage(f"{GRAPHS}/{{cohort}}.npz"),
    "contrasts": contrast_files(),
}
SCORE_FILES = {"scores": score_files()}

# How often half samples choose each region.
SHARES = {"shares": of_stage(f"{INFERENCE}/{{cohort}}.regions.csv")} if TESTED else {}

# Tables made from the same files are written in one job: job -> (files, tables).
TABLE_JOBS = {
    "cohorts": (
        {
            "members": of_stage(f"{GRAPHS}/{{cohort}}.tsv"),
            "graphs": of_stage(f"{GRAPHS}/{{cohort}}.npz"),
        },
        ["cohorts"],
    ),
    "subgraphs": (
        SUBGRAPH_FILES | SHARES,
        ["subgraphs", "regions", "systems", "alternatives"],
    ),
    "runtime": (
        {"benchmarks": [file for _, _, file in benchmark_files()]},
        ["runtime"],
    ),
}
if EVALUATED:
    tables = ["accuracy", "comparisons", "parameters"]
    TABLE_JOBS["accuracy"] = (SCORE_FILES, tables)
if config["contrast"]["solver"] != "densdp":
    TABLE_JOBS["subgraphs"][1].append("solver")
    TABLE_JOBS["subgraphs"][0].update(
        seconds=contrast_files(ending=".seconds.csv"),
        densdp=contrast_files(ending=".densdp.json"),
        densdp_seconds=contrast_files(ending=".densdp.seconds.csv"),
    )
if TESTED:
    TABLE_JOBS["subgraphs"][1].extend(
        ["significance", "would_find", "effects", "sites", "over_sites", "group_tests"]
    )
    TABLE_JOBS["subgraphs"][0].update(
        inference=of_tested(".csv"),
        would_find=of_tested(".would_find.csv"),
        effects=of_tested(".effects.csv"),
        group_tests=of_tested(".group_tests.csv"),
        sites=of_tested(".sites.csv"),
        over_sites=of_tested(".over_sites.csv"),
    )
if ELSEWHERE:
    TABLE_JOBS["elsewhere"] = (
        {
            "others": of_tested(".others.csv"),
            "confirmed": of_tested(".confirmed.csv"),
        },
        ["others", "confirmed"],
    )
if OMNIBUS and TESTED:
    TABLE_JOBS["omnibus"] = ({"omnibus": OMNIBUS_FILES}, ["omnibus"])
if config["contrast"]["sets"] > 1:
    TABLE_JOBS["subgraphs"][1].append("sets")
if CONFOUNDED and EVALUATED:
    TABLE_JOBS["confounds"] = (
        {
            "confounds": expand(
                f"{EVALUATION}/confounds/{{cohort}}/{{method}}.csv",
                cohort=EVALUATED,
                method=config["methods"],
            )
        },
        ["confounds"],
    )
if PREDICTED:
    TABLE_JOBS["prediction"] = ({"predictions": PREDICTION_FILES}, ["prediction"])
if len(CONTRAST_METHODS) == 2 and EVALUATED:
    TABLE_JOBS["rules"] = (
        {"rules": expand(f"{EVALUATION}/rules/{{cohort}}.csv", cohort=EVALUATED)},
        ["rules"],
    )
if SOURCE == "simulated":
    TABLE_JOBS["subgraphs"][0]["truth"] = f"{DATA}/truth.json"
    TABLE_JOBS["subgraphs"][1].append("recovery")

# The same for figures: job -> (files, figures). Those of a cohort are drawn for each pictured one.
PICTURED_FILES = {
    "atlas": f"{DATA}/atlas.tsv",
    "graphs": expand(f"{GRAPHS}/{{cohort}}.npz", cohort=PICTURED),
    "contrasts": contrast_files(PICTURED),
}
FIGURE_JOBS = {
    "subgraphs": (
        PICTURED_FILES | SHARES,
        ["example"]
        + figure_names(["contrast_large", "contrast_small", "alpha_path", "difference"])
        + figure_names(["contrast_symmetric", "degrees"], COMPARED),
    ),
    "answer": (SUBGRAPH_FILES | SHARES, ["answer", "cohorts"][: len(COHORTS)]),
}
if EVALUATED:
    FIGURE_JOBS["accuracy"] = (SUBGRAPH_FILES | SCORE_FILES, ["leakage"])
if config["contrast"]["sets"] > 1:
    FIGURE_JOBS["subgraphs"][1].extend(figure_names(["sets"]))
if TESTED:
    # What stands first is drawn large too, where the config pictures other cohorts or sets.
    if set(PICTURED) != set(COHORTS) or not config["report"].get("clearest"):
        FIGURE_JOBS["answer"][1].append("contrast_clearest")
        FIGURE_JOBS["answer"][0].update(held_out=of_tested(".held_out.csv"))
    FIGURE_JOBS["subgraphs"][1].append("significance")
    for kind in ("subgraphs", "answer"):
        FIGURE_JOBS[kind][0].update(
            inference=of_tested(".csv"),
            effects=of_tested(".effects.csv"),
            omnibus=OMNIBUS_FILES,
        )
    FIGURE_JOBS["subgraphs"][0].update(
        held_out=of_tested(".held_out.csv"),
        sites=of_tested(".sites.csv"),
        over_sites=of_tested(".over_sites.csv"),
    )
    FIGURE_JOBS["subgraphs"][1].extend(figure_names(["sites_forest"]))
if len(ELSEWHERE) > 1:
    FIGURE_JOBS["elsewhere"] = (
        {"others": of_tested(".others.csv"), "effects": of_tested(".effects.csv")},
        ["other_cohorts"],
    )
classified = [cohort for cohort in PICTURED if cohort in EVALUATED]
if "nested" in PROTOCOLS and CONTRAST_METHODS and classified:
    FIGURE_JOBS["accuracy"][1].extend(figure_names(["stability"], classified))
    FIGURE_JOBS["accuracy"][0].update(
        stability=expand(
            f"{EVALUATION}/nested/{{cohort}}/{{method}}.stability.csv",
            cohort=classified,
            method=CONTRAST_METHODS,
        )
    )
if "paper" in PROTOCOLS and CONTRAST_METHODS and EVALUATED:
    FIGURE_JOBS["accuracy"][1].extend(f"boundaries_{m[3:]}" for m in CONTRAST_METHODS)
    FIGURE_JOBS["accuracy"][0].update(
        splits=expand(f"{EVALUATION}/splits/{{cohort}}.csv", cohort=EVALUATED)
    )


for job, (files, names) in TABLE_JOBS.items():

    rule:
        name:
            f"tables_{job}"
        input:
            **files,
        output:
            report(expand(f"{TABLES}/{{name}}.csv", name=names), category="Tables"),
            expand(
                f"{TABLES}/{{name}}.{{format}}",
                name=names,
                format=["json", "md", "tex"],
            ),
        log:
            f"{LOGS}/report/tables-{job}.log",
        benchmark:
            f"{BENCHMARKS}/report/tables-{job}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=500,
            runtime=10,
        params:
            names=names,
            config=NAMED,
            code=code_hash("report", "tables.py"),
        message:
            f"Tables: {', '.join(names)}"
        script:
            "../scripts/tables.py"


for job, (files, names) in FIGURE_JOBS.items():

    rule:
        name:
            f"figures_{job}"
        input:
            **files,
        output:
            report(expand(f"{FIGURES}/{{name}}.png", name=names), category="Figures"),
            expand(f"{FIGURES}/{{name}}.pdf", name=names),
        log:
            f"{LOGS}/report/figures-{job}.log",
        benchmark:
            f"{BENCHMARKS}/report/figures-{job}.tsv"
        localrule: True
        conda:
            "../../envs/contrast-subgraphs.yaml"
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            config=NAMED,
            code=code_hash("report", "figures.py"),
        message:
            f"Figures: {', '.join(dict.fromkeys(n.partition('-')[0] for n in names))}"
        script:
            "../scripts/figures.py"


TABLE_NAMES = [name for _, names in TABLE_JOBS.values() for name in names]
FIGURE_NAMES = [name for _, names in FIGURE_JOBS.values() for name in names]


rule tables:
    input:
        expand(
            f"{TABLES}/{{name}}.{{format}}",
            name=TABLE_NAMES,
            format=["csv", "json", "md", "tex"],
        ),


rule figures:
    input:
        expand(
            f"{FIGURES}/{{name}}.{{format}}", name=FIGURE_NAMES, format=["pdf", "png"]
        ),


rule report:
    input:
        tables=expand(f"{TABLES}/{{name}}.csv", name=TABLE_NAMES),
        excluded=f"{GRAPHS}/excluded.tsv",
        figures=expand(f"{FIGURES}/{{name}}.png", name=FIGURE_NAMES),
        atlas=f"{DATA}/atlas.tsv",
        # The 3-D view has a menu of all cohorts.
        contrasts=contrast_files(),
        graphs=of_stage(f"{GRAPHS}/{{cohort}}.npz"),
        data=(
            f"{DATA}/archive.zip"
            if SOURCE == "published"
            else f"{DATA}/phenotypes.csv"
        ),
        manifest=MANIFEST,
        reading=f"{DATA}/reading.json" if SOURCE == "folder" else [],
        members=of_stage(f"{GRAPHS}/{{cohort}}.tsv"),
        left_out=(
            of_stage(f"{GRAPHS}/{{cohort}}.excluded.tsv")
            if SOURCE != "published"
            else []
        ),
        # The page lists its warnings.
        cohorts=f"{DATA}/cohorts.tsv" if SOURCE != "published" else [],
    output:
        report(f"{RESULTS}/report.html", category="Report"),
        expand(
            f"{RESULTS}/{{name}}",
            name=["README.md", "methods.json", "methods.md", "references.bib"],
        ),
    log:
        f"{LOGS}/report/report.log",
    benchmark:
        f"{BENCHMARKS}/report/report.tsv"
    localrule: True
    conda:
        "../../envs/contrast-subgraphs.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        config=config,
        warnings=warning_files(),
        code=code_hash("report", "report.py"),
    message:
        "The page: {output[0]}"
    script:
        "../scripts/report.py"
