"""The config: read, completed and checked before any work starts."""

import copy
import difflib
from pathlib import Path

import jsonschema
import yaml

from .core.errors import InputError
from .core.graphs import GROUPS
from .data.columns import COLUMNS
from .data.phenotypes import AGE_YEARS
from .embeddings import parameter_sets
from .graphs.expressions import check_expression

SCHEMA = Path(__file__).parent / "config.schema.yaml"

#: Names that a group cannot have, because tables have a column for each group.
_RESERVED = ("cohort", "description", "contrast", "percentile", "alpha", "symmetric")
#: How the schema's types are called in an error.
_TYPES = {
    "object": "a mapping (key: value)",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def checked(config, schema=SCHEMA):
    """Return a checked copy of the config.

    Parameters
    ----------
    config : dict
        What ``config.yaml`` and the files laid over it say. A cohort or a group that is
        ``null`` is left out (so that a file laid over another can take it away).
    schema : str or pathlib.Path, optional
        The JSON schema.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        For every key that is unknown or missing, every value of the wrong type or out
        of range, and for what a schema cannot say. All of them are in the message.
    """
    config = copy.deepcopy(dict(config))
    for part in ("groups", "cohorts"):
        if isinstance(config.get(part), dict):
            config[part] = {
                name: value for name, value in config[part].items() if value is not None
            }
    with open(schema, encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(yaml.safe_load(file))
    errors = sorted(validator.iter_errors(config), key=lambda error: list(map(str, error.path)))
    complaints = [complaint for error in errors for complaint in _explain(error)]
    if not complaints:
        complaints = list(dict.fromkeys(_beyond_the_schema(config)))
    if complaints:
        raise InputError("the config cannot be used:\n" + "\n".join(f"  {c}" for c in complaints))
    config["groups"] = _groups(config["groups"])
    for name, cohort in config["cohorts"].items():
        cohort.setdefault("label", name)
        cohort.setdefault("description", cohort["where"])
    if config["report"]["cohorts"] == "all":
        config["report"]["cohorts"] = list(config["cohorts"])
    return config


def _groups(groups):
    """Return ``{name: {label, where}}`` for groups given so, or by their expression alone."""
    full = {
        name: {"where": group} if isinstance(group, str) else group
        for name, group in groups.items()
    }
    return {
        name: {"label": name.upper() if len(name) <= 4 else name, **group}
        for name, group in full.items()
    }


def _beyond_the_schema(config):
    contrast, report = config["contrast"], config["report"]
    if not contrast["percentiles"] and not contrast["alphas"]:
        yield "contrast: give at least one alpha, as percentiles or as alphas"
    if contrast["sdp"]["solver"] != "auto":
        from .contrast.relaxation import check_solver

        complaints = _complaint(check_solver, contrast["sdp"]["solver"])
        yield from (f"contrast.sdp.solver: {text}" for text in complaints)
    if {"cs-p1", "cs-p2"} & set(config["methods"]) and not contrast["percentiles"]:
        yield "contrast.percentiles: the methods cs-p1 and cs-p2 choose among them; give one"
    for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
        for name, percentile in report[figure].items():
            if percentile not in contrast["percentiles"]:
                yield (
                    f"report.{figure}.{name}: {percentile} is not among contrast.percentiles "
                    f"({_listed(contrast['percentiles'])}): a figure shows one that is solved, "
                    "so change both"
                )
    if report["cohorts"] != "all":
        for name in report["cohorts"]:
            if name not in config["cohorts"]:
                yield f"report.cohorts: there is no cohort {name!r}{_near(name, config['cohorts'])}"
    groups = _groups(config["groups"])
    if len(groups) != 2:
        yield (
            f"groups: there are {len(groups)} ({_listed(groups)}), and two are compared. "
            "Take one away with `<name>: null`, or run once for each pair"
        )
    if config["source"] == "published" and list(groups) != list(GROUPS):
        yield f"groups: the published graphs are of {' and '.join(GROUPS)}, in this order"
    for name in groups:
        if name in _RESERVED:
            yield f"groups.{name}: tables have a column of this name; choose another"
    expressions = {f"groups.{name}": group["where"] for name, group in groups.items()}
    expressions |= {
        f"cohorts.{n}.where": cohort["where"] for n, cohort in config["cohorts"].items()
    }
    # The columns of the release are known before it is downloaded.
    columns = None if config["source"] == "published" else [*COLUMNS, AGE_YEARS]
    for place, expression in expressions.items():
        yield from (
            f"{place}: {text}" for text in _complaint(check_expression, expression, columns)
        )
    for method in config["methods"]:
        if method in ("graph2vec", "sub2vec", "wl-kern", "embs"):
            if method not in config["baselines"]:
                yield f"baselines: the method {method} has no parameters there"
    for method, baseline in config["baselines"].items():
        for cohort in {*config["cohorts"], *baseline["best"]}:
            yield from _complaint(parameter_sets, method, {**baseline, "grid": "best"}, cohort)
        yield from _complaint(parameter_sets, method, {**baseline, "grid": "full"}, "")


def _complaint(function, *arguments):
    """Yield what an `InputError` of the function says, if it raises one."""
    try:
        function(*arguments)
    except InputError as error:
        yield str(error)


def _explain(error):
    """Yield what is wrong in words, from one of jsonschema's errors."""
    where = ".".join(map(str, error.path)) or "the config"
    keyword, expected = error.validator, error.validator_value
    if keyword == "additionalProperties" and expected is False:
        known = list(error.schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                yield f"{where}: unknown key {key!r}{_near(key, known)}"
    elif keyword == "required":
        for key in expected:
            if key not in error.instance:
                yield f"{where}: the key {key!r} is missing"
    elif keyword == "type":
        types = [expected] if isinstance(expected, str) else expected
        wanted = " or ".join(_TYPES[t] for t in types)
        yield f"{where}: must be {wanted}, not {error.instance!r}"
    elif keyword in ("enum", "const"):
        allowed = expected if keyword == "enum" else [expected]
        yield f"{where}: {error.instance!r} is not one of {_listed(allowed)}"
    elif keyword == "pattern" and "propertyNames" in error.schema_path:
        yield (
            f"{where}: the name {error.instance!r} becomes the name of a file or folder: only "
            f"what matches {expected}"
        )
    elif keyword == "pattern":
        yield f"{where}: {error.instance!r} does not look like {expected}"
    elif keyword in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        words = {
            "minimum": "at least",
            "exclusiveMinimum": "more than",
            "maximum": "at most",
            "exclusiveMaximum": "less than",
        }
        limits = [f"{words[k]} {error.schema[k]}" for k in words if k in error.schema]
        allowed = f" (allowed: {' and '.join(limits)})" if len(limits) > 1 else ""
        yield f"{where}: must be {words[keyword]} {expected}, not {error.instance!r}{allowed}"
    elif keyword in ("minItems", "minProperties", "minLength"):
        yield f"{where}: must not be empty"
    elif keyword == "anyOf":
        yield f"{where}: {error.instance!r} is none of what is allowed there"
    else:
        yield f"{where}: {error.message}"


def _near(name, known):
    near = difflib.get_close_matches(str(name), list(map(str, known)), n=3)
    if near:
        return f" (did you mean {' or '.join(near)}?)"
    return f" (known: {_listed(known)})"


def _listed(items):
    return ", ".join(sorted(map(str, items)) if isinstance(items, set) else map(str, items))
