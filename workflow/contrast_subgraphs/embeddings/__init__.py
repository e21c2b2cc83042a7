"""The four baselines of Table 2, one module per method.

Each is a scikit-learn estimator over a stack of graphs that never sees a label. None is
imported before it is used, so that a workflow can list parameter sets quickly.
"""

import importlib
import json

import numpy as np

from ..core.errors import InputError
from .parameters import (
    ESTIMATORS,
    PARAMETERS,
    STOPS,
    check_parameters,
    estimate_memory,
    parameter_sets,
    reseeded_names,
    slug,
    snapshot_source,
    training,
)

__all__ = [
    "PARAMETERS",
    "check_parameters",
    "embed",
    "estimate_memory",
    "from_snapshot",
    "parameter_sets",
    "reseeded_names",
    "slug",
    "snapshot_source",
]


def embed(method, parameters, graphs, *, subjects=None, snapshots=(), random_state=0, verbose=0):
    """Embed the graphs of a cohort with one method and one parameter set.

    Labels, if there are any, are not looked at. `subjects`: names; those of `graphs`, or numbers,
    by default; `snapshots`: see `snapshot_source`. Returns what is saved: ``subject``,
    ``parameters`` (JSON), ``features`` (n_graphs, d), or for wl-kern ``gram``, their products, and
    ``snapshot_<value>`` for each of `snapshots`.
    """
    parameters = check_parameters(method, parameters)
    snapshots = tuple(sorted(set(snapshots)))
    if snapshots and method not in STOPS:
        raise InputError(f"{method} has no snapshots: its parameter sets share no training")
    if hasattr(graphs, "adjacency"):
        subjects = graphs.subject if subjects is None else subjects
        graphs = graphs.adjacency
    if subjects is None:
        subjects = [str(i) for i in range(len(graphs))]
    subjects = np.asarray(subjects, dtype=str)
    if subjects.shape != (len(graphs),):
        raise InputError(f"there are {len(graphs)} graphs, but {subjects.size} subjects")
    arrays = {"subject": subjects, "parameters": np.array(json.dumps(parameters))}
    if method == "wl-kern":
        return arrays | {"gram": _estimator(method)(**parameters).gram(graphs)}
    options = {"snapshots": snapshots} if snapshots else {}
    options |= {"random_state": random_state, "verbose": verbose}
    estimator = _estimator(method)(**parameters, **options)
    arrays["features"] = estimator.fit_transform(graphs)
    for stop in snapshots:
        arrays[f"snapshot_{stop}"] = estimator.snapshots_[stop]
    return arrays


def _estimator(method):
    module, _, name = ESTIMATORS[method].partition(":")
    return getattr(importlib.import_module(f".{module}", __name__), name)


def from_snapshot(method, parameters, arrays):
    """Return what `embed` gives for `parameters`, from the arrays of `snapshot_source`."""
    parameters = check_parameters(method, parameters)
    name = f"snapshot_{parameters[STOPS[method]]}"
    source = json.loads(str(arrays["parameters"]))
    if training(method, source) != training(method, parameters) or name not in arrays:
        raise InputError(f"{slug(source)} holds no snapshot for {slug(parameters)}")
    return {
        "subject": arrays["subject"],
        "parameters": np.array(json.dumps(parameters)),
        "features": arrays[name],
    }
