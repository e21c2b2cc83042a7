# What the stages share: the checked config, where results are, hashes of code.

import functools
import os
import sys
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

sys.path.insert(0, f"{workflow.basedir}/workflow")

from terminal import show_progress
from contrast_subgraphs.embeddings import (
    parameter_sets,
    reseeded_names,
    slug,
    snapshot_source,
)
from contrast_subgraphs.config import checked, read_config, without_defaults
from contrast_subgraphs.core.atomic_files import check_writable
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.code_hash import code_hash, hash_of
from contrast_subgraphs.core.file_digests import file_digests
from contrast_subgraphs.design import questions_of
from contrast_subgraphs.methods import (
    METHODS,
    PREDICTORS,
    code_behind,
    find_code,
    method_called,
    of_kind,
)
from contrast_subgraphs.core.seeds import integer

if workflow.is_main_process and not (
    workflow.output_settings.dryrun or workflow.output_settings.verbose
):
    show_progress()

# Jobs end with the Snakemake that started them (scripts/job.py).
os.environ.update(CONTRAST_SUBGRAPHS_RUN=str(os.getpid()))

try:
    for file in workflow.configfiles:
        read_config(file)  # more strictly than Snakemake reads them
    with open(f"{workflow.basedir}/config.yaml", encoding="utf-8") as file:
        defaults = yaml.safe_load(file)
    given = workflow.config_settings.overwrite_config  # all that is laid over it
    with warnings.catch_warnings(record=True) as warned:
        config = checked(without_defaults(config, defaults, given))
    check_writable(config["results"], "set `results` to another folder")
except InputError as error:
    raise WorkflowError(f"error: {error}") from None
for text in dict.fromkeys(str(one.message) for one in warned):
    if workflow.is_main_process:
        print(f"warning: {text}", file=sys.stderr)
#: Snakemake sees neither the library nor the pins: each rule has a hash of the code behind it.
code_hash = functools.partial(code_hash, workflow=Path(workflow.basedir, "workflow"))

SOURCE = config["source"]
if given and "source" not in given and workflow.is_main_process:
    print(
        f"source: {SOURCE}, as in config.yaml, since your config names none",
        file=sys.stderr,
    )
ASKED = list(config["cohorts"])
#: Cohort -> what it asks, a `Question`.
QUESTIONS = questions_of(config)
#: Cohorts that are tested, but not pictured, since they have no direction.
OMNIBUS = [cohort for cohort, question in QUESTIONS.items() if not question.directed]
COHORTS = [cohort for cohort in QUESTIONS if cohort not in OMNIBUS]
RESULTS = f"{config['results']}/{SOURCE}"
DATA = f"{RESULTS}/data"
GRAPHS = f"{RESULTS}/graphs"
CONTRAST = f"{RESULTS}/contrast"
INFERENCE = f"{RESULTS}/inference"
EMBEDDINGS = f"{RESULTS}/embeddings"
EVALUATION = f"{RESULTS}/evaluation"
TABLES = f"{RESULTS}/tables"
FIGURES = f"{RESULTS}/figures"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"

#: Cohort -> its contrasts, in the order of their files.
CONTRASTS = {cohort: question.contrasts for cohort, question in QUESTIONS.items()}
#: Cohorts whose people are classified.
EVALUATED = [c for c, question in QUESTIONS.items() if question.task == "classify"]
#: Cohorts whose variable is predicted, and how.
PREDICTION_PROTOCOLS = [
    name for name in config["evaluation"]["protocols"] if name != "paper"
]
PREDICTING = [name for name in config["methods"] if name in PREDICTORS]
PREDICTED = [c for c, question in QUESTIONS.items() if question.task == "predict"]
if not (PREDICTION_PROTOCOLS and PREDICTING):
    PREDICTED = []
UNPREDICTED = [c for c in QUESTIONS if c not in {*EVALUATED, *PREDICTED}]
for cohort in UNPREDICTED if workflow.is_main_process else ():
    why = QUESTIONS[cohort].unpredicted or "no method and protocol of the config can"
    print(f"{cohort}: tested, but no one is predicted: {why}", file=sys.stderr)
if PREDICTED and len(PREDICTING) < len(config["methods"]) and workflow.is_main_process:
    print(
        f"{', '.join(PREDICTED)}: predicted by {', '.join(PREDICTING)} alone, the other "
        "methods tell groups apart",
        file=sys.stderr,
    )
CONTRAST_METHODS = of_kind("contrast", config["methods"])
BASELINES = of_kind("embedding", config["methods"])
PROTOCOLS = config["evaluation"]["protocols"]

#: How the labels of accuracies are exchanged: as in the tests, which alone can ask for within
#: (that is what accuracies do wherever labels vary within people) or for signs (they have none).
EXCHANGE = "whole" if config["inference"].get("exchange") == "whole" else "auto"
#: The people's column of blocks that are exchanged, and stay together, as wholes.
WHOLE_BLOCKS = config["inference"]["blocks"] if EXCHANGE == "whole" else None

#: Cohort -> its condition. With `train: all` each pair of groups has one that only trains.
WHERE = {name: cohort.get("where") for name, cohort in config["cohorts"].items()}
POOL = {}  # cohort -> the one with which its classifiers are trained, if any
if config["evaluation"].get("train") == "all":
    pairs = {QUESTIONS[cohort].groups for cohort in EVALUATED}
    for cohort in EVALUATED:
        question = QUESTIONS[cohort]
        pool = "pool" if len(pairs) == 1 else "-".join(("pool", *question.groups))
        POOL[cohort] = pool
        QUESTIONS[pool] = replace(question, called=pool)
        WHERE[pool] = "True"


wildcard_constraints:
    cohort="|".join(WHERE),
    contrast="|".join(name for names in CONTRASTS.values() for name in names),
    method="|".join(config["methods"]),
    protocol="paper|nested|sites",
    parameters="[A-Za-z0-9._-]+",
    site="[A-Za-z0-9_]+",


# Stages data and graphs: whether a cohort is large enough is checked before long work.

SIZES = {key: config["evaluation"][key] for key in ("test_size", "folds")}


def fetched_together(wildcards):
    """The sites that one job fetches."""
    return list(wildcards) or list(SITES)


# It takes only `wildcards`: Snakemake does not rerun for parameters that depend on the output.
def missing_before(wildcards):
    """When series were last fetched with some missing: these are fetched again."""
    tables = [Path(f"{DATA}/series/{site}.tsv") for site in fetched_together(wildcards)]
    return [
        table.stat().st_mtime_ns
        for table in tables
        if table.is_file() and "\tmissing\t" in table.read_text(encoding="utf-8")
    ]


#: Covariates regressed out of the graphs' weights.
ADJUST = config["graph"]["adjust"]
#: How many modes that all people share are taken out too.
MODES = config["graph"].get("modes")
#: Ending of the graphs that the evaluation reads: those before the adjustment.
RAW = ".raw" if ADJUST or MODES else ""

#: What the graphs are adjusted for belongs to the tests' model too.
INFERENCE_SETTINGS = config["inference"] | {
    "covariates": list(dict.fromkeys(ADJUST + config["inference"]["covariates"]))
}
#: The design depends on these: who is exchanged with whom, and what is held constant.
DESIGN_KEYS = ("hold", "blocks", "covariates", "exchange")

# Stage contrast.


def contrast_files(cohorts=COHORTS, ending=".json"):
    return [
        f"{CONTRAST}/{cohort}/{contrast}{ending}"
        for cohort in cohorts
        for contrast in CONTRASTS[cohort]
    ]


# Stage embeddings.

#: {(method, cohort): {slug: parameter set}}
PARAMETER_SETS = {
    (method, cohort): {
        slug(parameters): parameters
        for parameters in parameter_sets(method, config["baselines"][method], cohort)
    }
    for method in BASELINES
    for cohort in EVALUATED
}


#: {(method, cohort): {name: seed}}, for embeddings that are drawn more than once
RESEEDED = {
    (method, cohort): reseeded_names(config["baselines"][method], list(sets.values()))
    for (method, cohort), sets in PARAMETER_SETS.items()
}


def parameter_set(wildcards):
    sets = PARAMETER_SETS[wildcards.method, wildcards.cohort]
    return sets.get(wildcards.parameters) or next(iter(sets.values()))


def embedding_seed(wildcards):
    number = RESEEDED[wildcards.method, wildcards.cohort].get(wildcards.parameters)
    return integer(config["seed"], "embedding", number) if number else config["seed"]


def shared_training(wildcards):
    """The parameter set whose training holds this one's (None) and the snapshots to keep."""
    sets = list(PARAMETER_SETS[wildcards.method, wildcards.cohort].values())
    return snapshot_source(wildcards.method, parameter_set(wildcards), sets)


def shared_training_file(wildcards):
    source, _ = shared_training(wildcards)
    if source is None:
        return []
    return f"{EMBEDDINGS}/{wildcards.cohort}/{wildcards.method}/{slug(source)}.npz"


def embedding_files(wildcards, names=PARAMETER_SETS):
    return [
        f"{EMBEDDINGS}/{wildcards.cohort}/{wildcards.method}/{name}.npz"
        for name in names.get((wildcards.method, wildcards.cohort), {})
    ]


def reseeded_files(wildcards):
    return embedding_files(wildcards, RESEEDED)


# Stage evaluation.

EVALUATION_SETTINGS = {
    key: config["evaluation"].get(key)
    for key in (
        "test_size",
        "folds",
        "repeats",
        "permutations",
        "controls",
        "stop_after",
        "svm",
    )
}


def own_methods():
    """The config's own methods, each with its file and a hash of what it may import."""
    folders = [*(Path(file).parent for file in workflow.configfiles), Path.cwd()]
    own = {}
    for name, entry in config.get("own_methods", {}).items():
        try:
            file = find_code(entry["estimator"], folders)
        except InputError as error:
            raise WorkflowError(f"error: methods.{name}: {error}") from None
        code = hash_of(code_behind(file, entry["estimator"]), file.parent)
        own[name] = {**entry, "file": os.path.relpath(file), "hash": code}
    return own


OWN_METHODS = own_methods()


#: Whether motion and age may be known; for the published graphs they are not.
CONFOUNDED = SOURCE != "published" and PROTOCOLS != ["paper"]


def method_entry(method):
    """All that an evaluation needs to know about a method; its label is not part of it."""
    return {**asdict(method_called(method, OWN_METHODS)), "label": method}


def weights_file(wildcards):
    """Weights of all pairs of regions, for the methods that look at them."""
    needs = METHODS[wildcards.method].needs if wildcards.method in METHODS else ()
    wanted = {"weights", "covariances"} & set(needs)
    cohort = POOL.get(wildcards.cohort, wildcards.cohort)
    return f"{GRAPHS}/{cohort}.edges.npz" if wanted else []


def pool_files(wildcards):
    """Graphs and members of the people with whom a cohort's classifiers are trained."""
    pool = POOL.get(wildcards.cohort)
    return [f"{GRAPHS}/{pool}{RAW}.npz", f"{GRAPHS}/{pool}.tsv"] if pool else []


def rules_figures(wildcards):
    """Percentiles of a cohort's contrasts in the figures that the rules of thumb read."""
    names = CONTRASTS[wildcards.cohort]
    return {
        figure: {c: p for c, p in config["report"][figure].items() if c in names}
        for figure in ("contrast_large", "contrast_small", "contrast_symmetric")
    }


def percentiles_of(method):
    return config["contrast"]["percentiles"] if method in CONTRAST_METHODS else []


def score_files(protocols=PROTOCOLS):
    return expand(
        f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.csv",
        protocol=protocols,
        cohort=EVALUATED,
        method=config["methods"],
    )


PREDICTION_FILES = expand(
    f"{EVALUATION}/{{protocol}}/{{cohort}}/{{method}}.csv",
    protocol=PREDICTION_PROTOCOLS,
    cohort=PREDICTED,
    method=PREDICTING,
)

# Stage inference.

#: Cohorts with a permutation test.
TESTED = COHORTS if config["inference"]["permutations"] else []
#: Cohorts in whose people the sets of other cohorts, or of `confirm`, are measured.
ELSEWHERE = TESTED if len(TESTED) > 1 or config["confirm"] else []
OMNIBUS_FILES = (
    expand(f"{INFERENCE}/{{cohort}}.csv", cohort=OMNIBUS)
    if config["inference"]["permutations"]
    else contrast_files(OMNIBUS)
)
# Stage report.

#: Cohorts whose pictures are drawn.
PICTURED = [name for name in config["report"]["cohorts"] if name not in OMNIBUS]
config["report"]["cohorts"] = PICTURED
#: Those of them that compare two groups, and do not ask for a slope.
COMPARED = [cohort for cohort in PICTURED if QUESTIONS[cohort].compares]


def figure_names(figures, cohorts=PICTURED):
    """Pictures of the first pictured cohort are <figure>.pdf, others <figure>-<cohort>.pdf."""
    return [
        name if cohort == PICTURED[0] else f"{name}-{cohort}"
        for cohort in cohorts
        for name in figures
    ]


def of_tested(ending):
    """The permutation test's files of the cohorts that are tested."""
    return expand(f"{INFERENCE}/{{cohort}}{ending}", cohort=TESTED)


def of_stage(pattern, **names):
    return expand(pattern, cohort=COHORTS, **names)


def benchmark_files():
    """(stage, job, file) of every measured job that the run's results come from."""
    jobs = [("graphs", "subject_graphs")]
    jobs += [("graphs", f"cohort-{cohort}") for cohort in ASKED]
    jobs += [("graphs", f"adjust-{cohort}") for cohort in ASKED if RAW]
    jobs += [("contrast", cohort) for cohort in ASKED]
    jobs += [("inference", cohort) for cohort in ASKED if TESTED]
    jobs += [("inference", f"{cohort}.elsewhere") for cohort in TESTED]
    jobs += [
        ("embeddings", f"{cohort}-{method}-{name}")
        for (method, cohort), sets in PARAMETER_SETS.items()
        for name in [*sets, *RESEEDED[method, cohort]]
    ]
    jobs += [
        ("evaluation", f"{cohort}-{method}")
        for cohort in EVALUATED
        for method in config["methods"]
    ]
    return [(stage, job, f"{BENCHMARKS}/{stage}/{job}.tsv") for stage, job in jobs]


def warning_files():
    """The records of warnings of the run's jobs (scripts/job.py); most do not exist."""
    jobs = [("data", "archive"), ("data", "phenotypes"), ("data", "cohorts")]
    if SOURCE != "published":
        jobs += [("data", f"series-{site}") for site in FETCHED]
    jobs += [
        ("data", f"images/{one.subject}") for one in OWN_FILES if one.role == "data"
    ]
    jobs += [("evaluation", f"splits-{cohort}") for cohort in EVALUATED]
    jobs += [("evaluation", f"rules-{cohort}") for cohort in EVALUATED]
    jobs += [(stage, job) for stage, job, _ in benchmark_files()]
    return [f"{LOGS}/{stage}/{job}.warnings" for stage, job in jobs]
