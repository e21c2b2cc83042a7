"""The provenance of a run: its version, its packages, and its files with their hashes."""

import hashlib
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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
    whether it is installed or not. Returns: ``run`` (source, seed, version, commit), ``versions``
    and ``files`` (file, bytes, sha256).
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
    hashes = []
    for path in data:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        hashes.append({"file": str(path), "bytes": Path(path).stat().st_size, "sha256": digest})
    return {"run": run, "versions": versions, "files": hashes}


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
