"""The config: read, completed and checked before any work starts."""

import contextlib
import copy
import difflib
import itertools
import math
import warnings
from pathlib import Path

from ..core.errors import InputError
from ..core.extras import optional
from ..core.graphs import GROUPS, contrast_names
from ..data.phenotypes import AGE_YEARS, COLUMNS
from ..embeddings import parameter_sets
from ..graphs.expressions import check_expression
from ..methods import METHODS, named_methods, of_kind

SCHEMA = Path(__file__).parent / "schema.yaml"

#: Names that a group cannot have, because tables have a column for each group.
_RESERVED = ("cohort", "description", "contrast", "percentile", "alpha", "symmetric")
#: Names that a cohort cannot have, because its graphs lie beside files of these names.
_RESERVED_FOR_COHORTS = ("density", "excluded", "members", "pool", "sites", "subjects")
#: The cohorts of the paper, whose best parameters the shipped config knows.
_OF_THE_PAPER = ("children", "adolescents", "eyesclosed", "male")


def read_config(path):
    """Read one config file, strictly: no key may be given twice in one place.

    Parameters
    ----------
    path : str or pathlib.Path

    Returns
    -------
    dict

    Raises
    ------
    InputError
        With file and line.
    """
    yaml = optional("yaml", "workflow")

    class Strict(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            found = set()
            for key, _ in node.value:
                if key.value in found:
                    line = key.start_mark.line + 1
                    raise InputError(f"{path}, line {line}: the key {key.value!r} is given twice")
                found.add(key.value)
            return super().construct_mapping(node, deep)

    try:
        with open(path, encoding="utf-8") as file:
            config = Strict(file).get_single_data()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(config or {}, dict):
        raise InputError(f"{path} must hold lines like `key: value`")
    return config or {}


def checked(config, schema=SCHEMA):
    """Return a checked copy of the config.

    Parameters
    ----------
    config : dict
        What ``config.yaml`` and the files laid over it say. A cohort or a group that is
        ``null`` is left out (so that a file laid over another can remove it).
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
    contrast = config.get("contrast")
    if isinstance(contrast, dict) and "weights" in contrast:
        warnings.warn("contrast.weights is now contrast.edge_statistic: rename it", stacklevel=2)
        contrast["edge_statistic"] = contrast.pop("weights")
    complaints = list(_no_texts(config))
    cohorts = config.get("cohorts") if isinstance(config.get("cohorts"), dict) else {}
    known = {*_OF_THE_PAPER, *cohorts, "default"}
    for part in ("groups", "cohorts"):
        if isinstance(config.get(part), dict):
            config[part] = {  # `--config` gives null as a text
                name: value for name, value in config[part].items() if value not in (None, "null")
            }
    if isinstance(config.get("methods"), dict):
        config["methods"], own = named_methods(config["methods"])
        if own:
            config["own_methods"] = own
    with open(schema, encoding="utf-8") as file:
        validator = _validator(optional("yaml", "workflow").safe_load(file))
    if not complaints:
        _read_numbers(config, validator)
        errors = sorted(validator.iter_errors(config), key=lambda error: list(map(str, error.path)))
        complaints = [complaint for error in errors for complaint in _explain(error)]
    if not complaints:
        complaints = list(dict.fromkeys(_beyond_the_schema(config, known)))
    if complaints:
        raise InputError("the config cannot be used:\n" + "\n".join(f"  {c}" for c in complaints))
    config["results"] = str(Path(config["results"]).expanduser())
    published = config["sources"]["published"]
    if "://" not in published["archive"]:
        published["archive"] = str(Path(published["archive"]).expanduser())
    config["contrast"].setdefault("edge_statistic", "difference")
    config["inference"]["hold"] = config["inference"].get("hold") or "null"
    config["groups"] = _groups(config["groups"])
    config["graph"] = _graph(config["graph"])
    pairs = _by_pairs(config["cohorts"], config["groups"])
    config["cohorts"] = {name: one for of in pairs.values() for name, one in of.items()}
    shown = config["report"]["cohorts"]
    if shown == "all":
        shown = list(config["cohorts"])
    config["report"]["cohorts"] = [one for name in shown for one in pairs.get(name, [name])]
    for baseline in config["baselines"].values():
        best = baseline["best"]
        best |= {one: best[name] for name in pairs.keys() & best.keys() for one in pairs[name]}
    return config


def _by_pairs(cohorts, groups):
    """Return for each cohort those that it stands for: itself, or one for each pair of groups.

    Two groups are compared, so of more each pair has a cohort of its own, under a name that
    no other cohort has: names of groups have no hyphen.

    Parameters
    ----------
    cohorts : dict
        What the config says. A cohort with ``groups`` (two names) is of this pair alone.
    groups : dict
        Name -> ``{label, where}``.

    Returns
    -------
    dict of dict of dict
    """
    found = {}
    for name, cohort in cohorts.items():
        called = {"label": name, "description": cohort["where"]}
        full = cohort | {key: cohort.get(key, text) for key, text in called.items()}
        if len(groups) == 2 or "groups" in cohort:
            found[name] = {name: full}
            continue
        found[name] = {}
        for pair in itertools.combinations(groups, 2):
            labels = " and ".join(groups[group]["label"] for group in pair)
            own = {"label": f"{full['label']}: {labels}", "groups": list(pair)}
            found[name]["-".join((name, *pair))] = full | own
    return found


def _directions(groups):
    """The contrasts of Problem 1 of every pair of groups."""
    pairs = itertools.combinations(groups, 2)
    return [name for pair in pairs for name in contrast_names(pair)[:2]]


def without_defaults(config, defaults, given):
    """Return a config without the parts of the default that own data or groups make void.

    Files laid over ``config.yaml`` add to it. But the paper's groups are not compared with
    others, and its cohorts do not apply to the user's own data: what no file names goes. If
    ``config.yaml`` itself was edited, everything in it is meant.

    Parameters
    ----------
    config, defaults, given : dict
        The merged config, what ``config.yaml`` alone says, and what is laid over it.

    Returns
    -------
    dict

    Examples
    --------
    >>> config = {"source": "folder", "groups": {}, "report": {"cohorts": "all"}}
    >>> config["cohorts"] = {"male": {"where": "SEX == 1"}, "old": {"where": "AGE > 60"}}
    >>> own = without_defaults(config, config, {"source": "folder", "cohorts": {"old": {}}})
    >>> own["cohorts"]
    {'old': {'where': 'AGE > 60'}}
    """
    config = copy.deepcopy(dict(config))
    if isinstance(config.get("cohorts"), dict):  # those of an overlay come first
        order = [*defaults["cohorts"], *config["cohorts"]]
        config["cohorts"] = {n: config["cohorts"][n] for n in order if n in config["cohorts"]}
    groups, cohorts, report = (config.get(part) for part in ("groups", "cohorts", "report"))
    if not all(isinstance(part, dict) for part in (groups, cohorts, report)):
        return config  # said by `checked`
    named = {part: given.get(part) or {} for part in ("groups", "cohorts", "report")}
    if groups.keys() - defaults["groups"].keys():
        config["groups"] = {n: g for n, g in groups.items() if n in named["groups"]}
        names = [name for name, group in config["groups"].items() if group is not None]
        paper = _directions(defaults["groups"])
        for figure in ("contrast_large", "contrast_small"):
            drawn = report.get(figure, {})
            # Each pair is drawn as the paper's, where the config says nothing else of it.
            asked = {
                own: drawn.get(own, drawn.get(paper[place % 2]))
                for place, own in enumerate(_directions(names))
            }
            asked |= {name: value for name, value in drawn.items() if name not in paper}
            report[figure] = {name: value for name, value in asked.items() if value is not None}
    if given.get("source") == "folder":
        own = {name: cohort for name, cohort in cohorts.items() if name in named["cohorts"]}
        config["cohorts"] = own or {"all": {"label": "Everybody", "where": "True"}}
        if "cohorts" not in named["report"]:
            report["cohorts"] = "all"
        for baseline in (config.get("baselines") or {}).values():
            for name in (cohorts.keys() - own.keys()) & baseline.get("best", {}).keys():
                del baseline["best"][name]
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


def _no_texts(config, where=""):
    """Yield what is wrong with keys that YAML reads as something else than a text."""
    for key, value in config.items() if isinstance(config, dict) else ():
        if not isinstance(key, str):
            yield f"{where or 'the config'}: YAML reads a key as {key!r}; write it in quotes"
        yield from _no_texts(value, f"{where}.{key}" if where else str(key))


def _validator(schema):
    """Return a validator for which a whole number is no 5.0, and a number is finite."""
    jsonschema = optional("jsonschema", "workflow")
    numbers = {
        "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
        "number": lambda _, value: (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        ),
    }
    base = jsonschema.Draft202012Validator
    types = base.TYPE_CHECKER.redefine_many(numbers)
    return jsonschema.validators.extend(base, type_checker=types)(schema)


def _read_numbers(config, validator):
    """Turn texts into numbers where the schema wants a number.

    Snakemake reads what `--config graph='{percentile: 90}'` holds as texts, and YAML reads
    1e-9 as one.
    """
    for error in list(validator.iter_errors(config)):
        if error.validator != "type" or not isinstance(error.instance, str):
            continue
        *folders, last = error.path
        place = config
        for key in folders:
            place = place[key]
        for read in (int, float, {"true": True, "false": False, "null": None}.__getitem__):
            with contextlib.suppress(ValueError, KeyError):
                value = read(error.instance)
                if validator.evolve(schema={"type": error.validator_value}).is_valid(value):
                    place[last] = value
                    break


def _graph(graph):
    """Return the settings of the graphs with one threshold, or none.

    ``percentile`` alone is short for the threshold of this name. The default's percentile
    gives way to a density or a value.
    """
    graph = {
        "measure": "correlation",
        "weights": "binary",
        "sign": "positive",
        "adjust": [],
        **graph,
    }
    threshold = graph.get("threshold") or {}
    threshold = {kind: number for kind, number in threshold.items() if number is not None}
    short = graph.pop("percentile", None)
    if short is not None:
        threshold["percentile"] = short
    if len(threshold) > 1:
        threshold.pop("percentile", None)
    return graph | {"threshold": threshold or None}


def _beyond_the_schema(config, known):
    contrast, report = config["contrast"], config["report"]
    if not contrast["percentiles"] and not contrast["alphas"]:
        yield "contrast: give at least one alpha, as percentiles or as alphas"
    if contrast["sdp"]["solver"] != "auto":
        from ..contrast.solver.relaxation import check_solver

        complaints = _complaint(check_solver, contrast["sdp"]["solver"])
        yield from (f"contrast.sdp.solver: {text}" for text in complaints)
    yield from _methods(config)
    for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
        for name, percentile in report[figure].items():
            if percentile not in contrast["percentiles"]:
                yield (
                    f"report.{figure}.{name}: {percentile} is not among contrast.percentiles "
                    f"({_listed(contrast['percentiles'])}): a figure shows one that is solved, "
                    "so change both"
                )
    graph = _graph(config["graph"])
    if graph["threshold"] is not None and len(graph["threshold"]) > 1:
        yield "graph.threshold: give a density or a value, not both"
    if graph["threshold"] is None and graph["weights"] == "binary":
        yield (
            "graph.threshold: a graph without weights needs one (percentile, density or value); "
            "else every pair is an edge"
        )
    if graph["adjust"]:
        if graph["weights"] == "binary" or config["source"] == "published":
            yield "graph.adjust: only weights can be adjusted: set graph.weights: weighted"
        if contrast.get("edge_statistic", "difference") != "difference":
            yield (
                "graph.adjust: with contrast.edge_statistic: t the tests of the stage inference "
                "would be of other t values, those of the model; take difference"
            )
        if "site" in graph["adjust"] and "sites" in config["evaluation"]["protocols"]:
            yield "graph.adjust: a left-out site has no coefficients; take site or sites out"
    groups = _groups(config["groups"])
    if len(groups) < 2:
        yield f"groups: there are {len(groups)} ({_listed(groups)}), and two are compared"
    directions = _directions(groups)
    for figure in ("contrast_large", "contrast_small"):
        if directions and sorted(report[figure]) != sorted(directions):
            yield f"report.{figure}: give a percentile for {' and '.join(directions)}"
    for name, cohort in config["cohorts"].items():
        for group in cohort.get("groups", ()):
            if group not in groups:
                yield f"cohorts.{name}.groups: there is no group {group!r}{_near(group, groups)}"
    pairs = _by_pairs(config["cohorts"], groups)
    cohorts = {*pairs, *(one for of in pairs.values() for one in of)}
    for name in report["cohorts"] if report["cohorts"] != "all" else ():
        if name not in cohorts:
            yield f"report.cohorts: there is no cohort {name!r}{_near(name, cohorts)}"
    for name, of in pairs.items():
        for one in of.keys() & (config["cohorts"].keys() - {name}):
            if "groups" in config["cohorts"][one]:
                yield f"cohorts.{one}: {name} has a pair of this name; choose another"
    own = [cohort["groups"] for cohort in config["cohorts"].values() if "groups" in cohort]
    if config["source"] == "published" and {GROUPS} != set(map(tuple, [groups, *own])):
        yield f"groups: the published graphs are of {' and '.join(GROUPS)}, in this order"
    for name in groups:
        if name in _RESERVED:
            yield f"groups.{name}: tables have a column of this name; choose another"
    for name in set(config["cohorts"]) & set(_RESERVED_FOR_COHORTS):
        yield f"cohorts.{name}: the stage graphs has a file of this name; choose another name"
    labels = {}
    for name, cohort in config["cohorts"].items():
        first = labels.setdefault(cohort.get("label", name), name)
        if first != name:
            yield f"cohorts: {first} and {name} have the same label; each needs its own"
    if len({group["label"] for group in groups.values()}) < len(groups):
        yield "groups: two have the same label; each needs its own"
    expressions = {f"groups.{name}": group["where"] for name, group in groups.items()}
    expressions |= {
        f"cohorts.{n}.where": cohort["where"] for n, cohort in config["cohorts"].items()
    }
    # The columns of the release are known before it is downloaded.
    columns = None if config["source"] == "published" else [*COLUMNS, AGE_YEARS]
    if config["source"] == "folder":
        from ..data.people import find_subjects
        from ..data.regions import atlas_of

        own = config["sources"].get("folder", {})
        complaints = list(_complaint(find_subjects, own)) or list(_complaint(atlas_of, own))
        yield from complaints
        columns = None if complaints else [*find_subjects(own).table, AGE_YEARS]
    for place, expression in expressions.items():
        yield from (
            f"{place}: {text}" for text in _complaint(check_expression, expression, columns)
        )
    for method, baseline in config["baselines"].items():
        if method not in of_kind("embedding"):
            continue  # said by `_methods`
        for cohort in baseline["best"].keys() - known:
            yield f"baselines.{method}.best: there is no cohort {cohort!r}{_near(cohort, known)}"
        for cohort in sorted({*config["cohorts"], *baseline["best"]}):
            yield from _complaint(parameter_sets, method, {**baseline, "grid": "best"}, cohort)
        yield from _complaint(parameter_sets, method, {**baseline, "grid": "full"}, "")


def _methods(config):
    """Yield what is wrong with the config's methods and the baselines' parameters."""
    own = config.get("own_methods", {})
    published = (
        ("weights", "weights"),
        ("covariances", "series"),
        ("nuisance", "age, sex or motion"),
    )
    lacks = {
        "published": {
            need: f"{what}, which the published graphs do not have" for need, what in published
        }
    }
    if config["sources"].get("folder", {}).get("kind") == "matrix":
        lacks["folder"] = {"covariances": "series, and these are matrices"}
    for method in config["methods"]:
        if method not in METHODS and method not in own:
            yield f"methods: there is no method {method!r}{_near(method, METHODS)}"
        elif method in METHODS:
            lacking = lacks.get(config["source"], {})
            for need in METHODS[method].needs:
                if need in lacking:
                    yield f"methods: {method} needs {lacking[need]}: take another source or method"
    for method in own:
        if method in METHODS:
            yield f"methods.{method}: {METHODS[method].label} has this name; give yours another"
        elif method not in config["methods"]:
            yield f"own_methods.{method}: is not among `methods`"
    if config["evaluation"].get("train") == "all":
        embedded = ", ".join(of_kind("embedding", config["methods"]))
        if config["source"] == "published":
            yield "evaluation.train: the published graphs are of the cohorts alone; write cohort"
        if "paper" in config["evaluation"]["protocols"]:
            yield "evaluation.train: all is for nested and sites; take paper out of the protocols"
        if embedded:
            yield f"evaluation.train: all: {embedded} embed each cohort alone; take them out"
    contrasts = of_kind("contrast", config["methods"])
    if contrasts and not config["contrast"]["percentiles"]:
        names = " and ".join(contrasts)
        yield f"contrast.percentiles: {names} choose among them; give one"
    for method in of_kind("embedding", config["methods"]):
        if method not in config["baselines"]:
            yield f"baselines: the method {method} has no parameters there"
    for method in config["baselines"]:
        if method not in of_kind("embedding"):
            yield f"baselines: unknown key {method!r}{_near(method, of_kind('embedding'))}"


def _complaint(function, *arguments):
    """Yield what an `InputError` of the function says, if it raises one."""
    try:
        function(*arguments)
    except InputError as error:
        yield str(error)


def _explain(error):
    """Yield what is wrong, from one of jsonschema's errors."""
    where = ".".join(map(str, error.path)) or "the config"
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        for key in error.instance.keys() - set(known):
            yield f"{where}: unknown key {key!r}{_near(key, known)}"
    elif error.validator == "anyOf" and error.context:
        # Of the kinds that are allowed there, the one that came furthest.
        yield from _explain(max(error.context, key=lambda inner: len(inner.path)))
    elif error.validator == "pattern" and "propertyNames" in error.schema_path:
        yield f"{where}: the name {error.instance!r} becomes that of a folder: {error.message}"
    elif error.validator == "enum" and error.instance not in error.validator_value:
        allowed = error.validator_value
        yield f"{where}: {error.instance!r} is unknown{_near(error.instance, allowed)}"
    elif error.validator == "minimum" and error.schema.get("exclusiveMaximum") == 100:
        given = error.instance
        meant = f": did you mean {given * 100:g}?" if 0 < given < 1 else ""
        yield f"{where}: {given:g} is no percentile from 1 to below 100{meant}"
    else:
        yield f"{where}: {error.message}"


def _near(name, known):
    known = sorted(map(str, known)) if isinstance(known, set) else list(map(str, known))
    near = difflib.get_close_matches(str(name), known, n=3)
    if near:
        return f" (did you mean {' or '.join(near)}?)"
    return f" (known: {_listed(known)})"


def _listed(items):
    return ", ".join(map(str, items))
