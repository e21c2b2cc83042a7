"""What the four baselines share."""

from typing import ClassVar

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

from .checks import simple_graphs
from .parameters import PARAMETERS, check_parameters


class Embedding(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """A label-free embedding of simple graphs; subclasses say how, in `_embed`."""

    #: Its name in the registry, after which its tuned parameters are checked.
    method: ClassVar[str]

    def fit(self, graphs, y=None):
        """Embed the graphs. See `fit_transform`."""
        self.fit_transform(graphs)
        return self

    def fit_transform(self, graphs, y=None):
        """Learn from the graphs and return their features.

        Graphs are of zeros and ones, symmetric; diagonals are ignored, and so is `y`.
        """
        check_parameters(self.method, self.tuned())
        features = self._embed(simple_graphs(graphs))
        self._n_features_out = features.shape[1]
        return features

    def tuned(self):
        """Return the parameters that the paper tunes, in the registry's order."""
        return {name: getattr(self, name) for name in PARAMETERS[self.method]}
