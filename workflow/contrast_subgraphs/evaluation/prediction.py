"""Scores for matrices from scripts and the command line, for groups and variables."""

import pandas as pd

from .evaluate import evaluate
from .labels import Labels
from .subject_data import Subjects

#: The share of the people in a test part.
TEST_SIZE = 0.2


def scores_of_graphs(
    graphs,
    methods,
    *,
    covariates=None,
    blocks=None,
    exchange="auto",
    n_splits,
    n_folds,
    n_permutations,
    random_state,
    **options,
):
    """Return the scores of methods that need only the graphs and covariates."""
    drawn = {"blocks": blocks, "exchange": exchange, "random_state": random_state}
    labels = Labels(graphs, name="data", **drawn)
    labels.check(TEST_SIZE, n_folds)
    splits = labels.splits(graphs.y, n_splits, TEST_SIZE)
    subjects = None
    adjust = ()
    if covariates is not None:
        adjust = tuple(covariates)
        subjects = Subjects(covariates.reset_index(drop=True))
    return pd.concat(
        [
            evaluate(
                graphs,
                method,
                name=name,
                cohort="data",
                splits=splits,
                folds=n_folds,
                n_permutations=n_permutations,
                adjust=adjust,
                test_size=TEST_SIZE,
                site=blocks,
                subjects=subjects,
                **drawn,
                **options,
            ).scores
            for name, method in methods.items()
        ],
        ignore_index=True,
    )
