"""The one registry of methods: what each is called, what it is, and where its code is.

Rules, the check of the config, tables, captions and the command line read it. Nothing heavy
is imported from here: code is named by a text, so that methods can be listed quickly.
"""

import sysconfig
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .core.checks import check_option
from .core.errors import InputError
from .core.method import TASKS, Method, installed_file
from .embeddings.parameters import ESTIMATORS

_P = "contrast_subgraphs."
_CONTRAST = _P + "contrast.estimator:ContrastSubgraphFeatures"


def _reference(label, estimator, needs, options=None, **traits):
    """A method of `evaluation.references`, which sees all that is known about the subjects."""
    place = f"{_P}evaluation.references.{estimator}"
    traits |= {"inputs": "subjects", "needs": needs}
    return Method(label, "plain", place, dict(options or {}), **traits)


#: Traits of methods for whose features deviations are informative: the SVM gets them as they are.
#: They look at no label, so that the inner folds share what their training part gave.
_AS_THEY_ARE = {"standardise": False, "uses_labels": False}


def _embedding(name, label=None):
    """A baseline, which embeds the graphs without labels."""
    return Method(label or name, "embedding", f"{_P}embeddings.estimators:{ESTIMATORS[name]}")


#: All methods that come with the package, in the order of the tables.
METHODS = {
    "cs-p1": Method("CS-P1", "contrast", _CONTRAST, {"problem": 1}, predicts=True, alone=TASKS),
    "cs-p2": Method("CS-P2", "contrast", _CONTRAST, {"problem": 2}, alone=("classify",)),
    "graph2vec": _embedding("graph2vec"),
    "sub2vec": _embedding("sub2vec"),
    "wl-kern": _embedding("wl-kern", "WL-Kern"),
    "embs": _embedding("embs", "Embs"),
    "edges": Method(
        "all edges",
        "plain",
        _P + "evaluation.references.all_pairs:EdgeFeatures",
        predicts=True,
        alone=TASKS,
        learns=(),
        condensed=True,
    ),
    "site": _reference("site alone", "nuisance:Site", ("site",), predicts=True, uses_labels=False),
    "motion": _reference(
        "motion and age alone",
        "nuisance:Nuisance",
        ("nuisance",),
        predicts=True,
        uses_labels=False,
    ),
    # For a variable it learns nothing: the regression centres features itself.
    "edges-weighted": _reference(
        "all weights",
        "all_pairs:WeightedEdges",
        ("weights",),
        predicts=True,
        learns=("classify",),
        **_AS_THEY_ARE,
    ),
    "edges-adjusted": _reference(
        "all weights, adjusted",
        "all_pairs:WeightedEdges",
        ("weights", "nuisance"),
        {"adjust": True},
        **_AS_THEY_ARE,
    ),
    "edges-combat": _reference(
        "all weights, ComBat", "harmonised:HarmonisedEdges", ("weights", "site"), **_AS_THEY_ARE
    ),
    "tangent": _reference("tangent space", "tangent:Tangent", ("covariances",), **_AS_THEY_ARE),
    # Almost no penalty: the published method is plain least squares.
    "cpm": _reference(
        "CPM",
        "cpm:ConnectomeSums",
        ("weights",),
        predicts=True,
        alone=("predict",),
        condensed=True,
        penalties=(1e-9,),
    ),
    "system-means": _reference(
        "means of systems",
        "system_means:SystemMeans",
        ("weights", "systems"),
        {"edges": False},
        **_AS_THEY_ARE,
    ),
    "two-scale": _reference(
        "weights and means of systems",
        "system_means:SystemMeans",
        ("weights", "systems"),
        {"edges": True},
        **_AS_THEY_ARE,
    ),
    "cs-weighted": _reference(
        "weighted contrasts", "weighted_contrasts:WeightedContrasts", ("weights",)
    ),
    "cs-adjusted": _reference(
        "weighted contrasts, adjusted",
        "weighted_contrasts:WeightedContrasts",
        ("weights", "nuisance"),
        {"adjust": True},
    ),
}

#: Those that predict a variable.
PREDICTORS = tuple(name for name, method in METHODS.items() if method.predicts)

METHOD_LABELS = {name: method.label for name, method in METHODS.items()}


def of_kind(kind, names=METHODS):
    """Return those of the names that are methods of one kind, in their order."""
    return [name for name in names if name in METHODS and METHODS[name].kind == kind]


def alone(task):
    """Return the names of the methods that do a task with nothing but graphs.

    `task`: ``classify`` or ``predict``.

    >>> alone("predict")
    ['cs-p1', 'edges', 'cpm']
    """
    return [name for name, method in METHODS.items() if task in method.alone]


def of_graphs(names):
    """Return methods by name, as methods that see graphs and no more."""
    return {name: replace(METHODS[name], inputs="graphs", needs=()) for name in names}


def method_called(name, own=None):
    """Return a method by its name, also one of the user's `own` (see `named_methods`)."""
    if own and name in own:
        entry = own[name]
        return Method(
            label=entry.get("label") or name,
            kind="plain",
            estimator=entry["estimator"],
            grid=dict(entry.get("grid") or {}),
            file=entry.get("file"),
        )
    return METHODS[check_option("method", name, list(METHODS))]


def named_methods(methods):
    """Split the config's entry `methods` into names and own methods.

    The entry is a list of names, or a mapping from each name to null, or for the user's own methods
    to ``{"estimator": "module:Class", ...}``.
    """
    if not isinstance(methods, Mapping):
        return methods, {}
    return list(methods), {name: entry for name, entry in methods.items() if entry is not None}


def find_code(estimator, folders):
    """Return the file of an own method's estimator, ``"module:Class"``.

    It is in the first of the `folders` that has it, or else in an installed module.
    """
    module, colon, name = str(estimator).partition(":")
    if not colon or not name.isidentifier() or not all(p.isidentifier() for p in module.split(".")):
        raise InputError(f"estimator: {estimator!r} is not of the form module:Class")
    folders = list(dict.fromkeys(map(Path, folders)))
    for folder in folders:
        path = folder.joinpath(*module.split(".")).with_suffix(".py")
        if path.is_file():
            return path
    installed = installed_file(module)
    # A script of the user's own comes first: it may have the name of an installed module.
    if installed is None:
        places = ", ".join(map(str, folders)) or "any folder"
        raise InputError(
            f"estimator: there is no {module}.py in {places}, nor an installed module {module}"
        )
    return installed


def code_behind(file, estimator):
    """Return the Python files that an own method in `file` may import.

    For a module in a folder, these are the modules and packages next to it; for an installed one,
    its package or just the module.
    """
    depth = estimator.partition(":")[0].count(".")
    if depth:
        return [*file.parents[depth - 1].rglob("*.py")]
    if file.is_relative_to(sysconfig.get_path("purelib")):
        return [file]
    packages = [init.parent for init in file.parent.glob("*/__init__.py")]
    return [*file.parent.glob("*.py"), *(one for each in packages for one in each.rglob("*.py"))]
