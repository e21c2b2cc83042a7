"""Features of brain networks, as scikit-learn estimators over stacks of graphs.

`ContrastSubgraphFeatures` extracts the contrast subgraphs in `fit` and counts in
`transform`. Inside a cross-validated pipeline it therefore never sees the test part.
"""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..core.compiled import kernel
from ..core.errors import InputError
from ..core.graphs import check_graphs
from . import alpha_from_percentile, contrast_subgraph, difference_graph, search_many, summary_graph

#: Directions of Problem 1. The difference graph of the first is TD minus ASD.
DIRECTIONS = ("td-asd", "asd-td")


class ContrastSubgraphFeatures(TransformerMixin, BaseEstimator):
    """The paper's two features of a graph, from contrast subgraphs of the training graphs.

    Problem 1: the numbers of edges induced by the contrast subgraph of each direction
    (Section 4.1, Figure 1). Problem 2: the distances ``||G[S] - G_TD[S]||_1`` and
    ``||G[S] - G_ASD[S]||_1`` over the unordered pairs in the symmetric contrast subgraph S,
    where ``G_TD`` and ``G_ASD`` are the summary graphs of the training graphs.

    Parameters
    ----------
    problem : {1, 2}
    percentile : float or dict, default=80
        Penalty alpha, as percentile of the difference graph's weights; one for all
        directions or a dict by direction (``{"td-asd": 70, "asd-td": 80}``, or
        ``{"symmetric": 70}``). None if `alpha` is given.
    alpha : float or dict, optional
        Penalty alpha as plain value, instead of `percentile`.
    directions : sequence of {"td-asd", "asd-td"}
        Directions of Problem 1, in the order of the features.
    solver : {"search", "exact", "densdp"}
        See `contrast.contrast_subgraph`; ``search`` is quick and does not prove.
    seed : int

    Attributes
    ----------
    classes_ : numpy.ndarray of shape (2,)
        The labels, sorted; the first takes the part of TD, the second that of ASD. Labels
        that are called so (``"td"`` and ``"asd"``, in any case) take their own.
    subgraphs_ : list of numpy.ndarray of int
        The vertices of each contrast subgraph.
    alphas_ : numpy.ndarray
        The penalty used for each.
    summary_ : numpy.ndarray of shape (2, n_vertices, n_vertices)
        Summary graphs of the two classes.
    n_vertices_in_ : int
    """

    def __init__(
        self,
        problem=1,
        percentile=80,
        alpha=None,
        directions=DIRECTIONS,
        solver="search",
        seed=0,
    ):
        self.problem = problem
        self.percentile = percentile
        self.alpha = alpha
        self.directions = directions
        self.solver = solver
        self.seed = seed

    def fit(self, graphs, y):
        """Extract the contrast subgraphs.

        Parameters
        ----------
        graphs : array_like of shape (n_graphs, n_vertices, n_vertices)
        y : array_like of shape (n_graphs,)
            Two different labels.

        Returns
        -------
        ContrastSubgraphFeatures

        Raises
        ------
        InputError
            If the graphs or labels cannot be used, or a parameter is wrong.
        """
        contrasts = self._contrasts()
        graphs = check_graphs(graphs)
        self.classes_, labels = _two_classes(y, len(graphs))
        self.n_vertices_in_ = graphs.shape[1]
        self.summary_ = np.stack([summary_graph(graphs[labels == k]) for k in (0, 1)])
        self.subgraphs_, alphas = [], []
        for contrast in contrasts:
            difference = difference_graph(*self.summary_, contrast)
            alpha, nodes = self._extract(difference, contrast)
            self.subgraphs_.append(np.asarray(nodes, dtype=np.int64))
            alphas.append(alpha)
        self.alphas_ = np.array(alphas)
        return self

    def _extract(self, difference, contrast):
        """Alpha and vertices of one contrast subgraph."""
        if self.alpha is not None:
            alpha, percentile = _of(self.alpha, contrast, "alpha"), None
        else:
            percentile = _of(self.percentile, contrast, "percentile")
            alpha = alpha_from_percentile(difference, percentile)
        if percentile is not None and self.solver == "search":
            return alpha, search(difference, [percentile], self.seed)[0]
        options = {"alpha": alpha} if percentile is None else {"percentile": percentile}
        options |= {"solver": self.solver, "seed": self.seed}
        return alpha, contrast_subgraph(difference, **options).nodes

    def transform(self, graphs):
        """Count edges (Problem 1) or measure distances (Problem 2).

        Parameters
        ----------
        graphs : array_like of shape (n_graphs, n_vertices, n_vertices)

        Returns
        -------
        numpy.ndarray of shape (n_graphs, n_features), float
        """
        check_is_fitted(self)
        graphs = check_graphs(graphs)
        if graphs.shape[1] != self.n_vertices_in_:
            raise InputError(
                f"these graphs have {graphs.shape[1]} vertices, those of fit "
                f"had {self.n_vertices_in_}"
            )
        if self.problem == 1:
            return edge_counts(graphs, self.subgraphs_)
        return distances(graphs, self.subgraphs_, *self.summary_)

    def get_feature_names_out(self, input_features=None):
        """Names of the features, as an array of str."""
        if self.problem == 2:
            return np.array(["distance_td", "distance_asd"], dtype=object)
        return np.array([f"edges_{direction}" for direction in self._contrasts()], dtype=object)

    def _contrasts(self):
        if self.problem not in (1, 2):
            raise InputError(f"problem must be 1 or 2, not {self.problem!r}")
        if (self.alpha is None) == (self.percentile is None):
            raise InputError("give either percentile or alpha, and None for the other")
        if self.problem == 2:
            return ("symmetric",)
        directions = tuple(self.directions)
        if not directions or not set(directions) <= set(DIRECTIONS):
            raise InputError(
                f"directions must be among {', '.join(DIRECTIONS)}, not {self.directions!r}"
            )
        return directions


def search(difference, percentiles, seed=0):
    """Contrast subgraphs of one difference graph, as the features use them.

    Parameters
    ----------
    difference : numpy.ndarray of shape (n_vertices, n_vertices)
    percentiles : sequence of float
    seed : int

    Returns
    -------
    list of numpy.ndarray of int
        One vertex set for each percentile; a warning for an empty one.
    """
    found = search_many(difference, percentiles, seed=seed)
    for percentile, nodes in zip(percentiles, found, strict=True):
        if len(nodes) == 0:
            warnings.warn(
                f"percentile {percentile:g} leaves no pair of vertices above alpha: "
                "the contrast subgraph is empty and its features are constant",
                stacklevel=2,
            )
    return found


def edge_counts(graphs, subgraphs):
    """Number (or weight) of the edges that each vertex set induces in each graph.

    Parameters
    ----------
    graphs : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
        Symmetric.
    subgraphs : sequence of array_like of int
        Vertex sets.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, n_subgraphs), float
    """
    nodes, starts = _ragged(subgraphs)
    return _edge_counts(np.ascontiguousarray(graphs), nodes, starts)


def distances(graphs, subgraphs, w_td, w_asd):
    """L1 distances of each graph to the two summary graphs on each vertex set (Section 4.1).

    Parameters
    ----------
    graphs : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
    subgraphs : sequence of array_like of int
        Vertex sets.
    w_td, w_asd : numpy.ndarray of shape (n_vertices, n_vertices)
        Summary graphs.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, 2 * n_subgraphs), float
        For each set the distance to TD, then to ASD, over the unordered pairs.
    """
    nodes, starts = _ragged(subgraphs)
    return _distances(np.ascontiguousarray(graphs), nodes, starts, w_td, w_asd)


def _ragged(subgraphs):
    starts = np.cumsum([0, *(len(nodes) for nodes in subgraphs)])
    nodes = np.concatenate([np.zeros(0, np.int64), *(np.asarray(s, np.int64) for s in subgraphs)])
    return nodes, starts


@kernel
def _edge_counts(graphs, nodes, starts):
    counts = np.zeros((len(graphs), len(starts) - 1))
    for i in range(len(graphs)):
        graph = graphs[i]
        for s in range(len(starts) - 1):
            total = 0.0
            for a in range(starts[s], starts[s + 1]):
                row = graph[nodes[a]]
                for b in range(starts[s], a):
                    total += row[nodes[b]]
            counts[i, s] = total
    return counts


@kernel
def _distances(graphs, nodes, starts, w_td, w_asd):
    table = np.zeros((len(graphs), 2 * (len(starts) - 1)))
    for i in range(len(graphs)):
        graph = graphs[i]
        for s in range(len(starts) - 1):
            for a in range(starts[s], starts[s + 1]):
                u = nodes[a]
                for b in range(starts[s], a):
                    v = nodes[b]
                    table[i, 2 * s] += abs(graph[u, v] - w_td[u, v])
                    table[i, 2 * s + 1] += abs(graph[u, v] - w_asd[u, v])
    return table


def _of(value, contrast, name):
    """The value of one contrast: from a dict, or the same for all."""
    if isinstance(value, dict):
        if contrast not in value:
            raise InputError(f"{name} lacks the entry {contrast!r}: it has {', '.join(value)}")
        value = value[contrast]
    if value is not None and (not isinstance(value, Real) or not np.isfinite(value)):
        raise InputError(f"{name} must be a number, not {value!r}")
    return value


def _two_classes(y, n_graphs):
    y = np.asarray(y)
    if y.shape != (n_graphs,):
        raise InputError(f"y must hold one label for each of {n_graphs} graphs, not {y.shape}")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise InputError("y holds NaN: each graph needs a label")
    classes, labels = np.unique(y, return_inverse=True)
    if [str(name).lower() for name in classes] == ["asd", "td"]:
        classes, labels = classes[::-1], 1 - labels  # by name, not by the alphabet
    if len(classes) != 2:
        raise InputError(
            f"y must hold two different labels, not {len(classes)}: "
            "a contrast needs graphs of both groups"
        )
    return classes, labels
