"""Time series of ABIDE Preprocessed, through nilearn, with every file checked.

nilearn keeps whatever a server sends: an error page with status 200, nothing at all, a
file cut at the end of a line. So what it fetched is read and checked here; a bad file is
deleted from its cache and fetched again after a pause that grows.

A release is a folder, here or on a server, with the phenotypic file and
``Outputs/<pipeline>/<strategy>/<derivative>/<FILE_ID>_<derivative>.1D``.
"""

import errno
import hashlib
import shutil
import sys
import threading
import time
import warnings
from collections import Counter
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd
from tqdm import tqdm

from ..core.atomic_files import load_table, written_whole
from ..core.errors import InputError
from ..core.extras import optional
from .atlases import load_aal
from .phenotypes import NO_FILE, quality_ok, read_phenotypes
from .series import SiteSeries, read_1d, warn_of_short

PHENOTYPES = "Phenotypic_V1_0b_preprocessed1.csv"
DEFAULT_URL = "https://s3.amazonaws.com/fcp-indi/data/Projects/ABIDE_Initiative"
#: ``SITE_ID`` of the release's twenty sites, so that the jobs are known beforehand.
SITES = (
    "CALTECH",
    "CMU",
    "KKI",
    "LEUVEN_1",
    "LEUVEN_2",
    "MAX_MUN",
    "NYU",
    "OHSU",
    "OLIN",
    "PITT",
    "SBL",
    "SDSU",
    "STANFORD",
    "TRINITY",
    "UCLA_1",
    "UCLA_2",
    "UM_1",
    "UM_2",
    "USM",
    "YALE",
)
#: Files fetched at the same time within one job.
DOWNLOADS = 10
#: Seconds before the second try; twice as many before each further one.
PAUSE = 2.0
#: The manifest describes the files of this pipeline, strategy and derivative.
MANIFEST_OF = ("dparsf", "filt_global", "rois_aal")
#: The sha256 of the release's phenotypic file (1112 rows).
PHENOTYPES_SHA256 = "009f01a89697113e5375ded4fbcff4c85e89a4daa6d13e63c21ae5d57dda0865"
#: Why a file is fetched once more.
OTHER_FILE = "it is not the file that the release is known to have (another sha256)"


@dataclass(frozen=True)
class Release:
    """Where the files of one source are.

    Attributes
    ----------
    source : dict
        The source's part of the config.
    folder : pathlib.Path or None
        A release on this machine (`url` is a path or a ``file://`` address).
    """

    source: dict
    folder: Path | None

    @classmethod
    def of(cls, source):
        """Return the release that a source's `url` names.

        Raises
        ------
        InputError
            If it names a folder that is not there.
        """
        url = source.get("url")
        if not url or str(url).lower().startswith(("http://", "https://", "ftp://")):
            return cls(source, None)
        parts = urlsplit(str(url))
        path = unquote(parts.path) if parts.scheme == "file" else str(url)
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
    def strategy(self):
        """Name of the folder for band-pass filtering and global signal regression."""
        filt = "filt" if self.source["band_pass_filtering"] else "nofilt"
        signal = "global" if self.source["global_signal_regression"] else "noglobal"
        return f"{filt}_{signal}"

    @property
    def what(self):
        """Pipeline, strategy and derivative."""
        return self.source["pipeline"], self.strategy, self.source["derivative"]

    def file_url(self, file_id):
        """Address of the series of one subject."""
        pipeline, strategy, derivative = self.what
        return f"{self.url}/Outputs/{pipeline}/{strategy}/{derivative}/{self.name(file_id)}"

    def name(self, file_id):
        """Name of the file of one subject."""
        return f"{file_id}_{self.source['derivative']}.1D"

    def path(self, file_id):
        """Where the series of one subject are, or will be, on this machine."""
        pipeline, strategy, derivative = self.what
        if self.folder is not None:
            return self.folder / "Outputs" / pipeline / strategy / derivative / self.name(file_id)
        return self.cache() / pipeline / strategy / self.name(file_id)

    def phenotypes(self):
        """Where the phenotypic file is, or will be, on this machine."""
        return (self.folder or self.cache()) / PHENOTYPES

    def cache(self):
        """Folder in which nilearn keeps ABIDE."""
        folders = [folder / "ABIDE_pcp" for folder in self._data_dirs()]
        return next((folder for folder in folders if folder.is_dir()), folders[0])

    def _data_dirs(self):
        """Folders in which nilearn looks; a mirror has its own inside of each.

        nilearn takes a file that is there for the right one, wherever it came from: the
        files of two mirrors must not meet.
        """
        get_data_dirs = optional("nilearn.datasets", "workflow").get_data_dirs
        folder = self.source.get("data_dir")
        folders = get_data_dirs(str(Path(folder).expanduser()) if folder else None)
        if self.url == DEFAULT_URL:
            return [Path(folder) for folder in folders]
        mirror = f"mirror-{hashlib.sha256(self.url.encode()).hexdigest()[:8]}"
        return [Path(folder) / mirror for folder in folders]

    def fetch(self, **filters):
        """Have nilearn fetch what is missing: the phenotypes, and series if `filters` ask."""
        pipeline, _, derivative = self.what
        optional("nilearn.datasets", "workflow").fetch_abide_pcp(
            data_dir=str(self.cache().parent),
            url=self.source.get("url") and self.url,
            pipeline=pipeline,
            band_pass_filtering=self.source["band_pass_filtering"],
            global_signal_regression=self.source["global_signal_regression"],
            derivatives=[derivative] if filters else [],
            quality_checked=False,  # the same rule is applied to the rows here
            verbose=0,
            **filters,
        )


def load_manifest():
    """Read what is known about every file of the release.

    Returns
    -------
    pandas.DataFrame
        ``FILE_ID``, ``SITE_ID``, ``volumes``, ``constant_rois``, ``bytes``, ``sha256`` of
        the 1035 files of dparsf, filt_global, rois_aal; and as ``attrs["phenotypes"]`` the
        sha256 of the release's phenotypic file.
    """
    columns = ("FILE_ID", "SITE_ID", "volumes", "constant_rois", "bytes", "sha256")
    path = files(__package__) / "abide_series.tsv"
    manifest = load_table(path, columns, dtype={"FILE_ID": str, "SITE_ID": str})
    manifest.attrs["phenotypes"] = PHENOTYPES_SHA256
    return manifest


def fetch_phenotypes(source, path, manifest=None, sites=SITES, pause=PAUSE):
    """Put the release's phenotypic file at `path`, checked.

    Parameters
    ----------
    source : dict
        ``sources.abide`` of the config; only ``url``, ``data_dir``, ``attempts`` and ``mismatch``
        matter.
    path : str or pathlib.Path
        Where the file is copied to, byte for byte.
    manifest : pandas.DataFrame, optional
        From `load_manifest`: a file that is not the release's may have been cut. It is
        fetched again once, and then is an error, unless the source says ``mismatch: warn``.
    sites : sequence of str
        Every subject with a file must be of one of these.
    pause : float
        Seconds before the second try.

    Raises
    ------
    InputError
        If it cannot be fetched, is not a phenotypic file or not the release's.
    """
    release = Release.of(source)
    if release.folder is None:
        _fetch_checked_phenotypes(release, manifest, pause)
    found = release.phenotypes()
    phenotypes = read_phenotypes(found)
    with_file = phenotypes[phenotypes["FILE_ID"] != NO_FILE]
    unknown = sorted(set(with_file["SITE_ID"]) - set(sites))
    if unknown:
        raise InputError(
            f"the phenotypic file {found} has the SITE_ID {unknown[0]}, which is none of "
            f"{', '.join(sites)}"
        )
    difference = _difference(found.read_bytes(), phenotypes, manifest)
    if difference and source.get("mismatch", "error") == "error":
        raise InputError(
            f"the phenotypic file {found} is not that of the release: {difference}. Delete it and "
            "run the same command again, or set `mismatch: warn` of the source if it was changed "
            "on purpose"
        )
    if difference:
        warnings.warn(f"the phenotypic file is not that of the release: {difference}", stacklevel=2)
    with written_whole(path) as beside:
        shutil.copyfile(found, beside)


def _fetch_checked_phenotypes(release, manifest, pause):
    """Fetch the phenotypic file into nilearn's cache until it is a good one."""
    attempts, why, fetched_again = release.source["attempts"], None, False
    attempt = 0
    while attempt < attempts:
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        attempt += 1
        try:
            release.fetch()
        except Exception as error:
            why = _explain(error)  # raises if trying again is of no use
        path = release.phenotypes()
        if not path.exists():
            continue
        content = path.read_bytes()
        try:
            if not content.endswith(b"\n"):
                raise InputError("it is cut in its last line")
            phenotypes = read_phenotypes(path)
        except InputError as error:
            why = str(error)
            _delete(path)
            continue
        # A file cut at the end of a line is a good table: once more, to be sure.
        if _difference(content, phenotypes, manifest) and not fetched_again:
            fetched_again, attempts = True, attempts + 1
            path.replace(_aside(path))
            try:
                release.fetch()
            except Exception as error:
                _explain(error)
            if path.exists():
                _aside(path).unlink()
                continue
            _aside(path).replace(path)
        return
    raise InputError(
        f"the phenotypic file {release.url}/{PHENOTYPES} cannot be fetched: {why}. Run the same "
        f"command again later, or put the file into {release.cache()} yourself."
    )


def _difference(content, phenotypes, manifest):
    """Say how a phenotypic file differs from the release's; "" where it does not.

    A table of other people is of another release, about which nothing is known.
    """
    if manifest is None:
        return ""
    known, found = set(manifest["FILE_ID"]), set(phenotypes["FILE_ID"]) - {NO_FILE}
    if not found <= known:
        return ""
    lacking = sorted(known - found)
    if lacking:
        return (
            f"it lacks {len(lacking)} of its {len(known)} subjects with a file "
            f"({', '.join(lacking[:3])}{', ...' if len(lacking) > 3 else ''})"
        )
    sha256 = manifest.attrs.get("phenotypes")
    if sha256 and hashlib.sha256(content).hexdigest() != sha256:
        return "it has all subjects, but something in it was changed (another sha256)"
    return ""


def fetch_site(source, phenotypes, site, manifest=None, downloads=DOWNLOADS, pause=PAUSE):
    """Return the series of a site's subjects, fetched if they are not on this machine.

    Parameters
    ----------
    source : dict
        ``sources.abide`` of the config. A ``url`` that is a folder is read in place.
    phenotypes : str or pathlib.Path
        What `fetch_phenotypes` wrote.
    site : str
        A ``SITE_ID``.
    manifest : pandas.DataFrame, optional
        From `load_manifest`. Used for the files that it describes: too few volumes are an
        error, and so is another hash, unless the source says ``mismatch: warn``.
    downloads : int
        Files fetched at the same time.
    pause : float
        Seconds before the second try of a file; twice as many before each further one.

    Returns
    -------
    series : SiteSeries
        By the atlas's order of regions, subjects by name.
    table : pandas.DataFrame
        ``subject``, ``status`` (``fetched`` or ``missing``), ``reason``, ``volumes``,
        ``sha256``; one row per subject with a file.

    Raises
    ------
    InputError
        If a file cannot be fetched or is not good after ``attempts`` tries and ``missing`` is
        ``error``; names subjects, addresses and what was wrong. If a file is not the one
        that the manifest knows, also after it was fetched again, and ``mismatch`` is
        ``error``.
    """
    release = Release.of(source)
    rows = _rows_of(site, phenotypes, source["quality_checked"])
    known = _known(manifest, release)
    codes = _codes(release)
    good, bad, seen = {}, {}, set()

    def check(subjects):
        for file_id in subjects:
            path = release.path(file_id)
            if not path.exists():
                bad.setdefault(file_id, "there is no such file")
                continue
            try:
                series = read_1d(path, codes, known.get(file_id))
                if release.folder is None and file_id not in seen and is_other(file_id, series):
                    seen.add(file_id)  # the second time it is what the server has
                    bad[file_id] = OTHER_FILE
                    path.replace(_aside(path))
                    continue
                good[file_id] = series
                bad.pop(file_id, None)
            except InputError as error:
                bad[file_id] = str(error)
                if release.folder is None:
                    _delete(path)

    def is_other(file_id, series):
        return file_id in known and series.sha256 != known[file_id]["sha256"]

    subjects = rows["FILE_ID"].tolist()
    if release.folder is not None:
        check(subjects)
    else:
        _fetch_all(release, rows, phenotypes, check, good, bad, downloads, pause)
        for path in map(release.path, seen):  # where nothing better came, it is back
            if path.exists():
                _aside(path).unlink(missing_ok=True)
            else:
                _aside(path).replace(path)
        check([file_id for file_id in seen if file_id not in good])
    if codes is None:
        codes = _common_codes(good, bad)
    if bad and source["missing"] == "error":
        raise InputError(_cannot_be_had(release, site, bad))
    other = [file_id for file_id, series in good.items() if is_other(file_id, series)]
    _tell_of_others(release, site, other)
    warn_of_short(site, {name: len(series.values) for name, series in good.items()})
    return _assemble(subjects, good, bad, codes)


def _rows_of(site, path, quality_checked):
    """Return ``FILE_ID`` and ``SUB_ID`` of the site's subjects with a file, by name."""
    phenotypes = read_phenotypes(path)
    wanted = (phenotypes["SITE_ID"] == site) & (phenotypes["FILE_ID"] != NO_FILE)
    if quality_checked:
        wanted &= quality_ok(phenotypes)
    return phenotypes.loc[wanted, ["FILE_ID", "SUB_ID"]].sort_values("FILE_ID", ignore_index=True)


def _known(manifest, release):
    if manifest is None or release.what != MANIFEST_OF:
        return {}
    return manifest.set_index("FILE_ID")[["volumes", "bytes", "sha256"]].to_dict("index")


def _codes(release):
    """Return the regions that every file must have; None: those that most files have."""
    return load_aal()["code"].to_numpy() if release.source["derivative"] == "rois_aal" else None


def _fetch_all(release, rows, phenotypes, check, good, bad, downloads, pause):
    """Fetch, check, and fetch again what is not good, until all is or tries run out."""
    subjects = rows["FILE_ID"].tolist()
    present = [file_id for file_id in subjects if release.path(file_id).exists()]
    check(present)
    pending = [file_id for file_id in subjects if file_id not in good]
    if not pending:
        return
    _restore_phenotypes(release, phenotypes)
    number = dict(zip(rows["FILE_ID"], rows["SUB_ID"], strict=True))
    site = f"fetching {len(pending)} series"
    attempt, attempts, again = 0, release.source["attempts"], set()
    with tqdm(total=len(subjects), initial=len(good), unit="file", desc=site) as bar:
        while attempt < attempts:
            if attempt:
                seconds = pause * 2 ** (attempt - 1)
                first = pending[0]
                print(
                    f"{len(pending)} files to fetch again in {seconds:g} s, such as {first}: "
                    f"{bad[first]}",
                    file=sys.stderr,
                )
                time.sleep(seconds)
            attempt += 1
            wrong = _fetch_round(release, pending, number, downloads, bar, len(good))
            bad.update({file_id: why for file_id, (why, _) in wrong.items()})
            check([file_id for file_id in pending if release.path(file_id).exists()])
            gone = {file_id for file_id, (_, final) in wrong.items() if final}
            pending = [file_id for file_id in pending if file_id not in {*good, *gone}]
            if not pending:
                return
            # A file that is not the known one is fetched again once, also after the last try.
            others = {file_id for file_id in pending if bad[file_id] == OTHER_FILE} - again
            again |= others
            if others and attempt == attempts:
                attempts += 1


def _restore_phenotypes(release, path):
    """Put the good phenotypic file into nilearn's cache, which is read at every call."""
    kept = release.phenotypes()
    if not kept.exists() or kept.read_bytes() != Path(path).read_bytes():
        with written_whole(release.phenotypes()) as beside:
            shutil.copyfile(path, beside)


def _fetch_round(release, pending, number, downloads, bar, done):
    """Fetch each of the `pending` files once. Return what went wrong, by subject."""
    # Each call of nilearn reads the phenotypic file again (0.1 s): a few files per call.
    shares = [pending[start::downloads] for start in range(min(downloads, len(pending)))]
    stop = threading.Event()
    pool = ThreadPoolExecutor(len(shares))
    jobs = [pool.submit(_fetch_share, release, share, number, stop) for share in shares]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about empty files; the check finds them
            running = set(jobs)
            while running:
                finished, running = wait(running, timeout=0.5, return_when=FIRST_EXCEPTION)
                bar.n = done + sum(release.path(file_id).exists() for file_id in pending)
                bar.refresh()
                for job in finished:
                    job.result()  # raises what must stop everything
        return {file_id: why for job in jobs for file_id, why in job.result().items()}
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


def _fetch_share(release, share, number, stop):
    """Have nilearn fetch some files, one after the other; one that fails is passed over.

    Returns
    -------
    dict
        For each file that failed: why, and whether that is final.
    """
    wrong, left = {}, list(share)
    if release.source["missing"] == "skip":  # then some may well be absent: ask first
        wrong.update(_absent(release, left))
        left = [file_id for file_id in left if file_id not in wrong]
    while left and not stop.is_set():
        try:
            release.fetch(SUB_ID=[int(number[file_id]) for file_id in left])
            return wrong
        except Exception as error:
            # nilearn stops at the first file that it cannot have (or, when all are there,
            # at the first that is not a table, which the check will find).
            why, final = _explain(error), _is_gone(getattr(error, "response", None))
            left = [file_id for file_id in left if not release.path(file_id).exists()]
            if left:
                culprit = _culprit(left, error)
                wrong[culprit] = why, final
                left.remove(culprit)
            if final:
                # Where one is lacking others may be: asking is quicker than a failed call.
                wrong.update(_absent(release, left))
                left = [file_id for file_id in left if file_id not in wrong]
    return wrong


def _is_gone(response):
    return response is not None and response.status_code in (404, 410)


def _absent(release, subjects):
    """Return those of the subjects whose file the server says it does not have."""
    import requests

    absent = {}
    with requests.Session() as session:
        for file_id in subjects:
            try:
                url = release.file_url(file_id)
                response = session.head(url, timeout=15, allow_redirects=True)
            except requests.RequestException:
                break
            if _is_gone(response):
                absent[file_id] = _answer(response), True
            elif response.status_code >= 400:
                break  # a server that does not answer such questions
    return absent


def _answer(response):
    return f"the server answered {response.status_code} {response.reason}"


def _culprit(left, error):
    """Return which of the files in `left` the error is about."""
    request = getattr(error, "request", None)
    address = getattr(request, "url", None) or str(error)
    return next((file_id for file_id in left if f"/{file_id}_" in address), left[0])


def _explain(error):
    """Return in words why nothing came, or raise if another try is of no use."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return _answer(error.response)
    if isinstance(error, requests.Timeout):
        return "the server did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    if isinstance(error, requests.ConnectionError):
        broken = "Remote" in str(error) or "reset" in str(error)
        return "the connection broke off" if broken else "there is no connection to the server"
    if isinstance(error, (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema)):
        raise InputError(f"the address of the release cannot be used: {error}") from error
    if isinstance(error, requests.RequestException):
        return str(error)
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        raise InputError(
            "no space left on the disk for the download: free some, or set `data_dir` of the "
            "source to another disk; what was fetched is kept"
        ) from error
    if isinstance(error, PermissionError) or "read-only" in str(error):
        raise InputError(
            f"nilearn's folder for downloads cannot be written to ({error}): set `data_dir` of "
            "the source, or NILEARN_DATA, to a folder of your own"
        ) from error
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _aside(path):
    """Where a file waits while it is fetched again."""
    return path.with_name(f".{path.name}.before")


def _delete(path):
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{path} is damaged and cannot be deleted ({error.strerror}): delete it yourself, or "
            "set `data_dir` of the source to a folder of your own"
        ) from error


def _cannot_be_had(release, site, bad):
    lines = [f"  {file_id}: {why}\n    {release.file_url(file_id)}" for file_id, why in bad.items()]
    more = f"\n  and {len(lines) - 5} more" if len(lines) > 5 else ""
    return (
        f"{len(bad)} series of the site {site} cannot be fetched:\n"
        + "\n".join(lines[:5])
        + more
        + "\nRun the same command again to resume (what was fetched is kept), or set `missing: "
        "skip` of the source to work without them; they will be listed in excluded.tsv."
    )


def _common_codes(good, bad):
    """Return the regions that most of the files have; the others go from `good` to `bad`.

    All are brought into the order of the regions' numbers, which is the same at every site.
    """
    if not good:
        return []
    sets = Counter(tuple(sorted(series.roi_code.tolist())) for series in good.values())
    (most, count), *others = sets.most_common(2)
    if others and others[0][1] == count:
        raise InputError(
            f"the series of a site are on different regions: {len(most)} in {count} files such as "
            f"{_first(good, most)}, {len(others[0][0])} in as many such as "
            f"{_first(good, others[0][0])}. It is not known which are right"
        )
    codes = np.array(most)
    for file_id in list(good):
        found = good[file_id].roi_code
        if tuple(sorted(found.tolist())) != most:
            del good[file_id]
            bad[file_id] = (
                f"it has {len(found)} regions that are not the {len(most)} of the site's other "
                "files"
            )
        elif not np.array_equal(found, codes):
            column = {code: index for index, code in enumerate(found.tolist())}
            order = [column[code] for code in codes.tolist()]
            good[file_id] = replace(
                good[file_id], roi_code=codes, values=good[file_id].values[:, order]
            )
    return codes


def _first(good, regions):
    return next(
        file_id
        for file_id in sorted(good)
        if tuple(sorted(good[file_id].roi_code.tolist())) == regions
    )


def _tell_of_others(release, site, other):
    """Raise or warn about files that are good, but not those that the release has."""
    if not other:
        return
    what = (
        f"{len(other)} series of the site {site} are not the files that the release is known to "
        f"have ({', '.join(sorted(other)[:3])}{', ...' if len(other) > 3 else ''})"
    )
    if release.source.get("mismatch", "error") == "error":
        raise InputError(
            f"{what}: they may be another subject's, or changed. Set `mismatch: warn` of the "
            "source to use them all the same"
        )
    warnings.warn(f"{what}: they are used, but numbers may differ", stacklevel=3)


def _assemble(subjects, good, bad, codes):
    fetched = [file_id for file_id in subjects if file_id in good]
    table = pd.DataFrame(
        {
            "subject": np.array(subjects, dtype=object),
            "status": ["fetched" if name in good else "missing" for name in subjects],
            "reason": [f"no series: {bad[name]}" if name in bad else "" for name in subjects],
            "volumes": [len(good[name].values) if name in good else 0 for name in subjects],
            "sha256": [good[name].sha256 if name in good else "" for name in subjects],
        },
    )
    return SiteSeries.stack(fetched, [good[name].values for name in fetched], codes), table
