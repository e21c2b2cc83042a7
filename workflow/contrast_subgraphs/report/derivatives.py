"""BIDS derivatives of a run: each person's graph, the group's results, and their sidecars."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..core.atlas import describe_regions
from ..core.atomic_files import load_json, save_text
from ..core.errors import InputError
from ..core.pairs import square_of
from ..data.bids import DESCRIPTION, GENERATOR, description_of, is_own, programs_of
from .methods_text import FILES, MethodsText, read_methods

#: The version of the specification that names and descriptions follow.
BIDS_VERSION = "1.10.0"
#: The name of the measure in the file names of graphs.
MEASURE = "graph"
#: This is part of the file names of all results of the group.
DESC = "desc-contrastsubgraph"
#: The page, at the top of the dataset.
PAGE = "report.html"
#: Entities of a name, in the order of the specification; others stand before `desc`.
_ORDER = ("ses", "task", "acq", "ce", "rec", "dir", "run", "echo", "hemi", "space", "res", "den")
#: Entities that describe the numbers of the input, which differ from those of a graph.
_OF_THE_INPUT = ("stat", "meas")
#: Folders for kinds of data; files from other folders are written directly below the person.
_DATATYPES = ("anat", "dwi", "eeg", "func", "ieeg", "meg", "nirs", "perf", "pet")
#: Endings of the three files of a person, after the name.
_RELMAT = ("relmat.dense.tsv", "relmat.json", "nodeindices.tsv")

#: Connectivity matrices (BEP017) and results of groups are not in the specification yet.
_IGNORED = (
    *("*_relmat.dense.tsv", "*_relmat.json", "*nodeindices.tsv", "*nodeindices.json"),
    *(f"{DESC}_*", "*.html", "logs", "work"),
)

_NODES = {
    "matrix_index": {"Description": "Row and column of the matrix, from 0."},
    "label": {"Description": "Name of the region."},
    "hemisphere": {"Description": "Side of the region: L, R or M (midline); n/a: not known."},
    "system": {"Description": "Functional system of the region; n/a: not known."},
    "x": {"Description": "Center of the region, to the right.", "Units": "mm"},
    "y": {"Description": "Center of the region, to the front.", "Units": "mm"},
    "z": {"Description": "Center of the region, upward.", "Units": "mm"},
}

#: Who was left out: the one table of people, which has no sidecar of its own.
_EXCLUDED = {
    "subject": {"Description": "The person who has no graph."},
    "site": {"Description": "The person's site, by its name in the table of people."},
    "reason": {"Description": "Why there is none."},
}

_SOFTWARE = (
    "The graphs of brain regions were made with contrast-subgraphs {version} [@contrastsubgraphs], "
    "which finds contrast subgraphs [@lanciano2020] of them."
)

_HTML = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>What to cite</title></head>
<body>
{body}</body></html>
"""

_README = """\
# {name}

Graphs of brain regions, one for each person, and the sets of regions in which groups of people
differ (contrast subgraphs), made by contrast-subgraphs {version} from the dataset named in
dataset_description.json.

- `sub-*/`: each person's graph. `*_relmat.dense.tsv` is the matrix, without a header;
  `*_nodeindices.tsv` names its rows; `*_relmat.json` says how it was made and from which files.
- `desc-contrastsubgraph_*`: results of the group. Each table (`.tsv`) has a `.json` that explains
  its columns (n/a where it says that an entry is empty).
- `desc-contrastsubgraph_sets.json`: every set with its bound and proof.
- `report.html`: all of it on one page, which needs no network.
- `logs/`: the config, and what to cite.

Names of connectivity matrices follow a proposal (BEP017) that is not part of the specification yet,
and results of groups have no names in it: `.bidsignore` lists both.
"""


@dataclass(frozen=True)
class Derivatives:
    """A dataset that is written, and the dataset it is made from."""

    folder: Path  # of the dataset that is written
    source: Path  # the input dataset
    entities: dict  # what the names of all input files have in common
    files: dict  # of each person, such as ``sub-01``, the input files
    atlas: str = ""  # the name of the atlas if no entity gives it

    @property
    def common(self):
        """The entities of every graph's name except the person, in their order."""
        found = {key: one for key, one in self.entities.items() if key not in _OF_THE_INPUT}
        desc = found.pop("desc", None)
        seg = found.pop("atlas", None) or re.sub(r"[^A-Za-z0-9]", "", self.atlas)
        ordered = {key: found.pop(key) for key in _ORDER if key in found}
        if seg:
            ordered["seg"] = seg
        ordered |= dict(sorted(found.items()))
        ordered["meas"] = MEASURE
        if desc:
            ordered["desc"] = desc
        return ordered

    def place(self, person, ending):
        """Return the path of one of a person's files, from the top of the dataset."""
        parts = [person]
        if "ses" in self.entities:
            parts.append(f"ses-{self.entities['ses']}")
        kind = self.files[person][0].parent.name
        if kind in _DATATYPES:
            parts.append(kind)
        pairs = [f"{key}-{value}" for key, value in self.common.items()]
        return Path(*parts, "_".join([person, *pairs, ending]))

    def people_there(self):
        """Return ``{path of a graph: its name without the person}`` for graphs already written."""
        there = {}
        for path in sorted(self.folder.glob("sub-*/**/*_relmat.dense.tsv")):
            there[path] = path.name.partition("_")[2]
        return there


def check_folder(derivatives):
    """Raise InputError if the output folder holds results that must not be mixed with these.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset that is to be written.

    Raises
    ------
    InputError
        If the folder is that of the input or of another dataset, or if it holds graphs of another
        atlas, session, task and so on.
    """
    folder = derivatives.folder
    if folder.resolve() == derivatives.source.resolve():
        raise InputError(f"{folder} is the input: give an output folder of its own")
    if (folder / DESCRIPTION).exists() and not is_own(folder):
        raise InputError(f"{folder} holds another dataset: give an output folder of its own")
    people = list(derivatives.files)
    if not people:
        return
    # Names of one choice differ only in the person.
    wanted = derivatives.place(people[0], _RELMAT[0]).name.partition("_")[2]
    for path, name in derivatives.people_there().items():
        if name != wanted:
            raise InputError(
                f"{folder} holds graphs of another choice, such as {path.name}: give an output "
                "folder of its own for each atlas, session and task"
            )


def write_dataset(derivatives, version, container=None):
    """Write the files at the top of the dataset: its description, README and so on.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.
    version : str
        Of this software.
    container : dict, optional
        ``Type`` and ``Tag`` of the container that the software runs in.
    """
    folder = derivatives.folder
    given = description_of(derivatives.source)
    named = given.get("Name") or derivatives.source.name
    made_by = {"Name": GENERATOR, "Version": version}
    if container:
        made_by["Container"] = container
    # BIDS asks derivatives for the dataset that they come from, with its DOI if it has one.
    source = {"URL": derivatives.source.as_uri()}
    if given.get("DatasetDOI"):
        source["DOI"] = given["DatasetDOI"]
    description = {
        "Name": f"Contrast subgraphs of {named}",
        "BIDSVersion": BIDS_VERSION,
        "DatasetType": "derivative",
        "Authors": _authors(given, named),
        # Entries without a name are invalid, and would make this dataset invalid too.
        "GeneratedBy": [made_by, *programs_of(given)],
        "SourceDatasets": [source],
        "DatasetLinks": {"input": derivatives.source.as_uri()},
    }
    if given.get("License"):
        description["License"] = given["License"]
    _write_json(folder / DESCRIPTION, description)
    _write(folder / ".bidsignore", "\n".join(_IGNORED) + "\n")
    _write(folder / "README.md", _README.format(name=description["Name"], version=version))
    _write_json(folder / "nodeindices.json", _NODES)


def _authors(given, named):
    """Return the authors of the input, and those of this software."""
    authors = given.get("Authors")
    if not isinstance(authors, list) or not authors:
        authors = [f"The authors of {named}"]
    return [*authors, f"The {GENERATOR} authors"]


def write_citation(derivatives, version, results=None):
    """Write what to say and to cite in a paper, as Markdown, a page and BibTeX.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.
    version : str
        Of this software.
    results : str or Path, optional
        The folder of the group's results. Without it, or if no pair of groups has sets, only the
        software is cited.
    """
    said = MethodsText({"Software": _SOFTWARE.format(version=version)}, version=version)
    if results is not None and (Path(results) / FILES["json"]).is_file():
        said = read_methods(results)
    logs = derivatives.folder / "logs"
    for how in ("md", "bib"):
        _write(logs / f"CITATION.{how}", said.printed(how))
    _write(logs / "CITATION.html", _HTML.format(body=said.printed("html")))


def write_people(derivatives, graphs, atlas, settings, everybody):
    """Write each person's graph, and remove earlier graphs of people who have none now.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.
    graphs : SubjectGraphs
        The graphs.
    atlas : pandas.DataFrame
        The regions (`core.atlas.load_atlas`).
    settings : dict
        How the graphs were made, for the sidecars: ``kind`` of the input, and the section ``graph``
        of the config.
    everybody : bool
        Whether these are all people of the dataset: then graphs of other people are removed.

    Returns
    -------
    bool
        Whether anything has changed.
    """
    others = {path.name.partition("_")[0] for path in derivatives.people_there()}
    others -= set(derivatives.files)
    # People whose files cannot be used any more lose the graph that they may have had.
    gone = set(derivatives.files)
    if everybody:
        gone |= others
    else:
        _check_settings(derivatives, others, settings)
    changed = False
    nodes = describe_regions(graphs.roi, atlas).rename(columns={"name": "label"})
    nodes.insert(0, "matrix_index", range(len(nodes)))
    nodes = _tsv(nodes[list(_NODES)].replace("", pd.NA))
    for person, weights in zip(graphs.subject.tolist(), graphs.weights, strict=True):
        gone.discard(person)
        matrix = pd.DataFrame(square_of(weights))
        sidecar = _sidecar(derivatives, person, weights, settings)
        texts = (matrix.to_csv(sep="\t", header=False, index=False, lineterminator="\n"),)
        texts += (_json(sidecar), nodes)
        for ending, text in zip(_RELMAT, texts, strict=True):
            path = derivatives.folder / derivatives.place(person, ending)
            changed = _write(path, text) or changed
    for person in sorted(gone):
        changed = _remove_person(derivatives.folder, person) or changed
    return changed


def _check_settings(derivatives, others, settings):
    """Raise InputError if graphs that stay were made with other settings."""
    for person in sorted(others):
        for path in derivatives.folder.glob(f"{person}/**/{person}_*_{_RELMAT[1]}"):
            known = json.loads(path.read_text(encoding="utf-8")).get("Settings")
            if known != settings:
                raise InputError(
                    f"{path} was made with other settings ({known}, now {settings}): run all "
                    "people again, or give an output folder of its own"
                )


def _remove_person(folder, person):
    """Remove a person's files, and folders that become empty; return whether there were any."""
    there = []
    for ending in _RELMAT:
        there += folder.glob(f"{person}/**/{person}_*_{ending}")
    for path in there:
        path.unlink()
        place = path.parent
        while place != folder and not any(place.iterdir()):
            place.rmdir()
            place = place.parent
    return bool(there)


def _sidecar(derivatives, person, weights, settings):
    """Return the sidecar of a person's graph."""
    binary = weights.dtype.kind != "f"
    if settings["kind"] == "matrix":
        what = "the weights in the matrix of the input"
    else:
        what = f"the {settings['measure']} of the regions' time series"
    edges = int((weights != 0).sum())
    value = "their weight"
    if binary:
        value = "1"
    return {
        "RelationshipMeasure": what,
        "Description": f"Graph of brain regions: {value} where two are connected, 0 elsewhere, by "
        f"{what} (Settings: the section `graph` of the config)",
        "Weighted": not binary,
        "Directed": False,
        "ValidDiagonal": False,
        "NonNegative": bool((weights >= 0).all()),
        "Edges": edges,
        "Density": edges / len(weights),
        "Settings": settings,
        "Sources": [_bids_uri(derivatives.source, path) for path in derivatives.files[person]],
    }


def _bids_uri(source, path):
    return f"bids:input:{path.absolute().relative_to(source.absolute()).as_posix()}"


def remove_group(derivatives):
    """Remove the results of the group.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.

    Returns
    -------
    bool
        Whether there were any.
    """
    there = _of_group(derivatives)
    for path in there:
        path.unlink()
    return bool(there)


def has_group(derivatives):
    """Return whether there are results of the group.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.

    Returns
    -------
    bool
        Whether there are any.
    """
    return bool(_of_group(derivatives))


def _of_group(derivatives):
    there = [derivatives.folder / PAGE, *sorted(derivatives.folder.glob(f"{DESC}_*"))]
    return [path for path in there if path.is_file()]


def write_group(derivatives, results, contrasts):
    """Write the results of the group: tables with sidecars, the sets, and the page last.

    Parameters
    ----------
    derivatives : Derivatives
        The dataset.
    results : str or Path
        The folder of the run's results, ``results/<source>``.
    contrasts : dict
        The contrasts of each cohort of the run. Others in the folder are from earlier runs.
    """
    results = Path(results)
    # The page is removed first and written last: a page that exists fits all files next to it.
    remove_group(derivatives)
    for path in sorted((results / "tables").glob("*.csv")):
        explained = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        _write_table(derivatives.folder, path, ",", explained)
    _write_table(derivatives.folder, results / "graphs" / "excluded.tsv", "\t", _EXCLUDED)
    sets = {}
    for cohort, names in contrasts.items():
        paths = {name: results / "contrast" / cohort / f"{name}.json" for name in names}
        # A question without a direction is only tested, and has no sets.
        sets[cohort] = {name: load_json(path) for name, path in paths.items() if path.is_file()}
    _write_json(derivatives.folder / f"{DESC}_sets.json", sets)
    if (results / PAGE).is_file():
        _write(derivatives.folder / PAGE, (results / PAGE).read_text(encoding="utf-8"))


def _write_table(folder, path, separator, explained):
    """Write a table of the run, with all its digits, and its sidecar."""
    # As text: read as numbers, it could lose digits. BIDS writes n/a for missing entries.
    table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    name = f"{DESC}_{re.sub('[^A-Za-z0-9]', '', path.stem)}"
    _write(folder / f"{name}.tsv", _tsv(table.replace("", pd.NA)))
    _write_json(folder / f"{name}.json", explained)


def _tsv(table):
    return table.to_csv(sep="\t", index=False, na_rep="n/a", lineterminator="\n")


def _json(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _write_json(path, value):
    _write(path, _json(value))


def _write(path, text):
    """Write a text as a whole; return whether the file is new or has changed."""
    # Files that do not change keep their dates, so that nothing that depends on them is made again.
    if path.is_file() and path.read_bytes() == text.encode():
        return False
    save_text(path, text)
    return True
