"""Scores for matrices from scripts and the command line, for groups and variables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..contrast.alpha import PERCENTILES
from ..core.check_graphs import condensed_graphs
from ..core.checks import RandomState, check_count, check_option, check_seed
from ..core.columns import identifiers, numbers
from ..core.method import Method
from ..core.processes import check_jobs
from ..design import make_design
from ..design.asked import in_order_of
from ..design.cohort_graphs import CohortGraphs
from ..design.covariates import read_columns
from ..design.variable import Variable
from .evaluate import evaluate
from .labels import Labels
from .subject_data import Subjects
from .summary import prediction_table

_REFERENCES = "contrast_subgraphs.evaluation.references."
#: The share of the people in a test part.
TEST_SIZE = 0.2
#: The methods that predict a variable and need only matrices.
PREDICTORS = {
    "edges": Method("all edges", "plain", _REFERENCES + "all_pairs:EdgeFeatures"),
    "cpm": Method("CPM", "plain", _REFERENCES + "cpm:ConnectomeSums"),
    "cs-p1": Method("CS-P1", "contrast", "", {"problem": 1}),
}


def predict_variable(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike,
    *,
    methods: Sequence[str] = tuple(PREDICTORS),
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    blocks: ArrayLike | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    protocol: str = "nested",
    n_splits: int = 20,
    n_folds: int = 5,
    n_permutations: int = 100,
    percentiles: Sequence[float] = PERCENTILES,
    edge_statistic: str = "difference",
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> pd.DataFrame:
    """Measure how well networks predict a variable, such as age, in held-out people.

    Everything is fitted and chosen in the training part of a split. ``edges`` is ridge regression
    on all pairs; ``cpm`` is connectome-based predictive modelling (Shen et al. 2017); ``cs-p1`` is
    ridge regression on the mean weights inside two contrast subgraphs, one where weights increase
    with the variable and one where they decrease.

    Parameters
    ----------
    X : array_like of shape (n_graphs, n_vertices, n_vertices), or CohortGraphs
        Of `CohortGraphs` only the graphs and names are used.
    y : array_like of shape (n_graphs,)
        Numbers. Graphs without a number are left out.
    methods : sequence of {"edges", "cpm", "cs-p1"}
    covariates : mapping of str to array_like of shape (n_graphs,), optional
        Regressed out of the weights, with coefficients from the training part.
    blocks : array_like of shape (n_graphs,), optional
        Such as sites: values are permuted within them. With `exchange` ``whole``, blocks such as
        families are permuted as wholes, and no split or fold separates one.
    subjects : array_like of shape (n_graphs,), optional
        Names. No split or fold separates a person's graphs.
    exchange : {"auto", "within", "whole"}
        For people with several graphs: values that vary within people are permuted within them,
        others between people with equal numbers of graphs (`permutation_test`).
    protocol : {"nested", "sites"}
        Random splits with a fifth of the people in the test part, or one block after the other.
    n_splits, n_folds, n_permutations : int
        Random splits, folds inside each for ``cs-p1``, and orders of permuted values.
    percentiles : sequence of float
        Penalties that ``cs-p1`` chooses from.
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair for ``cs-p1``.
    random_state, n_jobs
        As for `permutation_test`.

    Returns
    -------
    pandas.DataFrame
        A row for each method: ``r_mean, r_std, mae_mean`` in held-out people, ``control_r`` (for
        permuted values), ``p_value`` and others.

    Raises
    ------
    InputError
        If the variable is constant or not numeric, or if there are too few people.

    See Also
    --------
    evaluate : The same for groups too.
    held_out_effect : How large the relation is.
    ContrastSubgraphFeatures : For pipelines of scikit-learn.

    References
    ----------
    Shen et al.: Using connectome-based predictive modeling to predict individual behavior from
    brain connectivity. Nature Protocols 12, 2017. https://doi.org/10.1038/nprot.2016.178

    Examples
    --------
    >>> rng, age = np.random.default_rng(0), np.arange(30.0)
    >>> graphs = rng.normal(size=(30, 1, 1)) + rng.normal(size=(30, 6, 6))
    >>> graphs = graphs + graphs.transpose(0, 2, 1) + age[:, None, None] / 5
    >>> found = predict_variable(graphs, age, methods=["edges"], n_splits=2, n_permutations=0)
    >>> bool(found["r_mean"][0] > 0.5)
    True
    """
    if isinstance(methods, str):
        methods = [methods]
    else:
        methods = list(methods)
    for name in methods:
        check_option("method", name, list(PREDICTORS))
    random_state = check_seed(random_state)
    n_jobs = check_jobs(n_jobs)
    common = {"blocks": blocks, "covariates": covariates, "subjects": subjects}
    # Tables are matched to the graphs by the people's names.
    y, common = in_order_of(X, y, **common)
    if isinstance(X, CohortGraphs):
        X = X.weights
    graphs, n_vertices = condensed_graphs(X)
    blocks, covariates, subjects = common.values()
    design = make_design(graphs, y, variable="the variable", exchange=exchange, **common)
    # The design checks all arguments before the long work begins.
    rows = design.rows
    cohort = CohortGraphs(
        graphs[rows],
        numbers(y, "the variable")[rows],
        np.array([str(k) for k in range(len(rows))]),
        np.array([str(k) for k in range(n_vertices)]),
        (),
        question=Variable(called="the variable"),
        person=_of_rows(subjects, "subjects", rows),
    )
    columns = read_columns(covariates)
    table = None
    if covariates is not None:
        table = pd.DataFrame(columns).iloc[rows]
    options: dict[str, Any] = {"n_splits": n_splits, "n_folds": n_folds}
    options |= dict(percentiles=percentiles, edge_statistic=edge_statistic, protocol=protocol)
    options |= dict(exchange=exchange)
    options |= dict(n_permutations=n_permutations, random_state=random_state, n_jobs=n_jobs)
    for name, least in (("n_splits", 1), ("n_folds", 2), ("n_permutations", 0)):
        check_count(options[name], name, least)
    blocks = _of_rows(blocks, "blocks", rows)
    chosen = {name: PREDICTORS[name] for name in methods}
    scores = scores_of_graphs(cohort, chosen, covariates=table, blocks=blocks, **options)
    return prediction_table(scores).drop(columns="cohort")


def _of_rows(names, called, rows):
    """Return the names of some of the graphs, which `make_design` has checked."""
    if names is None:
        return None
    return identifiers(names, called)[rows].astype(str)


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
