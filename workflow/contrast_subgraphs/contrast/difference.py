"""Summary graphs of the two groups and their difference graph (Section 3 of the paper)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.check_graphs import (
    check_graphs,
    check_labels,
    condensed_graphs,
    share_of_rounding,
    symmetric_up_to_rounding,
)
from ..core.checks import check_option, in_words
from ..core.errors import InputError
from ..core.graphs import GROUPS
from ..core.labels import labels_of_regions, matrix_in_order
from ..core.old_names import warn_of_old_name
from ..core.pairs import square_of
from ..design import CohortGraphs, Design, asked_of, two_groups
from ..design.asked import in_order_of
from ..design.edge_statistic import EDGE_STATISTICS
from ..design.exchange import unsaid, varies_within
from ..design.groups import ordered_labels
from ..design.question import contrast_names

#: The contrasts of the paper's groups: Problem 1 in its two directions, and Problem 2.
CONTRASTS = contrast_names(GROUPS)
#: Sums of weights above this would leave the range of floating-point numbers.
LARGEST = 1e300


def difference_graph(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | str | None = None,
    contrast: str | None = None,
    labels: Sequence | Mapping | None = None,
    *,
    edge_statistic: str = "difference",
) -> np.ndarray:
    """Return the difference graph of two groups, or of another question (Proposition 1).

    Parameters
    ----------
    X : array_like of shape (n_graphs, n_vertices, n_vertices), or CohortGraphs
        Adjacency matrices, or symmetric matrices of weights, or only their upper triangles,
        (n_graphs, n_pairs). For people, as `read_groups` returns them, leave out `y`:
        ``difference_graph(people, "patient-control")``.
    y : array_like of shape (n_graphs,), or Design
        The group of each graph (two different labels), or a variable (numbers). A design, such as
        that of `paired`, says what is compared and what is held constant.
    contrast : str
        For groups a and b: ``a-b`` for the mean of a minus that of b, ``b-a`` for the reverse
        (Problem 1), ``symmetric`` for the absolute difference (Problem 2). For a design, one of
        its `contrasts`.
    labels : sequence of two labels, or dict of label to name, optional
        The groups in order; sorted by default. The order changes no contrast, but a dict gives
        the groups other names.
    edge_statistic : {"difference", "t", "welch"}
        The difference of the groups' means (for a variable, the slope per standard deviation),
        its t, or Welch's t.

    Returns
    -------
    numpy.ndarray of shape (n_vertices, n_vertices)
        In the units of the graphs' weights, or of t. Symmetric, with zeros on the diagonal.

    Raises
    ------
    InputError
        If the contrast is unknown or missing, or if the graphs are not symmetric, finite and of
        one size.

    See Also
    --------
    contrast_subgraph, sweep : The sets of vertices in which it is largest.
    permutation_test : Tests whether it exceeds chance.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> graphs = np.array([[[0, 1], [1, 0]], [[0, 0], [0, 0]], [[0, 1], [1, 0]]])
    >>> difference_graph(graphs, ["ill", "ill", "well"], "well-ill")[0, 1]
    np.float64(0.5)
    """
    if _is_matrix(y):
        new = "difference_graph(X, y, contrast) with the graphs, or subtract one from the other"
        warn_of_old_name("difference_graph of two summary graphs", new)
        return difference_of_summaries(X, y, contrast, labels or GROUPS)
    if isinstance(y, str):
        if contrast is not None or not isinstance(X, CohortGraphs):
            raise InputError(f"y must hold the group of each graph, not {y!r}")
        contrast = y
        y = None
    signed, known = _signed_of(X, y, labels, edge_statistic)
    if contrast is None:
        raise InputError(f"say which contrast: {in_words(known, 'or')}")
    return directed(signed, contrast, known)


def _is_matrix(y):
    """Whether this is a matrix, the second of two summary graphs, and no column of labels."""
    try:
        return np.ndim(y) == 2 and np.shape(y)[1] > 1
    except ValueError:  # rows of different lengths
        return True


def _signed_of(X, y, labels, edge_statistic):
    """Return the signed weights of a question about graphs, and the names of its contrasts."""
    if isinstance(X, CohortGraphs) and y is None and labels is None:
        return signed_weights(X, edge_statistic)[0], X.contrasts
    groups = y
    if isinstance(X, CohortGraphs) and y is None:
        groups = X.labels
    if groups is None:
        raise InputError("give the group of each graph (or a variable) as y")
    if not isinstance(groups, Design):
        groups, _ = in_order_of(X, groups)
    if not isinstance(y, Design):
        known = set(np.asarray(groups).ravel().tolist())
        if len(known) < 3 or labels is not None:
            graphs = _two_groups_of(X, groups, labels)
            return signed_weights(graphs, edge_statistic)[0], graphs.contrasts
    X, design = asked_of(X, y, labels=labels)
    return design.statistic(X, edge_statistic).observed(), design.contrasts


def _two_groups_of(X, y, labels):
    """Return graphs of two groups as `CohortGraphs`, whose groups may be of one graph each."""
    if isinstance(X, CohortGraphs):
        X = X.weights
    weights, n_vertices = condensed_graphs(X)
    second, names = ordered_labels(check_labels(y, len(weights)), labels)
    if second.all() or not second.any():
        raise InputError("y must hold two different labels: one group is empty")
    people = np.array([str(k) for k in range(len(weights))])
    regions = np.array([str(k) for k in range(n_vertices)])
    return CohortGraphs(weights, second.astype(np.int64), people, regions, names)


def group_means(graphs):
    """Return the summary graph of each group of a cohort."""
    groups = range(len(graphs.groups))
    return [mean_graph(graphs.weights, np.flatnonzero(graphs.y == k)) for k in groups]


def signed_weights(graphs, edge_statistic="difference", design=None):
    """Return the signed weights of all pairs, and the statistic that they come from, if needed.

    `graphs` are `CohortGraphs`; `design` is that of the tests, if it holds something constant.
    """
    check_option("edge_statistic", edge_statistic, EDGE_STATISTICS)
    if design is not None:
        statistic = design.statistic(graphs.weights, edge_statistic)
        return statistic.observed(), statistic
    plain = graphs.question.of_means and not varies_within(graphs.y, graphs.person)
    # Plain means need no design, so that a group of a single graph has a difference too.
    if edge_statistic == "difference" and plain:
        first, second = group_means(graphs)
        return first - second, None
    with unsaid():
        statistic = graphs.question.design(graphs).statistic(graphs.weights, edge_statistic)
    return statistic.observed(), statistic


def summary_graph(graphs: ArrayLike) -> np.ndarray:
    """Return `summary_of`: deprecated."""
    new = "difference_graph(X, y, contrast), or numpy.mean(graphs, axis=0)"
    warn_of_old_name("summary_graph", new)
    return summary_of(graphs)


def cohort_difference(
    graphs: CohortGraphs, contrast: str, edge_statistic: str = "difference"
) -> np.ndarray:
    """Return `difference_graph` of people: deprecated."""
    warn_of_old_name("cohort_difference", "difference_graph")
    return difference_graph(graphs, contrast, edge_statistic=edge_statistic)


def summary_of(graphs):
    """Return the summary graph of a group: the mean of its graphs (Equation 1).

    For each pair of vertices the fraction of the graphs that have the edge (or the mean weight);
    zeros on the diagonal, whatever the graphs have there.
    """
    weights = condensed_graphs(check_graphs(graphs))[0]
    return mean_graph(weights, range(len(weights)))


def mean_graph(weights, members):
    """Return the mean of some graphs, rows of weights, as a matrix."""
    if len(members) == 0:
        raise InputError("a summary graph needs at least one graph: this group is empty")
    total = np.zeros(weights.shape[1])
    if weights.dtype == np.uint8:  # sums of 256 bytes fit into two
        for k in range(0, len(members), 256):
            total += weights[members[k : k + 256]].sum(axis=0, dtype=np.uint16)
    else:
        for member in members:
            total += weights[member]
    return square_of(total / len(members))


def signed_difference(weights, members, means, edge_statistic="difference"):
    """Return the weights of all pairs, first group minus second (`EdgeStatistic`).

    `members` are the graphs in each group, `means` are the groups' summary graphs.
    """
    check_option("edge_statistic", edge_statistic, EDGE_STATISTICS)
    difference = means[0] - means[1]
    if edge_statistic == "difference":
        return difference
    rows = np.concatenate(members)
    labels = np.repeat([0, 1], [len(of) for of in members])
    with unsaid():
        design = two_groups(labels)
    return design.statistic(weights[rows], edge_statistic).observed()


def directed(difference, contrast, known):
    """Return the weights of one of the three `known` contrasts, given those of the first."""
    if contrast not in known:
        raise InputError(f"unknown contrast {contrast!r}: choose from {', '.join(known)}")
    # `0.0 -` and no sign: a pair without a difference stays 0.0 and does not become -0.0, which
    # would be written to files.
    forms = difference, 0.0 - difference, np.abs(difference)
    return forms[known.index(contrast)]


def difference_of_summaries(w_first, w_second, contrast, groups=GROUPS):
    """Return the difference graph of two summary graphs (Proposition 1).

    `contrast`: of the `groups` a and b ``a-b``, ``b-a`` or ``symmetric``.
    """
    first, second = groups
    regions = [labels_of_regions(one) for one in (w_first, w_second)]
    if None not in regions:
        w_second = matrix_in_order(w_second, regions[0], f"w_{second}")
    w_first = check_weights(w_first, f"w_{first}")
    w_second = check_weights(w_second, f"w_{second}")
    if w_first.shape != w_second.shape:
        raise InputError(
            f"the two summary graphs have different sizes: {len(w_first)} and "
            f"{len(w_second)} vertices"
        )
    return directed(w_first - w_second, contrast, contrast_names(groups))


def check_weights(weights, name):
    """Return a weighted graph as a float matrix with a zero diagonal, or raise InputError.

    It may be an array, data frame or sparse matrix, with anything on its diagonal. Each pair gets
    the mean of its two numbers, which may differ by rounding (`core.graphs`).
    """
    # A sparse matrix, of scipy or of another library.
    if hasattr(weights, "toarray"):
        weights = weights.toarray()
    weights = matrix_in_order(weights, None, name)
    if np.ma.is_masked(weights):
        raise InputError(f"{name} has masked entries: fill them with numbers")
    try:
        given = np.asarray(weights)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"not {given.dtype}")
        weights = np.array(given, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a matrix of numbers ({error})") from error
    if weights.size == 0 and weights.ndim < 3:
        return np.zeros((0, 0))
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(
            f"{name} is not square: its shape is {weights.shape}, "
            "it must be (n_vertices, n_vertices)"
        )
    np.fill_diagonal(weights, 0.0)
    for kind, found in (("NaN", np.isnan(weights)), ("an infinite number", np.isinf(weights))):
        if found.any():
            row, column = np.argwhere(found)[0]
            raise InputError(f"{name} holds {kind} at row {row}, column {column}")
    largest = np.abs(weights).max()
    if largest > LARGEST:
        raise InputError(
            f"{name} holds {largest:.3g}, too large for sums of such numbers: "
            "divide all weights by the same number"
        )
    return symmetric_up_to_rounding(weights, name, share_of_rounding(given.dtype))


def check_linear(linear, n):
    """Return what each of n vertices adds by itself as an array, or raise InputError."""
    if linear is None:
        return np.zeros(n)
    try:
        given = np.asarray(linear)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"not {given.dtype}")
        own = np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"linear must be a list of numbers ({error})") from error
    if own.shape != (n,):
        raise InputError(f"linear must have one number for each of {n} vertices, not {own.shape}")
    if not np.isfinite(own).all():
        vertex = int(np.flatnonzero(~np.isfinite(own))[0])
        raise InputError(f"linear holds {own[vertex]} at vertex {vertex}: it must be finite")
    if np.abs(own).max(initial=0.0) > LARGEST:
        raise InputError("linear holds a number too large for sums: divide all by the same number")
    return own
