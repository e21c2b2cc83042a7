"""How well each method tells the two groups apart, with the controls that make it honest.

`evaluate` runs one method under one protocol on one cohort, with the true labels and with
permuted ones. A *learner* holds what is particular to a method:

``parameters``
    its parameter sets (what the paper tunes, apart from the SVM);
``fit(train, y)``
    what it learns from the graphs and labels of the training subjects;
``cross_validate(fitted, y, fold)``
    accuracy of each parameter set and SVM candidate, fold `i` with ``fitted[i]``;
``classifier(fitted, which, candidate, y, train)``
    the SVM of one parameter set and candidate, fitted on the training subjects;
``decide(fitted, which, classifier, train, test)``
    decision values of the test subjects.
"""

import json
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..contrast import difference_graph
from ..contrast.difference import alphas_of_percentiles
from ..contrast.features import DIRECTIONS, distances, edge_counts, search
from ..core.compiled import kernel
from ..core.errors import InputError
from ..core.files import load_npz
from ..embeddings.edges import EdgeFeatures
from .svm import cross_validate_columns, cross_validate_gram, svm_grid, train_columns, train_gram

#: Methods that extract contrast subgraphs, by problem.
CONTRAST_METHODS = {"cs-p1": 1, "cs-p2": 2}


def make_learner(
    method, graphs, svm, percentiles=(), embeddings=(), *, seed=0, cohort="the cohort"
):
    """Return the learner of a method (see the module's description).

    Raises
    ------
    InputError
        If the method has neither percentiles nor embeddings, or they do not fit.
    """
    candidates = svm_grid(svm)
    if method in CONTRAST_METHODS:
        if not len(percentiles):
            raise InputError(f"{method}: contrast.percentiles is empty; give at least one")
        return ContrastLearner(
            CONTRAST_METHODS[method], graphs.adjacency, list(percentiles), candidates, seed
        )
    if method == "edges":
        edges = EdgeFeatures().fit_transform(graphs.adjacency)
        return KernelLearner([{}], [edges @ edges.T], [edges.shape[1]], candidates)
    if not len(embeddings):
        raise InputError(f"{method}: no embeddings are given for {cohort}")
    loaded = [load_embedding(path, graphs.subject) for path in embeddings]
    return KernelLearner(*map(list, zip(*loaded, strict=True)), candidates)


def load_embedding(path, subject):
    """Read one embedding: its parameters, inner products and number of features.

    Parameters
    ----------
    path : str or pathlib.Path
        ``.npz`` with ``subject``, ``parameters`` and ``features`` (n, d) or ``gram`` (n, n).
    subject : numpy.ndarray of str
        The subjects wanted, in order.

    Returns
    -------
    parameters : dict
    gram : numpy.ndarray of shape (n_subjects, n_subjects)
    n_features : int
        1 where only inner products are stored.

    Raises
    ------
    InputError
        If the file is damaged, lacks a subject, or holds a number that is not finite.
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
        gram, n_features = features @ features.T, features.shape[1]
    else:
        gram, n_features = arrays["gram"][np.ix_(order, order)].astype(float), 1
    if not np.isfinite(gram).all():
        raise InputError(f"{path} holds a number that is not finite")
    return parameters, gram, n_features


@dataclass(frozen=True)
class ContrastFit:
    """Contrast subgraphs of some training subjects, and the features they give everybody.

    Attributes
    ----------
    subgraphs : dict
        Contrast -> list of vertex sets, one for each percentile.
    alphas : dict
        Contrast -> array of penalties.
    columns : numpy.ndarray of shape (n_subjects, n_columns)
        Features of all subjects.
    """

    subgraphs: dict
    alphas: dict
    columns: np.ndarray


class ContrastLearner:
    """Contrast subgraphs at several alphas, two features, linear SVM (cs-p1 and cs-p2).

    Equal, for each parameter set, to `features.ContrastSubgraphFeatures` followed by
    standardisation and the SVM; but each difference graph is made once for all
    percentiles, and all parameter sets share the features.

    Parameters
    ----------
    problem : {1, 2}
    adjacency : numpy.ndarray of shape (n_subjects, n_vertices, n_vertices)
    percentiles : list of float
    candidates : list of dict
        See `svm.svm_grid`.
    seed : int
    """

    def __init__(self, problem, adjacency, percentiles, candidates=(), seed=0):
        self.problem = problem
        self.adjacency = np.ascontiguousarray(adjacency)
        self.percentiles = percentiles
        self.candidates = candidates
        self.seed = seed
        u, v = np.triu_indices(adjacency.shape[1], 1)
        self._pairs = (u, v)
        self._edges = np.ascontiguousarray(adjacency[:, u, v])
        k = len(percentiles)
        if problem == 1:
            self.contrasts = DIRECTIONS
            sets = list(product(range(k), repeat=2))
            self._columns = np.array([(a, k + b) for a, b in sets])
        else:
            self.contrasts = ("symmetric",)
            sets = [(a,) for a in range(k)]
            self._columns = np.array([(2 * a, 2 * a + 1) for (a,) in sets])
        self.levels = sets
        self.parameters = [
            {c: percentiles[a] for c, a in zip(self.contrasts, levels, strict=True)}
            for levels in sets
        ]

    def fit(self, train, y):
        """Extract the contrast subgraphs of the training subjects, at all percentiles."""
        w = [self._summary(train[y[train] == group]) for group in (0, 1)]
        subgraphs, alphas = {}, {}
        for contrast in self.contrasts:
            difference = difference_graph(*w, contrast)
            alphas[contrast] = alphas_of_percentiles(difference, self.percentiles)
            subgraphs[contrast] = search(difference, self.percentiles, self.seed)
        found = [nodes for contrast in self.contrasts for nodes in subgraphs[contrast]]
        if self.problem == 1:
            columns = edge_counts(self.adjacency, found)
        else:
            columns = distances(self.adjacency, found, *w)
        return ContrastFit(subgraphs, alphas, columns)

    def _summary(self, members):
        """Summary graph (Equation 1) of some subjects."""
        p = self.adjacency.shape[1]
        summary = np.zeros((p, p))
        summary[self._pairs] = _sum_of_rows(self._edges, members) / len(members)
        return summary + summary.T

    def cross_validate(self, fitted, y, fold):
        """Accuracy of each parameter set and candidate: (n_sets, n_candidates)."""
        folds = np.stack([one.columns for one in fitted])
        return cross_validate_columns(folds, self._columns, y, fold, self.candidates)

    def features(self, fitted, which, members):
        """The two features of some subjects, of one parameter set."""
        return fitted.columns[np.ix_(members, self._columns[which])]

    def classifier(self, fitted, which, candidate, y, train):
        """The scaler and SVM fitted on the training subjects."""
        X = self.features(fitted, which, train)
        return train_columns(X, y[train], self.candidates[candidate])

    def decide(self, fitted, which, classifier, train, test):
        """Decision values of the test subjects."""
        return classifier.decide(self.features(fitted, which, test))


@kernel
def _sum_of_rows(table, rows):
    """Sum some rows of a table without copying them."""
    total = np.zeros(table.shape[1])
    for i in rows:
        for j in range(table.shape[1]):
            total[j] += table[i, j]
    return total


class KernelLearner:
    """A linear (or RBF) SVM on features that need no labels: embeddings and edges.

    Parameters
    ----------
    parameters : list of dict
        Parameter sets.
    grams : list of numpy.ndarray of shape (n_subjects, n_subjects)
        Inner products of the features of each.
    n_features : list of int
    candidates : list of dict
        See `svm.svm_grid`.
    """

    def __init__(self, parameters, grams, n_features, candidates):
        self.parameters = parameters
        self.grams = grams
        self.n_features = n_features
        self.candidates = candidates

    def fit(self, train, y):
        """Nothing: the features do not depend on labels."""

    def cross_validate(self, fitted, y, fold):
        """Accuracy of each parameter set and candidate: (n_sets, n_candidates)."""
        return np.array(
            [
                cross_validate_gram(gram, y, fold, self.candidates, d)
                for gram, d in zip(self.grams, self.n_features, strict=True)
            ]
        )

    def classifier(self, fitted, which, candidate, y, train):
        """The SVM fitted on the training subjects."""
        return train_gram(
            self.grams[which][np.ix_(train, train)],
            y[train],
            self.candidates[candidate],
            self.n_features[which],
        )

    def decide(self, fitted, which, classifier, train, test):
        """Decision values of the test subjects."""
        gram = self.grams[which]
        return classifier.decide(gram[np.ix_(test, train)], np.diag(gram)[test])
