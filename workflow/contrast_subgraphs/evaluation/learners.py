"""Learners: what is specific to each method, behind one interface.

The protocols (`protocols`) run any learner. It has

* ``parameters``, its parameter sets, apart from those of the SVM;
* ``fit(train, y)``, which returns what it learns from the training subjects;
* ``uses_labels``, whether it does (if not, inner folds share what it learnt);
* ``transforms``, whether it makes features; a classifier of the user's own need not;
* ``cross_validate(fitted, y, fold)``, the accuracy of each parameter set and SVM candidate, with
  ``fitted[i]`` for fold `i`;
* ``decision(fitted, which, candidate, y, train, test)``, decision values of the test subjects by
  the SVM of the training subjects;
* ``changed(fitted, change)``, the same with features changed by a linear function of each column;
* ``node_sets(fitted, which)``, the sets behind the features; most methods have none.
"""

import inspect
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from ..contrast.alpha import check_percentile
from ..contrast.difference import LARGEST, directed, mean_graph, signed_difference
from ..contrast.features import extract, mean_weights, measure
from ..core import seeds
from ..core.atomic_files import load_npz
from ..core.checks import check_option
from ..core.errors import InputError
from ..design.exchange import unsaid
from . import svm
from .ridge import KEPT, PENALTIES, ridge_grid
from .subject_data import Subjects


def make_learner(
    graphs,
    method,
    *,
    name,
    candidates=None,
    percentiles=(),
    edge_statistic="difference",
    embeddings=(),
    subjects=None,
    cohort="the cohort",
    random_state=0,
):
    """Return the learner of a method (see the module's description); options as for `evaluate`."""
    largest = max(float(graphs.weights.max(initial=0)), -float(graphs.weights.min(initial=0)))
    # Squares are summed below, and must not overflow.
    if largest > LARGEST**0.5:
        raise InputError(f"{cohort}: weights above {LARGEST**0.5:g}: divide all by the same number")
    if candidates is None:
        candidates = svm.svm_grid()
    if method.kind == "contrast":
        return _contrast_learner(
            graphs,
            name,
            problem=method.options["problem"],
            percentiles=list(percentiles),
            candidates=candidates,
            edge_statistic=edge_statistic,
            random_state=random_state,
        )
    if method.kind == "embedding":
        if not len(embeddings):
            raise InputError(f"{name}: no embeddings are given for {cohort}")
        loaded = [load_embedding(path, graphs.subject) for path in embeddings]
        tables = [svm.table_of_products(gram, candidates) for _, gram in loaded]
        return KernelLearner([parameters for parameters, _ in loaded], tables, candidates)
    task = "classify"
    if graphs.numeric:
        task = "predict"
        candidates = ridge_grid(method.penalties or PENALTIES)
    data = _data_for(method, graphs, subjects, name, cohort)
    # Where a training part teaches nothing, one matrix of products serves all splits.
    if task not in method.learns:
        return _learner_of_weights(getattr(data, "weights", data), largest, candidates)
    return EstimatorLearner(name, method, data, candidates=candidates, random_state=random_state)


def _contrast_learner(graphs, name, *, percentiles, candidates, **options):
    """The learner of cs-p1 or cs-p2; for a variable, ridge regression on the same features."""
    if not percentiles:
        raise InputError(f"{name}: contrast.percentiles is empty; give at least one")
    for percentile in percentiles:
        check_percentile(percentile)
    kind = ContrastLearner
    if graphs.numeric:
        kind = VariableContrasts
        candidates = ridge_grid()
    options |= {"percentiles": percentiles, "candidates": candidates}
    learner = kind(graphs.weights, contrasts=graphs.contrasts, **options)
    learner.question = graphs.question  # says how a variable is explained in a training part
    return learner


def _data_for(method, graphs, subjects, name, cohort):
    """The data a method is fitted on: graphs, their pairs, or all that is known of subjects."""
    if method.inputs == "subjects":
        if subjects is None:
            subjects = Subjects(pd.DataFrame(index=graphs.subject))
        data = subjects.only(name, method.needs)
        if "nuisance" in method.needs:
            data.warn_of_gaps(cohort)
        return data
    if method.condensed:
        return graphs.weights
    return graphs.adjacency


def _learner_of_weights(rows, largest, candidates):
    """The learner of all pairs as they are, whose weights are at most `largest`."""
    # The rounding error of inner products, compared to 1 / 2C. With fewer pairs than people it
    # matters: the products then have no full rank of their own.
    lost = rows.size * largest**2 * max(one.get("C", 0) for one in candidates) * 2.0**-51
    if rows.shape[1] < len(rows) and lost > 1e-3:
        table = svm.table_of(rows.astype(float), candidates, standardise=False)
    else:
        table = svm.table_of_products(svm.products_of(rows), candidates)
    return KernelLearner([{}], [table], candidates)


def _folds(fitted, fold):
    """Yield what was fitted without each fold, and the fold's training and test subjects."""
    for number, one in enumerate(fitted):
        yield one, np.flatnonzero((fold >= 0) & (fold != number)), np.flatnonzero(fold == number)


def load_embedding(path, subject):
    """Return the parameters of an embedding's file, and inner products of some subjects' features.

    ``.npz`` with ``subject``, ``parameters`` (JSON) and ``features`` (n, d) or ``gram`` (n, n).
    """
    arrays = load_npz(path)
    if not {"subject", "parameters"} <= set(arrays) or not {"features", "gram"} & set(arrays):
        raise InputError(f"{path} must hold subject, parameters, and features or gram")
    place = {str(name): i for i, name in enumerate(arrays["subject"])}
    missing = [str(name) for name in subject if str(name) not in place]
    if missing:
        raise InputError(f"{path} lacks the subject {missing[0]} ({len(missing)} missing)")
    order = np.array([place[str(name)] for name in subject])
    parameters = json.loads(str(arrays["parameters"]))
    if "features" in arrays:
        features = arrays["features"][order].astype(float)
        gram = features @ features.T
    else:
        gram = arrays["gram"][np.ix_(order, order)].astype(float)
    if not np.isfinite(gram).all():
        raise InputError(f"{path} holds a number that is not finite")
    return parameters, gram


@dataclass(frozen=True)
class ContrastFit:
    """Vertex sets from some training subjects, and the features of all people inside them.

    `subgraphs`: contrast -> a set for each percentile; `columns`: (n_subjects, n_columns).
    """

    subgraphs: dict
    columns: np.ndarray


class ContrastLearner:
    """Contrast subgraphs at several alphas, two features, linear SVM (cs-p1 and cs-p2).

    The same as `estimator.ContrastSubgraphFeatures` with scaler and SVM, by the same functions, but
    parameter sets share difference graphs and features. `contrasts` are the names of all three.
    """

    uses_labels = True
    transforms = True

    def __init__(
        self,
        weights,
        *,
        problem,
        percentiles,
        candidates=(),
        contrasts,
        edge_statistic="difference",
        random_state=0,
    ):
        self.weights = np.ascontiguousarray(weights)
        # Features are counted much faster if the graphs of a pair lie together. Weights other than
        # 0 and 1 take more bytes, so that the copy would cost too much memory.
        order = "C"
        if weights.dtype == np.uint8:
            order = "F"
        self._by_pair = np.asarray(weights, order=order)
        self.percentiles = percentiles
        self.candidates = candidates
        self.names = contrasts
        self.edge_statistic = edge_statistic
        self.random_state = random_state
        k = len(percentiles)
        if problem == 1:
            self.contrasts = contrasts[:2]
            sets = list(itertools.product(range(k), repeat=2))
            self._columns = np.array([(a, k + b) for a, b in sets])
        else:
            self.contrasts = contrasts[2:]
            sets = [(a,) for a in range(k)]
            self._columns = np.array([(2 * a, 2 * a + 1) for (a,) in sets])
        self.levels = sets
        self.parameters = [
            {c: percentiles[a] for c, a in zip(self.contrasts, levels, strict=True)}
            for levels in sets
        ]

    def fit(self, train, y):
        """Extract the contrast subgraphs of the training subjects, at all percentiles."""
        # Only training subjects: test labels must not reach the sets.
        members = [train[y[train] == group] for group in (0, 1)]
        summary = [mean_graph(self.weights, rows) for rows in members]
        # One difference graph for all contrasts and percentiles.
        signed = signed_difference(self.weights, members, summary, self.edge_statistic)
        subgraphs, found = self._extracted(signed)
        return ContrastFit(subgraphs, measure(self._by_pair, self.contrasts, found, summary))

    def _extracted(self, signed):
        """The subgraphs of each contrast, and a list of all of them."""
        subgraphs = {
            contrast: extract(
                directed(signed, contrast, self.names), self.percentiles, self.random_state
            )[1]
            for contrast in self.contrasts
        }
        return subgraphs, list(itertools.chain.from_iterable(subgraphs.values()))

    def cross_validate(self, fitted, y, fold):
        """Accuracy of each parameter set and candidate: (n_sets, n_candidates)."""
        return sum(
            svm.accuracy_of_columns(one.columns, self._columns, y, train, test, self.candidates)
            for one, train, test in _folds(fitted, fold)
        ) / len(fitted)

    def features(self, fitted, which, members):
        """The two features of some subjects for one parameter set."""
        return fitted.columns[np.ix_(members, self._columns[which])]

    def changed(self, fitted, change):
        """The same subgraphs with changed features."""
        return replace(fitted, columns=change(fitted.columns))

    def node_sets(self, fitted, which):
        """The contrast subgraphs of one parameter set."""
        levels = zip(self.contrasts, self.levels[which], strict=True)
        return [fitted.subgraphs[contrast][level] for contrast, level in levels]

    def decision(self, fitted, which, candidate, y, train, test):
        """Decision values of the test subjects by scaler and SVM of the training subjects."""
        X = self.features(fitted, which, train)
        decide = svm.train_columns(X, y[train], self.candidates[candidate])
        return decide(self.features(fitted, which, test))


class VariableContrasts(ContrastLearner):
    """The same for a variable: mean weights in sets that increase, and decrease, with it."""

    def fit(self, train, y):
        """Extract the contrast subgraphs of the training subjects, at all percentiles."""
        with unsaid():
            design = self.question.design_of(y[train])
        signed = design.statistic(self.weights[train], self.edge_statistic).observed()
        subgraphs, found = self._extracted(signed)
        return ContrastFit(subgraphs, mean_weights(self._by_pair, found))


class TableLearner:
    """The base of learners that have features of all people.

    What they fit is a list of pairs, one for each parameter set: the features (`svm.Columns`,
    `svm.Products`, `ridge.Ridge` or `Model`), and the node sets behind them. Graphs with the same
    code in `together`, such as those of a person, are left out together; by default each by itself.
    """

    together = None
    transforms = True

    def cross_validate(self, fitted, y, fold):
        """Accuracy of each parameter set and candidate: (n_sets, n_candidates)."""
        # Ridge regression on fixed features: leaving each person out needs no new fit.
        if not self.uses_labels and "alpha" in self.candidates[0]:
            train = np.flatnonzero(fold >= 0)
            together = self.together
            if together is None:
                together = np.arange(len(y))
            return np.array(
                [table.left_out(y, train, together, self.candidates) for table, _ in fitted[0]]
            )
        total = np.zeros((len(self.parameters), len(self.candidates)))
        for one, train, test in _folds(fitted, fold):
            for which, (table, _) in enumerate(one):
                total[which] += table.accuracy(y, train, test, self.candidates)
        return total / len(fitted)

    def decision(self, fitted, which, candidate, y, train, test):
        """Decision values of the test subjects by the classifier of the training subjects."""
        return fitted[which][0].decision(y, train, test, self.candidates[candidate])

    def changed(self, fitted, change):
        """Changed features, the same node sets."""
        return [(table.changed(change), sets) for table, sets in fitted]

    def node_sets(self, fitted, which):
        """The node sets that an estimator found (its `subgraphs_`), if it finds any."""
        return fitted[which][1]


class KernelLearner(TableLearner):
    """An SVM on features that are the same for any training part: embeddings and edges.

    `tables`: all people's (see `TableLearner`), one for each of the parameter sets.
    """

    uses_labels = False

    def __init__(self, parameters, tables, candidates):
        self.parameters = parameters
        self.candidates = candidates
        self.fitted = [(table, []) for table in tables]

    def fit(self, train, y):
        """Inner products of all people: they do not depend on the training subjects."""
        return self.fitted


class EstimatorLearner(TableLearner):
    """Any transformer or classifier over the subjects, with scikit-learn's methods.

    A transformer's features go to the SVM, standardised in the training part (or only centred, as
    the method says). A classifier decides for itself.
    """

    def __init__(self, name, method, data, *, candidates=(), random_state=0):
        estimator = method.load()
        parameters = method.parameter_sets()
        self.name = name
        self.data = data
        # A user's own code may use the attribute `subgraphs_` for something else.
        self.finds_sets = method.inputs == "subjects"
        self.estimator = estimator
        self.options = dict(method.options)
        self.uses_labels = method.uses_labels
        self.standardise = method.standardise
        self.transforms = hasattr(estimator, "transform")
        if not self.transforms and not hasattr(estimator, "predict"):
            raise InputError(f"{name}: {estimator.__name__} can neither transform nor predict")
        known = inspect.signature(estimator).parameters
        # Estimators that draw get a seed of their own, so that results can be repeated.
        for drawn in {"seed", "random_state"} & set(known) - set(self.options):
            self.options[drawn] = seeds.integer(random_state, name)
        for parameter in set().union(*parameters):
            check_option(f"{name}: a parameter of the grid", parameter, list(known))
        self.parameters = parameters
        if self.transforms:
            self.candidates = candidates
        else:
            self.candidates = [{}]
        self._kept = {}

    def fit(self, train, y):
        """Return standardised features of all people, and node sets, for each parameter set.

        A classifier has no features: it is fitted when it decides.
        """
        makes = [partial(self.estimator, **self.options, **one) for one in self.parameters]
        if not self.transforms:
            return [(Model(make, self.data), []) for make in makes]
        key = b""
        if not self.uses_labels:
            key = train.tobytes()
        if key in self._kept:
            return self._kept[key]
        data = self.data[train]
        fitted = [self._features(make().fit(data, y[train]), train) for make in makes]
        if key and len(self._kept) < KEPT:
            self._kept[key] = fitted
        return fitted

    def _features(self, model, train):
        features = model.transform(self.data)
        if hasattr(features, "toarray"):
            features = features.toarray()
        features = np.asarray(features, dtype=float)
        n = len(self.data)
        if features.ndim != 2 or len(features) != n or not np.isfinite(features).all():
            fault = ""
            if not np.isfinite(features).all():
                fault = " with numbers that are not finite"
            raise InputError(
                f"{self.name}: `transform` must give a row of finite numbers for each of the "
                f"{n} subjects, not an array of shape {features.shape}{fault}"
            )
        mean = features[train].mean(axis=0)
        features = features - mean
        if self.standardise:
            scale = features[train].std(axis=0)
            features /= np.where(scale <= 1e-10 * (1 + np.abs(mean)), 1.0, scale)
        sets = []
        if self.finds_sets:
            sets = getattr(model, "subgraphs_", [])
        return svm.table_of(features, self.candidates, self.standardise), sets


@dataclass(frozen=True)
class Model:
    """How to make a classifier that is not an SVM, and its data (see `TableLearner`)."""

    make: Callable
    data: object

    def accuracy(self, y, train, test, candidates):
        """Accuracy on the test subjects."""
        return ((self.decision(y, train, test) > 0) == (y[test] > 0)).mean()

    def decision(self, y, train, test, candidate=None):
        """Decision values above 0 where the classifier of the training subjects says 1."""
        classifier = self.make().fit(self.data[train], y[train])
        data = self.data[test]
        if hasattr(classifier, "decision_function"):
            return np.asarray(classifier.decision_function(data), dtype=float)
        if hasattr(classifier, "predict_proba"):
            return np.asarray(classifier.predict_proba(data)[:, 1], dtype=float) - 0.5
        return np.asarray(classifier.predict(data), dtype=float) - 0.5
