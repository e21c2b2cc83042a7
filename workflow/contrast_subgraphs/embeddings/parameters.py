"""Parameters of the baselines: names, defaults, grids and file names.

This module imports nothing heavy, since a workflow reads it before any job starts.
"""

import itertools
import math
from dataclasses import dataclass

from ..core.checks import check_number, check_option
from ..core.errors import InputError


@dataclass(frozen=True)
class Parameter:
    """The values that a parameter may have; `default` is the authors', `choices` are words."""

    default: int | float | str
    lowest: float = -math.inf
    highest: float = math.inf
    choices: tuple = ()

    def check(self, name, value):
        """Return `value` as int, float or str, or raise InputError that names it."""
        if self.choices:
            return check_option(name, value, self.choices)
        if check_number(value, name, self.lowest, self.highest) != type(self.default)(value):
            raise InputError(f"{name} must be a whole number, not {value!r}")
        return type(self.default)(value)


#: The parameters of each method, in the order in which file names list them.
PARAMETERS = {
    "graph2vec": {
        "embedding_size": Parameter(1024, lowest=1),
        "negatives": Parameter(10, lowest=1),
        "height": Parameter(3, lowest=0),
        "epochs": Parameter(100, lowest=1),
    },
    "sub2vec": {
        "property": Parameter("N", choices=("N", "S")),
        "walk_length": Parameter(100_000, lowest=2),
        "embedding_size": Parameter(128, lowest=1),
        "model": Parameter("DM", choices=("DBON", "DM")),
        "epochs": Parameter(20, lowest=1),
    },
    "wl-kern": {
        "height": Parameter(3, lowest=0),
        "features": Parameter("last", choices=("last", "cumulative")),
    },
    "embs": {
        "epochs": Parameter(15, lowest=1),
        "batch_size": Parameter(128, lowest=1),
        "embedding_size": Parameter(800, lowest=1),
        "noise": Parameter(0.05, lowest=0, highest=1),
    },
}
#: The class of each, in the module of its name.
ESTIMATORS = {"graph2vec": "Graph2Vec", "sub2vec": "Sub2Vec", "wl-kern": "WLKern", "embs": "Embs"}


def check_parameters(method, parameters):
    """Return all parameters of a method, in their order: those given, checked, and defaults."""
    specification = PARAMETERS[check_option("baseline", method, list(PARAMETERS))]
    for name in parameters:
        check_option(f"parameter of {method}", name, list(specification))
    return {
        name: parameter.check(f"{method}: {name}", parameters.get(name, parameter.default))
        for name, parameter in specification.items()
    }


def parameter_sets(method, config, cohort):
    """Return the parameter sets that the config's section of a method asks for."""
    check_option("baseline", method, list(PARAMETERS))
    for key in config:
        check_option(f"key of baselines: {method}", key, ("grid", "best", "full", "seeds"))
    grid = check_option(f"grid of {method}", config.get("grid", "best"), ("best", "full"))
    section = config.get(grid) or {}
    if grid == "best":
        chosen = section.get(cohort)
        if chosen is None:
            chosen = section.get("default")
        if chosen is None:
            raise InputError(
                f"baselines: {method}: best has no entry for the cohort {cohort!r} and no "
                "`default`: add one of them, or set grid: full"
            )
        return [check_parameters(method, chosen)]
    # Names are checked first, so that an error names the key and not a combination.
    check_parameters(method, {name: _listed(values)[0] for name, values in section.items()})
    combinations = itertools.product(*(_listed(values) for values in section.values()))
    sets = [
        check_parameters(method, dict(zip(section, combination, strict=True)))
        for combination in combinations
    ]
    return list({slug(parameters): parameters for parameters in sets}.values())


def reseeded_names(config, sets):
    """Return the names of files of the same embedding from other seeds, each with its number.

    Numbers start at 1. The config's ``seeds`` says how many embeddings there are. With a full grid
    no embedding is repeated.
    """
    if config.get("grid", "best") == "full":
        return {}
    return {f"{slug(sets[0])}_seed-{k}": k for k in range(1, config.get("seeds", 1))}


def _listed(values):
    if isinstance(values, (list, tuple)):
        values = list(values)
    else:
        values = [values]
    if not values:
        raise InputError("baselines: a parameter of the full grid has an empty list of values")
    return values


def slug(parameters):
    """Return the stem of a file name; it has every parameter, so that no two sets share one."""
    return "_".join(f"{name}-{value}" for name, value in parameters.items())


def training(parameters):
    """Return the parameters that determine a training of Embs, all but where it stops."""
    return {name: value for name, value in parameters.items() if name != "epochs"}


def snapshot_source(method, parameters, sets):
    """Return the parameter set whose training goes through that of `parameters`.

    In a full grid, sets of Embs that differ only in ``epochs`` share the longest training. Returns
    the set of that training, or None if this set is to be trained itself, and then the snapshots
    that it keeps for others.
    """
    if method != "embs":
        return None, []
    family = [other for other in sets if training(other) == training(parameters)]
    last = max([parameters, *family], key=lambda other: other["epochs"])
    if last["epochs"] > parameters["epochs"]:
        return last, []
    return None, sorted({other["epochs"] for other in family} - {parameters["epochs"]})
