"""From a subject's matrix of weights to its graph: which pairs are edges, and their weights."""

import numpy as np

from ..core.atomic_files import in_single
from ..core.errors import InputError
from ..core.pairs import upper_triangle

#: Ways to say which pairs are edges, each with one number.
KINDS = ("percentile", "density", "value")
#: The paper's threshold (Section 5.1).
PAPER = {"percentile": 80}


def threshold_graph(
    matrix, threshold=PAPER, weights="binary", sign="positive", values=None, zeros=True
):
    """Return the graph of the strongest pairs of a matrix.

    `threshold`: one of ``percentile`` (of all pairs of this subject, by linear interpolation; a
    pair that reaches it is an edge), ``density`` (this share of the pairs, the strongest, and pairs
    tied with the last of them) and ``value``; None: every pair is an edge. `weights`: edges are
    ones (uint8), or keep their weight (float32 if that changes none). `sign`: with ``positive`` a
    weighted graph keeps weights above zero, with ``absolute`` their sizes, and with ``signed`` all
    weights as they are. `values`: weights of the edges, if they are not those of `matrix` (such as
    Fisher's z). `zeros`: whether a pair of weight zero can be an edge.
    """
    matrix = np.asarray(matrix, dtype=float)
    upper = upper_triangle(len(matrix))
    if sign == "absolute":
        strength = np.abs(matrix[upper])
    else:
        strength = matrix[upper]
    edges = _edges(strength, threshold)
    if not zeros:
        edges &= strength != 0
    if weights == "binary":
        graph = np.zeros(matrix.shape, dtype=np.uint8)
        graph[upper] = edges
        return graph | graph.T
    if values is None:
        kept = matrix[upper]
    else:
        kept = np.asarray(values, dtype=float)[upper]
    if sign != "signed":
        if sign == "absolute":
            kept = np.abs(kept)
        else:
            kept = np.maximum(kept, 0)
    graph = np.zeros(matrix.shape)
    graph[upper] = np.where(edges, kept, 0)
    return in_single(graph + graph.T)


def transformed(matrix, how=None):
    """Return counts as ``log1p``, or as a ``share`` of the person's total; None leaves them."""
    if how is None:
        return matrix
    weights = np.where(np.eye(len(matrix), dtype=bool), 0, np.asarray(matrix, dtype=float))
    if weights.min() < 0:
        raise InputError(f"graph.transform: {how} is for counts, and a weight is {weights.min():g}")
    if how == "log1p":
        return np.log1p(weights)
    return weights / (weights.sum() / 2 or 1.0)


def _edges(strength, threshold):
    if threshold is None:
        return np.ones(len(strength), dtype=bool)
    if len(threshold) != 1 or set(threshold) - set(KINDS):
        raise InputError(f"a threshold is one of {', '.join(KINDS)}, not {dict(threshold)}")
    ((kind, number),) = threshold.items()
    if kind == "percentile":
        return strength >= np.percentile(strength, number)
    if kind == "density":
        # At least one pair, and all that tie with the last one: the order of regions must not
        # choose.
        count = max(1, round(number * len(strength)))
        return strength >= np.partition(strength, -count)[-count]
    return strength >= number


def expected_density(threshold):
    """Return the share of pairs that a threshold asks for; None if it does not say one."""
    if not threshold or "value" in threshold:
        return None
    if "density" in threshold:
        return threshold["density"]
    return (100 - threshold["percentile"]) / 100
