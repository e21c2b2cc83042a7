"""Contrast subgraphs of a whole cohort, and how they are written to files."""

import warnings
from collections.abc import Sequence
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_json, save_json
from ..core.errors import InputError
from ..core.graphs import CohortGraphs
from .alpha import warn_of_alpha
from .difference import directed, mean_graph, signed_difference
from .solution import Alternatives, NearOptimal, Solution, to_record
from .solve import sweep


def cohort_difference(
    graphs: CohortGraphs, contrast: str, edge_statistic: str = "difference"
) -> np.ndarray:
    """Return the difference graph of a cohort's two groups.

    Parameters
    ----------
    graphs : CohortGraphs
    contrast : str
        One of `core.graphs.contrast_names` of the groups.
    edge_statistic : {"difference", "t", "welch"}
        See `difference.signed_difference`.

    Returns
    -------
    numpy.ndarray of shape (n_rois, n_rois)

    Examples
    --------
    >>> graphs, names = np.array([[[0, 1], [1, 0]], [[0, 0], [0, 0]]]), np.array(["V1", "M1"])
    >>> people = CohortGraphs(graphs, np.array([0, 1]), np.array(["s1", "s2"]), names)
    >>> cohort_difference(people, "td-asd")[0, 1]
    np.float64(1.0)
    """
    members = [np.flatnonzero(graphs.y == k) for k in (0, 1)]
    means = [mean_graph(graphs.adjacency, rows) for rows in members]
    signed = signed_difference(graphs.adjacency, members, means, edge_statistic)
    return directed(signed, contrast, graphs.groups)


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

    Warns
    -----
    UserWarning
        If t is at its bound (`design.edge_statistic.t_statistic`) for a pair.
    """
    options = {**config}
    kind = options.pop("edge_statistic", "difference")
    difference = cohort_difference(graphs, contrast, kind)
    if kind != "difference":
        n = np.bincount(graphs.y)
        bound = np.sqrt((n.sum() - 2) * n.prod() / n.sum())
        pairs = np.count_nonzero(np.abs(difference) >= bound * (1 - 1e-12)) // 2
        if pairs:
            warnings.warn(
                f"{graphs.cohort or 'the graphs'}: {pairs} pairs of regions differ between the "
                "groups more than all people within them together: their t is taken to be "
                f"{bound:.3g}, the bound for groups of this size",
                stacklevel=2,
            )
    largest = float(np.abs(difference).max(initial=0.0))
    return sweep_or_empty(difference, largest=largest, seed=seed, **options)


def sweep_or_empty(difference, percentiles=(), alphas=(), largest=np.inf, **options):
    """As `sweep`, but a plain alpha that suits only the other direction gives the empty set.

    Parameters
    ----------
    difference : numpy.ndarray of shape (n_vertices, n_vertices)
    percentiles, alphas : sequence of float
    largest : float
        Largest weight of any direction: an alpha from there on is an error, as in `sweep`.
    **options
        As for `sweep`.

    Returns
    -------
    list of Solution

    Warns
    -----
    UserWarning
        If no pair weighs more than an alpha.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     [found] = sweep_or_empty(np.array([[0, -1.0], [-1.0, 0]]), alphas=[0.5])
    >>> found.nodes.tolist(), found.objective, found.optimal
    ([], 0.0, True)
    """
    top = difference.max(initial=0.0)
    above = [isinstance(one, Real) and max(top, 0) <= one < largest for one in alphas]
    usable = [one for one, empty in zip(alphas, above, strict=True) if not empty]
    solved = iter(sweep(difference, percentiles, usable, **options))
    found = [next(solved) for _ in percentiles]
    nothing = {"nodes": np.zeros(0, dtype=np.int64), "objective": 0.0, "upper_bound": 0.0}
    for alpha, empty in zip(alphas, above, strict=True):
        if not empty:
            found.append(next(solved))
            continue
        warn_of_alpha(difference, alpha, None, stacklevel=4)
        solver = options.get("solver", "exact")
        found.append(Solution(**nothing, optimal=True, alpha=float(alpha), solver=solver))
    return found


def save(found: Solution | Sequence[Solution], path: str | Path) -> None:
    """Write contrast subgraphs to a JSON file that `load` and other programs read.

    Parameters
    ----------
    found : Solution, or sequence of Solution
        With `regions` or without.
    path : str or pathlib.Path

    Examples
    --------
    >>> import tempfile
    >>> from contrast_subgraphs import contrast_subgraph
    >>> path = Path(tempfile.mkdtemp()) / "found.json"
    >>> save(contrast_subgraph([[0, 2], [2, 0]], alpha=0.5, names=["V1", "M1"]), path)
    >>> load(path).regions
    ('V1', 'M1')
    """
    if isinstance(found, Solution):
        save_json(path, _saved(found))
    else:
        save_json(path, {"subgraphs": [_saved(one) for one in found]})


def _saved(one):
    return {"solver": one.solver, **to_record(one), "explained": one.explained}


def load(path: str | Path) -> Solution | list[Solution]:
    """Read what `save` wrote, or a file ``contrast/<cohort>/<contrast>.json`` of the workflow.

    Parameters
    ----------
    path : str or pathlib.Path

    Returns
    -------
    Solution, or list of Solution
        As it was saved, without the times. Vertices without names have their numbers; files of
        the workflow say `explained` only of several sets.

    Raises
    ------
    InputError
        If the file is missing, damaged or edited.

    Examples
    --------
    See `save`: what it writes, ``load(path)`` reads.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "none.json"
    >>> save([], path)
    >>> load(path)
    []
    """
    record = load_json(path)
    if "subgraphs" not in record:
        return _solution(record)
    # A file of the workflow names the solver once.
    solver = {"solver": record.get("solver", "exact")}
    return [_solution(solver | entry) for entry in record["subgraphs"]]


def _solution(entry):
    """Return the solution that a record holds."""
    near, shared = entry["alternatives"], {key: entry[key] for key in ("alpha", "percentile")}
    sets = [] if near is None else near["sets"]
    sets = tuple(NearOptimal(s["objective"], np.array(s["nodes"], int), s["overlap"]) for s in sets)
    further = [one | shared | {"alternatives": None} for one in entry.get("further", ())]
    kept = ("objective", "upper_bound", "optimal", "alpha", "percentile", "solver")
    return Solution(
        nodes=np.array(entry["nodes"], dtype=np.int64),
        regions=tuple(entry["regions"]),
        alternatives=near and Alternatives(near["fraction"], near["complete"], sets),
        further=tuple(map(_solution, further)),
        explained=entry.get("explained", np.nan),
        **{key: entry[key] for key in kept if key in entry},
    )


def cohort_record(solutions, cohort, contrast, roi, edge_statistic="difference"):
    """Return what ``contrast/<cohort>/<contrast>.json`` holds.

    Parameters
    ----------
    solutions : list of Solution
    cohort, contrast : str
    roi : sequence of str
        Names of the regions.
    edge_statistic : {"difference", "t", "welch"}
        What alpha and objective are sums of; the file says so where it is not the difference.

    Returns
    -------
    dict
    """
    return {
        "cohort": cohort,
        "contrast": contrast,
        **({} if edge_statistic == "difference" else {"edge_statistic": edge_statistic}),
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
    """Read what `cohort_record` gave from ``contrast/<cohort>/<contrast>.json``.

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
        If the file is missing, damaged, edited, or of another cohort or contrast.
    """
    path, record = Path(path), load_json(path)
    found, asked = (record.get("cohort"), record.get("contrast")), path.name.split(".")[0]
    if found != (path.parent.name, asked):
        raise InputError(
            f"{path} holds {found[1]} of {found[0]}, not {asked} of {path.parent.name}: {WAY_OUT}"
        )
    return record
