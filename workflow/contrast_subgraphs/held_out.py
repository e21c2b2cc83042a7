"""How well can groups be told apart, or a variable predicted, in people not trained on?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from .design.asked import in_order_of
from .design.covariates import read_columns
from .design.variable import Variable
from .evaluation.prediction import PREDICTORS, scores_of_graphs
from .evaluation.summary import accuracy_table, control_accuracy, p_values, prediction_table
from .methods import METHODS

#: The methods that classify people and need only matrices.
CLASSIFIERS = ("cs-p1", "cs-p2", "edges")


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
        (all pairs); for a variable ``edges``, ``cpm`` and ``cs-p1``. All of them by default.
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
    return _result(scores, bool(graphs.groups))


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
    question = {}
    # A variable: its numbers; the strata of a design are only its high and low halves.
    if not design.labels:
        values = numbers(y, design.what)[rows]
        question = {"question": Variable(called=design.what)}
    return CohortGraphs(
        weights[rows],
        values,
        np.array([str(k) for k in range(len(rows))]),
        np.array([str(k) for k in range(n_vertices)]),
        design.labels,
        person=_of_rows(subjects, "subjects", rows),
        **question,
    )


def _methods_of(methods, graphs):
    """Return the requested methods by name; by default those that fit the graphs."""
    usual = dict(PREDICTORS)
    if graphs.groups:
        usual = {name: replace(METHODS[name], inputs="graphs", needs=()) for name in CLASSIFIERS}
    if methods is None:
        return usual
    if isinstance(methods, str):
        methods = [methods]
    for name in methods:
        check_option("method", name, list(usual))
    return {name: usual[name] for name in methods}


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
