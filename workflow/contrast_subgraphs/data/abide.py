"""Time series of ABIDE Preprocessed, every file checked by its content and known sha256.

Files lie where nilearn would keep them, so that either finds the other's.
"""

import hashlib
import os
import shutil
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd

from ..core.atomic_files import load_table, written_whole
from ..core.checks import in_words
from ..core.errors import InputError
from .atlases import load_aal
from .downloads import DOWNLOADS, FileNotHad, fetch, fetch_all, keep
from .phenotypes import NO_FILE, quality_ok, read_phenotypes
from .series import SiteSeries, read_1d, warn_of_short

PHENOTYPES = "Phenotypic_V1_0b_preprocessed1.csv"
DEFAULT_URL = "https://s3.amazonaws.com/fcp-indi/data/Projects/ABIDE_Initiative"
#: ``SITE_ID`` of the release's twenty sites, so that the jobs are known beforehand.
SITES = tuple(
    """
CALTECH CMU KKI LEUVEN_1 LEUVEN_2 MAX_MUN NYU OHSU OLIN PITT SBL SDSU STANFORD TRINITY UCLA_1
UCLA_2 UM_1 UM_2 USM YALE
""".split()
)
#: The manifest describes the files of this pipeline, strategy and derivative.
MANIFEST_OF = ("dparsf", "filt_global", "rois_aal")
#: The sha256 of the release's phenotypic file (1112 rows).
PHENOTYPES_SHA256 = "009f01a89697113e5375ded4fbcff4c85e89a4daa6d13e63c21ae5d57dda0865"


@dataclass(frozen=True)
class Release:
    """Where the files of one source are."""

    #: The source's part of the config.
    source: dict
    #: A release on this machine (`url` is a path or a ``file://`` address), or None.
    folder: Path | None

    @classmethod
    def of(cls, source):
        """Return the release that a source's `url` names."""
        url = source.get("url")
        if not url or str(url).lower().startswith(("http://", "https://", "ftp://")):
            return cls(source, None)
        parts = urlsplit(str(url))
        path = str(url)
        if parts.scheme == "file":
            path = unquote(parts.path)
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise InputError(
                f"the release {url} is not a folder on this machine: `url` must be the address of "
                "a mirror (https://...), an existing folder, or null for nilearn's default"
            )
        return cls(source, folder)

    @property
    def url(self):
        """Address of the release, without a slash at the end."""
        return str(self.source.get("url") or DEFAULT_URL).rstrip("/")

    @property
    def what(self):
        """Pipeline, strategy (filtering and global signal regression) and derivative."""
        filt = "filt" if self.source["band_pass_filtering"] else "nofilt"
        signal = "global" if self.source["global_signal_regression"] else "noglobal"
        return self.source["pipeline"], f"{filt}_{signal}", self.source["derivative"]

    def place(self, file_id):
        """Where the series of one subject are in the release."""
        return "/".join(["Outputs", *self.what, f"{file_id}_{self.source['derivative']}.1D"])

    def kept(self, file_id):
        """Where nilearn keeps them below its folder."""
        return self.place(file_id).replace(f"/{self.what[2]}/", "/").removeprefix("Outputs/")

    def path(self, file_id):
        """Where they are, or will be, on this machine."""
        if self.folder is None:
            return self.cache() / self.kept(file_id)
        return self.folder / self.place(file_id)

    def phenotypes(self):
        """Where the phenotypic file is, or will be, on this machine."""
        return (self.folder or self.cache()) / PHENOTYPES

    def local_files(self):
        """Return the files that are read from a release on this machine, with what they are."""
        if self.folder is None:
            return []
        series = sorted((self.folder / self.place("x")).parent.glob("*.1D"))
        found = [("phenotypes", self.phenotypes()), *(("data", path) for path in series)]
        return [(role, path) for role, path in found if path.is_file()]

    def cache(self):
        """Folder in which nilearn keeps ABIDE; a mirror has its own inside.

        A file of another phenotypic table may have the same name: two mirrors must not meet.
        """
        mirror = f"mirror-{hashlib.sha256(self.url.encode()).hexdigest()[:8]}"
        inside = "ABIDE_pcp" if self.url == DEFAULT_URL else f"{mirror}/ABIDE_pcp"
        # As nilearn's `get_data_dirs`, which takes a second to import.
        usual = os.getenv("NILEARN_SHARED_DATA"), os.getenv("NILEARN_DATA"), "~/nilearn_data"
        given = self.source.get("data_dir") or os.pathsep.join(filter(None, usual))
        folders = [Path(one).expanduser() / inside for one in given.split(os.pathsep)]
        return next((folder for folder in folders if folder.is_dir()), folders[0])

    def keep(self, files):
        """Return a pooch for files: name below the folder -> (place in the release, sha256)."""
        places = {name: (f"{self.url}/{place}", sha256) for name, (place, sha256) in files.items()}
        return keep(self.cache(), places, self.source["attempts"])


def load_manifest():
    """Read what is known about the 1035 files of `MANIFEST_OF`, a row each.

    ``attrs["phenotypes"]`` is the sha256 of the release's phenotypic file.
    """
    columns = ("FILE_ID", "SITE_ID", "volumes", "constant_rois", "bytes", "sha256")
    path = files(__package__) / "abide_series.tsv"
    manifest = load_table(path, columns, dtype={"FILE_ID": str, "SITE_ID": str})
    manifest.attrs["phenotypes"] = PHENOTYPES_SHA256
    return manifest


def fetch_phenotypes(source, path, manifest=None, sites=SITES):
    """Put the release's phenotypic file at `path`, byte for byte, checked.

    With a manifest (`load_manifest`), any file but the release's is an error (it may have been
    cut), unless the source says ``mismatch: warn``.
    """
    release = Release.of(source)
    sha256 = None if manifest is None else manifest.attrs.get("phenotypes")
    found = release.phenotypes()
    if release.folder is None:
        keeper = release.keep({PHENOTYPES: (PHENOTYPES, sha256)})
        try:
            phenotypes = fetch(keeper, PHENOTYPES, read_phenotypes)
        except FileNotHad as error:
            raise InputError(
                f"the phenotypic file {release.url}/{PHENOTYPES} cannot be fetched: {error}. Run "
                f"the same command again later, or put the file into {release.cache()} yourself."
            ) from error
    else:
        phenotypes = read_phenotypes(found)
    with_file = phenotypes[phenotypes["FILE_ID"] != NO_FILE]
    unknown = sorted(set(with_file["SITE_ID"]) - set(sites))
    if unknown:
        raise InputError(
            f"the phenotypic file {found} has the SITE_ID {unknown[0]}, which is none of "
            f"{', '.join(sites)}"
        )
    difference = _difference(found, phenotypes, manifest)
    if difference:
        _report_mismatch(
            source,
            f"the phenotypic file {found} is not that of the release: {difference}",
            "Delete it and run the same command again, or set `mismatch: warn` of the source if it "
            "was changed on purpose",
        )
    with written_whole(path, sealed=True) as beside:
        shutil.copyfile(found, beside)


def _difference(path, phenotypes, manifest):
    """Say how a phenotypic file differs from the release's; "" if it does not."""
    if manifest is None:
        return ""
    # A cut table is the danger: it would pass as a smaller study, with all its numbers a little
    # off.
    known = set(manifest["FILE_ID"])
    found = set(phenotypes["FILE_ID"]) - {NO_FILE}
    # This is the table of another release, about which nothing is known.
    if not found <= known:
        return ""
    lacking = sorted(known - found)
    if lacking:
        return f"it lacks {len(lacking)} of {len(known)} subjects ({in_words(lacking, most=3)})"
    sha256 = manifest.attrs.get("phenotypes")
    if sha256 and hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        return "it has all subjects, but something in it was changed (another sha256)"
    return ""


def fetch_site(source, phenotypes, site, manifest=None, downloads=DOWNLOADS):
    """Return the series of a site's subjects, by name, fetched if they are not on this machine.

    Also return a table of them, whose ``status`` is ``fetched`` or ``missing``. With a manifest,
    cut files are an error, and so are files with another hash, unless ``mismatch`` is ``warn``.
    """
    release = Release.of(source)
    people = read_phenotypes(phenotypes)
    wanted = (people["SITE_ID"] == site) & (people["FILE_ID"] != NO_FILE)
    if source["quality_checked"]:
        wanted &= quality_ok(people)
    subjects = sorted(people.loc[wanted, "FILE_ID"])
    known = {}
    if manifest is not None and release.what == MANIFEST_OF:
        known = manifest.set_index("FILE_ID")[["volumes", "bytes", "sha256"]].to_dict("index")
    codes = None
    if source["derivative"] == "rois_aal":
        # Only AAL's order of regions is known beforehand; for other atlases the files must agree.
        codes = load_aal()["code"].to_numpy()
    checks = {
        file_id: lambda path, file_id=file_id: read_1d(path, codes, known.get(file_id))
        for file_id in subjects
    }
    if release.folder is None:
        good, bad = _fetch_series(release, checks, known, downloads)
    else:
        good = {}
        bad = {}
        for file_id, check in checks.items():
            try:
                good[file_id] = check(release.path(file_id))
            except FileNotFoundError:
                bad[file_id] = "there is no such file"
            except InputError as error:
                bad[file_id] = str(error)
    if codes is None:
        codes = _common_codes(good, bad)
    if bad and source["missing"] == "error":
        # A server that is down for an hour must not turn into a study with fewer people.
        raise InputError(_cannot_be_had(release, site, bad))
    other = [name for name in good if name in known and good[name].sha256 != known[name]["sha256"]]
    if other:
        _report_mismatch(
            source,
            f"{len(other)} series of the site {site} are not the files that the release is known "
            f"to have ({in_words(sorted(other), most=3)})",
            "They may be another subject's, or changed. Set `mismatch: warn` of the source to use "
            "them",
        )
    warn_of_short(site, {name: len(series.values) for name, series in good.items()})
    return _assemble(subjects, good, bad, codes)


def _fetch_series(release, checks, known, downloads):
    """Return the series, and what is wrong where there is none, both by subject."""
    names = {release.kept(file_id): file_id for file_id in checks}
    places = {
        name: (release.place(one), known.get(one, {}).get("sha256")) for name, one in names.items()
    }
    found = fetch_all(
        release.keep(places), {name: checks[one] for name, one in names.items()}, downloads
    )
    return tuple({names[name]: what for name, what in one.items()} for one in found)


def _cannot_be_had(release, site, bad):
    lines = [
        f"  {file_id}: {bad[file_id]}\n    {release.url}/{release.place(file_id)}"
        for file_id in sorted(bad)
    ]
    more = [f"  and {len(lines) - 5} more"] if len(lines) > 5 else []
    return (
        f"{len(bad)} series of the site {site} cannot be fetched:\n"
        + "\n".join(lines[:5] + more)
        + "\nRun the same command again to resume (what was fetched is kept), or set `missing: "
        "skip` of the source to work without them; they will be listed in excluded.tsv."
    )


def _common_codes(good, bad):
    """Return the regions that most of the files have; move the other files from `good` to `bad`.

    All are brought into the order of the regions' numbers, which is the same at every site.
    """
    if not good:
        return []
    regions = {name: tuple(sorted(one.roi_code.tolist())) for name, one in sorted(good.items())}
    (most, count), *others = Counter(regions.values()).most_common(2)
    # No majority: choosing either half would be a guess.
    if others and others[0][1] == count:
        first = [next(n for n, own in regions.items() if own == s) for s in (most, others[0][0])]
        raise InputError(
            f"the series of a site are on different regions: {len(most)} in {count} files such as "
            f"{first[0]}, {len(others[0][0])} in as many such as {first[1]}. It is not known which "
            "are right"
        )
    for name, own in regions.items():
        if own != most:
            del good[name]
            bad[name] = f"it has {len(own)} regions that are not the {len(most)} of the other files"
        else:
            order = np.argsort(good[name].roi_code)
            good[name] = replace(good[name], values=good[name].values[:, order])
    return np.array(most)


def _report_mismatch(source, what, way_out):
    """Raise an error, or warn, about a whole file that is not the release's."""
    if source.get("mismatch", "error") == "error":
        raise InputError(f"{what}. {way_out}")
    warnings.warn(f"{what}: it is used, but numbers may differ", stacklevel=3)


def _assemble(subjects, good, bad, codes):
    fetched = [file_id for file_id in subjects if file_id in good]
    rows = [
        (name, "fetched", "", len(good[name].values), good[name].sha256)
        if name in good
        else (name, "missing", f"no series: {bad[name]}", 0, "")
        for name in subjects
    ]
    table = pd.DataFrame(rows, columns=["subject", "status", "reason", "volumes", "sha256"])
    return SiteSeries.stack(fetched, [good[name].values for name in fetched], codes), table
