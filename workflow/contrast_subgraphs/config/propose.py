"""A first config for the user's own folder, from a look at its files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..contrast.alpha import PERCENTILES
from ..contrast.solve import READABLE
from ..core.atomic_files import save_text
from ..core.checks import in_words
from ..core.columns import as_written, columns_of
from ..core.errors import InputError
from ..data.people import KNOWN_COLUMNS
from .contents import contents_of, fitting_percentiles
from .group_column import Groups, find_groups
from .layouts import Layout, layout_of, with_images

#: The config. Lines that end up empty are left out.
_TEMPLATE = """\
# Run it with: contrast-subgraphs run THIS_FILE --cores 2
# Every key and its meaning: docs/reference/config.md
source: folder
sources:
  folder:
    subjects: {subjects}
    id: {id}
    files: {files} # {{id}}: what the column says
    kind: {kind} # series, matrix, or image (4-D NIfTI)
{key}
{runs}
{missing}
{image}
    atlas: {atlas}
{windows}
    regions: {regions} # common, drop: those that all people have
groups: # their names and the rule of each; the first is compared with the second
{groups}
# cohorts: # without any, all people form one cohort
#   young: {{where: "age < 30"}}
{graph}
# Further ones: docs/reference/config.md. The paper's baselines (graph2vec, sub2vec,
# wl-kern, embs) take long on graphs of many regions.
methods: [{methods}]
{evaluation}
"""
#: With more regions than this, evaluations get fewer permutations.
LARGE = 200
_FEWER = f"""\
# More than {LARGE} regions take long: fewer permutations, on fewer splits, than by default
# (400, each on 5). Leave this out for p-values below 0.01.
evaluation: {{permutations: 100, repeats: {{permuted: 2}}}}"""
#: With more regions than this, a proof may take less time than by default.
HUGE = 500
#: Fewer common regions than this do not make a graph.
_FEWEST = 3


class Proposal(NamedTuple):
    """A first config: commented YAML, sentences, and a table of people that must be written."""

    text: str
    found: list
    people: pd.DataFrame | None
    people_path: Path
    #: What it was made from.
    layout: Layout
    groups: Groups

    def save(self, path):
        """Write the config to `path`, and the table of people if one is needed."""
        if self.people is not None:
            table = self.people.to_csv(sep="\t", index=False, na_rep="n/a", lineterminator="\n")
            save_text(self.people_path, table)
        save_text(path, self.text)


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
    labels=(),
):
    """Look at a folder of the user's data and return a config for it.

    The folder holds BIDS derivatives, or a table of people and a file for each, or a folder of
    files for each group. The options are those of ``contrast-subgraphs init``; `entities`: those of
    BIDS names; `labels`: for BIDS derivatives, the people who are taken (by default all).
    """
    folder = Path(folder).expanduser().absolute()
    output = Path(output).expanduser()
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    layout = layout_of(
        folder,
        entities=entities or {},
        kind=kind or ("image" if atlas_image else None),
        people=people,
        files=files,
        runs=runs or "join",
        labels=labels,
    )
    layout = replace(layout, kind=kind or layout.kind, key=key or layout.key)
    contents = None
    if layout.kind == "image":
        layout = with_images(layout, atlas_image)
    else:
        contents = contents_of(layout)
        if atlas_image:
            raise InputError(f"--atlas-image {atlas_image}: these are no 4-D images: leave it out")
    known = f"atlas: {layout.atlas.name}" if layout.atlas else "no table of regions: no places"
    layout.found.append(known)
    people_path = output.with_name(f"{output.stem}.people.tsv").absolute()
    groups, said = find_groups(layout, group_column)
    filled = _TEMPLATE.format(
        subjects=_quoted(layout.path or people_path),
        id=_quoted(layout.column),
        files=_quoted(layout.pattern),
        key=f"    key: {_quoted(layout.key)} # of the array in each file" if layout.key else "",
        image=f"    image: {json.dumps(layout.image)}" if layout.image else "",
        atlas=_quoted(layout.atlas) if layout.atlas else "null",
        groups=_rules(groups),
        methods=_methods(layout),
        **_of_people(layout, runs),
        **_of_contents(layout, contents, groups),
    )
    text = "\n".join(line for line in filled.split("\n") if line)
    written = as_written(layout.people) if layout.path is None else None
    return Proposal(f"{text}\n", [*layout.found, *said], written, people_path, layout, groups)


def _quoted(text):
    # JSON's texts are YAML's too.
    return json.dumps(str(text), ensure_ascii=False)


def _rules(groups):
    """Return a line for each group, or lines to edit if the groups are not known."""
    if groups.column is None:
        return '  "first": "EDIT == 1"\n  "second": "EDIT == 2"'
    pairs = zip(groups.names, groups.rules, strict=True)
    return "\n".join(f"  {_quoted(name)}: {_quoted(rule)}" for name, rule in pairs)


def _methods(layout):
    """Return the methods of the evaluation; if sites are known, also by site alone."""
    methods = ["cs-p1", "cs-p2", "edges"]
    called = {name.lower() for name in columns_of(layout.people)}
    if not called.isdisjoint(KNOWN_COLUMNS["site"][1]):
        methods.append("site")
    return ", ".join(methods)


def _of_people(layout, runs):
    """Return the lines about people with several files, and about people without any."""
    lines = {"runs": "", "missing": ""}
    if max(map(len, layout.files)) > 1:
        how = runs or "join"
        layout.found.append(f"several runs of a person: {how} (--runs)")
        lines["runs"] = f"    runs: {how} # or first"
    if not all(layout.files):
        lines["missing"] = (
            "    missing: skip # people without a file; error: not without all of them"
        )
    return lines


def _of_contents(layout, contents, groups):
    """Return the lines about what the files hold; for images nothing is known yet."""
    if contents is None:
        return {"kind": "image", "regions": "common", "graph": "", "evaluation": "", "windows": ""}
    windows = "    windows: mean # of the matrices in each file" if contents.windows else ""
    return {
        "kind": contents.kind,
        "regions": _regions(layout, contents),
        "graph": _graph(layout, contents, groups),
        "evaluation": _FEWER if contents.regions > LARGE else "",
        "windows": windows,
    }


def _regions(layout, contents):
    """Return `common` if people have data on different regions but share some."""
    sets = set()
    for own, array in zip(contents.names, contents.arrays, strict=True):
        # The diagonal does not count.
        most = len(array) - (contents.kind == "matrix")
        there = np.isnan(array).sum(axis=0) < most
        sets.add(tuple(np.asarray(own or range(array.shape[-1]), dtype=str)[there]))
    if len(sets) == 1:
        return "error"
    counts = sorted({array.shape[-1] for array in contents.arrays})
    if len(counts) > 1 and any(own is None for own in contents.names):
        layout.found.append(
            f"files have {in_words(counts, 'or')} regions, without names: which are which is "
            "not known. Give all the same regions, or names"
        )
        return "error"
    shared = len(set.intersection(*map(set, sets)))
    if shared < _FEWEST:
        layout.found.append(
            f"people have data on different regions, and only {shared} are in all files: are they "
            "named alike?"
        )
        return "error"
    layout.found.append(
        f"people have data on different regions: the {shared} that all have are taken"
    )
    return "common"


def _graph(layout, contents, groups):
    """Return the lines that say how a person's graph is made, and what is found in them."""
    own = " of the matrix's own numbers" if contents.kind == "matrix" else ""
    lines = [
        f"# graph: # without it, the strongest fifth of a person's pairs are edges; or{own}:",
        "#   {weights: weighted, threshold: null}",
    ]
    if contents.counts:
        lines = [
            "graph: # the strongest tenth of each person's pairs are edges; a count of 0 never is",
            "  threshold: {density: 0.1}",
        ]
    settings = []
    # Only what differs from the defaults is written: a short config shows what is special in it.
    percentiles = _percentiles(layout, contents, groups)
    if percentiles != PERCENTILES:
        settings.append(f"percentiles: {list(percentiles)}")
    if contents.regions > HUGE:
        settings.append("limits: {nodes: 250000}")
        lines.append(
            f"# With more than {HUGE} regions proofs take long; these end sooner, with a bound."
        )
    if percentiles != PERCENTILES:
        lines.append(
            f"# At others sets have more than {READABLE} regions, or alpha is 0 or too large."
        )
    if settings:
        lines.append(f"contrast: {{{', '.join(settings)}}}")
    return "\n".join(lines)


def _percentiles(layout, contents, groups):
    """Return the percentiles that fit the groups; the usual ones if none does."""
    if groups.column is None:
        return PERCENTILES
    column = layout.people[groups.column].tolist()
    good = fitting_percentiles(contents, column, groups.values)
    if not good:
        layout.found.append("no percentile fits: the groups' graphs hardly differ")
    return good or PERCENTILES
