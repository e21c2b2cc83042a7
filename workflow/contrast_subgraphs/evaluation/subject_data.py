"""All that is known of the subjects of a cohort, indexed like an array."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..core.atomic_files import WAY_OUT, load_npz
from ..core.errors import InputError

#: What may be regressed out, and may tell the groups apart without looking at the brain.
NUISANCE = ("age", "sex", "motion", "volumes")


@dataclass(frozen=True)
class Subjects:
    """The subjects of a cohort, for estimators with ``inputs="subjects"``.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per subject; columns such as ``site``, ``age`` (years), ``sex``, ``motion``
        (mean framewise displacement, mm) and ``volumes``.
    weights : numpy.ndarray of shape (n_subjects, n_pairs), optional
        Weights of all pairs of regions (Fisher z of correlations), upper triangle row by row.
    covariances : numpy.ndarray of shape (n_subjects, n_regions (n_regions + 1) / 2), optional
        Covariances of the regions' series, upper triangle with the diagonal, row by row.
    systems : numpy.ndarray of str, shape (n_regions,), optional
        System of each region, empty where unknown.
    """

    table: pd.DataFrame
    weights: np.ndarray | None = None
    systems: np.ndarray | None = None
    covariances: np.ndarray | None = None

    def __len__(self):
        return len(self.table)

    def __getitem__(self, members):
        """Return the subjects of an index array, or a boolean mask."""
        return replace(
            self,
            table=self.table.iloc[members],
            weights=None if self.weights is None else self.weights[members],
            covariances=None if self.covariances is None else self.covariances[members],
        )

    def only(self, name, needs):
        """Return the subjects with what a method needs; arrays beyond that would be copied.

        `name`: of the method; `needs`: one of "site", "nuisance", "weights", "covariances",
        "systems".
        """
        for need in needs:
            if need == "site":
                there = "site" in self.table and self.table["site"].notna().all()
                what = "the site of every subject"
            elif need == "nuisance":
                there = bool(self.nuisance())
                what = f"one of {', '.join(NUISANCE)} in the table of subjects"
            elif need == "weights":
                there, what = self.weights is not None, "weights of all pairs of regions"
            elif need == "covariances":
                there, what = self.covariances is not None, "the regions' series"
            else:
                there = self.systems is not None and len(set(self.systems) - {""}) > 1
                what = "an atlas that names the regions' systems"
            if not there:
                raise InputError(f"{name} needs {what}, which these data do not have")
        return replace(
            self,
            weights=self.weights if "weights" in needs else None,
            covariances=self.covariances if "covariances" in needs else None,
        )

    def nuisance(self):
        """Names of the nuisance columns in which something is known."""
        return [name for name in NUISANCE if name in self.table and self.table[name].notna().any()]

    def warn_of_gaps(self, name, cohort):
        """Warn of subjects for whom a nuisance variable is not known, and say how many."""
        for column in NUISANCE:
            missing = len(self) if column not in self.table else self.table[column].isna().sum()
            if missing:
                how = "left out" if missing == len(self) else "the training part's median is taken"
                warnings.warn(
                    f"cohort {cohort}, {name}: {column} is not known for {missing} of "
                    f"{len(self)} subjects: {how}",
                    stacklevel=2,
                )


def load_weights(path, subject, name="z"):
    """Read the weights of all pairs of regions, or the covariances, in the order of `subject`.

    `path`: ``graphs/<cohort>.edges.npz`` with ``z`` (n, pairs), ``subject``, and for series
    ``covariance`` (n, pairs and regions); `name`: one of "z", "covariance". Returns: (n_subjects,
    n_numbers).
    """
    arrays = load_npz(path, "subject", optional=(name,))
    if name not in arrays:
        raise InputError("there are matrices instead of series, so there are no covariances")
    if arrays["subject"].tolist() != list(subject):
        raise InputError(f"{path} is not of the subjects of the graphs beside it: {WAY_OUT}")
    return arrays[name].astype(float)
