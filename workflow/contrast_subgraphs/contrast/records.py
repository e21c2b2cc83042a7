"""Contrast subgraphs of a whole cohort, and how they are written to files."""

import numpy as np
import pandas as pd

from ..core.errors import InputError
from ..core.files import WAY_OUT, load_json
from .difference import difference_graph, summary_graph
from .solution import to_record
from .solve import sweep

#: What there must be of each subgraph in a file.
_ENTRY = set("percentile alpha objective upper_bound gap optimal nodes regions".split())


def cohort_difference(graphs, contrast):
    """Return the difference graph of a cohort's two groups.

    Parameters
    ----------
    graphs : CohortGraphs
    contrast : {"td-asd", "asd-td", "symmetric"}

    Returns
    -------
    numpy.ndarray of shape (n_rois, n_rois)
    """
    td = summary_graph(graphs.adjacency[graphs.y == 0])
    asd = summary_graph(graphs.adjacency[graphs.y == 1])
    return difference_graph(td, asd, contrast)


def sweep_cohort(graphs, contrast, seed, config):
    """Find the contrast subgraphs of a cohort for every alpha of the config.

    Parameters
    ----------
    graphs : CohortGraphs
    contrast : {"td-asd", "asd-td", "symmetric"}
    seed : int
    config : dict
        The section ``contrast`` of the config.

    Returns
    -------
    list of Solution
        One for each percentile, then one for each plain alpha.
    """
    return sweep(cohort_difference(graphs, contrast), seed=seed, **config)


def cohort_record(solutions, cohort, contrast, roi):
    """Return what ``contrast/<cohort>/<contrast>.json`` holds.

    Parameters
    ----------
    solutions : list of Solution
    cohort, contrast : str
    roi : sequence of str
        Names of the regions.

    Returns
    -------
    dict
    """
    return {
        "cohort": cohort,
        "contrast": contrast,
        "solver": solutions[0].solver,
        "subgraphs": [to_record(solution, roi) for solution in solutions],
    }


def seconds_table(solutions):
    """Return the CPU time of each solution (kept apart: times differ from run to run).

    Parameters
    ----------
    solutions : list of Solution

    Returns
    -------
    pandas.DataFrame
        ``percentile``, ``alpha``, ``solver``, ``seconds``.
    """
    rows = [(s.percentile, s.alpha, s.solver, s.seconds) for s in solutions]
    return pd.DataFrame(rows, columns=["percentile", "alpha", "solver", "seconds"])


def load_subgraphs(path):
    """Read what `cohort_record` gave from its file.

    Parameters
    ----------
    path : str or pathlib.Path

    Returns
    -------
    dict
        As in the file.

    Raises
    ------
    InputError
        If the file is missing, damaged, or not such a record.
    """
    record = load_json(path)
    entries = record.get("subgraphs") if isinstance(record, dict) else None
    if not isinstance(entries, list):
        raise InputError(f"{path} holds no contrast subgraphs: {WAY_OUT}")
    for entry in entries:
        if not isinstance(entry, dict) or not _ENTRY <= set(entry):
            raise InputError(f"{path} is damaged (a contrast subgraph lacks a part): {WAY_OUT}")
    return record


def nodes_at(record, percentile):
    """Return the vertices of the subgraph at a percentile.

    Parameters
    ----------
    record : dict
        From `load_subgraphs`.
    percentile : float

    Returns
    -------
    numpy.ndarray of int

    Raises
    ------
    InputError
        If the record has no such percentile.
    """
    for subgraph in record["subgraphs"]:
        if subgraph["percentile"] == percentile:
            return np.array(subgraph["nodes"], dtype=int)
    known = ", ".join(str(s["percentile"]) for s in record["subgraphs"])
    raise InputError(
        f"{record['cohort']} {record['contrast']} has no subgraph at the percentile "
        f"{percentile}; there are {known}"
    )
