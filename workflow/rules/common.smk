# What the rule files share: the checked config, where results are, hashes of code.

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, f"{workflow.basedir}/workflow")

from code_hash import code_hash
from contrast_subgraphs.config import checked, report_cohorts
from contrast_subgraphs.errors import InputError

try:
    config = checked(config)
except InputError as error:
    raise WorkflowError(str(error)) from None

SOURCE = config["source"]
COHORTS = list(config["cohorts"])
RESULTS = f"{config['results']}/{SOURCE}"
DATA = f"{RESULTS}/data"
GRAPHS = f"{RESULTS}/graphs"
CONTRAST = f"{RESULTS}/contrast"
EMBEDDINGS = f"{RESULTS}/embeddings"
EVALUATION = f"{RESULTS}/evaluation"
TABLES = f"{RESULTS}/tables"
FIGURES = f"{RESULTS}/figures"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
RESOURCES = f"{workflow.basedir}/workflow/resources"

CONTRASTS = ["td-asd", "asd-td", "symmetric"]
CONTRAST_METHODS = [m for m in config["methods"] if m in ("cs-p1", "cs-p2")]
BASELINES = [
    m for m in config["methods"] if m in ("graph2vec", "sub2vec", "wl-kern", "embs")
]
PROTOCOLS = config["evaluation"]["protocols"]


wildcard_constraints:
    cohort="|".join(COHORTS),
    contrast="|".join(CONTRASTS),
    method="|".join(config["methods"]),
    protocol="paper|nested|sites",
    parameters="[A-Za-z0-9._-]+",
    site="[A-Za-z0-9_]+",
