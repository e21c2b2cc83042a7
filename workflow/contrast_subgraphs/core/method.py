"""What a method is: its estimator, and how it is to be used."""

import importlib
import importlib.util
import itertools
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .errors import InputError

#: What can be done with people: their groups are told apart, or their variable is predicted.
TASKS = ("classify", "predict")


@dataclass(frozen=True)
class Method:
    """How features are made for a method of the table `accuracy`, or its predictions.

    Kinds: ``contrast``, sets at the percentiles of the config; ``embedding``, without labels, in a
    stage of its own; ``plain``, any other estimator, fitted on every training part.
    """

    #: What the paper, or the field, calls it.
    label: str
    kind: str
    #: "module:Class" of a scikit-learn estimator.
    estimator: str
    #: What its constructor is always given.
    options: dict = field(default_factory=dict)
    #: Values of further arguments; each is tried with each.
    grid: dict = field(default_factory=dict)
    #: "graphs", or "subjects": all of `evaluation.subject_data.Subjects`.
    inputs: str = "graphs"
    #: What it needs of site, nuisance, weights, covariances and systems.
    needs: tuple = ()
    #: Whether it predicts a variable too. All methods classify.
    predicts: bool = False
    #: The tasks, ``classify`` and ``predict``, that it does with nothing but graphs: these are
    #: offered to scripts and on the command line.
    alone: tuple = ()
    #: The tasks for which features of a training part differ from the weights of all pairs.
    learns: tuple = TASKS
    #: Whether it looks at labels. If not, inner folds share what their training part gave.
    uses_labels: bool = True
    #: Whether the SVM gets standardised features; centred ones if not.
    standardise: bool = True
    #: Whether it takes graphs as rows of pairs, and not as matrices.
    condensed: bool = False
    #: Penalties of the ridge regression that predicts a variable from its features, if not the
    #: usual ones.
    penalties: tuple = ()
    #: The file of the estimator, if it is in no installed package.
    file: str | None = None

    def load(self):
        """Import and return the estimator's class."""
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
        """Return every combination of the values in `grid`, as a list of dict."""
        return [
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        ]


def _module_from(file, name):
    """Import a module from its file; its name hides no other module, unless it is installed."""
    try:
        found = installed_file(name)
        if found and found.samefile(file):
            return importlib.import_module(name)
        # The modules next to it can be imported too.
        if str(Path(file).parent) not in sys.path:
            sys.path.append(str(Path(file).parent))
        specification = importlib.util.spec_from_file_location(f"_own_method_{name}", file)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{file} cannot be imported ({type(error).__name__}: {error})") from error
    return module


def installed_file(module):
    """Return the file of an installed module, None if there is none."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    if found and found.origin and Path(found.origin).is_file():
        return Path(found.origin)
    return None
