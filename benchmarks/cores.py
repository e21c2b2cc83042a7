"""What a run would take on other numbers of cores, from the measurements of a finished one.

    python -m benchmarks.cores results/published [--cores 1 8 64] [--column cpu_time]
    python -m benchmarks.cores results/published --full-grid [--configfile FILE ...]

The jobs of the finished run, with the time of each (``benchmarks/``) and what it waited for
(Snakemake's own records), are laid out on a number of cores: whenever a core is free it takes
the ready job with the longest way to the end. ``ratio`` is the run on one core over it. Two
things bound it whatever the number of cores: the longest job, and the longest chain.

--full-grid: the same with every parameter set of the baselines (``grid: full``). Trainings
are the library's estimates times measured / estimated of the parameter set that was run;
an evaluation grows with the number of parameter sets and takes up to eight cores.

Prints Markdown, as in docs/running.md.
"""

import argparse
import bisect
import heapq
import json
import math
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from . import ROOT


@dataclass
class Job:
    """A job: how long it took, its peak memory, and what it waits for."""

    rule: str
    name: str
    seconds: float
    memory: float
    after: set = field(default_factory=set)
    threads: int = 1

    def span(self, cores):
        """Return the seconds that it takes with this many cores at hand."""
        return self.seconds / min(self.threads, cores)


def read_jobs(results, column="s"):
    """Return ``{name: Job}`` of a finished run.

    Parameters
    ----------
    results : str or pathlib.Path
        ``<results>/<source>``; Snakemake's records are in ``.snakemake`` of the folder that
        the run was started in, where ``results`` is.
    column : {"s", "cpu_time"}
        Wall-clock or CPU seconds. On a machine that was busy otherwise, CPU seconds are
        nearer to the truth.
    """
    results = Path(results).resolve()
    folder = next((up for up in results.parents if (up / ".snakemake" / "metadata").is_dir()), None)
    if folder is None:
        sys.exit(f"no folder above {results} has Snakemake's records (.snakemake/metadata)")
    jobs, made_by, inputs = {}, {}, {}
    for path in (folder / ".snakemake" / "metadata").rglob("*"):
        if not path.is_file():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        logs = [folder / log for log in record["log"]]
        if not logs or results not in logs[0].parents:
            continue
        name = logs[0].relative_to(results / "logs").with_suffix("").as_posix()
        measured = results / "benchmarks" / f"{name}.tsv"
        if not measured.exists():
            continue
        row = pd.read_csv(measured, sep="\t", na_values=["-", "NA"]).iloc[-1]
        jobs[name] = Job(record["rule"], name, float(row[column]), float(row["max_rss"]))
        inputs[name] = record["input"]
        made_by[_output_of(path, folder)] = name
    for name, files in inputs.items():
        jobs[name].after = {made_by[file] for file in files if file in made_by} - {name}
    return jobs


def _output_of(path, folder):
    """Return the output whose record is at `path` (its name is the output's in base64)."""
    from base64 import urlsafe_b64decode

    parts = path.relative_to(folder / ".snakemake" / "metadata").parts
    return urlsafe_b64decode("".join(part.removeprefix("@") for part in parts)).decode()


def to_the_end(jobs, cores=1):
    """Return the seconds from the start of each job to the end of all that wait for it."""
    waiting = defaultdict(set)
    for job in jobs.values():
        for name in job.after:
            waiting[name].add(job.name)
    found = {}

    def seconds(name):
        if name not in found:
            rest = max((seconds(other) for other in waiting[name]), default=0.0)
            found[name] = jobs[name].span(cores) + rest
        return found[name]

    for name in jobs:
        seconds(name)
    return found


def schedule(jobs, cores):
    """Return the seconds that the jobs take on this many cores."""
    urgency = to_the_end(jobs, cores)
    missing = {name: len(job.after) for name, job in jobs.items()}
    waiting = defaultdict(list)
    for job in jobs.values():
        for name in job.after:
            waiting[name].append(job.name)
    ready = sorted((-urgency[name], name) for name, number in missing.items() if not number)
    running, now, free = [], 0.0, cores
    while ready or running:
        for item in list(ready):
            job = jobs[item[1]]
            if min(job.threads, cores) <= free:
                ready.remove(item)
                free -= min(job.threads, cores)
                heapq.heappush(running, (now + job.span(cores), job.name))
        now, done = heapq.heappop(running)
        free += min(jobs[done].threads, cores)
        for name in waiting[done]:
            missing[name] -= 1
            if not missing[name]:
                bisect.insort(ready, (-urgency[name], name))
    return now


def estimate_cost(method, parameters, n_graphs, n_vertices=116):
    """Return the CPU seconds that an embedding is expected to take.

    Returns
    -------
    float
        Within a factor of about two, imports included, from timings on a 2-core virtual
        machine (``python -m benchmarks.baselines --best`` prints both). NaN for a method that
        was not measured.
    """
    from contrast_subgraphs.embeddings import check_parameters

    p = check_parameters(method, parameters)
    if method == "graph2vec":
        # Labels of iterations 0 and 1 come often enough to be read, few of the later ones.
        words = n_graphs * n_vertices * min(2, p["height"] + 1) * p["epochs"]
        return 3 + words * 3e-8 * (2 + p["negatives"])
    if method == "sub2vec":
        words = n_graphs * p["epochs"] * min(10_000, p["walk_length"])
        # With property N there are too many words for coordinates of their span.
        size = p["embedding_size"] if p["property"] == "N" else 32
        return 3 + words * (1.2e-7 + (1.5e-9 if p["model"] == "DBON" else 5e-9) * size)
    if method == "wl-kern":
        return 2 + 3e-6 * n_graphs * n_vertices * p["height"]
    if method != "embs":
        return math.nan
    numbers = n_vertices * (n_vertices + 1) / 2 * p["embedding_size"]
    batches = math.ceil(n_graphs / p["batch_size"])
    return 2 + p["epochs"] * numbers * (1.3e-10 * n_graphs + 4.6e-9 * batches)


def with_full_grid(jobs, results, config):
    """Return the jobs of the same run with ``grid: full``, times estimated."""
    from contrast_subgraphs.design.cohort_graphs import CohortGraphs
    from contrast_subgraphs.embeddings import parameter_sets, slug, snapshot_source
    from contrast_subgraphs.methods import of_kind

    jobs = {name: Job(**vars(job)) for name, job in jobs.items()}
    for cohort in config["cohorts"]:
        n_graphs = len(CohortGraphs.load(Path(results) / "graphs" / f"{cohort}.npz").y)
        for method in of_kind("embedding", config["methods"]):
            settings = config["baselines"][method]
            known = parameter_sets(method, settings | {"grid": "best"}, cohort)
            prefix = f"embeddings/{cohort}-{method}-"
            measured = [jobs.pop(prefix + slug(parameters)) for parameters in known]
            estimated = sum(estimate_cost(method, parameters, n_graphs) for parameters in known)
            factor = sum(job.seconds for job in measured) / estimated
            grid = parameter_sets(method, settings | {"grid": "full"}, cohort)
            for parameters in grid:
                source, _ = snapshot_source(method, parameters, grid)
                seconds = factor * estimate_cost(method, parameters, n_graphs)
                job = Job(
                    "embedding",
                    prefix + slug(parameters),
                    2.0 if source else seconds,  # reads what the other has kept
                    max(job.memory for job in measured),
                    {prefix + slug(source)} if source else set(measured[0].after),
                )
                jobs[job.name] = job
            gone = {job.name for job in measured}
            for job in jobs.values():
                if job.rule != "embedding" and gone <= job.after:
                    job.after = job.after - gone | {prefix + slug(p) for p in grid}
                    if job.name.startswith("evaluation/"):
                        job.seconds *= len(grid) / len(known)
                        job.threads = min(8, 1 + len(grid) // 10)  # rule evaluate
    return jobs


def markdown(rows, header):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def span(seconds):
    """Return a time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def print_cores(jobs, cores):
    one = schedule(jobs, 1)
    rows = []
    for number in cores:
        seconds = schedule(jobs, number)
        rows.append((number, span(seconds), f"{one / seconds:.1f}"))
    print(markdown(rows, ["cores", "time", "ratio"]))
    most = max(cores)
    longest = max(jobs.values(), key=lambda job: job.span(most))
    chain = max(to_the_end(jobs, most).values())
    print(
        f"\n{len(jobs)} jobs; longest job {span(longest.span(most))} ({longest.name}), "
        f"longest chain {span(chain)}\n"
    )


def print_rules(jobs):
    rules = defaultdict(list)
    for job in jobs.values():
        rules[job.rule].append(job)
    rows = [
        (
            rule,
            len(group),
            span(sum(job.seconds for job in group)),
            span(max(job.seconds for job in group)),
            f"{max(job.memory for job in group):.0f} MB",
        )
        for rule, group in sorted(
            rules.items(), key=lambda item: -sum(job.seconds for job in item[1])
        )
    ]
    print(markdown(rows, ["rule", "jobs", "all", "longest", "peak memory"]) + "\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="results/<source> of a finished run")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2, 8, 64])
    parser.add_argument("--column", choices=["s", "cpu_time"], default="s")
    parser.add_argument("--full-grid", action="store_true")
    parser.add_argument("--configfile", type=Path, nargs="*", default=[])
    given = parser.parse_args(arguments)
    jobs = read_jobs(given.results, given.column)
    if given.full_grid:
        jobs = with_full_grid(jobs, given.results, read_config(given.configfile))
    print_cores(jobs, given.cores)
    print_rules(jobs)


def read_config(overlays):
    import yaml
    from contrast_subgraphs.config import checked

    def laid_over(low, high):
        if not (isinstance(low, dict) and isinstance(high, dict)):
            return high
        return low | {key: laid_over(low.get(key), value) for key, value in high.items()}

    config = {}
    for path in [ROOT / "config.yaml", *overlays]:
        config = laid_over(config, yaml.safe_load(path.read_text(encoding="utf-8")))
    return checked(config)


if __name__ == "__main__":
    main()
