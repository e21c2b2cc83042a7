# Stage graphs: one graph a subject, one file of graphs a cohort.

if SOURCE == "published":

    rule subject_graphs:
        input:
            f"{DATA}/archive.zip",
        output:
            graphs=f"{GRAPHS}/subjects.npz",
            members=f"{GRAPHS}/members.tsv",
            density=f"{GRAPHS}/density.tsv",
            excluded=f"{GRAPHS}/excluded.tsv",
        params:
            code=code_hash("published_graphs.py"),
        log:
            f"{LOGS}/graphs/subject_graphs.log",
        benchmark:
            f"{BENCHMARKS}/graphs/subject_graphs.tsv"
        resources:
            mem_mb=1000,
            runtime=10,
        message:
            "Reading and checking every published graph"
        script:
            "../scripts/published_graphs.py"

    rule cohort:
        input:
            graphs=f"{GRAPHS}/subjects.npz",
            members=f"{GRAPHS}/members.tsv",
        output:
            graphs=f"{GRAPHS}/{{cohort}}.npz",
            members=f"{GRAPHS}/{{cohort}}.tsv",
        params:
            code=code_hash("published_cohort.py"),
        log:
            f"{LOGS}/graphs/cohort-{{cohort}}.log",
        benchmark:
            f"{BENCHMARKS}/graphs/cohort-{{cohort}}.tsv"
        resources:
            mem_mb=1000,
            runtime=10,
        message:
            "Collecting the graphs of the cohort {wildcards.cohort}"
        script:
            "../scripts/published_cohort.py"
