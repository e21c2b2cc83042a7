"""Which columns of an edge list are the ends and which is the weight, by its header."""

import itertools
import re
from typing import NamedTuple

#: What the two ends are called: these words, alone or with one of `_STEMS` before or after.
_ENDS = (
    *(("from", "to"), ("source", "target"), ("src", "dst"), ("src", "trg"), ("seed", "target")),
    *(("1", "2"), ("a", "b"), ("i", "j"), ("x", "y"), ("u", "v"), ("row", "col")),
    *(("row", "column"), ("start", "end"), ("first", "second"), ("sender", "receiver")),
    *(("left", "right"), ("tail", "head"), ("in", "out"), ("start", "stop")),
)
_STEMS = (
    *("", "n", "v", "x", "var", "node", "nodes", "roi", "rois", "region", "regions", "vertex"),
    *("label", "labels", "name", "names", "parcel", "area", "id", "idx", "index", "channel"),
    *("electrode", "variable", "point", "end", "brainregion", "nodename", "nodeid", "nodelabel"),
    *("roiname", "roiid", "roilabel", "regionname", "regionid", "regionlabel"),
)
_PAIRS = frozenset(
    pair
    for first, second in _ENDS
    for stem in _STEMS
    for pair in ((stem + first, stem + second), (first + stem, second + stem))
)
#: What the weight is called.
_WEIGHTS = frozenset(
    (
        *("weight", "weights", "w", "value", "values", "val", "strength", "edgeweight", "edge"),
        *("r", "z", "rho", "corr", "cor", "correlation", "correlations", "pearson", "pearsonr"),
        *("fisherz", "partial", "connectivity", "connection", "conn", "coupling", "similarity"),
        *("fc", "sc", "count", "counts", "streamline", "streamlines", "nstreamlines", "nos"),
        *("streamlinecount", "ncount", "score", "coef", "coefficient", "coherence", "plv", "fa"),
    )
)
#: Names of a column that only numbers the lines.
_NUMBERS = ("", "index", "unnamed0", "rownames", "line", "number", "no")


class EdgeColumns(NamedTuple):
    """Places of the columns, from 0."""

    ends: tuple[int, int]
    weight: int


def edge_columns(header):
    """Return the `EdgeColumns` that a header names; None if it names neither ends nor a weight.

    If it names some of them but leaves a doubt about the others, a sentence says so.
    """
    names = [re.sub(r"[\W_]+", "", name).lower() for name in header]
    places = [k for k, name in enumerate(names) if name not in _NUMBERS]
    pairs = [
        (one, other)
        for one, other in itertools.permutations(range(len(names)), 2)
        if (names[one], names[other]) in _PAIRS
    ]
    weights = [k for k in places if names[k] in _WEIGHTS]
    if len(pairs) > 1:
        shown = " or ".join(f"{header[one]} and {header[other]}" for one, other in pairs)
        return f"the ends of its edges may be {shown}: keep two of these columns"
    if pairs:
        (ends,) = pairs
        others = [k for k in places if k not in ends]
        weights = [k for k in weights if k not in ends]
        if len(others) == 1 or len(weights) == 1:
            return EdgeColumns(ends, (weights or others)[0])
        shown = ", ".join(header[k] for k in weights or others) or "(none)"
        return f"the weight of its edges may be any of the columns {shown}: call one of them weight"
    others = [k for k in places if k not in weights]
    if len(weights) == 1 and len(others) == 2:
        return EdgeColumns((others[0], others[1]), weights[0])
    return None


def usual_columns(columns):
    """Return the `EdgeColumns` of three columns without a header that says them, or a sentence.

    `columns`: the fields of each. One column of numbers next to two of texts is the weight. Of
    three columns of numbers it is the last, as in all programs, unless another choice would give
    fewer vertices.
    """
    usual = EdgeColumns((0, 1), 2)
    others = (EdgeColumns((1, 2), 0), EdgeColumns((0, 2), 1))
    numeric = [all(map(_is_number, column)) for column in columns]
    if numeric.count(True) == 1:
        return next(one for one in (usual, *others) if numeric[one.weight])
    if not all(numeric):
        return "neither its header nor its columns say which of them are the ends of edges"

    def vertices(of):
        return {field for end in of.ends for field in columns[end]}

    def once(of):
        pairs = [frozenset(pair) for pair in zip(*(columns[end] for end in of.ends), strict=True)]
        return len(set(pairs)) == len(pairs)

    for other in others:
        found = vertices(other)
        if all(map(_is_whole, found)) and once(other) and len(found) < len(vertices(usual)):
            return (
                "it may be a list of edges, of which the last column or another one is the weight: "
                "say it by a header (from,to,weight)"
            )
    return usual


def _is_whole(field):
    return bool(re.fullmatch(r"\d+([.,]0*)?", field))


def _is_number(field):
    return bool(
        re.fullmatch(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?|nan|n/?a|-?inf|", field, re.I)
    )
