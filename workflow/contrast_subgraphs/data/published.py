"""The graphs that the paper's authors published: a zip of ``<cohort>/<group>/<FILE_ID>.txt``."""

import os
import re
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from ..core.atomic_files import check_sealed, written_whole
from ..core.checks import in_words
from ..core.errors import InputError
from ..core.extras import optional
from ..core.graphs import GROUPS, SubjectGraphs
from ..design.cohort_graphs import CohortGraphs
from .atlases import load_aal
from .downloads import FileNotHad, fetch, keep

ADDRESS = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://")
MEMBER = re.compile(
    r"(?:^|/)(?P<cohort>[^/]+)/(?P<group>td|asd)/(?P<file>[^/]*)$", flags=re.IGNORECASE
)
#: A text file of 116 x 116 numbers has 27 kB; a file this large is something else.
MAX_BYTES = 5_000_000
MAX_TRIES = 4


@dataclass(frozen=True)
class Archive:
    """What the authors' archive holds."""

    #: Every subject once, sorted by name.
    graphs: SubjectGraphs
    #: A row for each file: ``cohort``, ``subject``, ``group`` (``td`` or ``asd``).
    members: pd.DataFrame


def local_archive(source):
    """Return the path of the archive that ``sources.published`` names, if it is on this machine."""
    path = Path(str(source["archive"])).expanduser()
    return path if path.is_file() else None


def fetch_archive(source, path, attempts=MAX_TRIES, cache=None):
    """Put the archive that ``sources.published`` names at `path`: downloaded, or copied.

    `cache`: keeps downloads, else ``$CONTRAST_SUBGRAPHS_CACHE`` or the system's folder for caches.
    """
    archive, sha256 = str(source["archive"]), source.get("sha256")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", str(sha256)):
        raise InputError(f"sources.published.sha256 is {sha256}: it must be 64 hex digits or null")
    pooch = optional("pooch", "workflow")
    fetched = bool(ADDRESS.match(archive))
    found = _download(archive, sha256, attempts, cache) if fetched else Path(archive).expanduser()
    if not found.is_file():
        raise InputError(
            f"the archive of the published graphs, {archive}, does not exist: set "
            "`sources.published.archive` to its address or to the path of the zip file"
        )
    digest = sha256 and pooch.file_hash(str(found), alg="sha256")
    if sha256 and digest != sha256.lower():
        if fetched:
            found.unlink()
        raise InputError(
            f"{archive} has the sha256 {digest}, not {sha256} as the config says: correct "
            "`sources.published.sha256`, or set it to null to accept the archive on its "
            "content alone"
        )
    _check_zip(found)
    with written_whole(path, sealed=True) as beside:
        shutil.copyfile(found, beside)


def _download(url, sha256, attempts, cache):
    """Return the path in the cache of the archive at `url`, fetched if need be."""
    if not url.lower().startswith(("https://", "http://")):
        raise InputError(
            f"sources.published.archive is {url}: only https:// and http:// addresses "
            "and local paths can be used"
        )
    default = optional("pooch", "workflow").os_cache("contrast-subgraphs")
    folder = Path(cache or os.environ.get("CONTRAST_SUBGRAPHS_CACHE") or default)
    name = f"{zlib.crc32(url.encode()):08x}-{PurePosixPath(url.split('?')[0]).name or 'archive'}"
    try:
        fetch(keep(folder, {name: (url, sha256)}, attempts), name, _check_zip, progressbar=True)
    except FileNotHad as error:
        raise InputError(
            f"the archive at {url} cannot be downloaded ({error}): run the same command "
            "again later, or fetch it yourself and set `sources.published.archive` to its path"
        ) from error
    return folder / name


def _check_zip(path):
    try:
        zipfile.ZipFile(path).close()
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{path} is not a whole zip file ({error}): fetch it again") from error


def read_archive(path):
    """Read and check every graph of the archive, without unpacking it."""
    path = Path(path)
    check_sealed(path)
    roi = load_aal()["name"].to_numpy(str)
    raw, graphs, first, rows = {}, {}, {}, []
    _check_zip(path)
    with zipfile.ZipFile(path) as archive:
        entries = _graph_entries(archive, path)
        for cohort, group, subject, info in entries:
            content = _read_entry(archive, info, path)
            if subject not in raw:
                graphs[subject] = parse_graph(content, info.filename, len(roi))
                raw[subject], first[subject] = content, info.filename
            # A subject is in several cohorts, with the same graph. Two different graphs would mean
            # that one of the folders is wrong.
            elif content != raw[subject] and not np.array_equal(
                parse_graph(content, info.filename, len(roi)), graphs[subject]
            ):
                raise InputError(
                    f"{path}: {info.filename} is another graph than {first[subject]}, "
                    "but both are of the same subject"
                )
            rows.append((cohort, subject, group))
    subjects = sorted(graphs)
    members = pd.DataFrame(rows, columns=["cohort", "subject", "group"])
    return Archive(
        SubjectGraphs(np.stack([graphs[name] for name in subjects]), np.array(subjects), roi),
        members.sort_values(["cohort", "group", "subject"], ignore_index=True),
    )


def _graph_entries(archive, path):
    """Return ``(cohort, group, subject, entry)`` of the archive's graph files, checked."""
    found, folders = {}, {}
    for info in archive.infolist():
        match = MEMBER.search(info.filename)
        if not match or info.filename.startswith("__MACOSX/"):
            continue
        cohort, group = match["cohort"].lower(), match["group"].lower()
        folders.setdefault(cohort, str(PurePosixPath(info.filename[: match.start("group")])))
        file = PurePosixPath(match["file"])
        if not match["file"] or file.name.startswith("."):
            # The folder's own entry, or a hidden file.
            continue
        if file.suffix.lower() not in (".txt", ".csv"):
            raise InputError(f"{path}: {info.filename} is neither a .txt nor a .csv file")
        key = (cohort, file.stem)
        if key in found:
            raise InputError(
                f"{path}: the subject {file.stem} appears twice in the cohort {cohort}: "
                f"{found[key][3].filename} and {info.filename}"
            )
        found[key] = (cohort, group, file.stem, info)
    for cohort, folder in folders.items():
        for group in GROUPS:
            if not any(entry[:2] == (cohort, group) for entry in found.values()):
                raise InputError(f"{path}: the folder {folder}/{group} has no graph in it")
    if not found:
        raise InputError(
            f"{path} has no graphs: they are looked for in <cohort>/td/ and <cohort>/asd/"
        )
    return list(found.values())


def _read_entry(archive, info, path):
    if info.file_size > MAX_BYTES:
        raise InputError(f"{path}: {info.filename} is too large for a graph ({info.file_size} B)")
    try:
        return archive.read(info)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: {info.filename} cannot be read ({error}): the archive is damaged; "
            "fetch it again"
        ) from error


def parse_graph(content, name, n_rois):
    """Return the symmetric matrix of zeros and ones (uint8, zero diagonal) that a text holds.

    Numbers may be separated by spaces, tabs, commas or semicolons; the diagonal is dropped.
    """
    try:
        text = content.decode("utf-8-sig").translate(str.maketrans(",;", "  "))
        rows = [line.split() for line in text.splitlines() if line.strip()]
        if {len(rows), *map(len, rows)} != {n_rois}:
            raise InputError(f"{name} must be {n_rois} rows of {n_rois} numbers")
        graph = np.array(rows, dtype=float)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{name} holds something that is not a number ({error})") from error
    if not np.isin(graph, (0, 1)).all():
        bad = graph[~np.isin(graph, (0, 1))][0]
        raise InputError(f"{name} must hold zeros and ones only, not {bad:g}")
    np.fill_diagonal(graph, 0)
    if not np.array_equal(graph, graph.T):
        i, j = np.argwhere(graph != graph.T)[0]
        raise InputError(f"{name} is not symmetric: row {i + 1}, column {j + 1} differs")
    return graph.astype(np.uint8)


def build_cohort(graphs, members, cohort, manifest=None):
    """Return a cohort's graphs and members (``subject``, ``group``, ``site``), TD first.

    `cohort`: its folder in the archive, in upper or lower case; `manifest`: has the sites.
    """
    check_cohorts([cohort], members)
    chosen = members[members["cohort"] == cohort.lower()]
    chosen = pd.concat([chosen[chosen["group"] == group] for group in GROUPS])
    table = chosen[["subject", "group"]].reset_index(drop=True)
    # A FILE_ID is <site>_<number>.
    table["site"] = table["subject"].str.replace(r"_\d+$", "", regex=True)
    if manifest is not None:
        sites = manifest.set_index("FILE_ID")["SITE_ID"]
        table["site"] = table["subject"].map(sites).fillna(table["site"])
    taken = graphs.take(table["subject"].tolist())
    y = np.array([GROUPS.index(group) for group in table["group"]])
    chosen = CohortGraphs(taken.weights, y, taken.subject, taken.roi, GROUPS, cohort)
    return chosen, table


def check_cohorts(cohorts, members):
    """Return the groups (0 or 1) of each cohort's members; InputError if one is not there."""
    folders = sorted(set(members["cohort"]))
    for cohort in cohorts:
        if cohort.lower() not in folders:
            raise InputError(
                f"the archive of published graphs has no cohort {cohort!r}; it has "
                f"{in_words(folders)}. A cohort of your own needs the source `abide`."
            )
    groups = members["group"].map(GROUPS.index)
    return {cohort: groups[members["cohort"] == cohort.lower()].to_numpy() for cohort in cohorts}
