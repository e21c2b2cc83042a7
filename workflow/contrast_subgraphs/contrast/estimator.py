"""The paper's features as a scikit-learn estimator: `fit` finds sets, `transform` measures."""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..core.check_graphs import check_graphs, check_labels, condensed_graphs
from ..core.checks import RandomState, check_number, check_seed
from ..core.doubts import warn_of_absent_regions
from ..core.errors import InputError
from ..core.labels import labels_of_regions
from ..design.groups import ordered_labels
from ..design.question import contrast_names
from .alpha import penalties_of
from .difference import directed, mean_graph, signed_difference
from .features import extract, measure
from .solve import contrast_subgraph


class ContrastSubgraphFeatures(TransformerMixin, BaseEstimator):
    """The paper's two features of a graph, from contrast subgraphs of the training graphs.

    Problem 1: the numbers of edges inside the contrast subgraph of each direction, ``a-b`` (where
    graphs of a have more) and ``b-a``. Problem 2: the distances ``||G[S] - G_a[S]||_1`` and
    ``||G[S] - G_b[S]||_1`` to the training groups' summary graphs in the symmetric one.

    Parameters
    ----------
    problem : {1, 2}
    percentile : float or dict, default=80
        Penalty alpha, as a percentile of the difference graph's weights; one for all
        directions or a dict by direction (``{"td-asd": 70, "asd-td": 80}`` for groups
        of these names, or ``{"symmetric": 70}``). None if `alpha` is given.
    alpha : float or dict, optional
        Penalty alpha as a plain value, instead of `percentile`.
    directions : sequence of str, optional
        Directions of Problem 1, in the order of the features; both by default.
    labels : sequence or dict, optional
        The two labels, first a, then b, such as ``("control", "patient")``. A dict also
        gives the names used for directions and features, such as
        ``{2: "control", 1: "autism"}``. By default the labels in sorted order.
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair in the difference graph: see `difference_graph`.
    solver : {"search", "exact", "densdp"}
        See `sweep`; ``search`` is quick, but gives no proof.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        For the search; None draws a seed in each `fit`.

    Attributes
    ----------
    classes_ : numpy.ndarray of shape (2,)
        The labels of the groups a and b.
    contrasts_ : tuple of str
        The contrasts whose subgraphs were extracted.
    subgraphs_ : list of numpy.ndarray of int
        The vertices of each contrast subgraph.
    alphas_ : numpy.ndarray
        The penalty used for each.
    summary_ : numpy.ndarray of shape (2, n_vertices, n_vertices)
        Summary graphs of the two groups.
    n_vertices_in_ : int

    See Also
    --------
    contrast_subgraph : The sets themselves, with proof.
    predict_variable : Predicts a variable, with a nested choice of settings.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> control = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    >>> graphs, y = np.stack([control, control, 0 * control]), ["well", "well", "ill"]
    >>> features = ContrastSubgraphFeatures(
    ...     percentile=50, labels=("well", "ill"), directions=["well-ill"]
    ... ).fit(graphs, y)
    >>> features.subgraphs_[0].tolist(), features.get_feature_names_out().tolist()
    ([0, 1, 2], ['edges_well-ill'])
    >>> features.transform(graphs).tolist()
    [[3.0], [3.0], [0.0]]
    """

    def __init__(
        self,
        problem: int = 1,
        *,
        percentile: float | Mapping[str, float] | None = 80,
        alpha: float | Mapping[str, float] | None = None,
        directions: Sequence[str] | None = None,
        labels: Sequence | Mapping | None = None,
        edge_statistic: str = "difference",
        solver: str = "search",
        random_state: RandomState = 0,
    ) -> None:
        self.problem = problem
        self.percentile = percentile
        self.alpha = alpha
        self.directions = directions
        self.labels = labels
        self.edge_statistic = edge_statistic
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Extract the contrast subgraphs of graphs X with two different labels y."""
        seed = check_seed(self.random_state)
        weights, n_vertices = condensed_graphs(check_graphs(X))
        y = check_labels(y, len(weights))
        if len(set(y.tolist())) == 1:
            raise InputError("y must hold two different labels, not 1 class: there is no contrast")
        second, names = ordered_labels(y, self.labels)
        contrasts = self._contrasts(names)
        penalties = [self._penalty(contrast) for contrast in contrasts]
        warn_of_absent_regions(weights, second.astype(int), names)
        members = [np.flatnonzero(second == k) for k in (0, 1)]
        summary = np.stack([mean_graph(weights, rows) for rows in members])
        signed = signed_difference(weights, members, summary, self.edge_statistic)
        alphas = []
        subgraphs = []
        for contrast, penalty in zip(contrasts, penalties, strict=True):
            alpha, nodes = self._extract(
                directed(signed, contrast, contrast_names(names)), seed, **penalty
            )
            subgraphs.append(np.asarray(nodes, dtype=np.int64))
            alphas.append(alpha)
        # Attributes are set last: a fit that fails leaves an earlier one as it was.
        self.subgraphs_ = subgraphs
        self.alphas_ = np.array(alphas)
        self.classes_ = np.unique(y) if self.labels is None else np.array(list(self.labels))
        self.contrasts_ = contrasts
        self.summary_ = summary
        self.n_vertices_in_ = n_vertices
        self._regions = labels_of_regions(X)
        self._names = names
        return self

    def _extract(self, difference, seed, percentile=None, alpha=None):
        """Alpha and vertices of one contrast subgraph."""
        if alpha is None and self.solver == "search":
            # The search alone: `contrast_subgraph` would also solve the relaxation for a bound.
            [penalty] = penalties_of(difference, [percentile])
            return penalty.alpha, extract(difference, [percentile], seed)[1][0]
        options = {"solver": self.solver, "random_state": seed}
        found = contrast_subgraph(difference, percentile=percentile, alpha=alpha, **options)
        return found.alpha, found.nodes

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Return the features of graphs, (n_graphs, n_features)."""
        check_is_fitted(self)
        weights = condensed_graphs(check_graphs(X, self.n_vertices_in_, regions=self._regions))[0]
        return measure(weights, self.contrasts_, self.subgraphs_, self.summary_)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the features, after the groups, as an array of str."""
        check_is_fitted(self)
        if self.contrasts_ == ("symmetric",):
            return np.array([f"distance_{name}" for name in self._names], dtype=object)
        return np.array([f"edges_{contrast}" for contrast in self.contrasts_], dtype=object)

    def __sklearn_tags__(self):
        """It takes stacks of graphs, and needs labels."""
        tags = super().__sklearn_tags__()
        # Otherwise the checks of scikit-learn refuse stacks, or try it on tables.
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.target_tags.required = True
        return tags

    def _contrasts(self, names):
        """The contrasts that the parameters ask for, of groups with these names."""
        if self.problem not in (1, 2):
            raise InputError(f"problem must be 1 or 2, not {self.problem!r}")
        known = contrast_names(names)
        if self.problem == 2:
            return known[2:]
        directions = known[:2] if self.directions is None else tuple(self.directions)
        # Known, at least one, and none twice: the three conditions in one comparison.
        if not 0 < len(set(directions) & set(known[:2])) == len(directions):
            raise InputError(
                f"directions must be different ones among {', '.join(known[:2])}, "
                f"not {self.directions!r}: {_HOW_TO_NAME}"
            )
        return directions

    def _penalty(self, contrast):
        """The penalty of one contrast: ``{"percentile": ...}`` or ``{"alpha": ...}``."""
        if (self.alpha is None) == (self.percentile is None):
            raise InputError("give either percentile or alpha, and None for the other")
        name = "alpha" if self.percentile is None else "percentile"
        value = getattr(self, name)
        if isinstance(value, dict):
            if contrast not in value:
                raise InputError(
                    f"{name} lacks the entry {contrast!r}, it has {', '.join(map(str, value))}: "
                    f"{_HOW_TO_NAME}"
                )
            value = value[contrast]
        return {name: check_number(value, name)}


_HOW_TO_NAME = (
    "say which label is which by labels, such as labels=('control', 'patient') or "
    "labels={2: 'control', 1: 'autism'}"
)
