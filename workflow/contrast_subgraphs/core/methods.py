"""The one registry of methods: what each is called, what it is, and where its code lies.

Rules, the check of the config, tables, captions and the command line read it. Nothing heavy
is imported from here: code is named by a text, so that methods can be listed quickly.
"""

import difflib
import importlib
import importlib.util
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path

from .errors import InputError

KINDS = ("contrast", "embedding", "plain")


@dataclass(frozen=True)
class Parameter:
    """What a parameter of an embedding may be.

    Attributes
    ----------
    default : int, float or str
        The default of the method's authors.
    lowest : int or float, optional
        Smallest value allowed.
    highest : int or float, optional
        Largest value allowed.
    choices : tuple of str
        The values allowed, for words.
    """

    default: int | float | str
    lowest: float | None = None
    highest: float | None = None
    choices: tuple = ()

    def check(self, name, value):
        """Return `value` as int, float or str, or raise InputError that names it."""
        if self.choices:
            if value not in self.choices:
                raise InputError(f"{name} must be one of {', '.join(self.choices)}, not {value!r}")
            return value
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise InputError(f"{name} must be a number, not {value!r}")
        if isinstance(self.default, int) and value != int(value):
            raise InputError(f"{name} must be a whole number, not {value!r}")
        value = type(self.default)(value)
        if value < self.lowest:
            raise InputError(f"{name} must be at least {self.lowest}, not {value}")
        if self.highest is not None and value > self.highest:
            raise InputError(f"{name} must be at most {self.highest}, not {value}")
        return value


@dataclass(frozen=True)
class Method:
    """A method of the table `accuracy`.

    Attributes
    ----------
    label : str
        How the paper, or the field, calls it.
    kind : {"contrast", "embedding", "plain"}
        ``contrast`` extracts contrast subgraphs at the percentiles of the config;
        ``embedding`` embeds the graphs without labels, in a stage of its own; ``plain`` is
        any other estimator, fitted on the training part of every split.
    estimator : str
        Where its scikit-learn estimator is, as ``"module:Class"``.
    options : dict
        What its constructor is always given.
    parameters : dict of str to Parameter
        Of an embedding, in the order in which file names list them.
    grid : dict of str to list
        Values of the constructor's parameters that are tried, each with each; the best
        combination is chosen as the protocol says.
    inputs : {"graphs", "subjects"}
        What the estimator is given: the stack of graphs, or all that is known of the subjects
        (`evaluation.subjects.Subjects`).
    needs : tuple of {"site", "nuisance", "weights", "covariances", "systems"}
        What the data must have for it.
    file : str, optional
        The Python file with the estimator, where it is not part of an installed package.
    """

    label: str
    kind: str
    estimator: str
    options: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)
    inputs: str = "graphs"
    needs: tuple = ()
    file: str | None = None

    def load(self):
        """Import and return the estimator's class.

        Raises
        ------
        InputError
            If there is no such module or class.
        """
        module, _, name = self.estimator.partition(":")
        if self.file is None:
            try:
                found = importlib.import_module(module)
            except ImportError as error:
                raise InputError(
                    f"the estimator {self.estimator} cannot be imported: {error}"
                ) from error
        else:
            found = _module_from(self.file, module)
        if not hasattr(found, name):
            raise InputError(f"{self.file or module} has no class {name}")
        return getattr(found, name)

    def parameter_sets(self):
        """Return every combination of the values in `grid`, as a list of dict.

        Examples
        --------
        >>> Method("mine", "plain", "mine:Mine", grid={"k": [1, 2]}).parameter_sets()
        [{'k': 1}, {'k': 2}]
        """
        return [
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        ]


def _module_from(file, name):
    """Import a module from its file, under a name that hides no other unless it is installed."""
    try:
        installed = _installed(name)
        if installed and installed.samefile(file):
            return importlib.import_module(name)
        specification = importlib.util.spec_from_file_location(f"_own_method_{name}", file)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{file} cannot be imported ({type(error).__name__}: {error})") from error
    return module


def _installed(module):
    """The file of an installed module, None if there is none."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(found.origin) if found and found.origin and Path(found.origin).is_file() else None


_P = "contrast_subgraphs."
_CONTRAST = _P + "contrast.estimator:ContrastSubgraphFeatures"


def _reference(label, estimator, needs, **options):
    """A method of `evaluation.references`, over all that is known of the subjects."""
    place = f"{_P}evaluation.references.{estimator}"
    return Method(label, "plain", place, options, inputs="subjects", needs=needs)


#: All methods that come with the package, in the order of the tables.
METHODS = {
    "cs-p1": Method("CS-P1", "contrast", _CONTRAST, {"problem": 1}),
    "cs-p2": Method("CS-P2", "contrast", _CONTRAST, {"problem": 2}),
    "graph2vec": Method(
        "graph2vec",
        "embedding",
        _P + "embeddings.graph2vec:Graph2Vec",
        parameters={
            "embedding_size": Parameter(1024, lowest=1),
            "negatives": Parameter(10, lowest=1),
            "height": Parameter(3, lowest=0),
            "epochs": Parameter(100, lowest=1),
        },
    ),
    "sub2vec": Method(
        "sub2vec",
        "embedding",
        _P + "embeddings.sub2vec:Sub2Vec",
        parameters={
            "property": Parameter("N", choices=("N", "S")),
            "walk_length": Parameter(100_000, lowest=2),
            "embedding_size": Parameter(128, lowest=1),
            "model": Parameter("DM", choices=("DBON", "DM")),
            "epochs": Parameter(20, lowest=1),
        },
    ),
    "wl-kern": Method(
        "WL-Kern",
        "embedding",
        _P + "embeddings.wl_kern:WLKern",
        parameters={
            "height": Parameter(3, lowest=0),
            "features": Parameter("last", choices=("last", "cumulative")),
            "start": Parameter("constant", choices=("constant", "degree")),
        },
    ),
    "embs": Method(
        "Embs",
        "embedding",
        _P + "embeddings.embs:Embs",
        parameters={
            "epochs": Parameter(15, lowest=1),
            "batch_size": Parameter(128, lowest=1),
            "embedding_size": Parameter(800, lowest=1),
            "noise": Parameter(0.05, lowest=0, highest=1),
        },
    ),
    "edges": Method("all edges", "plain", _P + "embeddings.edges:EdgeFeatures"),
    "site": _reference("site alone", "nuisance:Site", ("site",)),
    "motion": _reference("motion and age alone", "nuisance:Nuisance", ("nuisance",)),
    "edges-weighted": _reference("all weights", "edges:WeightedEdges", ("weights",)),
    "edges-adjusted": _reference(
        "all weights, adjusted", "edges:WeightedEdges", ("weights", "nuisance"), adjust=True
    ),
    "edges-combat": _reference(
        "all weights, ComBat", "harmonised:HarmonisedEdges", ("weights", "site")
    ),
    "tangent": _reference("tangent space", "tangent:Tangent", ("covariances",)),
    "cpm": _reference("CPM", "edges:ConnectomeSums", ("weights",)),
    "system-means": _reference(
        "means of systems", "edges:SystemMeans", ("weights", "systems"), edges=False
    ),
    "two-scale": _reference(
        "weights and means of systems", "edges:SystemMeans", ("weights", "systems"), edges=True
    ),
    "cs-weighted": _reference(
        "weighted contrasts", "weighted_contrasts:WeightedContrasts", ("weights",)
    ),
    "cs-adjusted": _reference(
        "weighted contrasts, adjusted",
        "weighted_contrasts:WeightedContrasts",
        ("weights", "nuisance"),
        adjust=True,
    ),
}

METHOD_LABELS = {name: method.label for name, method in METHODS.items()}


def of_kind(kind, names=METHODS):
    """Return those of the names that are methods of one kind, in their order.

    Examples
    --------
    >>> of_kind("contrast")
    ['cs-p1', 'cs-p2']
    """
    return [name for name in names if name in METHODS and METHODS[name].kind == kind]


def method_called(name, own=None):
    """Return a method by its name.

    Parameters
    ----------
    name : str
    own : mapping of str to Mapping, optional
        The user's own methods, as `named_methods` returns them.

    Raises
    ------
    InputError
        If there is no such method.
    """
    if own and name in own:
        entry = own[name]
        return Method(
            label=entry.get("label") or name,
            kind="plain",
            estimator=entry["estimator"],
            grid=dict(entry.get("grid") or {}),
            file=entry.get("file"),
        )
    return METHODS[known(name, METHODS, "method")]


def named_methods(methods):
    """Split the config's entry `methods` into names and own methods.

    Parameters
    ----------
    methods : list of str or mapping
        Names; or a mapping from a name to null for a method of the registry, and to
        ``{"estimator": "module:Class", "label": ..., "grid": {...}}`` for the user's own.

    Returns
    -------
    names : list of str
    own : dict of str to dict

    Examples
    --------
    >>> named_methods({"edges": None, "mine": {"estimator": "mine:Mine"}})
    (['edges', 'mine'], {'mine': {'estimator': 'mine:Mine'}})
    """
    if not isinstance(methods, Mapping):
        return methods, {}
    return list(methods), {name: entry for name, entry in methods.items() if entry is not None}


def find_code(estimator, folders):
    """Return the file that holds the estimator of an own method.

    Parameters
    ----------
    estimator : str
        ``"module:Class"``.
    folders : iterable of str or pathlib.Path
        Where the module may lie, in order; then an installed package of that name.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    InputError
        If the text is no such pair, or the module is nowhere.
    """
    module, colon, name = str(estimator).partition(":")
    if not colon or not name.isidentifier() or not all(p.isidentifier() for p in module.split(".")):
        raise InputError(f"estimator: {estimator!r} is not of the form module:Class")
    folders = list(dict.fromkeys(map(Path, folders)))
    for folder in folders:
        path = folder.joinpath(*module.split(".")).with_suffix(".py")
        if path.is_file():
            return path
    installed = _installed(module)
    if installed is None:
        places = ", ".join(map(str, folders)) or "any folder"
        raise InputError(
            f"estimator: there is no {module}.py in {places}, nor an installed module {module}"
        )
    return installed


def known(name, names, kind):
    """Return `name` if it is one of `names`, else raise InputError that lists them.

    Parameters
    ----------
    name : str
    names : iterable of str
    kind : str
        What the names are, for the message.
    """
    names = list(names)
    if name in names:
        return name
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InputError(f"unknown {kind} {name!r}{hint}: known are {', '.join(names)}")
