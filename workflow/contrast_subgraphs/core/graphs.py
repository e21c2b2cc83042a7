"""Stacks of graphs with their names.

Each pair of vertices is kept once, in the order of `numpy.triu_indices`: a graph is a row.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .atomic_files import ArrayFile
from .check_graphs import condensed_graphs
from .errors import InputError
from .pairs import square_of

#: The paper's two groups: `y` is 0 for TD (typically developed), 1 for ASD.
GROUPS = ("td", "asd")


def group_label(name):
    """Return what a group without a label is called: its name, the paper's in capitals."""
    if name in GROUPS:
        return name.upper()
    return name


class GraphStack(ArrayFile):
    """What both kinds of graphs share: ``weights``, (n_subjects, n_pairs); matrices become such."""

    # Not a field of this class, but of those below.
    weights: np.ndarray

    def __post_init__(self):
        if self.weights.ndim == 3:
            object.__setattr__(self, "weights", condensed_graphs(self.weights)[0])

    @property
    def compressed(self):
        """Whether the file is compressed: weights hardly get smaller, and take long."""
        return self.weights.dtype.kind != "f"

    @property
    def adjacency(self):
        """The graphs as matrices, (n_subjects, n_rois, n_rois): floats, or whole numbers."""
        weights = self.weights
        if weights.dtype.kind == "f":
            weights = weights.astype(float)
        return square_of(weights)


def labels_of_people(y, labels, common):
    """Return the labels of graphs, their order, and what else is known, also for people.

    People from `read_groups` have the names and the order of their groups, and their own names.
    """
    if not isinstance(y, GraphStack):
        return y, labels, common
    if labels is None:
        labels = y.groups
    if common.get("subjects", "") is None:
        common = common | {"subjects": y.people}
    return y.labels, labels, common


@dataclass(frozen=True)
class SubjectGraphs(GraphStack):
    """Graphs, or matrices, of single subjects on the same regions, before any cohort is made."""

    # (n_subjects, n_pairs): uint8 if all weights are 0 or 1.
    weights: np.ndarray
    # Names (``FILE_ID``), each once.
    subject: np.ndarray
    # Names of the regions, in the order of the rows of a matrix.
    roi: np.ndarray

    @property
    def roi_code(self):
        """Names of the regions, as series have them."""
        return self.roi

    def __len__(self):
        return len(self.subject)

    def __iter__(self):
        """Yield ``(subject, matrix of floats)``."""
        for name, weights in zip(self.subject.tolist(), self.weights, strict=True):
            yield name, square_of(weights.astype(float))

    def density(self):
        """Return the table ``subject``, ``edges``, ``density`` (edges / pairs of regions)."""
        edges = np.count_nonzero(self.weights, axis=1)
        density = edges / self.weights.shape[1]
        return pd.DataFrame({"subject": self.subject, "edges": edges, "density": density})

    @classmethod
    def concatenate(cls, parts):
        """Join the graphs of several files (for example one per site).

        `parts`: parts without subjects are left out.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            raise InputError("no subject has a usable series: there is no graph to work with")
        if any(not np.array_equal(part.roi, parts[0].roi) for part in parts):
            raise InputError("the graphs of the sites are on different regions")
        subject = np.concatenate([part.subject for part in parts])
        names, counts = np.unique(subject, return_counts=True)
        if (counts > 1).any():
            raise InputError(f"subject {names[counts > 1][0]} has more than one graph")
        return cls(np.concatenate([part.weights for part in parts]), subject, parts[0].roi)

    def take(self, subjects):
        """Return the graphs of `subjects`, in their order."""
        rows = {name: row for row, name in enumerate(self.subject.tolist())}
        missing = [name for name in subjects if name not in rows]
        if missing:
            raise InputError(f"no graph for the subject {missing[0]}")
        chosen = [rows[name] for name in subjects]
        return SubjectGraphs(self.weights[chosen], self.subject[chosen], self.roi)
