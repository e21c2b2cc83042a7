"""The four baselines of Table 2, one module per method.

No method ever sees a label. Each is imported only when it is used, so that a workflow can list
parameter sets quickly. `estimators` holds them as scikit-learn's estimators.
"""

import importlib
import json

import numpy as np

from ..core.errors import InputError
from .parameters import (
    ESTIMATORS,
    PARAMETERS,
    check_parameters,
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
    "from_snapshot",
    "parameter_sets",
    "reseeded_names",
    "slug",
    "snapshot_source",
]


def embed(method, parameters, graphs, *, snapshots=(), random_state=0, verbose=0):
    """Embed the graphs of a cohort, or a stack of graphs, with one method and one parameter set.

    Labels, if there are any, are not used. `snapshots`: see `snapshot_source`. Returns what is
    saved: ``subject``, ``parameters`` (JSON), and ``features`` (n_graphs, d); for wl-kern their
    products ``gram`` in place of features; and ``snapshot_<value>`` for each of `snapshots`.
    """
    parameters = check_parameters(method, parameters)
    stack = getattr(graphs, "adjacency", graphs)
    subjects = getattr(graphs, "subject", np.arange(len(stack))).astype(str)
    arrays = {"subject": subjects, "parameters": np.array(json.dumps(parameters))}
    # Its features are as many as there are labels: the products are smaller, and exact.
    if method == "wl-kern":
        return arrays | {"gram": _estimator(method)(**parameters).gram(stack)}
    options = {}
    if snapshots:
        options = {"snapshots": tuple(snapshots)}
    options |= {"random_state": random_state, "verbose": verbose}
    estimator = _estimator(method)(**parameters, **options)
    arrays["features"] = estimator.fit_transform(stack)
    for stop in snapshots:
        arrays[f"snapshot_{stop}"] = estimator.snapshots_[stop]
    return arrays


def _estimator(method):
    module = importlib.import_module(f".{method.replace('-', '_')}", __name__)
    return getattr(module, ESTIMATORS[method])


def from_snapshot(parameters, arrays):
    """Return what `embed` gives for Embs and `parameters`, from arrays of `snapshot_source`."""
    name = f"snapshot_{parameters['epochs']}"
    source = json.loads(str(arrays["parameters"]))
    # A file of another training would give plausible features of the wrong parameters.
    if training(source) != training(parameters) or name not in arrays:
        raise InputError(f"{slug(source)} holds no snapshot for {slug(parameters)}")
    arrays = {"subject": arrays["subject"], "features": arrays[name]}
    return arrays | {"parameters": np.array(json.dumps(parameters))}
