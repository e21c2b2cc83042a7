"""The provenance of a run: its version, its packages, and its files with their hashes."""

import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..core.file_digests import file_digests
from ..data.bids import description_of, programs_of

#: The packages whose versions the page states.
PACKAGES = (
    "contrast-subgraphs",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "numba",
    "cvxpy",
    "nilearn",
    "matplotlib",
    "snakemake",
)


def collect_provenance(config, data=(), root=None, own_version=""):
    """Return the provenance of a run, for `build_report`.

    `data` are files whose hashes are stated: the archive, the phenotypes, the graphs. `root` is the
    folder of the checkout, for its commit. `own_version` is the version of the running code,
    whether it is installed or not. Returns: ``run`` (source, seed, version, commit), ``versions``,
    ``files`` (file, bytes, sha256) and ``made_by`` (of BIDS derivatives: Name, Version).
    """
    run = {"source": config["source"], "seed": config["seed"], "version": own_version}
    if root is not None:
        commit = _git(root, "rev-parse", "HEAD")
        if commit:
            # Changed files mean that the commit alone does not reproduce the run.
            if _git(root, "status", "-s", "-uno"):
                commit = f"{commit} with changes"
            run["commit"] = commit
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        # Optional packages may not be installed.
        except PackageNotFoundError:
            continue
    data = list(data)
    digests = zip(data, file_digests(data), strict=True)
    hashes = [{"file": str(path), **one._asdict()} for path, one in digests]
    found = {"run": run, "versions": versions, "files": hashes}
    return found | {"made_by": _made_by(config)}


def _made_by(config):
    """Return the programs that made the files of own data, if their BIDS dataset names them."""
    source = (config.get("sources") or {}).get(config["source"]) or {}
    files = source.get("files")
    if config["source"] != "folder" or not files:
        return []
    # What stands before the first brace or star is a folder that exists.
    fixed = re.split(r"[{*]", str(Path(source["subjects"]).parent / files), maxsplit=1)[0]
    for folder in Path(fixed + "x").parents:
        given = description_of(folder)
        if given:
            return programs_of(given)
    return []


def _git(root, *command):
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *command], capture_output=True, text=True, check=False
        )
    except OSError:  # no git here
        return ""
    if done.returncode == 0:
        return done.stdout.strip()
    return ""
