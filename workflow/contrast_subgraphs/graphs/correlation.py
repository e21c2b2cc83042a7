"""From a subject's time series to its graph."""

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..core.checks import check_option, in_words
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.graphs import SubjectGraphs
from ..core.labels import columns_in_order, labels_of_regions
from ..core.pairs import upper_triangle
from ..data.atlases import region_names
from ..data.series import constant_rois
from .threshold import PAPER, expected_density, threshold_graph, transformed

#: Measures of the connection of two regions, with nilearn's names for them.
MEASURES = {
    "correlation": "correlation",
    "partial": "partial correlation",
    "covariance": "covariance",
    "precision": "precision",
}
#: Larger |r| count as this one in Fisher's z, which would be infinite at 1.
_HIGHEST = 1 - 1e-7
#: Why a person has no graph: a region without signal, or no file.
_CONSTANT = "constant series"
_NO_IMAGES = "no file in the release"
#: A density that differs by more than this from the wanted one gives a warning.
_TIES = 0.02


def connectivity(series, measure="correlation"):
    """Return how strongly the regions' series are connected, (n_rois, n_rois).

    Pearson's correlation (the paper's), or a kind of nilearn's ``ConnectivityMeasure``.
    """
    series = np.asarray(series, dtype=float)
    if series.ndim != 2 or len(series) < 3 or series.shape[1] < 2:
        raise InputError(
            f"series must have the shape (n_volumes >= 3, n_rois >= 2), not {series.shape}"
        )
    if not np.isfinite(series).all():
        raise InputError("a series holds a number that is not finite")
    constant = constant_rois(series)
    if len(constant):
        raise InputError(f"the series of region {constant[0]} (from 0) is constant")
    if measure == "correlation":
        return np.corrcoef(series, rowvar=False)
    check_option("graph.measure", measure, list(MEASURES))
    from nilearn.connectome import ConnectivityMeasure

    # nilearn standardizes by default; a covariance must keep its units.
    kind = ConnectivityMeasure(kind=MEASURES[measure], standardize=False)
    matrix = kind.fit_transform([series])[0]
    return (matrix + matrix.T) / 2


def fisher_z(correlations):
    """Return the inverse hyperbolic tangent of correlations, finite everywhere."""
    return np.arctanh(np.clip(correlations, -_HIGHEST, _HIGHEST))


def edge_weights(values, measure):
    """Return the weights of edges, in single precision; correlations become Fisher's z."""
    if measure in ("correlation", "partial"):
        values = fisher_z(values)
    return np.float32(values)


def series_graph(
    series, measure="correlation", decimals=3, threshold=PAPER, weights="binary", sign="positive"
):
    """Return the graph of one subject's series (see `connectivity`, `threshold_graph`).

    The measure is rounded to `decimals` before the threshold. Weights of correlations are Fisher's
    z, not rounded, in single precision.
    """
    matrix = connectivity(series, measure)
    values = edge_weights(matrix, measure)
    # The paper's threshold is on correlations rounded to three decimals, so that pairs tie there.
    if decimals is not None:
        matrix = np.round(matrix, decimals)
    return threshold_graph(matrix, threshold, weights, sign, values)


def correlation_graphs(
    series: Iterable[ArrayLike], percentile: float = 80, decimals: int | None = 3
) -> np.ndarray:
    """Return the graphs of several subjects, for example of your own data.

    Parameters
    ----------
    series : iterable of array_like of shape (n_volumes, n_rois)
        The number of volumes may differ.
    percentile : float
        In [0, 100): an edge for every pair whose correlation reaches it among all pairs of the
        subject.
    decimals : int or None
        Correlations are first rounded to this many decimals; None: not rounded.

    Returns
    -------
    numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        uint8.

    Raises
    ------
    InputError
        If a subject's series have no graph; the message names the subject's index.

    See Also
    --------
    read_series : Reads the series from files.

    References
    ----------
    Lanciano, Bonchi, Gionis: Explainable Classification of Brain Networks via Contrast Subgraphs.
    KDD 2020. https://doi.org/10.1145/3394486.3403383

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> correlation_graphs([rng.standard_normal((n, 10)) for n in (50, 60)]).shape
    (2, 10, 10)
    """
    graphs = []
    regions = None
    for index, one in enumerate(series):
        if index == 0:
            regions = labels_of_regions(one)
        try:
            one = columns_in_order(one, regions, "this table of series")
            graphs.append(
                series_graph(one, decimals=decimals, threshold={"percentile": percentile})
            )
        except InputError as error:
            raise InputError(f"subject {index}: {error}") from error
    return np.stack(graphs)


def site_graphs(data, table, transform=None, **graph):
    """Return the graphs of a site's subjects, and their table with the outcome for each.

    `data`: their series, or matrices of weights, which are not rounded and where 0 is not an edge;
    `table`: ``subject``, ``status``, ``reason``, ``volumes`` (`data.abide.fetch_site`). The result
    also has ``edges`` and ``density``, and the status ``used``, ``excluded`` or ``missing``.
    """
    fetched = table["subject"][table["status"] == "fetched"]
    if sorted(fetched) != sorted(data.subject.tolist()):
        raise InputError(
            "the table of the subjects does not fit their series: one of the two files was "
            "changed. Delete both and run the same command again"
        )
    names = region_names(data.roi_code)
    matrices = isinstance(data, SubjectGraphs)
    of_matrix = {k: v for k, v in graph.items() if k in ("threshold", "weights", "sign")}
    subjects = []
    graphs = []
    reasons = {}
    negative = []
    upper = upper_triangle(len(names))
    for subject, values in data:
        constant = []
        if not matrices:
            constant = constant_rois(values)
        # A correlation with a constant is undefined, and a region without edges would look like a
        # finding.
        if len(constant):
            reasons[subject] = f"{_CONSTANT}: {', '.join(names[constant])}"
            continue
        subjects.append(subject)
        if not matrices:
            one = series_graph(values, **graph)
            negative.append((one == 0).sum() - len(names))
        else:
            negative.append((values < 0).sum())
            try:
                one = threshold_graph(transformed(values, transform), **of_matrix, zeros=False)
            except InputError as error:
                raise InputError(f"{subject}: {error}") from error
        graphs.append(one[upper])
    if graphs:
        weights = np.array(graphs)
    else:
        weights = np.empty((0, len(upper[0])), dtype=np.uint8)
    result = SubjectGraphs(weights, np.array(subjects, dtype=str), names)
    share = np.mean(negative or 0) / max(1, len(names) * (len(names) - 1))
    left = graph.get("sign", "positive") == "positive"
    if graph.get("threshold", PAPER) is None and left and share > 0:
        warnings.warn(
            f"{share:.2%} of the pairs have a negative weight, which graph.sign: positive leaves "
            "out (signed keeps it, absolute takes its size)",
            stacklevel=2,
        )
    return result, _complete_table(table, result, reasons, graph.get("threshold", PAPER))


def warn_of_left_out(excluded, count, own=False):
    """Warn how many of `count` people have no graph, and why.

    `excluded`: ``reason`` of each (`cohorts.exclusions`); people without images are not counted.
    `own`: whether the data are one's own: then regions can be left out instead of people.
    """
    reasons = excluded["reason"].astype(str)
    reasons = reasons[reasons != _NO_IMAGES]
    kinds = reasons.str.split(":").str[0].value_counts()
    if kinds.empty:
        return
    parts = {kind: kind for kind in kinds.index}
    constant = reasons[reasons.str.startswith(f"{_CONSTANT}: ")]
    if len(constant):
        lists = constant.str.removeprefix(f"{_CONSTANT}: ").str.split(", ")
        regions = sorted(set().union(*lists))
        note = in_words(regions)
        if own:
            note = f"regions: drop would drop {in_words(regions, most=3)} instead"
        parts[_CONSTANT] = f"a region without signal ({note})"
    said = [f"{kinds[kind]} for {part}" for kind, part in parts.items()]
    if len(parts) == 1:
        why = next(iter(parts.values()))
    else:
        why = in_words(said)
    text = f"{len(reasons)} of {count} {PEOPLE} are left out: {why}"
    warnings.warn(DataWarning(text), stacklevel=2)


def _complete_table(table, graphs, reasons, threshold):
    """Return the table of a site's subjects with each outcome; warn of a strange density."""
    table = table[["subject", "status", "reason", "volumes"]].copy()
    table["status"] = table["status"].replace("fetched", "used")
    table["reason"] = table["reason"].astype(object)
    excluded = table["subject"].isin(reasons)
    table.loc[excluded, "status"] = "excluded"
    table.loc[excluded, "reason"] = table.loc[excluded, "subject"].map(reasons)
    # Not by a merge: for a site without subjects the columns have no type.
    density = graphs.density().set_index("subject")
    for column, kind in (("edges", "Int64"), ("density", float)):
        values = table["subject"].map(density[column].to_dict())
        table[column] = values.astype(float).astype(kind)
    expected = expected_density(threshold)
    p = len(graphs.roi)
    if expected is not None:
        distance = (table["density"] - expected).abs()
        far = table[distance > max(_TIES, 2 / max(1, p * (p - 1) / 2))]
        if len(far):
            worst = far.loc[distance[far.index].idxmax()]
            text = (
                f"the graphs of {len(far)} of {len(table)} {PEOPLE} do not have the density "
                f"{expected:g} that the threshold asks for, because many pairs are tied there: "
                f"{worst['subject']} has {worst['density']:.3f}"
            )
            warnings.warn(DataWarning(text), stacklevel=3)
    return table
