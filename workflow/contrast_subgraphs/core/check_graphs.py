"""Graphs as they are given: checked, in one order of regions, each pair once."""

import numpy as np
import pandas as pd

from .columns import missing_entries
from .errors import InputError
from .labels import check_labelled, labels_of_regions
from .pairs import n_vertices_of, upper_triangle

#: Both numbers of a pair may differ by no more than this share of the larger one, or of
#: the median weight if that is larger; in single precision by the second share.
SYMMETRIC = 1e-8
SYMMETRIC_SINGLE = 1e-6
#: How many graphs are checked at a time.
AT_ONCE = 256


def check_labels(y, n_graphs):
    """Return the labels of some graphs as an array, (n_graphs,), none of them missing."""
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise InputError(f"y must hold one label for each graph ({error})") from error
    if labels.shape != (n_graphs,):
        raise InputError(f"y must hold one label for each of {n_graphs} graphs, not {labels.shape}")
    if missing_entries(y).any():
        raise InputError("y holds NaN or None: each graph needs a label")
    return labels


def condensed_graphs(graphs):
    """Return the weights of all pairs of vertices, (n_graphs, n_pairs), and how many vertices.

    `graphs` as for `check_graphs`, or such rows, which are not copied; either may be memory-mapped.
    Whole numbers get the smallest type that holds them.
    """
    if isinstance(graphs, np.ndarray) and graphs.ndim == 2 and not np.ma.isMaskedArray(graphs):
        edges = np.asarray(graphs)
        n = n_vertices_of(graphs.shape[1])
        # A single symmetric matrix could pass for rows of pairs, one row a graph. It is refused:
        # no one who gives it means that.
        square = edges.shape == edges.shape[::-1] and np.array_equal(edges, edges.T)
        if n * (n - 1) // 2 != edges.shape[1] or square:
            raise InputError(
                "graphs must have the shape (n_graphs, n_vertices, n_vertices) or (n_graphs, "
                f"n_pairs), not {edges.shape}"
            )
        edges = _numbers(edges)
        for start in range(0, len(edges), AT_ONCE):
            if not np.isfinite(edges[start : start + AT_ONCE]).all():
                last = start + AT_ONCE - 1
                raise InputError(f"the graphs {start} to {last} hold a number that is not finite")
    else:
        if not isinstance(graphs, np.ndarray) or graphs.ndim != 3:
            graphs = check_graphs(graphs)
        n = graphs.shape[1]
        for start in range(0, max(1, len(graphs)), AT_ONCE):
            part = check_graphs(graphs[start : start + AT_ONCE], first=start)
            if start == 0:
                edges = np.empty((len(graphs), n * (n - 1) // 2), part.dtype)
            edges[start : start + AT_ONCE] = part[:, *upper_triangle(n)]
    if edges.dtype.kind in "iu" and edges.size:
        ends = np.min_scalar_type(edges.min()), np.min_scalar_type(edges.max())
        # Sums and differences are made later, in floats; here the type only decides how much
        # memory thousands of graphs take.
        edges = edges.astype(np.result_type(*ends), copy=False)
    return edges, n


def check_graphs(graphs, n_vertices=None, first=0, regions=None):
    """Return a stack of graphs as an array, or say what is wrong with it.

    `graphs` (n_graphs, n_vertices, n_vertices), or a list of DataFrames, sparse matrices or
    NetworkX graphs; labels are put in the order of the first. Booleans become uint8, NaN on a
    diagonal 0, one triangle both, and pairs that differ by rounding (`SYMMETRIC`) their mean.
    `n_vertices`: of the graphs that an estimator was fitted on, `regions`: what these called their
    regions (`labels_of_regions`), whose order is taken; `first`: a number for errors.
    """
    if n_vertices is not None:
        given = labels_of_regions(graphs)
        check_labelled(given, regions)
        if given is None:
            regions = None
    if isinstance(graphs, (list, tuple)):
        graphs = _aligned(graphs, regions)
    if np.ma.isMaskedArray(graphs):
        graphs = _unmasked(graphs)
    try:
        graphs = np.asarray(graphs)
    except ValueError as error:
        raise InputError(
            f"graphs must be one array, each graph of the same size ({error})"
        ) from error
    if graphs.ndim != 3 or graphs.shape[1] != graphs.shape[2]:
        raise InputError(
            f"graphs must have the shape (n_graphs, n_vertices, n_vertices), not {graphs.shape}"
        )
    if n_vertices is not None and graphs.shape[1] != n_vertices:
        raise InputError(
            f"these graphs have {graphs.shape[1]} vertices, those of fit had {n_vertices}"
        )
    graphs = _numbers(graphs)
    if graphs.dtype.kind == "f":
        graphs = _without_diagonal_nan(graphs, first)
    # Most stacks are symmetric. Only a graph that is not is copied and looked at.
    apart = np.flatnonzero((graphs != graphs.transpose(0, 2, 1)).any(axis=(1, 2)))
    if apart.size:
        graphs = graphs.copy()
        for k in apart:
            # One empty triangle: the file holds each pair once, so the other triangle is filled.
            if not np.tril(graphs[k], -1).any() or not np.triu(graphs[k], 1).any():
                graphs[k] += graphs[k].T - np.diag(np.diag(graphs[k]))
            graphs[k] = symmetric_up_to_rounding(graphs[k], f"graph {first + k}")
    return graphs


def _numbers(graphs):
    """Return graphs as whole numbers or floats in single or double precision."""
    if graphs.dtype == bool:
        graphs = graphs.astype(np.uint8)
    if graphs.dtype.kind not in "iuf":
        raise InputError(f"graphs must hold numbers, not {graphs.dtype}")
    if graphs.dtype.kind == "f" and graphs.dtype.itemsize not in (4, 8):
        graphs = graphs.astype(np.float64)
    return graphs.astype(graphs.dtype.newbyteorder("="), copy=False)


def _aligned(graphs, regions=None):
    """Return arrays of tables, sparse matrices and NetworkX graphs, all in one order.

    That of `regions`, or of the first.
    """
    found = []
    order = regions
    labelled = False
    for k, graph in enumerate(graphs):
        network = type(graph).__module__.startswith("networkx")
        if isinstance(graph, pd.DataFrame) or network:
            if network:
                own = list(graph.nodes)
                rows = own
            else:
                own = graph.columns.tolist()
                rows = graph.index.tolist()
            if order is None:
                order = own
            differ = set(rows) != set(own) or set(own) != set(order) or (found and not labelled)
            labelled = True
            if len(set(own)) < len(own) or differ:
                raise InputError(
                    f"graph {k} has other labels in its rows than in its columns, other ones than "
                    "graph 0, or one twice: whether the regions are the same is not known"
                )
            if network:
                from networkx import to_numpy_array

                graph = to_numpy_array(graph, nodelist=order)
            else:
                graph = graph.loc[order, order].to_numpy()
        elif order is not None:
            raise InputError(f"graph {k} has no labels of its regions, but graph 0 has")
        elif hasattr(graph, "toarray"):
            graph = graph.toarray()
        if np.ma.isMaskedArray(graph):
            graph = _unmasked(graph)
        found.append(graph)
    return found


def _unmasked(graphs):
    """Put 0 for what is masked on diagonals; refuse it elsewhere."""
    mask = np.ma.getmaskarray(graphs).copy()
    if mask.ndim > 1 and mask.shape[-1] == mask.shape[-2]:
        mask[..., range(mask.shape[-1]), range(mask.shape[-1])] = False
    if mask.any():
        raise InputError("an entry of the graphs is masked: fill it, or leave its region out")
    return graphs.filled(0)


def _without_diagonal_nan(graphs, first):
    """Put 0 for NaN and infinity on diagonals (Fisher z has them); refuse them elsewhere."""
    finite = np.isfinite(graphs)
    if finite.all():
        return graphs
    row = np.arange(graphs.shape[1])
    odd = ~finite[:, row, row]
    finite[:, row, row] = True
    if not finite.all():
        k, i, j = np.argwhere(~finite)[0]
        raise InputError(
            f"graph {first + k} holds a number that is not finite: {graphs[k, i, j]} at row {i}, "
            f"column {j}"
        )
    graphs = graphs.copy()
    graphs[:, row, row] = np.where(odd, 0, graphs[:, row, row])
    return graphs


def share_of_rounding(dtype):
    """Return by which share two numbers of a type may differ by rounding."""
    if dtype.kind == "f" and dtype.itemsize < 8:
        return SYMMETRIC_SINGLE
    return SYMMETRIC


def near(one, other, share):
    """Return which numbers of two arrays are the same up to rounding, NaN and NaN too.

    They may differ by a `share` of the larger of the two, or of the median of all that are not 0:
    numbers near 0 have the rounding errors of those that they come from. Never by a fixed number,
    which would be large for weights of 1e-13.
    """
    one = np.asarray(one, dtype=float)
    other = np.asarray(other, dtype=float)
    size = np.fmax(np.abs(one), np.abs(other))
    known = size[np.isfinite(size) & (size > 0)]
    scale = size
    if len(known):
        scale = np.fmax(size, np.median(known))
    scale[~np.isfinite(scale)] = 0
    with np.errstate(invalid="ignore"):
        close = np.abs(one - other) <= share * scale
    return close | (one == other) | (np.isnan(one) & np.isnan(other))


def symmetric_up_to_rounding(matrix, name, share=None, first=0):
    """Return a matrix with the mean of both numbers of each pair, if they differ by rounding only.

    `share`: see `near`; `name`, `first`: for errors.
    """
    if np.array_equal(matrix, matrix.T):
        return matrix
    if share is None:
        share = share_of_rounding(matrix.dtype)
    same = near(matrix, matrix.T, share)
    if not same.all():
        i, j = np.argwhere(~same)[0]
        row = i + first
        column = j + first
        raise InputError(
            f"{name} is not symmetric: row {row}, column {column} has {matrix[i, j]} "
            f"but row {column}, column {row} has {matrix[j, i]} (differences up to "
            f"{share:g} of a weight are taken for rounding). If both numbers mean the same pair, "
            "give the mean: (w + w.T) / 2"
        )
    return matrix / 2 + matrix.T / 2
