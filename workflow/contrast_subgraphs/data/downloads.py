"""Downloads through pooch, each checked before it is taken for the file that was asked for."""

import errno
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tqdm import tqdm

from ..core.errors import InputError
from ..core.extras import optional

#: Files fetched at the same time within one job.
DOWNLOADS = 10
# Seconds without an answer.
_TIMEOUT = 60


def keep(folder, files, attempts=1):
    """Return a pooch for files: name in the folder -> (address, sha256 or None)."""
    pooch = optional("pooch", "workflow")
    # pooch says a line for each file, which is too much for a thousand of them.
    pooch.get_logger().setLevel("WARNING")
    return pooch.create(
        path=folder,
        base_url="",
        registry={
            name: sha256 and f"sha256:{sha256.lower()}" for name, (_, sha256) in files.items()
        },
        urls={name: url for name, (url, _) in files.items()},
        retry_if_failed=attempts - 1,
    )


def _checked_download(check, results, progressbar):
    """Return a function that downloads a file for pooch, and adds what `check` makes of it."""
    pooch = optional("pooch", "workflow")
    requests = optional("requests", "workflow")
    http = pooch.HTTPDownloader(progressbar, timeout=_TIMEOUT)

    def download(url, path, keeper):
        try:
            http(url, path, keeper)
        except requests.HTTPError as error:
            # The file is not there: pooch need not try again.
            if error.response.status_code in (404, 410):
                raise FileNotFoundError(_explain(error, requests)) from error
            raise
        try:
            results.append(check(path))
        except InputError as error:
            raise InputError(str(error).replace(str(path), url)) from error

    return download


def fetch(keeper, name, check, progressbar=False):
    """Return what `check` makes of a file, fetched if it is missing, damaged or another one.

    A file whose sha256 is not the known one is fetched again. If the new one differs too, it is
    returned if the check passes: whoever asked decides about it.
    """
    requests = optional("requests", "workflow")
    path = Path(keeper.path) / name
    results = []
    download = _checked_download(check, results, progressbar)
    try:
        # pooch makes the folder too, but in two threads at once it may fail.
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            try:
                results.append(check(path))
            except InputError:
                path.unlink()
        try:
            keeper.fetch(name, downloader=download)
        except InputError:
            raise
        except (ValueError, FileNotFoundError, requests.RequestException) as error:
            if type(error) is not ValueError and not path.exists():
                raise
            # The server has another file than the known one. Fetch it without a hash; whoever
            # asked decides.
            keeper.registry[name] = None
            keeper.fetch(name, downloader=download)
            results.append(check(path))
    except requests.RequestException as error:
        raise FileNotHad(_explain(error, requests)) from error
    except (InputError, FileNotFoundError) as error:
        raise FileNotHad(str(error)) from error
    except OSError as error:
        raise InputError(_cannot_write(keeper.path, error)) from error
    return results[-1]


def fetch_all(keeper, checks, downloads=DOWNLOADS):
    """Fetch several files at once; return what the checks made of them, and what failed."""
    good, bad = {}, {}
    pool = ThreadPoolExecutor(downloads)
    try:
        jobs = {pool.submit(fetch, keeper, name, check): name for name, check in checks.items()}
        for job in tqdm(as_completed(jobs), "fetching", len(jobs), unit="file"):
            try:
                good[jobs[job]] = job.result()
            except FileNotHad as error:
                bad[jobs[job]] = str(error)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return good, bad


class FileNotHad(InputError):
    """A file that no server has, or only a bad copy of it."""


def _explain(error, requests):
    """Return in words why nothing was downloaded."""
    if isinstance(error, requests.HTTPError):
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.Timeout):
        return "the server did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    if isinstance(error, requests.ConnectionError):
        broken = any(word in str(error) for word in ("Remote", "reset", "IncompleteRead"))
        return "the connection broke off" if broken else "there is no connection to the server"
    return f"the address cannot be used: {error}"


def _cannot_write(folder, error):
    if error.errno == errno.ENOSPC:
        return (
            "no space left on the disk for the download: free some, or set `data_dir` of the "
            "source to another disk; what was fetched is kept"
        )
    return (
        f"the folder for downloads {folder} cannot be used ({error}): set `data_dir` of the "
        "source, or NILEARN_DATA, to a folder of your own"
    )
