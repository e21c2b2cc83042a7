"""How often does a classifier seem to say more of the group than motion does, and does not?

    python -m benchmarks.added_value [--sets 300] [--cores 1]

Data sets of 60 people without a difference between the groups, with and without motion that follows
the group and is in the weights; 39 labellings, 6 splits. Prints the share of data sets with p up to
0.05: of the likelihood ratio taken for a chi-squared, and against classifiers of permuted labels;
and the latter's share where half of the weights do differ.
"""

import argparse
import warnings
from math import erfc, sqrt

import numpy as np
import pandas as pd
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.design import CohortGraphs
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects
from contrast_subgraphs.methods import METHODS
from threadpoolctl import threadpool_limits

PEOPLE, REGIONS, LABELLINGS, SPLITS = 60, 12, 39, 6
#: How much motion follows the group, how much of it is in the weights, how much the group is.
SCENARIOS = {"nothing": (0.0, 0.0, 0.0), "motion": (0.8, 0.5, 0.0), "a difference": (0.8, 0.5, 0.5)}


def one(job):
    """Both p-values of one data set."""
    name, number = job
    follows, inside, effect = SCENARIOS[name]
    rng = np.random.default_rng([number, list(SCENARIOS).index(name)])
    y = np.arange(PEOPLE) % 2
    log_motion = rng.normal(size=PEOPLE) + follows * y
    weights = rng.normal(size=(PEOPLE, REGIONS * (REGIONS - 1) // 2))
    weights += inside * log_motion[:, None]
    weights[:, ::2] += effect * y[:, None]
    people = np.arange(PEOPLE).astype(str)
    graphs = CohortGraphs((weights > 0).astype(np.uint8), y, people, np.arange(REGIONS).astype(str))
    table = pd.DataFrame({"motion": np.exp(log_motion)})
    splits = stratified_splits(y, SPLITS, 0.2, number, "made")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate(
            graphs, METHODS["edges"], name="edges", cohort="made", protocol="nested", folds=2,
            splits=splits, subjects=Subjects(table), n_permutations=LABELLINGS, random_state=number,
        ).confounds.iloc[0]  # fmt: skip
    return erfc(sqrt(found["likelihood_ratio"] / 2)), found["p_added"]


def main():
    """Print one line for each scenario."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--cores", type=int, default=1)
    asked = parser.parse_args()
    print(f"{'p <= 0.05 in':16s} chi-squared  permuted")
    for name in SCENARIOS:
        jobs = [(name, number) for number in range(asked.sets)]
        rates = (np.array(list(mapped(one, jobs, asked.cores))) <= 0.05).mean(axis=0)
        print(f"{name:16s} {rates[0]:11.3f} {rates[1]:9.3f}", flush=True)


if __name__ == "__main__":
    main()
