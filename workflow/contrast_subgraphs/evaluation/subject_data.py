"""All that is known about the subjects of a cohort, indexed like an array."""

import itertools
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_npz
from ..core.checks import in_words
from ..core.columns import missing_entries
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..design.determined import determining, said_of_determining
from ..design.question import holds_numbers
from .splits import taken

#: Variables that can be regressed out, and that may tell groups apart without brain data.
NUISANCE = ("age", "sex", "motion", "volumes")


@dataclass(frozen=True)
class Subjects:
    """The subjects of a cohort, for estimators with ``inputs="subjects"``.

    `table`: a row each, with columns such as ``site``, ``age``, ``sex``, ``motion`` (mm) and
    ``volumes``; `weights` (n_subjects, n_pairs): Fisher z, upper triangle row by row; `systems`
    (n_regions,), empty where unknown; `covariances`: upper triangle with the diagonal.
    """

    table: pd.DataFrame
    weights: np.ndarray | None = None
    systems: np.ndarray | None = None
    covariances: np.ndarray | None = None
    predicted: tuple = ()  # nuisance variables that are the target: these are no confounds

    def __len__(self):
        return len(self.table)

    def __getitem__(self, members):
        """Return the subjects of an index array, or a boolean mask."""
        return replace(
            self,
            table=self.table.iloc[members],
            weights=taken(self.weights, members),
            covariances=taken(self.covariances, members),
        )

    def only(self, name, needs):
        """Return the subjects with only what a method needs, since indexing copies all arrays."""
        systems = ()
        if self.systems is not None:
            systems = set(self.systems) - {""}
        known = {
            "site": (
                "site" in self.table and not missing_entries(self.table["site"]).any(),
                "the site of every subject",
            ),
            "nuisance": (self.nuisance(), f"one of {', '.join(NUISANCE)} in the table of subjects"),
            "weights": (self.weights is not None, "weights of all pairs of regions"),
            "covariances": (self.covariances is not None, "the regions' series"),
            "systems": (len(systems) > 1, "an atlas that names the regions' systems"),
        }
        for need in needs:
            there, what = known[need]
            if not there:
                gone = ""
                if need == "nuisance" and self.predicted:
                    gone = f" except for {in_words(self.predicted)}, which say the group"
                raise InputError(f"{name} needs {what}, which these data do not have{gone}")
        unused = {"weights", "covariances"} - set(needs)
        return replace(self, **dict.fromkeys(unused))

    def nuisance(self):
        """Names of the nuisance columns that are not empty."""
        there = [name for name in NUISANCE if name in self.table]
        return [name for name in there if not missing_entries(self.table[name]).all()]

    def without(self, y, cohort=""):
        """Return the subjects without nuisance variables that are the target itself, and warn.

        `y` holds floats of a variable, or codes of groups, which covariates `determining` them give
        away. What such a covariate explains cannot be separated from the question.
        """
        y = np.asarray(y)
        variable = holds_numbers(y)
        found = determining(self.table[self.nuisance()], y, variable=variable)
        same = tuple(itertools.chain.from_iterable(found))
        if same and not variable:
            warnings.warn(
                f"cohort {cohort}: {said_of_determining(found)}, so that nothing can tell the two "
                f"apart: {in_words(same)} left out of what the scores are adjusted for, and of the "
                "control that sees no brain",
                stacklevel=3,
            )
        return replace(self, table=self.table.drop(columns=list(same)), predicted=same)

    def warn_of_gaps(self, cohort):
        """Warn of the number of subjects for whom a nuisance variable is not known."""
        # No word of the method: a gap is the same for all, and the same text is shown once.
        for column in NUISANCE:
            missing = 0
            if column in self.table:
                missing = missing_entries(self.table[column]).sum()
            if missing and column not in self.predicted:
                how = "the training part's median is taken"
                if missing == len(self):
                    how = "left out"
                text = (
                    f"cohort {cohort}: {column} is not known for {missing} of "
                    f"{len(self)} {PEOPLE}: {how}"
                )
                warnings.warn(DataWarning(text), stacklevel=2)


def load_weights(path, subject, name="z"):
    """Return the weights of all pairs (``z``), or ``covariance``, from ``<cohort>.edges.npz``."""
    arrays = load_npz(path, "subject", optional=(name,))
    if name not in arrays:
        raise InputError("there are matrices instead of series, so there are no covariances")
    if arrays["subject"].tolist() != list(subject):
        raise InputError(f"{path} is not of the subjects of the graphs in its folder: {WAY_OUT}")
    return arrays[name].astype(float)
