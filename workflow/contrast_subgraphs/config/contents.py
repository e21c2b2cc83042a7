"""What people's files hold: regions, counts, and the percentiles at which sets can be read."""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from ..contrast.alpha import PERCENTILES, alpha_from_percentile
from ..contrast.solve import FIRST, readable_percentile
from ..core.columns import identifiers
from ..core.errors import InputError
from ..core.pairs import square_of
from ..data.reading import read_files
from ..data.regions import read_atlas
from ..graphs.threshold import threshold_graph

#: If the files have more bytes than this, only those of some people are looked at.
_MOST_BYTES = 3e8
#: Percentiles for groups that hardly differ in most pairs.
_HIGH = tuple(one for one in FIRST if one > PERCENTILES[-1])


@dataclass(frozen=True)
class Contents:
    """What the files hold, and the people who have one (rows of the table)."""

    kind: str
    rows: list
    names: list
    #: For each person an array: volumes x regions, or a matrix.
    arrays: list
    #: Whether matrices are means over windows of dynamic connectivity.
    windows: bool = False

    @property
    def regions(self):
        """The number of regions."""
        return max(array.shape[-1] for array in self.arrays)

    @functools.cached_property
    def counts(self):
        """Whether matrices hold counts."""
        if self.kind == "series":
            return False
        values = [np.nan_to_num(array) for array in self.arrays]
        # Whole numbers above 1: streamlines. Zeros and ones are edges, not counts.
        whole = all((one >= 0).all() and (one == one.round()).all() for one in values)
        return whole and max(one.max() for one in values) > 1

    @property
    def share(self):
        """The share of a person's pairs that are edges."""
        return {"density": 0.1} if self.counts else {"percentile": 80}


def contents_of(layout):
    """Read each person's first file; all are of one kind, which the layout says or the files show.

    What is found is added to `layout.found`.
    """
    rows = _rows_to_read(layout)
    paths = [layout.files[row][0] for row in rows]
    stacked = len(paths) > 1 and len(set(paths)) == 1
    if stacked:
        paths = paths[:1]
    atlas = None if layout.atlas is None else read_atlas(layout.atlas)
    errors = []
    for kind in [layout.kind] if layout.kind else ["matrix", "series"]:
        try:
            names, arrays, reading = read_files(paths, kind, key=layout.key, atlas=atlas)
        except InputError as error:
            errors.append(str(error))
            continue
        layout.found.append(reading.sentence())
        if kind == "matrix":
            arrays = [square_of(array) for array in arrays]
        if stacked:
            return _of_stack(layout, kind, rows, names, arrays[0], reading.people)
        return _of_files(layout, kind, rows, names, arrays)
    raise InputError("; as series: ".join(errors))


def _rows_to_read(layout):
    """Return the rows of the people whose files are looked at: only some if files are large."""
    rows = layout.with_files
    large = sum(layout.files[row][0].stat().st_size for row in rows) / _MOST_BYTES
    if large <= 1:
        return rows
    some = np.random.default_rng(0).permutation(rows)[: max(2, int(len(rows) / large))]
    layout.found.append(f"looked at {len(some)} of {len(rows)} files: they are large")
    return sorted(some.tolist())


def _of_files(layout, kind, rows, names, arrays):
    """Return what each person's file holds; windows of dynamic connectivity become their mean."""
    windows = [len(one) for one in arrays if one.ndim == 3 and len(one) > 1]
    if windows and kind == "series":
        first = layout.files[rows[0]][0]
        raise InputError(f"{first} holds several series: save each run as a file of its own")
    if windows:
        layout.found.append(
            f"{max(windows)} matrices in a person's file: windows of dynamic connectivity? "
            "Their mean is taken (windows: mean)"
        )
    arrays = [one.mean(axis=0) if one.ndim == 3 else one for one in arrays]
    return Contents(kind, rows, names, arrays, bool(windows))


def _of_stack(layout, kind, rows, names, array, people):
    """Return what one file of all people holds, and say in whose order it was read."""
    if array.ndim != 3 or len(array) != len(rows):
        count = len(array) if array.ndim == 3 else 1
        raise InputError(
            f"{layout.files[rows[0]][0]} holds {count} people, and the table has {len(rows)}: they "
            "must be the same, in the same order"
        )
    ids = identifiers(layout.people, layout.column)
    if not people:
        layout.found.append(
            f"one file of all people, in the order of the table: first {ids[0]}, last {ids[-1]}"
        )
    return Contents(kind, rows, names * len(rows), list(array))


def fitting_percentiles(contents, column, values):
    """Return the percentiles at which sets can be read, and alpha is above 0 and below a weight.

    `column`: each person's entry in the column of groups; `values`: the entries that are groups.
    """
    if len({array.shape[-1] for array in contents.arrays}) > 1:
        return PERCENTILES
    own = [column[row] for row in contents.rows]
    # Sets are counted in shuffled groups: a penalty chosen by what is tested would spoil the test.
    shuffled = [own[k] for k in np.random.default_rng(0).permutation(len(own))]
    means, blind_means = _means(contents, (own, shuffled), list(values))
    weights = _differences(means)
    blind = _differences(blind_means)
    lowest = readable_percentile(blind)

    def fits(percentile):
        alphas = (0 < alpha_from_percentile(one, percentile) < one.max() for one in weights)
        return (percentile >= lowest or lowest == FIRST[0]) and all(alphas)

    good = tuple(filter(fits, PERCENTILES))
    if len(good) > 2:
        return good
    return (*good, *filter(fits, _HIGH))


def _differences(means):
    """Return the difference graphs in which sets are found, for each pair of groups."""
    found = []
    for one, other in itertools.combinations(means, 2):
        found += [one - other, other - one, np.abs(one - other)]
    return found


def _means(contents, several, values):
    """Return the mean graph of each group, for each of several lists of people's groups."""
    totals = np.zeros((len(several), len(values), contents.regions, contents.regions))
    for *labels, array in zip(*several, contents.arrays, strict=True):
        graph = _graph(contents, array)
        for total, label in zip(totals, labels, strict=True):
            if label in values:
                total[values.index(label)] += graph
    sizes = np.array([max(1, several[0].count(value)) for value in values])
    return totals / sizes[:, None, None]


def _graph(contents, array):
    """Return a person's graph, made by the rule of the config."""
    filled = np.nan_to_num(array)
    if contents.kind == "series":
        with np.errstate(all="ignore"):
            filled = np.nan_to_num(np.corrcoef(filled.T))
    return threshold_graph(filled, contents.share, zeros=not contents.counts)
