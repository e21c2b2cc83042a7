"""How well can groups be told apart, or a variable predicted, in people not trained on?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .contrast.alpha import PERCENTILES
from .core.check_graphs import condensed_graphs
from .core.checks import RandomState, check_count, check_option, check_seed, in_words
from .core.columns import identifiers, numbers
from .core.errors import InputError
from .core.notebook import draw_bars
from .core.processes import check_jobs
from .core.results import Result
from .design import CohortGraphs, Design, asked_of
from .design.asked import asked_by, in_order_of
from .design.covariates import read_columns
from .evaluation.prediction import scores_of_graphs
from .evaluation.summary import accuracy_table, control_accuracy, p_values, prediction_table
from .methods import alone, of_graphs


@dataclass(frozen=True, repr=False)
class EvaluationResult(Result):
    """Result of `evaluate`, for m methods.

    Attributes
    ----------
    methods : tuple of str
    measure : {"accuracy", "r"}
        The meaning of `score`: the share of people assigned to their group, or the correlation of
        the predicted and the true variable.
    score, control : numpy.ndarray of shape (m,)
        The score in people who were not trained on, with the true and with permuted labels.
    pvalue : numpy.ndarray of shape (m,)
        From permuted labels, not corrected for the number of methods; NaN without any.
    scores : pandas.DataFrame
        A row for each split and labelling.

    See Also
    --------
    evaluate : Returns it.
    """

    methods: tuple
    measure: str
    score: np.ndarray
    control: np.ndarray
    pvalue: np.ndarray
    scores: pd.DataFrame

    def _said(self) -> str:
        each = [
            f"{name} {score:.2f} (permuted {control:.2f}, p = {p:.2g})"
            for name, score, control, p in zip(
                self.methods, self.score, self.control, self.pvalue, strict=True
            )
        ]
        return f"{self.measure} in held-out people: {in_words(each)}"

    def _draw(self, axes: Any) -> bool:
        what = f"{self.measure} in held-out people"
        known = self.control[np.isfinite(self.control)]
        line = known.mean() if len(known) else None
        return draw_bars(axes, self.methods, self.score, what, line)

    def table(self) -> pd.DataFrame:
        """Return one row for each method: ``method, <measure>, control, p``."""
        return pd.DataFrame(
            {
                "method": self.methods,
                self.measure: self.score,
                "control": self.control,
                "p": self.pvalue,
            }
        )


def evaluate(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | None = None,
    *,
    methods: str | Sequence[str] | None = None,
    protocol: str = "nested",
    n_splits: int = 20,
    n_folds: int = 5,
    n_permutations: int = 100,
    percentiles: Sequence[float] = PERCENTILES,
    edge_statistic: str = "difference",
    labels: Sequence | Mapping | None = None,
    variable: str | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> EvaluationResult:
    """Measure how well groups are told apart, or a variable is predicted, in held-out people.

    Everything is fitted and chosen in the training part of a split.

    Parameters
    ----------
    X, y
        As for `permutation_test`, except that a design is not accepted.
    methods : str or sequence of str, optional
        For groups ``cs-p1``, ``cs-p2`` (the paper's features for its two problems) and ``edges``
        (all pairs); for a variable ``cs-p1``, ``edges`` and ``cpm``. All of them by default.
    protocol : {"nested", "sites"}
        Random splits with a fifth of the people in the test part, or one block after the other.
    n_splits, n_folds, n_permutations : int
        Random splits, folds inside each, and relabellings.
    percentiles : sequence of float
        Penalties that contrast subgraphs are chosen from.
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair for contrast subgraphs.
    labels, variable, subjects
        As for `permutation_test`. No split or fold separates a person's graphs.
    blocks : array_like of shape (n_graphs,), optional
        Such as sites: labels are permuted within them.
    covariates : mapping of str to array_like of shape (n_graphs,), or DataFrame, optional
        Regressed out of the weights, with coefficients from the training part.
    exchange : {"auto", "within", "whole"}
        As for `permutation_test`.
    random_state, n_jobs
        As for `permutation_test`.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If a method is unknown or does not fit the question, or if there are too few people.

    See Also
    --------
    held_out_effect : How large the difference is.
    ContrastSubgraphFeatures : For pipelines of scikit-learn.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = rng.normal(size=(30, 6, 6))
    >>> y = np.tile(["a", "b"], 15)
    >>> graphs[y == "a", :3, :3] += 2
    >>> graphs = graphs + graphs.transpose(0, 2, 1)
    >>> found = evaluate(graphs, y, methods="cs-p1", n_splits=2, n_permutations=0)
    >>> bool(found.score[0] > 0.8)
    True
    """
    if isinstance(y, Design):
        raise InputError("evaluate takes labels or a variable as y, not a design")
    counts = {"n_splits": n_splits, "n_folds": n_folds, "n_permutations": n_permutations}
    for name, least in (("n_splits", 1), ("n_folds", 2), ("n_permutations", 0)):
        check_count(counts[name], name, least)
    known = {"blocks": blocks, "covariates": covariates, "subjects": subjects}
    ordered, known = in_order_of(X, y, **known)
    # All of it is checked before long work.
    asked = {"labels": labels, "exchange": exchange}
    weights, design = asked_of(X, y, variable=variable, **asked, **known)
    rows = design.rows
    # People come with a question of their own, unless the caller asks another one.
    own = isinstance(X, CohortGraphs) and y is None and labels is None
    own = own and known["subjects"] is None
    if own:
        graphs = _of_own_question(X, rows)
    else:
        persons = known["subjects"]
        # Whatever is asked about people with several graphs, no split may separate these.
        if persons is None and isinstance(X, CohortGraphs):
            persons = X.person
        graphs = _as_people(weights, ordered, design, persons)
    table = None
    if known["covariates"] is not None:
        table = pd.DataFrame(read_columns(known["covariates"])).iloc[rows]
    scores = scores_of_graphs(
        graphs,
        _methods_of(methods, graphs),
        covariates=table,
        blocks=_of_rows(known["blocks"], "blocks", rows),
        exchange=exchange,
        protocol=protocol,
        percentiles=percentiles,
        edge_statistic=edge_statistic,
        random_state=check_seed(random_state),
        n_jobs=check_jobs(n_jobs),
        **counts,
    )
    return _result(scores, not graphs.numeric)


def predict_variable(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike,
    *,
    methods: str | Sequence[str] | None = None,
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
        Of `CohortGraphs` the graphs, their names and their people are used.
    y : array_like of shape (n_graphs,)
        Numbers. Graphs without a number are left out.
    methods : sequence of {"cs-p1", "edges", "cpm"}, optional
        All of them by default.
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
    found = evaluate(
        X,
        y,
        variable="the variable",
        methods=methods,
        covariates=covariates,
        blocks=blocks,
        subjects=subjects,
        exchange=exchange,
        protocol=protocol,
        n_splits=n_splits,
        n_folds=n_folds,
        n_permutations=n_permutations,
        percentiles=percentiles,
        edge_statistic=edge_statistic,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return prediction_table(found.scores).drop(columns="cohort")


def _of_own_question(people, rows):
    """Return some of the people, or raise InputError if their question allows no prediction."""
    if not people.question.task:
        raise InputError("the question about these people allows no classification or prediction")
    return people.of(rows)


def _as_people(weights, y, design, subjects):
    """Return the graphs of a design as `CohortGraphs`, with groups or the variable `y`."""
    weights, n_vertices = condensed_graphs(weights)
    rows = design.rows
    values = design.strata
    # A variable: its numbers; the strata of a design are only its high and low halves.
    if not design.labels:
        values = numbers(y, design.what)[rows]
    return CohortGraphs(
        weights[rows],
        values,
        np.array([str(k) for k in range(len(rows))]),
        np.array([str(k) for k in range(n_vertices)]),
        design.labels,
        person=_of_rows(subjects, "subjects", rows),
        question=asked_by(design),
    )


def _methods_of(methods, graphs):
    """Return the requested methods by name; by default those that fit the graphs."""
    task = "classify"
    if graphs.numeric:
        task = "predict"
    usual = alone(task)
    if methods is None:
        methods = usual
    elif isinstance(methods, str):
        methods = [methods]
    for name in methods:
        check_option("method", name, usual)
    return of_graphs(methods)


def _of_rows(names, called, rows):
    """Return the names of some of the graphs, or None."""
    if names is None:
        return None
    return np.array([str(name) for name in identifiers(names, called)[rows]])


def _result(scores, groups):
    """Return the summary of scores as a result."""
    if groups:
        table = accuracy_table(scores)
        found = table["mean"], control_accuracy(table), p_values(table)[0]
    else:
        table = prediction_table(scores)
        found = table["r_mean"], table["control_r"], table["p_value"]
    score, control, p = (column.to_numpy(dtype=float) for column in found)
    measure = "accuracy" if groups else "r"
    return EvaluationResult(tuple(table["method"]), measure, score, control, p, scores)
