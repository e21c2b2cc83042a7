"""Contrast subgraphs of a whole cohort, and how they are written to files."""

from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_json
from ..core.errors import InputError
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
    contrast : str
        One of `core.graphs.contrast_names` of the groups.

    Returns
    -------
    numpy.ndarray of shape (n_rois, n_rois)
    """
    summary = [summary_graph(graphs.adjacency[graphs.y == k]) for k in (0, 1)]
    return difference_graph(*summary, contrast, graphs.groups)


def sweep_cohort(graphs, contrast, seed, config):
    """Find the contrast subgraphs of a cohort for every alpha of the config.

    Parameters
    ----------
    graphs : CohortGraphs
    contrast : str
        One of `core.graphs.contrast_names` of the groups.
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


def load_subgraphs(path, cohort=None, contrast=None, roi=None):
    """Read what `cohort_record` gave from its file.

    Parameters
    ----------
    path : str or pathlib.Path
    cohort, contrast : str, optional
        What it must be of. In the workflow's own layout, ``contrast/<cohort>/<contrast>.json``,
        by default what the path says.
    roi : sequence of str, optional
        Names of all regions, with which those in the file must agree.

    Returns
    -------
    dict
        As in the file.

    Raises
    ------
    InputError
        If the file is missing, damaged, of another cohort or contrast, or holds what
        cannot be.
    """
    path = Path(path)
    record = load_json(path)
    entries = record.get("subgraphs") if isinstance(record, dict) else None
    if not isinstance(entries, list):
        raise InputError(f"{path} holds no contrast subgraphs: {WAY_OUT}")
    asked = {"cohort": cohort, "contrast": contrast}
    if path.parent.parent.name == "contrast":
        asked = {
            "cohort": cohort or path.parent.name,
            "contrast": contrast or path.name.split(".")[0],
        }
    for what, name in asked.items():
        if name is not None and record.get(what) != name:
            raise InputError(f"{path} holds the {what} {record.get(what)}, not {name}: {WAY_OUT}")
    for entry in entries:
        if not isinstance(entry, dict) or not _ENTRY <= set(entry):
            raise InputError(f"{path} is damaged (a contrast subgraph lacks a part): {WAY_OUT}")
        why = _impossible(entry, None if roi is None else list(roi))
        if why:
            raise InputError(f"{path} is damaged ({why}): {WAY_OUT}")
    return record


def _impossible(entry, roi):
    """What cannot be in the record of one contrast subgraph, or None."""
    numbers = [entry[key] for key in ("alpha", "objective", "upper_bound", "gap")]
    if not all(isinstance(value, (int, float)) and np.isfinite(value) for value in numbers):
        return "alpha, objective, upper_bound and gap must be numbers"
    if entry["percentile"] is not None and not 0 <= entry["percentile"] <= 100:
        return f"a percentile of {entry['percentile']}"
    if not 0 <= entry["objective"] <= entry["upper_bound"] or not 0 <= entry["gap"] <= 1:
        return "an objective above its upper bound"
    if entry["optimal"] not in (True, False) or entry["optimal"] != (entry["gap"] == 0):
        return "optimal and gap contradict each other"
    nodes, regions = entry["nodes"], entry["regions"]
    whole = isinstance(nodes, list) and all(type(node) is int for node in nodes)
    if not whole or nodes != sorted(set(nodes)) or any(node < 0 for node in nodes):
        return "nodes that are no set"
    if not isinstance(regions, list) or len(regions) != len(nodes):
        return "not one region for each node"
    if roi is not None and (
        any(node >= len(roi) for node in nodes) or regions != [roi[node] for node in nodes]
    ):
        return "regions that are not those of the graphs"
    return None
