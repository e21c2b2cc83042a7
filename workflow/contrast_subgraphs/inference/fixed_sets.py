"""Sets of regions that were chosen before the data were seen: by a run, by name, by others."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from ..core.atomic_files import load_npz, save_json
from ..core.checks import did_you_mean, in_room, in_words
from ..core.errors import InputError
from ..core.pairs import upper_triangle
from ..core.results import Result


@dataclass(frozen=True, repr=False)
class FixedSet(Result):
    """A set of regions that was chosen before the data were seen.

    Parameters
    ----------
    name : str
        The name of the set.
    regions : sequence of str
        Names of its regions; with `other`, those of one side.
    contrast : str
        The claimed direction, one of the new data's contrasts (``td-asd``: more in td).
    other : sequence of str, optional
        The other side, for the connections between two lists of regions.
    atlas : sequence of str, optional
        Names of all regions of the data that chose it, to report missing ones.
    people : frozenset of str, optional
        Digests of the graphs of the people who chose it.
    subjects : frozenset of str, optional
        The names of these people.
    how : mapping of str to str, optional
        How it was found: the kind of the graphs' weights, and what was held constant.
    percentile : float, optional
        The penalty at which it was found.

    See Also
    --------
    confirm : Tests it.
    load_sets, named_set : Create such sets.

    Examples
    --------
    >>> frontal = FixedSet("frontal", ["F1", "F2", "F3"], "td-asd")
    >>> frontal
    <FixedSet: frontal, td-asd: F1, F2 and F3>
    >>> int(frontal.pairs(["F1", "P1", "F2", "F3"]).sum())
    3
    """

    name: str
    regions: Sequence[str]
    contrast: str
    other: Sequence[str] = ()
    atlas: Sequence[str] = ()
    people: frozenset = field(default_factory=frozenset)
    subjects: frozenset = field(default_factory=frozenset)
    how: Mapping[str, str] = field(default_factory=dict)
    percentile: float | None = None

    def __post_init__(self):
        # As tuples of texts: arrays of names cannot be used in conditions.
        for name in ("regions", "other", "atlas"):
            object.__setattr__(self, name, tuple(map(str, getattr(self, name))))
        for part in (self.regions, self.other):
            twice = [name for name in dict.fromkeys(part) if list(part).count(name) > 1]
            if twice:
                raise InputError(f"{self.name}: the region {twice[0]} is named twice")
        # One region, with itself or with none, has no pair, and nothing no mean weight.
        if not self.regions or len({*self.regions, *self.other}) < 2:
            raise InputError(f"{self.name}: a set of {len(self.regions)} region has no pair")

    def _said(self) -> str:
        sides = in_room(self.regions)
        if self.other:
            sides += f" with {in_room(self.other)}"
        return f"{self.name}, {self.contrast}: {sides}"

    def pairs(self, roi: Sequence[str]) -> np.ndarray:
        """Return which pairs of regions the set holds, for data with these regions.

        Parameters
        ----------
        roi : sequence of str
            Names of all regions of the data, in their order.

        Returns
        -------
        numpy.ndarray of bool, shape (n_pairs,)
            In the order of `numpy.triu_indices`.

        Raises
        ------
        InputError
            If the data lack one of the regions, or have another number of them.
        """
        names = [str(name) for name in roi]
        place = {name: k for k, name in enumerate(names)}
        missing = [name for name in [*self.regions, *self.other] if name not in place]
        if missing:
            near = did_you_mean(missing[0], names)
            raise InputError(
                f"{self.name}: {len(missing)} of its regions are not among these {len(names)} "
                f"({in_words(missing)}){near}: another atlas? A table of names translates (rename)"
            )
        # Names such as R1 occur in many atlases: another number of regions is another atlas.
        if self.atlas and len(self.atlas) != len(names):
            raise InputError(
                f"{self.name} was chosen among {len(self.atlas)} regions, and these data have "
                f"{len(names)}: another atlas?"
            )
        first = np.isin(names, list(self.regions))
        second = np.isin(names, list(self.other)) if self.other else first
        i, j = upper_triangle(len(names))
        return (first[i] & second[j]) | (second[i] & first[j])


def named_set(
    patterns: str | Sequence[str],
    regions: Sequence[str],
    contrast: str,
    *,
    between: str | Sequence[str] | None = None,
    name: str | None = None,
) -> FixedSet:
    """Return the set of all regions whose names match patterns such as ``Temporal_*``.

    Parameters
    ----------
    patterns, between : str or sequence of str
        Patterns for the regions, and for those of the other side; ``*`` matches any letters.
    regions : sequence of str
        Names of all regions of the data.
    contrast : str
        The claimed direction.
    name : str, optional
        The name of the set.

    Returns
    -------
    FixedSet

    Raises
    ------
    InputError
        If a pattern matches no region, or if there is only one region.

    See Also
    --------
    confirm : Tests it.
    load_sets : Reads sets that were found elsewhere.

    Examples
    --------
    >>> named_set("T_*", ["T_1", "T_2", "F_1"], "td-asd").regions
    ('T_1', 'T_2')
    """
    first = _that_fit(patterns, regions)
    second = ()
    if between is not None:
        second = _that_fit(between, regions)
        if not second:
            raise InputError("the second list of regions is empty: name some, or leave it out")
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    called = name or ", ".join(listed)
    return FixedSet(called, first, contrast, second, tuple(map(str, regions)))


def _that_fit(patterns, regions):
    patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    names = [str(name) for name in regions]
    found = []
    for pattern in patterns:
        fits = [name for name in names if fnmatchcase(name, pattern)]
        # A misspelt pattern would otherwise test another set than the one that was claimed.
        if not fits:
            raise InputError(f"no region is called {pattern}{did_you_mean(pattern, names)}")
        # Two patterns may fit the same region, which is still one.
        found += [name for name in fits if name not in found]
    return tuple(found)


def digest_of(row):
    """Return a digest of one graph's weights that does not depend on their data type."""
    # Graphs and not names identify people: names differ between studies, and may collide.
    return hashlib.sha256(np.ascontiguousarray(row, dtype=np.float64)).hexdigest()[:24]


def names_of(people: Iterable[object]) -> list[str]:
    """Return people's names without folders and file extensions, to compare studies.

    Examples
    --------
    >>> names_of(["controls/sub-01.csv", "sub-01", "1.10"])
    ['sub-01', 'sub-01', '1.10']
    """
    # 1.10 is the name of a person, not the file 1 with the extension 10.
    return [re.sub(r"\.[A-Za-z]\w*$", "", Path(str(name)).name) for name in people]


def how_found(weights: np.ndarray, covariates: Sequence[str]) -> dict[str, str]:
    """Return the kind of graphs' weights, and what is held constant, in words (`FixedSet.how`).

    Examples
    --------
    >>> how_found(np.array([[0, 1, 1]]), ["age", "site"])
    {'weights': '0 or 1', 'covariates': 'age, site'}
    """
    # Row by row: comparing all weights at once would make two more arrays of their size.
    binary = all(((row == 0) | (row == 1)).all() for row in weights)
    kind = "any number"
    if binary:
        kind = "0 or 1"
    return {"weights": kind, "covariates": ", ".join(map(str, covariates))}


def refuse_the_same_people(edges: np.ndarray, sets: Sequence[FixedSet]) -> None:
    """Raise InputError if graphs of the new data are among those that chose a set."""
    chose = frozenset().union(*(one.people for one in sets))
    if not chose:
        return
    same = sum(digest_of(row) in chose for row in edges)
    if same:
        raise InputError(
            f"{same} of these {len(edges)} graphs are among those that chose the set: what is "
            "measured in them is no confirmation. Leave these people out"
        )


def doubts_of_the_same(
    sets: Sequence[FixedSet], subjects: Sequence[str], how: Mapping[str, str]
) -> Iterator[str]:
    """Yield doubts that new data are from other people, and of the same kind, as those of the sets.

    `subjects` are names of the new people; `how` describes the new graphs, as in `FixedSet`.
    """
    chose = frozenset().union(*(one.subjects for one in sets))
    same = sorted(chose & set(map(str, subjects)))
    if same:
        yield (
            f"{len(same)} of these people have the name of one who chose the set, such as "
            f"{same[0]}: if they are the same people, this confirms nothing"
        )
    # A difference of weights of another kind, or given other covariates, is another claim.
    for key in sorted({key for one in sets for key in one.how}):
        before = {one.how[key] for one in sets if key in one.how}
        now = how.get(key, "")
        if before != {now}:
            yield (
                f"{key}: the set was found with {in_words(sorted(before)) or 'none'}, and these "
                f"data have {now or 'none'}"
            )


def save_sets(
    path: str | Path,
    records: Sequence[Mapping[str, Any]],
    graphs: Any,
    how: Mapping[str, str] | None = None,
    people: Iterable[object] | None = None,
) -> None:
    """Write sets for use by `confirm`: regions by name, contrast, digests of the graphs.

    Parameters
    ----------
    path : str or pathlib.Path
    records : sequence of dict
        With ``contrast``, ``regions``, ``alpha`` and ``percentile``.
    graphs : CohortGraphs
        The graphs of those who chose.
    how : mapping of str to str, optional
        As in `FixedSet`.
    people : sequence, optional
        Their names; by default those of the graphs, without file extensions.
    """
    if people is None:
        people = names_of(graphs.people)
    kept = ("contrast", "percentile", "alpha", "objective", "optimal", "regions")
    found = [{key: one[key] for key in kept if key in one} for one in records]
    value = {
        "regions": [str(name) for name in graphs.roi],
        # A set of one region has no pair that could be measured.
        "sets": [one for one in found if len(one["regions"]) > 1],
        "graphs": [digest_of(row) for row in graphs.weights],
        "subjects": sorted(set(map(str, people))),
        "how": dict(how or {}),
    }
    save_json(path, value)


def load_sets(
    path: str | Path,
    rename: Mapping[str, str] | None = None,
    *,
    contrast: str | None = None,
    empty: bool = False,
) -> list[FixedSet]:
    """Return the sets of a file of `find --save`, of a run or of `save`.

    In a run, ``inference/<cohort>.found.json`` holds the sets that its page shows, and
    ``contrast/<cohort>/<contrast>.json`` those at all penalties. What `save` wrote knows neither a
    direction nor who chose the sets.

    Parameters
    ----------
    path : str or pathlib.Path
    rename : mapping of str to str, optional
        Name of a region in the file -> its name in the new data.
    contrast : str, optional
        The claimed direction of sets whose file does not name it, as those of `save`.
    empty : bool
        Whether a file without a set that has a direction and two regions is accepted.

    Returns
    -------
    list of FixedSet
        Without sets of a symmetric contrast, which has no direction, and without empty ones.

    Raises
    ------
    InputError
        If the file is not such a result, or if nothing says the direction of its sets.

    See Also
    --------
    confirm : Tests them.
    save : Writes sets that were found in Python.
    named_set : Makes a set from names of regions.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "claim.json"
    >>> claim = '{"contrast": "td-asd", "subgraphs": [{"regions": ["F1", "F2"]}]}'
    >>> _ = path.write_text(claim)
    >>> load_sets(path)[0].regions
    ('F1', 'F2')
    """
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
        listed = list(_entries(value))
    except (OSError, UnicodeDecodeError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} holds no sets: give a file of `find --save` or `save`, or "
            "inference/<cohort>.found.json or contrast/<cohort>/<contrast>.json of a run "
            f"({error})"
        ) from error
    rename = rename or {}
    # A single result has no list of sets: its regions are its own, not all that it chose among.
    atlas = ()
    if "sets" in value or "subgraphs" in value:
        atlas = tuple(value.get("regions", ()))
    # Files of a run's contrasts do not list the graphs, but lie next to them.
    chose = value.get("graphs")
    if chose is None:
        chose = _graphs_beside(Path(path), value.get("cohort"))
    found = []
    for named, percentile, regions in listed:
        direction = named or contrast
        if direction is None:
            raise InputError(f"{path} does not say in which direction its sets are: give contrast")
        if contrast is not None and contrast != direction:
            raise InputError(f"{path} says {direction}, and contrast {contrast}: leave it out")
        # Neither of these is a claim that new data could bear out or not.
        if direction == "symmetric" or len(regions) < 2:
            continue
        at = ""
        if percentile is not None:
            at = f" at percentile {percentile:g}"
        found.append(
            FixedSet(
                name=f"{direction}{at}",
                regions=tuple(rename.get(name, name) for name in map(str, regions)),
                contrast=direction,
                atlas=atlas,
                people=frozenset(chose),
                subjects=frozenset(value.get("subjects", ())),
                how=value.get("how", {}),
                percentile=percentile,
            )
        )
    if not found and not empty:
        raise InputError(f"{path}: no set there has a direction and two regions or more")
    return found


def _entries(value):
    """Yield the direction (None if it is not named), percentile and regions of each set."""
    # `save` writes a single result without a list around it.
    for entry in value.get("sets", value.get("subgraphs", [value])):
        direction = entry.get("contrast", value.get("contrast"))
        yield direction, entry.get("percentile"), entry["regions"]


def _graphs_beside(path, cohort):
    """Digests of the graphs of the run that a contrast's file belongs to, if they exist."""
    if cohort is None:
        return ()
    graphs = path.resolve().parents[2] / "graphs" / f"{cohort}.npz"
    if not graphs.is_file():
        return ()
    return [digest_of(row) for row in load_npz(graphs, "weights")["weights"]]
