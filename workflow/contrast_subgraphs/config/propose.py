"""A first config for the user's own folder, from a look at what lies in it."""

import glob
import itertools
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..contrast.alpha import PERCENTILES, alpha_from_percentile
from ..contrast.solve import FIRST, READABLE, readable_percentile
from ..core.checks import in_words, plural
from ..core.columns import (
    as_written,
    columns_of,
    identifiers,
    is_number,
    missing_entries,
    typed,
)
from ..core.errors import InputError
from ..core.graphs import square_of
from ..data import bids
from ..data.patterns import Pattern, braces_doubled, check_fields
from ..data.people import KNOWN_COLUMNS, check_column, read_people, spellings
from ..data.reading import is_data, read_files
from ..data.regions import read_atlas
from ..graphs.threshold import threshold_graph

#: How columns that say the group are often called, the surest first.
_GROUP_NAMES = (
    *("group", "diagnosis", "dx", "dx_group", "diagnostic_group", "status", "condition"),
    *("patient", "genotype", "treatment", "arm"),
)
#: Words in the names of columns that say how people were measured, not who they are.
_TECHNICAL = re.compile(
    "coil|scan|vendor|manufactur|model|software|version|field|tesla|protocol|sequence|phase|encod"
    "|echo|station|device|machine|rater|quality|(^|_)qc|batch|wave|visit|date|day|month|year"
    "|language|consent|include|exclude|usable|release|series|acquisition|modality|tool|pipeline"
)
#: Columns that are held constant rather than compared, beside those that the stages know.
_COVARIATES = ("handedness", "hand", "eye_status_at_scan", "session", "session_id", "run", "cohort")
#: From more regions than these on, evaluations get fewer permutations.
LARGE = 200
_FEWER = (
    f"# More than {LARGE} regions take long: fewer permutations, on fewer splits, than by default",
    "# (400, each on 5). Leave this out for p-values below 0.01.",
    "evaluation: {permutations: 100, repeats: {permuted: 2}}",
)
#: From more regions than these on, a proof may spend less than by default.
HUGE = 500
#: Of more people than these, the names of some files say what all are called.
_FEW_PEOPLE = 50
#: A column with more values than these is not taken for the groups.
MOST_GROUPS = 6
#: Fewer regions than these in common are no graph.
_FEWEST = 3
#: Of more bytes than these, only the files of some people are looked at.
_MOST_BYTES = 3e8
#: Percentiles for groups that hardly differ in most pairs.
_HIGH = tuple(one for one in FIRST if one > PERCENTILES[-1])


@dataclass(frozen=True)
class Layout:
    """Who there is and where their files are: ``id``, ``files`` and so on of a source `folder`."""

    people: pd.DataFrame
    column: str
    pattern: str
    path: Path | None  # of the table; None if it is to be written beside the config
    files: list  # of each person, one for each run; empty for who has none
    kind: str | None = None
    key: str | None = None
    atlas: Path | None = None
    image: dict = field(default_factory=dict)
    found: list = field(default_factory=list)


class Proposal(NamedTuple):
    """A first config: commented YAML, sentences, and a table of people that must be written."""

    text: str
    found: list
    people: pd.DataFrame | None
    people_path: Path


def propose_config(
    folder,
    output="mine.yaml",
    *,
    group_column=None,
    people=None,
    files=None,
    kind=None,
    key=None,
    entities=None,
    runs=None,
    atlas_image=None,
):
    """Look at a folder of the user's data and return a config for it.

    It is BIDS derivatives, or has a table of people and a file for each, or a folder of files for
    each group. The options are those of ``contrast-subgraphs init``; `entities`: of BIDS names.
    """
    folder, output = Path(folder).expanduser().absolute(), Path(output).expanduser()
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    layout = None
    if files is None and bids.is_dataset(folder):
        kind = kind or ("image" if atlas_image else None)
        layout = _of_bids(folder, entities or {}, kind, people, runs or "join")
    layout = layout or _of_table(folder, people, files) or _of_group_folders(folder)
    if layout is None:
        raise InputError(
            f"{folder} has no table (.csv or .tsv) with a column that names files in it, and no "
            "folders of files for each group: see docs/own_data.md for what is needed"
        )
    layout = replace(layout, kind=kind or layout.kind, key=key or layout.key)
    if layout.kind == "image":
        layout = _of_images(layout, atlas_image)
    read = None if layout.kind == "image" else _read(layout)
    known = f"atlas: {layout.atlas.name}" if layout.atlas else "no table of regions: no places"
    layout.found.append(known)
    people_path = output.with_name(f"{output.stem}.people.tsv").absolute()
    column, values, said = _groups(layout, group_column)
    names = _names(values)
    lines = [
        "# Run it with: contrast-subgraphs run THIS_FILE --cores 2",
        "# Every key and its meaning: docs/reference/config.md",
        "source: folder",
        "sources:",
        "  folder:",
        f"    subjects: {_quoted(layout.path or people_path)}",
        f"    id: {_quoted(layout.column)}",
        f"    files: {_quoted(layout.pattern)} # {{id}}: what the column says",
        f"    kind: {read.kind if read else 'image'} # series, matrix, or image (4-D NIfTI)",
        *([f"    key: {_quoted(layout.key)} # of the array in each file"] if layout.key else []),
        *_runs(layout, runs),
        *([f"    image: {json.dumps(layout.image)}"] if layout.image else []),
        f"    atlas: {_quoted(layout.atlas) if layout.atlas else 'null'}",
        *(["    windows: mean # of the matrices in each file"] if read and read.windows else []),
        *_regions(layout, read),
        "groups: # their names and the rule of each; the first is compared with the second",
    ]
    if column is None:
        lines += ['  "first": "EDIT == 1"', '  "second": "EDIT == 2"']
    else:
        rules = [_rule(re.sub(r"\W+", "_", column), value) for value in values]
        lines += [f"  {_quoted(n)}: {_quoted(r)}" for n, r in zip(names, rules, strict=True)]
    sites = {c.lower() for c in columns_of(layout.people)} & set(KNOWN_COLUMNS["site"][1])
    lines += [
        "# cohorts: # without any, everybody forms one cohort",
        '#   young: {where: "age < 30"}',
        *_graph(layout, read, column, values, names),
        "# Further ones: docs/reference/config.md. The paper's baselines (graph2vec, sub2vec,",
        "# wl-kern, embs) take long on graphs of many regions.",
        f"methods: [cs-p1, cs-p2, edges{', site' if sites else ''}]",
        *(_FEWER if read and read.regions > LARGE else ()),
    ]
    written = as_written(layout.people) if layout.path is None else None
    return Proposal("\n".join(lines) + "\n", [*layout.found, *said], written, people_path)


# Where the files are ------------------------------------------------------------------------


def _of_bids(folder, entities, kind, people, runs):
    """Return the layout of BIDS derivatives; None if no name in it is known."""
    known = bids.known_files(folder)
    if not known:
        return None
    dataset = bids.choose(folder, known, entities, kind)
    table, path, lacking = bids.participants(folder, list(dataset.files), people)
    gone = bids.without_files(path, list(dataset.files))
    found = [*dataset.found, f"people: {path}" if path else "no participants.tsv: no groups"]
    if lacking:
        found.append(f"no row in it, and left out: {in_words(lacking, most=3)}")
    if gone:
        found.append(f"no such file, and left out: {in_words(gone, most=3)}")
    if not {c.lower() for c in columns_of(table)} & set(KNOWN_COLUMNS["motion"][1]):
        means = bids.mean_displacement(folder, dataset, runs)
        if means is not None:
            table["mean_fd"] = [means[name.removeprefix("sub-")] for name in table[bids.ID]]
            found.append("mean framewise displacement: column mean_fd, from the dataset")
    return Layout(
        table,
        bids.ID,
        _in_folder(folder, dataset.pattern.replace("sub-{id}", "{id}")),
        None,
        [dataset.files[name.removeprefix("sub-")] for name in table[bids.ID]],
        dataset.kind,
        dataset.key or None,
        bids.atlas_table(folder, dataset.entities.get("atlas")),
        found=found,
    )


def _data_files(folder):
    """Return ``{place: (rank, kind, key)}`` of the files that may be of people.

    A name that a pipeline gives has the rank of its line.
    """
    found = {}
    for path in bids.walk(folder):
        known = [
            (rank, kind, key or None)
            for rank, (_, kind, key, name) in enumerate(bids.pipelines())
            if name.fullmatch(path.name)
        ] or [(99, None, None)] * is_data(path)
        if known and known[0][1] != "none":  # what a pipeline writes beside its results
            found[path.relative_to(folder).as_posix()] = known[0]
    return found


def _of_table(folder, people, files):
    """Return the layout of a folder with a table of people; None if no table names files."""
    there = _data_files(folder)
    tables = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".csv", ".tsv", ".xlsx"))
    tables.sort(key=lambda p: not p.name.startswith(("participants", "pheno", "subjects")))
    read = {}
    for path in [Path(people)] if people else tables:
        try:
            read[path] = read_people(path)
        except InputError:
            if people:
                raise
    twice = []
    for spelling in (str, *(one for _, one in spellings())):
        for path, table in read.items():
            texts = as_written(table)  # a subject 001 is not 1
            for column in texts.columns if len(table) > 1 else ():
                ids = pd.Series(identifiers(table, column), table.index, dtype=object)
                known = pd.Series(~missing_entries(ids), ids.index)
                once = known & ~ids.duplicated()
                rows = texts.map(str).assign(id=ids.map(spelling, na_action="ignore"))
                rows = rows[once].to_dict("records")
                if not once.all():
                    if len(rows) > 2 and _names_files(rows, there, path, texts, column, files):
                        twice.append(_not_once(path, column, ids, known))
                    continue
                pattern, kind, key, more = _best(rows, there, path.name, texts, column, files)
                if pattern is None:
                    continue
                place = Pattern(pattern, rows[0])
                own = [place.filled(row) for row in rows]
                found = [
                    f"{path.name}: {len(table)} people, named by the column {column}",
                    f"{sum(one in there for one in own)} of them have a file {pattern}",
                    *more,
                ]
                return Layout(
                    typed(texts.assign(**{column: ids})),
                    column,
                    pattern if path.parent.absolute() == folder else _in_folder(folder, pattern),
                    path.absolute(),
                    [[folder / one] if one in there else [] for one in own],
                    kind,
                    key,
                    next((p for p in tables if "atlas" in p.name.lower()), None),
                    found=found,
                )
    if twice:
        raise InputError(twice[0])
    if files:
        raise InputError(f"no file is where --files says, such as {folder / files}")
    return None


def _names_files(rows, there, path, texts, column, files):
    """Whether the values of a column stand in the places of files."""
    try:
        return _best(rows, there, path.name, texts, column, files)[0] is not None
    except InputError:
        return True


def _not_once(path, column, ids, known):
    """Say why a column that names files is not the people's."""
    if not known.all():
        line = int(np.argmin(known.to_numpy())) + 2
        return f"{path} has no {column} in line {line}: each person needs one"
    return (
        f"{path} has the {column} {ids[ids.duplicated()].iloc[0]} twice: it must have one row for "
        "each person"
    )


def _patterns(rows, places, table, column):
    """Return patterns in which the name of a person, and what columns say of them, are fields."""
    found = {}
    columns = [c for c in table.columns if c != column and not re.search("[{}:/]", c)]
    some = range(len(rows)) if len(rows) <= _FEW_PEOPLE else (0, 1, len(rows) // 2, len(rows) - 1)
    for row in [rows[k] for k in sorted(set(some))]:
        name = row["id"]
        before, after = (r"[^\W_]" if not one.isdigit() else r"\d" for one in (name[0], name[-1]))
        token = re.compile(rf"(?<!{before}){re.escape(name)}(?!{after})")
        for place in places:
            if not token.search(place):
                continue
            pattern = token.sub("{id}", braces_doubled(place))
            found[pattern] = None
            for other in columns:  # such as {group}/{id}.csv
                parts = [
                    f"{{{other}}}" if part == row[other] else part for part in pattern.split("/")
                ]
                found["/".join(parts)] = None
    return list(found)


def _best(rows, there, name, table, column, files):
    """Return the pattern that most people have a file of, its kind and key, and what is said."""
    places = there.keys() - {name}
    counts = {}
    few = {}  # patterns of half of the people or fewer
    for pattern in [files] if files else _patterns(rows, places, table, column):
        place = Pattern(pattern, rows[0])
        check_fields(place, rows[0], name)
        own = [found for row in rows if (found := _filled(place, row)) in places]
        if len(own) > len(rows) / 2 or (files and own):
            counts[pattern] = len(own), there[own[0]], tuple(own)
        elif len(own) > 1:
            few[pattern] = tuple(own)
    if not counts:
        return None, None, None, []
    first = min((-n, rank) for n, (rank, *_), _ in counts.values())
    best = {own: p for p, (n, (rank, *_), own) in counts.items() if (-n, rank) == first}
    if len(best) > 1:
        raise InputError(
            "the people have several files: choose with --files\n  "
            + "\n  ".join(sorted(best.values()))
        )
    ((own, pattern),) = best.items()
    further = few | {p: o for p, (_, _, o) in counts.items()}
    others = [f"{p} ({len(o)} people)" for p, o in further.items() if not {*o} & {*own}]
    said = [f"not taken: {in_words(others, most=3)} (--files)"] if others else []
    return pattern, *there[own[0]][1:], said


def _filled(place, row):
    """Return where a person's file would be; None if a text stands where a number is wanted."""
    try:
        return place.filled(row)
    except InputError:
        return None


def _of_group_folders(folder):
    """Return the layout of a folder with one folder of files for each group; None else."""
    there = _data_files(folder)
    best = min((rank for rank, *_ in there.values()), default=99)
    places = [Path(p) for p, (rank, *_) in sorted(there.items()) if rank == best]
    table = pd.DataFrame(
        [(p.name.split(".")[0], str(p.parent), p.name) for p in places if len(p.parts) == 2],
        columns=["participant_id", "group", "file"],
    )
    groups = table["group"].unique().tolist()
    if not 2 <= len(groups) <= MOST_GROUPS or len(table) < len(places):
        return None
    if table["participant_id"].duplicated().any():  # 01 of both groups
        table["participant_id"] = table["group"] + "_" + table["participant_id"]
    return Layout(
        table,
        "participant_id",
        _in_folder(folder, "{group}/{file}"),
        None,
        [[folder / p] for p in places],
        *there[places[0].as_posix()][1:],
        next((p for p in sorted(folder.glob("*atlas*")) if p.suffix in (".csv", ".tsv")), None),
        found=[f"a folder of files for each group: {in_words(groups)}"],
    )


def _in_folder(folder, pattern):
    """Return a pattern in a folder, whose own braces are no fields."""
    return f"{braces_doubled(folder)}/{pattern}"


def _of_images(layout, atlas_image):
    """Return the layout with how images become series."""
    if atlas_image is None:
        raise InputError(
            "there are images, which need an image of the regions in the same space: give it with "
            "--atlas-image"
        )
    atlas = Path(atlas_image).absolute()
    if not atlas.is_file():
        raise InputError(f"there is no file {atlas} (--atlas-image)")
    beside = [Path(re.sub(r"\.nii(\.gz)?$", end, str(atlas))) for end in (".tsv", ".csv")]
    table = next((path for path in beside if path.is_file()), layout.atlas)
    first = next(own[0] for own in layout.files if own)
    prefix = re.split(r"_(space|res|den|desc)-", first.name)[0]
    beside_it = f"{glob.escape(prefix)}_desc-confounds*_timeseries.tsv"
    confounds = any(first.parent.glob(beside_it))
    strategy = "simple" if confounds and "desc-preproc" in first.name else None
    image = {"atlas": str(atlas), "confounds": strategy, "low_pass": 0.1 if strategy else None}
    said = f"images become series of the regions of {atlas.name}"
    said += f"; confounds: {strategy}, below 0.1 Hz" if strategy else "; taken as they are"
    return replace(layout, image=image, atlas=table, found=[*layout.found, said])


# What they hold -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    """What the files hold, with the people that have one (rows of the table)."""

    kind: str
    rows: list
    names: list
    arrays: list  # of each of them a table: volumes x regions, or a matrix
    windows: bool = False  # whether matrices are means over windows of dynamic connectivity

    @property
    def regions(self):
        return max(array.shape[-1] for array in self.arrays)

    @property
    def counts(self):
        """Whether matrices hold counts."""
        if self.kind == "series":
            return False
        values = [np.nan_to_num(array) for array in self.arrays]
        whole = all((one >= 0).all() and (one == one.round()).all() for one in values)
        return whole and max(one.max() for one in values) > 1


def _read(layout):
    """Read everybody's first file: all of one kind, as `kind` says or else as they are."""
    rows = [k for k, own in enumerate(layout.files) if own]
    large = sum(layout.files[k][0].stat().st_size for k in rows) / _MOST_BYTES
    if large > 1:
        some = np.random.default_rng(0).permutation(rows)[: max(2, int(len(rows) / large))]
        layout.found.append(f"looked at {len(some)} of {len(rows)} files: they are large")
        rows = sorted(some.tolist())
    paths = [layout.files[k][0] for k in rows]
    stacked = len(paths) > 1 and len(set(paths)) == 1
    paths = paths[:1] if stacked else paths
    atlas = None if layout.atlas is None else read_atlas(layout.atlas)
    errors = []
    for kind in [layout.kind] if layout.kind else ["matrix", "series"]:
        try:
            names, arrays, reading = read_files(paths, kind, key=layout.key, atlas=atlas)
        except InputError as error:
            errors.append(str(error))
            continue
        layout.found.append(reading.sentence())
        arrays = arrays if kind == "series" else list(map(square_of, arrays))
        if stacked:
            return _of_stack(layout, kind, rows, names, arrays[0], reading.people)
        windows = [len(one) for one in arrays if one.ndim == 3 and len(one) > 1]
        if windows and kind == "series":
            raise InputError(f"{paths[0]} holds several series: save each run as a file of its own")
        if windows:
            layout.found.append(
                f"{max(windows)} matrices in a person's file: windows of dynamic connectivity? "
                "Their mean is taken (windows: mean)"
            )
        arrays = [one.mean(axis=0) if one.ndim == 3 else one for one in arrays]
        return _Read(kind, rows, names, arrays, bool(windows))
    raise InputError("; as series: ".join(errors))


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
    return _Read(kind, rows, names * len(rows), list(array))


def _runs(layout, runs):
    """Say what is done with several files of a person, and with none."""
    lines = []
    if max(map(len, layout.files)) > 1:
        layout.found.append(f"several runs of a person: {runs or 'join'} (--runs)")
        lines += [f"    runs: {runs or 'join'} # or first"]
    if not all(layout.files):
        lines += ["    missing: skip # people without a file; error: not without all of them"]
    return lines


def _regions(layout, read):
    """Say `common` where people have data on different regions, of which they share some."""
    sets = set()
    counts = set()
    for own, array in zip(read.names, read.arrays, strict=True) if read else ():
        gone = np.isnan(array).sum(axis=0) >= len(array) - (read.kind == "matrix")
        sets.add(tuple(np.asarray(own or range(array.shape[-1]), dtype=str)[~gone]))
        counts.add(array.shape[-1])
    shared = set.intersection(*map(set, sets)) if sets else set()
    named = read is None or len(counts) == 1 or all(own is not None for own in read.names)
    chosen = "common" if layout.kind == "image" else "error"
    if len(sets) > 1 and not named:
        layout.found.append(
            f"files have {in_words(sorted(counts), 'or')} regions, and no names of them: which are "
            "which is not known. Give all the same regions, or names"
        )
    elif len(sets) > 1 and len(shared) < _FEWEST:
        layout.found.append(
            f"people have data on different regions, and only {len(shared)} are in all files: are "
            "they named alike?"
        )
    elif len(sets) > 1:
        chosen = "common"
        layout.found.append(
            f"people have data on different regions: the {len(shared)} that all have are taken"
        )
    return [f"    regions: {chosen} # common, drop: those that all people have"]


def _graph(layout, read, column, values, names):
    """Return the lines that say how a person's graph is made, and what is found in them."""
    if read is None:
        return []
    huge = read.regions > HUGE
    ends = ["limits: {nodes: 250000}"] if huge else []
    good = PERCENTILES
    if column is not None:
        good = _fitting(read, layout.people[column].tolist(), values)
        if not good:
            layout.found.append("no percentile fits: the groups' graphs hardly differ")
    if good and good != PERCENTILES:
        ends.insert(0, f"percentiles: {list(good)}")
    own = " of the matrix's own numbers" * (read.kind == "matrix")
    lines = [
        f"# graph: # without it, the strongest fifth of a person's pairs are edges; or{own}:",
        "#   {weights: weighted, threshold: null}",
    ]
    if read.counts:
        lines = [
            "graph: # the strongest tenth of each person's pairs are edges; a count of 0 never is",
            "  threshold: {density: 0.1}",
        ]
    if huge:
        lines += [
            f"# With more than {HUGE} regions proofs take long; these end sooner, with a bound."
        ]
    if ends and ends[0].startswith("percentiles"):
        lines += [
            f"# At others sets have more than {READABLE} regions, or alpha is 0 or too large."
        ]
    return [*lines, f"contrast: {{{', '.join(ends)}}}"] if ends else lines


def _fitting(read, column, values):
    """Return the percentiles at which sets can be read, and alpha is above 0 and below a weight."""
    if len({array.shape[-1] for array in read.arrays}) > 1:
        return PERCENTILES
    share = {"density": 0.1} if read.counts else {"percentile": 80}
    own, values = [column[k] for k in read.rows], list(values)
    # Sets are counted in shuffled groups: a penalty chosen by what is tested would spoil the test.
    shuffled = [own[k] for k in np.random.default_rng(0).permutation(len(own))]
    totals = np.zeros((2, len(values), read.regions, read.regions))
    for *labels, array in zip(own, shuffled, read.arrays, strict=True):
        filled = np.nan_to_num(array)
        if read.kind == "series":
            with np.errstate(all="ignore"):
                filled = np.nan_to_num(np.corrcoef(filled.T))
        graph = threshold_graph(filled, share, zeros=not read.counts)
        for total, label in zip(totals, labels, strict=True):
            if label in values:
                total[values.index(label)] += graph
    totals /= np.array([max(1, own.count(value)) for value in values])[:, None, None]
    weights, blind = (
        [w for a, b in itertools.combinations(means, 2) for w in (a - b, b - a, np.abs(a - b))]
        for means in totals
    )
    lowest = readable_percentile(blind)

    def fits(percentile):
        alphas = (0 < alpha_from_percentile(one, percentile) < one.max() for one in weights)
        return (percentile >= lowest or lowest == FIRST[0]) and all(alphas)

    good = tuple(filter(fits, PERCENTILES))
    return good if len(good) > 2 else (*good, *filter(fits, _HIGH))


# Groups -------------------------------------------------------------------------------------


def _groups(layout, chosen):
    """Return the column that says the group (None where none is sure), its values, and sentences.

    A column called like a group comes first, then one of texts that is no covariate, then any
    other of two values. One called like a group, but empty for some, is not passed over.
    """
    table = layout.people
    columns = [c for c in columns_of(table) if c not in (layout.column, bids.ID)]
    called = {c: re.sub(r"\W+", "_", c.strip().lower()) for c in columns}
    covariates = {*_COVARIATES, *(name for _, own in KNOWN_COLUMNS.values() for name in own)}
    count = {c: table[c].nunique() for c in columns}
    candidates = [c for c in columns if 2 <= count[c] <= MOST_GROUPS]
    said = []
    for c in candidates:
        numbers = table[c].value_counts(sort=False).sort_index()
        told = ", ".join(f"{value} ({n})" for value, n in numbers.items())
        kind = ""
        if called[c] in covariates:
            kind = "; a covariate"
        elif _TECHNICAL.search(called[c]):
            kind = "; of the measurement"
        said.append(f"column {c}: {told}{kind}")
    if chosen is not None:
        check_column(table, chosen, "--group-column: the table")
        if not 2 <= count.get(chosen, 0) <= MOST_GROUPS:
            raise InputError(
                f"the column {chosen} has {plural(count.get(chosen, 0), 'value')}: groups are 2 "
                f"to {MOST_GROUPS}"
            )
        found = [chosen]
    else:
        whole = [c for c in candidates if not missing_entries(table[c]).any()]
        likely = [c for name in _GROUP_NAMES for c in columns if called[c] == name]
        own = [c for c in whole if called[c] not in covariates]
        own = [c for c in own if not _TECHNICAL.search(called[c])]
        texts = [c for c in own if not is_number(table[c])]
        found = [c for c in likely if c in whole]
        if not likely:
            found = texts or [c for c in own if count[c] == 2]
            if len(found) > 1:  # nothing says which one it is
                shown = in_words(found, "or")
                said.append(f"the groups may be in {shown}: say it by --group-column")
                found = []
    if not found:
        said.append("no column tells groups apart: give --group-column, or EDIT the config")
        return None, [], said
    column = found[0]
    if re.sub(r"\W+", "_", column) != column:
        said.append(f"rename the column {column!r}: rules have no spaces in names")
    values = sorted(table[column].dropna().unique())
    values = [value.item() if hasattr(value, "item") else value for value in values]
    without = int(missing_entries(table[column]).sum())
    more = "; each pair is compared" * (len(values) > 2)
    more += f"; {plural(without, 'person')} without a value left out" if without else ""
    return column, values, [*said, f"groups by the column {column}{more}"]


def _rule(column, value):
    """Return the expression for a value; True and False are conditions themselves."""
    if isinstance(value, bool):
        return f"{column} and True" if value else f"not {column}"
    return f"{column} == {value!r}"


def _names(values):
    """Return different names for the values."""
    names = [re.sub(r"\W+", "_", str(v), flags=re.ASCII).strip("_") or "group" for v in values]
    names = [name if re.match(r"[A-Za-z]", name) else f"group{name}" for name in names]
    if len({name.lower() for name in names}) < len(names):
        names = [f"{name}_{number}" for number, name in enumerate(names, start=1)]
    return names


def _quoted(text):
    return json.dumps(str(text), ensure_ascii=False)  # YAML, too
