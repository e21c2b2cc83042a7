"""From a subject's time series to its graph."""

import numpy as np

from ..core.errors import InputError
from ..core.graphs import SubjectGraphs
from ..data.atlases import region_names


def constant_rois(series):
    """Return the columns whose series never changes (regions without data).

    Correlations cannot tell: of a constant series numpy makes NaN, or 1e-17 by rounding.

    Parameters
    ----------
    series : numpy.ndarray of shape (n_volumes, n_rois)

    Returns
    -------
    numpy.ndarray of int
    """
    return np.flatnonzero(np.ptp(series, axis=0) == 0)


def correlation_graph(series, percentile=80, decimals=3):
    """Return the graph of the strongest correlations between the regions' series.

    Pearson correlations over the full length, rounded to `decimals`; an edge for every
    pair whose rounded correlation is at least the `percentile` (linear interpolation) of
    all pairs of this subject. Section 5.1 of the paper, with the rules it leaves out.

    Parameters
    ----------
    series : array_like of shape (n_volumes, n_rois)
    percentile : float
        In [0, 100).
    decimals : int or None
        None: not rounded.

    Returns
    -------
    numpy.ndarray of shape (n_rois, n_rois)
        uint8, symmetric, zero diagonal.

    Raises
    ------
    InputError
        If a region is constant or a number is not finite, so that there is no correlation.
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
    correlation = np.corrcoef(series, rowvar=False)
    if decimals is not None:
        correlation = np.round(correlation, decimals)
    upper = np.triu_indices(len(correlation), 1)
    values = correlation[upper]
    edges = values >= np.percentile(values, percentile)
    graph = np.zeros(correlation.shape, dtype=np.uint8)
    graph[upper] = edges
    return graph | graph.T


def correlation_graphs(series, percentile=80, decimals=3):
    """Return the graphs of several subjects, for example of one's own data.

    Parameters
    ----------
    series : iterable of array_like of shape (n_volumes, n_rois)
        The number of volumes may differ.
    percentile, decimals
        See `correlation_graph`.

    Returns
    -------
    numpy.ndarray of shape (n_subjects, n_rois, n_rois)
        uint8.

    Raises
    ------
    InputError
        Naming the subject's index, if its series have no graph.
    """
    graphs = []
    for index, one in enumerate(series):
        try:
            graphs.append(correlation_graph(one, percentile, decimals))
        except InputError as error:
            raise InputError(f"subject {index}: {error}") from error
    return np.stack(graphs)


def site_graphs(site, table, percentile=80, decimals=3):
    """Return the graphs of a site's subjects, and who has none and why.

    Parameters
    ----------
    site : data.series.SiteSeries
    table : pandas.DataFrame
        ``subject``, ``status``, ``reason`` of the site's subjects
        (`data.abide.fetch_site`); those that were not fetched keep their reason.
    percentile, decimals
        See `correlation_graph`.

    Returns
    -------
    graphs : SubjectGraphs
    table : pandas.DataFrame
        ``subject``, ``status`` (``used``, ``excluded`` or ``missing``), ``reason``,
        ``volumes``, ``edges``, ``density``; one row a subject.
    """
    names = region_names(site.roi_code)
    subjects, graphs, reasons = [], [], {}
    for subject, series in site:
        constant = constant_rois(series)
        if len(constant):
            reasons[subject] = f"constant series: {', '.join(names[constant])}"
            continue
        subjects.append(subject)
        graphs.append(correlation_graph(series, percentile, decimals))
    empty = np.empty((0, len(names), len(names)), dtype=np.uint8)
    adjacency = np.concatenate([empty, np.array(graphs)]) if graphs else empty
    result = SubjectGraphs(adjacency, np.array(subjects, dtype=str), names)

    table = table[["subject", "status", "reason", "volumes"]].copy()
    table["status"] = table["status"].replace("fetched", "used")
    table["reason"] = table["reason"].astype(object)
    excluded = table["subject"].isin(reasons)
    table.loc[excluded, "status"] = "excluded"
    table.loc[excluded, "reason"] = table.loc[excluded, "subject"].map(reasons)
    # Not a merge: a site without subjects has columns of no type.
    density = result.density().set_index("subject")
    for column, kind in (("edges", "Int64"), ("density", float)):
        values = table["subject"].map(density[column].to_dict())
        table[column] = values.astype(float).astype(kind)
    return result, table
