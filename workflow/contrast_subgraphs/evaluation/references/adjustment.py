"""Nuisance variables regressed out of weights or features, fitted on the training part."""

from dataclasses import replace

from ...core.errors import InputError
from ...design.covariates import adjusted_graphs, without
from ..ridge import KEPT
from .nuisance import Nuisance


class Adjustment:
    """Numbers of people without what the nuisance variables explain in the training part.

    The diagnosis is not in the model, so that what the variables share with it is removed too. This
    is the cautious choice: with the diagnosis in the model, a classifier could still read simulated
    motion (accuracy 0.64 to 0.70, without it 0.48 to 0.50).
    """

    def fit(self, subjects):
        """Learn from the training subjects."""
        self.nuisance_ = Nuisance().fit(subjects)
        self.regression_ = self.nuisance_.covariates_.regression_
        if subjects.weights is not None:
            self.coefficients_ = self.regression_.coefficients(subjects.weights)
        return self

    def transform(self, subjects):
        """Return the adjusted weights, (n_subjects, n_pairs)."""
        return without(subjects.weights, self.nuisance_.transform(subjects), self.coefficients_)


def adjusted_weights(adjust, subjects):
    """Return a function from subjects to their weights, adjusted by what is fitted on these."""
    if not adjust:
        return lambda subjects: subjects.weights
    return Adjustment().fit(subjects).transform


class GraphsAdjusted:
    """A learner over graphs with covariates regressed out of the weights (``graph.adjust``).

    Coefficients come from the training part; for a learner without labels, inner folds share them.
    `make` returns the learner, given embeddings and optionally graphs. `names` are columns of the
    table, `modes` is the number of modes shared by all people that are removed too. A classifier
    of the user's own is refused, since it looks at the graphs again when it decides.
    """

    def __init__(self, make, graphs, table, names, embeddings=(), *, modes=None, random_state=0):
        self._make = make
        self._embeddings = embeddings
        self._graphs = graphs
        self._table = table
        self._names = names
        self._options = {"modes": modes, "random_state": random_state}
        self.learner = make(embeddings)
        self._kept = {}
        if not self.learner.transforms:
            raise InputError(f"{self.learner.name}: graph.adjust needs a transformer of graphs")

    def __getattr__(self, name):
        return getattr(self.learner, name)

    def fit(self, train, y):
        """Adjust the graphs by the training part, and fit the learner on them."""
        key = train.tobytes()
        if key not in self._kept:
            asked = self._graphs.weights, self._table, self._names, train
            weights = adjusted_graphs(*asked, **self._options)
            graphs = replace(self._graphs, weights=weights)
            fitted = self._make(self._embeddings, graphs).fit(train, y)
            # Kept only if labels play no part: permuted labels then meet the same fit again.
            if self.learner.uses_labels or len(self._kept) >= KEPT:
                return fitted
            self._kept[key] = fitted
        return self._kept[key]


class Adjusted:
    """A learner with the nuisance variables regressed out of its features (see `learners`).

    Coefficients come from the training part; for a learner without labels, inner folds share them.
    """

    def __init__(self, learner, subjects):
        self.learner = learner
        self.subjects = subjects.only("the adjustment", ("nuisance",))

    def __getattr__(self, name):
        return getattr(self.learner, name)

    def fit(self, train, y):
        """Fit the learner, and adjust its features."""
        adjustment = Adjustment().fit(self.subjects[train])
        columns = adjustment.nuisance_.transform(self.subjects)

        def adjust(features):
            return without(features, columns, adjustment.regression_.coefficients(features[train]))

        return self.learner.changed(self.learner.fit(train, y), adjust)
