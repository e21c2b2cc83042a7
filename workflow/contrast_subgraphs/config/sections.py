"""What a schema cannot say about the config, section by section."""

from ..core.checks import in_words
from ..core.columns import columns_of
from ..core.errors import InputError
from ..core.graphs import GROUPS
from ..data.phenotypes import AGE_YEARS, HEADER
from ..design import KINDS, named_questions
from ..design.question import asked_kinds, kind_of
from ..embeddings import parameter_sets
from ..graphs.expressions import check_expression
from ..methods import METHODS, of_kind
from .defaults import asked_directions, by_pairs, directions, full_groups, graph_settings
from .schema import near

#: Names that a group cannot have, because tables have a column for each group.
_RESERVED = ("cohort", "description", "contrast", "percentile", "alpha", "symmetric")
#: Names that a cohort cannot have, because its graphs are in a folder with files of these names.
_RESERVED_FOR_COHORTS = ("density", "excluded", "members", "pool", "sites", "subjects")
#: The cohorts of the paper, whose best parameters the shipped config knows.
_OF_THE_PAPER = ("children", "adolescents", "eyesclosed", "male")
#: From what a method may need to what the published graphs do not have.
_NOT_PUBLISHED = {"weights": "weights", "covariances": "series", "nuisance": "age, sex or motion"}


def asked(config):
    """Yield what is wrong with the contrasts of a config, before they become cohorts."""
    if config.get("only_graphs") and config["source"] == "published":
        yield "only_graphs: the published graphs are made already; choose another source"
    for name, one in (config.get("contrasts") or {}).items():
        if sum(kind in one for kind in asked_kinds()) != 1:
            yield f"contrasts.{name}: give one of {in_words(asked_kinds(), 'or')}"
            continue
        if name in config["cohorts"]:
            yield f"contrasts.{name}: there is a cohort of this name; choose another"
        for key, why in KINDS[kind_of(one)].complaints(one):
            yield f"contrasts.{name}.{key}: {why}"
    if not config["cohorts"] and not config.get("contrasts"):
        yield "cohorts: should be non-empty; give a cohort, or contrasts"


def complaints(config, cohorts):
    """Yield all that is wrong with a config that its schema allows.

    `cohorts`: names of all cohorts in the files, also of those that were taken out.
    """
    if config.get("only_graphs"):
        # No one is compared: whether groups can be told apart is a question for another run.
        yield from _graph(config)
        return
    groups = full_groups(config["groups"])
    yield from _contrast(config["contrast"], of_kind("contrast", config["methods"]))
    yield from _methods(config)
    yield from _graph(config)
    yield from _groups(config, groups)
    yield from _cohorts(config, groups)
    yield from _report(config, groups)
    yield from _expressions(config, groups)
    yield from _confirm(config, groups)
    yield from _evaluation(config)
    yield from _baselines(config, {*_OF_THE_PAPER, *cohorts, "default"})


def _said(function, *arguments):
    """Yield what an `InputError` of the function says, if it raises one."""
    try:
        function(*arguments)
    except InputError as error:
        yield str(error)


def _contrast(contrast, methods):
    if not contrast["percentiles"] and not contrast["alphas"]:
        yield "contrast: give at least one alpha, as percentiles or as alphas"
    if methods and not contrast["percentiles"]:
        yield f"contrast.percentiles: {in_words(methods)} choose among them; give one"
    if contrast["sdp"]["solver"] != "auto":
        from ..contrast.solver.relaxation import check_solver

        for text in _said(check_solver, contrast["sdp"]["solver"]):
            yield f"contrast.sdp.solver: {text}"


def _methods(config):
    own, lacks = config.get("own_methods", {}), {}
    if config["source"] == "published":
        lacks = {
            n: f"{what}, which the published graphs do not have"
            for n, what in _NOT_PUBLISHED.items()
        }
    elif (
        config["source"] == "folder" and config["sources"].get("folder", {}).get("kind") == "matrix"
    ):
        lacks = {"covariances": "series, and these are matrices"}
    for method in config["methods"]:
        if method not in METHODS and method not in own:
            yield f"methods: there is no method {method!r}{near(method, METHODS)}"
        for need in METHODS[method].needs if method in METHODS else ():
            if need in lacks:
                yield f"methods: {method} needs {lacks[need]}: take another source or method"
    for method in own:
        if method in METHODS:
            yield f"methods.{method}: {METHODS[method].label} has this name; give yours another"
        elif method not in config["methods"]:
            yield f"own_methods.{method}: is not among `methods`"


def _graph(config):
    folder = config["sources"].get("folder") or {}
    images = config["source"] == "folder" and folder.get("kind") == "image"
    if images and not (folder.get("image") or {}).get("atlas"):
        yield "sources.folder.image: name the atlas of the images, as image: {atlas: AAL.nii.gz}"
    graph = graph_settings(config["graph"])
    if graph["threshold"] is not None and len(graph["threshold"]) > 1:
        yield "graph.threshold: give a density or a value, not both"
    if graph["threshold"] is None and graph["weights"] == "binary":
        yield (
            "graph.threshold: a graph without weights needs one (percentile, density or value); "
            "else every pair is an edge"
        )
    if "transform" in graph and (graph["weights"] == "binary" or folder.get("kind") != "matrix"):
        yield "graph.transform: is for weights of your matrices: kind: matrix, weights: weighted"
    if not graph["adjust"] and graph.get("modes") is None:
        return
    if graph["weights"] == "binary" or config["source"] == "published":
        yield "graph.adjust: only weights can be adjusted: set graph.weights: weighted"
    if config["contrast"].get("edge_statistic", "difference") != "difference":
        yield (
            "graph.adjust: with contrast.edge_statistic: t the tests of the stage inference "
            "would use other t values, those of the model; take difference"
        )
    if "site" in graph["adjust"] and "sites" in config["evaluation"]["protocols"]:
        yield "graph.adjust: a left-out site has no coefficients; take site or sites out"


def _groups(config, groups):
    compared = [one for one in config["cohorts"].values() if KINDS[kind_of(one)].of_groups]
    if len(groups) < 2 and compared:
        yield f"groups: there are {len(groups)} ({in_words(groups)}), but two are compared"
    own = [cohort["groups"] for cohort in compared if "groups" in cohort]
    if config["source"] == "published" and any(map(kind_of, config["cohorts"].values())):
        yield "contrasts: for the published graphs no variables and no pairs are known"
    if config["source"] == "published" and {GROUPS} != set(map(tuple, [groups, *own])):
        yield f"groups: the published graphs are those of {in_words(GROUPS)}, in this order"
    for name in groups:
        if name in _RESERVED:
            yield f"groups.{name}: tables have a column of this name; choose another"
    if len({group["label"] for group in groups.values()}) < len(groups):
        yield "groups: two have the same label; each needs its own"


def _cohorts(config, groups):
    labels = {}
    for name, cohort in config["cohorts"].items():
        if not kind_of(cohort):
            for key, why in KINDS[""].complaints(cohort):
                yield f"cohorts.{name}.{key}: {why}"
        for group in cohort.get("groups", ()):
            if group not in groups:
                yield f"cohorts.{name}.groups: there is no group {group!r}{near(group, groups)}"
        if name in _RESERVED_FOR_COHORTS:
            yield f"cohorts.{name}: the stage graphs has a file of this name; choose another name"
        first = labels.setdefault(cohort.get("label", name), name)
        # Pages and tables show labels: two cohorts with one label could not be told apart.
        if first != name:
            yield f"cohorts: {first} and {name} have the same label; each needs its own"
    for name, pairs in by_pairs(config["cohorts"], groups).items():
        for one in pairs.keys() & (config["cohorts"].keys() - {name}):
            if "groups" in config["cohorts"][one]:
                yield f"cohorts.{one}: {name} has a pair of this name; choose another"


def _report(config, groups):
    report, solved = config["report"], config["contrast"]["percentiles"]
    for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
        for name, percentile in report[figure].items():
            if percentile not in solved:
                yield (
                    f"report.{figure}.{name}: {percentile} is not among contrast.percentiles "
                    f"({in_words(solved)}): a figure shows one that is solved, so change both"
                )
    pairs = by_pairs(config["cohorts"], groups)
    drawn = directions(groups) + asked_directions(config["cohorts"], groups)
    for figure in ("contrast_large", "contrast_small"):
        if drawn and sorted(report[figure]) != sorted(drawn):
            yield f"report.{figure}: give a percentile for {in_words(drawn)}"
    cohorts = sorted({*pairs, *(one for of in pairs.values() for one in of)})
    for name in report["cohorts"] if report["cohorts"] != "all" else ():
        if name not in cohorts:
            yield f"report.cohorts: there is no cohort {name!r}{near(name, cohorts)}"


def _expressions(config, groups):
    # The columns of the release are known before it is downloaded.
    columns = None if config["source"] == "published" else [*HEADER[2:], AGE_YEARS]
    if config["source"] == "folder":
        from ..data.people import read_subjects
        from ..data.regions import atlas_of

        own = config["sources"].get("folder", {})
        columns = None
        try:
            _, people, _ = read_subjects(own)
            atlas_of(own)
            columns = [*columns_of(people), AGE_YEARS]
        except InputError as error:
            yield str(error)
    places = {f"groups.{name}": group for name, group in groups.items()}
    places |= {f"cohorts.{name}.where": cohort for name, cohort in config["cohorts"].items()}
    # A rule with a mistyped column is found now, not after hours of downloads.
    for place, one in places.items():
        for text in _said(check_expression, one["where"], columns):
            yield f"{place}: {text}"
    questions = named_questions(config["cohorts"], list(groups)[:2])
    for name, question in questions.items() if columns else ():
        for key, column in question.columns().values():
            if column not in columns:
                known = near(column, columns)
                yield f"contrasts.{name}.{key}: there is no column {column!r}{known}"


def _confirm(config, groups):
    asked = directions(groups) + asked_directions(config["cohorts"], groups)
    for place, claim in enumerate(config.get("confirm") or ()):
        where = f"confirm.{place}"
        if ("file" in claim) == ("regions" in claim):
            yield f"{where}: give a file, or regions and a contrast"
            continue
        others = {"contrast", "between"}
        if "regions" in claim:
            others = {"rename"}
            if "contrast" not in claim:
                yield f"{where}: give the contrast that is claimed ({in_words(asked, 'or')})"
                continue
        for key in sorted(others & set(claim)):
            yield f"{where}.{key}: does not belong to a claim by {in_words(set(claim) - others)}"
        claimed = [claim.get("contrast")]
        if "file" in claim:
            from ..inference.fixed_sets import load_sets

            try:
                sets = load_sets(claim["file"], claim.get("rename"))
            except InputError as error:
                yield f"{where}: {error}"
                continue
            claimed = [one.contrast for one in sets]
        if not set(claimed) & set(asked):
            named = in_words(dict.fromkeys(map(str, claimed)))
            yield f"{where}: no cohort asks for {named} ({in_words(asked)})"
    if config.get("confirm") and not config["inference"]["permutations"]:
        yield "confirm: needs inference.permutations"


def _evaluation(config):
    if config["evaluation"].get("train") != "all":
        return
    if config["source"] == "published":
        yield "evaluation.train: the published graphs are those of the cohorts alone; write cohort"
    if "paper" in config["evaluation"]["protocols"]:
        yield "evaluation.train: all is for nested and sites; take paper out of the protocols"
    if embedded := of_kind("embedding", config["methods"]):
        names = in_words(embedded)
        yield f"evaluation.train: all: {names} embed each cohort alone; take them out"


def _baselines(config, cohorts):
    known, given = of_kind("embedding"), config["baselines"]
    for method in of_kind("embedding", config["methods"]):
        if method not in given:
            yield f"baselines: the method {method} has no parameters there"
    for method in given.keys() - set(known):
        yield f"baselines: unknown key {method!r}{near(method, known)}"
    for method in [name for name in known if name in given]:
        best = given[method]["best"]
        for cohort in sorted(best.keys() - cohorts):
            names = sorted(cohorts)
            yield f"baselines.{method}.best: there is no cohort {cohort!r}{near(cohort, names)}"
        for cohort in sorted({*config["cohorts"], *best}):
            yield from _said(parameter_sets, method, {**given[method], "grid": "best"}, cohort)
        yield from _said(parameter_sets, method, {**given[method], "grid": "full"}, "")
