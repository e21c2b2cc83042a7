"""Stacks of graphs with their names.

Each pair of vertices is kept once, in the order of `numpy.triu_indices`: a graph is a row.
"""

import functools
import mmap
import os
import tempfile
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .atomic_files import ArrayFile, in_single
from .columns import missing_entries
from .errors import InputError
from .labels import check_labelled, labels_of_regions

#: The paper's two groups: `y` is 0 for TD (typically developed), 1 for ASD.
GROUPS = ("td", "asd")
#: Both numbers of a pair may differ by no more than this share of the larger one, or of
#: the median weight if that is larger; in single precision by the second share.
SYMMETRIC, SYMMETRIC_SINGLE = 1e-8, 1e-6
#: Graphs that are checked at a time where there are many.
AT_ONCE = 256
#: Weights that are turned into floats at a time (64 MB).
FLOATS = 1 << 23
#: The share of the machine's memory from which on weights are kept in a temporary file.
SHARE = 0.25


def group_label(name):
    """Return what a group without a label is called: its name, the paper's in capitals."""
    return name.upper() if name in GROUPS else name


@functools.lru_cache(maxsize=2)
def upper_triangle(p):
    """Return `numpy.triu_indices` without the diagonal, kept: they are slow for large matrices."""
    return np.triu_indices(p, 1)


def n_vertices_of(n_pairs):
    """Return how many vertices have so many pairs."""
    return round((1 + (1 + 8 * n_pairs) ** 0.5) / 2)


def places_of_pairs(n_pairs):
    """Return a number of each vertex u: a row holds the pair (u, v), u < v, at that plus v."""
    u = np.arange(n_vertices_of(n_pairs))
    return u * (2 * len(u) - u - 1) // 2 - u - 1


def square_of(weights):
    """Return the symmetric matrices with a zero diagonal that have these upper triangles."""
    p = n_vertices_of(weights.shape[-1])
    matrices, (i, j) = np.zeros((*weights.shape[:-1], p, p), weights.dtype), upper_triangle(p)
    matrices[..., i, j] = matrices[..., j, i] = weights
    return matrices


def blocks_of_pairs(weights):
    """Return the pairs as slices of so few that all people's weights fit in little memory."""
    people, pairs = weights.shape
    step = max(1, FLOATS // max(1, people))
    return [slice(start, start + step) for start in range(0, max(1, pairs), step)]


def stacked_rows(rows, count):
    """Return so many rows of numbers as one array, in single precision if that changes none.

    It is in a temporary file if it takes more than `SHARE` of the memory.
    """
    for k, row in enumerate(map(in_single, rows)):
        if k == 0:
            stack = _room((count, len(row)), row.dtype)
        elif row.dtype.itemsize > stack.dtype.itemsize:
            before, stack = stack, _room(stack.shape, row.dtype)
            stack[:k] = before[:k]
        stack[k] = row
    return stack


def _room(shape, dtype):
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else np.inf
    if np.prod(shape) * dtype.itemsize <= SHARE * pages * mmap.PAGESIZE:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype, "w+", shape=shape)


def let_go(array):
    """Let go what is in memory of an array in a file; it is read again where it is needed."""
    mapped = getattr(array, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


class GraphStack(ArrayFile):
    """What both kinds of graphs share: ``weights``, (n_subjects, n_pairs), or given as matrices."""

    def __post_init__(self):
        if self.weights.ndim == 3:
            object.__setattr__(self, "weights", condensed_graphs(self.weights)[0])

    @property
    def compressed(self):
        """Weights hardly get smaller, and take long."""
        return self.weights.dtype.kind != "f"

    @property
    def adjacency(self):
        """The graphs as matrices, (n_subjects, n_rois, n_rois): floats, or whole numbers."""
        floats = self.weights.dtype.kind == "f"
        return square_of(self.weights.astype(float) if floats else self.weights)


@dataclass(frozen=True)
class SubjectGraphs(GraphStack):
    """Graphs of single subjects on the same regions, before any cohort is made, or matrices."""

    weights: np.ndarray  # (n_subjects, n_pairs): uint8 if 0 or 1
    subject: np.ndarray  # names (``FILE_ID``), each once
    roi: np.ndarray  # names of the regions, in the order of the rows

    @property
    def roi_code(self):
        """Names of the regions, as series have them."""
        return self.roi

    def __len__(self):
        return len(self.subject)

    def __iter__(self):
        """Yield ``(subject, matrix of floats)``."""
        for name, weights in zip(self.subject.tolist(), self.weights, strict=True):
            yield name, square_of(weights.astype(float))

    def density(self):
        """Return the table ``subject``, ``edges``, ``density`` (edges / pairs of regions)."""
        edges = np.count_nonzero(self.weights, axis=1)
        density = edges / self.weights.shape[1]
        return pd.DataFrame({"subject": self.subject, "edges": edges, "density": density})

    @classmethod
    def concatenate(cls, parts):
        """Join the graphs of several files (for example one per site).

        `parts`: parts without subjects are left out.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            raise InputError("no subject has a usable series: there is no graph to work with")
        if any(not np.array_equal(part.roi, parts[0].roi) for part in parts):
            raise InputError("the graphs of the sites are on different regions")
        subject = np.concatenate([part.subject for part in parts])
        names, counts = np.unique(subject, return_counts=True)
        if (counts > 1).any():
            raise InputError(f"subject {names[counts > 1][0]} has more than one graph")
        return cls(np.concatenate([part.weights for part in parts]), subject, parts[0].roi)

    def take(self, subjects):
        """Return the graphs of `subjects`, in their order."""
        rows = {name: row for row, name in enumerate(self.subject.tolist())}
        missing = [name for name in subjects if name not in rows]
        if missing:
            raise InputError(f"no graph for the subject {missing[0]}")
        chosen = [rows[name] for name in subjects]
        return SubjectGraphs(self.weights[chosen], self.subject[chosen], self.roi)


def warn_of_absent_regions(weights, y, groups, regions=None, cohort=""):
    """Warn about regions without any edge in one group alone: perhaps they were not scanned."""
    present = np.zeros((2, weights.shape[1]), dtype=bool)
    for row, label in zip(weights, y, strict=True):
        present[label] |= row != 0
    present = square_of(present).any(axis=1)
    regions = range(present.shape[1]) if regions is None else regions
    for label in (0, 1):
        lost = [str(regions[k]) for k in np.flatnonzero(~present[label] & present[1 - label])]
        if lost:
            many = len(lost) > 1
            warnings.warn(
                f"{f'cohort {cohort}: ' if cohort else ''}{len(lost)} region{'s' * many} "
                f"({', '.join(lost[:3])}{', ...' if len(lost) > 3 else ''}) "
                f"{'have' if many else 'has'} no edge in any graph of the group {groups[label]}, "
                f"but {'have' if many else 'has'} some in the other group: "
                f"{'were they' if many else 'was it'} scanned?",
                stacklevel=3,
            )


def warn_of_strength(weights, y, groups, cohort=""):
    """Warn where one group's graphs weigh more in total: more streamlines, or another scanner.

    `y`: 0 or 1, or a variable; `groups`: what its low and its high values are called. Graphs with
    negative weights have no total of this kind.
    """
    if weights.min(initial=0) < 0 or len(y) < 4:
        return
    total = weights.sum(axis=1, dtype=float)
    if np.ptp(total) <= 1e-9 * total.max():
        return
    r = np.corrcoef(y, total)[0, 1]
    if abs(r) < 0.3:
        return
    from scipy.special import betainc

    if betainc(len(y) / 2 - 1, 0.5, max(0.0, 1 - r**2)) < 0.001:  # the two-sided p of r
        low, high = (total[part].mean() for part in (y <= y.mean(), y > y.mean()))
        more, less = (high, low) if r > 0 else (low, high)
        warnings.warn(
            f"{f'cohort {cohort}: ' if cohort else ''}all pairs together weigh "
            f"{more / less:.2g} times as much in {groups[int(r > 0)]} as in "
            f"{groups[int(r < 0)]}: what is found may be that. In the config, "
            "graph.transform: share divides by it",
            stacklevel=3,
        )


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
        edges, n = np.asarray(graphs), n_vertices_of(graphs.shape[1])
        square = edges.shape == edges.shape[::-1] and np.array_equal(edges, edges.T)
        if n * (n - 1) // 2 != edges.shape[1] or square:
            raise InputError(
                "graphs must have the shape (n_graphs, n_vertices, n_vertices) or (n_graphs, "
                f"n_pairs), not {edges.shape}"
            )
        edges = _numbers(edges)
        for start in range(0, len(edges), AT_ONCE):
            if not np.isfinite(edges[start : start + AT_ONCE]).all():
                raise InputError(f"the graphs {start} to {start + AT_ONCE - 1} hold a number that "
                                 "is not finite")  # fmt: skip
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
        regions = None if given is None else regions
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
    apart = np.flatnonzero((graphs != graphs.transpose(0, 2, 1)).any(axis=(1, 2)))
    if apart.size:
        graphs = graphs.copy()
        for k in apart:
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
    found, order, labelled = [], regions, False
    for k, graph in enumerate(graphs):
        network = type(graph).__module__.startswith("networkx")
        if isinstance(graph, pd.DataFrame) or network:
            own = list(graph.nodes) if network else graph.columns.tolist()
            rows = own if network else graph.index.tolist()
            order = own if order is None else order
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
        found.append(_unmasked(graph) if np.ma.isMaskedArray(graph) else graph)
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
    return SYMMETRIC_SINGLE if dtype.kind == "f" and dtype.itemsize < 8 else SYMMETRIC


def near(one, other, share):
    """Return which numbers of two arrays are the same up to rounding, NaN and NaN too.

    They may differ by a `share` of the larger of the two, or of the median of all that are not 0:
    numbers near 0 have the rounding errors of those that they come from. Never by a fixed number,
    which would be large for weights of 1e-13.
    """
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    size = np.fmax(np.abs(one), np.abs(other))
    known = size[np.isfinite(size) & (size > 0)]
    scale = np.fmax(size, np.median(known) if len(known) else 0.0)
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
    share = share_of_rounding(matrix.dtype) if share is None else share
    same = near(matrix, matrix.T, share)
    if not same.all():
        i, j = np.argwhere(~same)[0]
        row, column = i + first, j + first
        raise InputError(
            f"{name} is not symmetric: row {row}, column {column} has {matrix[i, j]} "
            f"but row {column}, column {row} has {matrix[j, i]} (differences up to "
            f"{share:g} of a weight are taken for rounding). If both numbers mean the same pair, "
            "give the mean: (w + w.T) / 2"
        )
    return matrix / 2 + matrix.T / 2
