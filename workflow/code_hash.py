"""A hash of the code that a stage's results rest on.

Snakemake sees the edit of a script by its time stamp and that of an imported library not
at all. Here the text counts. An edit may rerun more than it must, and never less.
"""

import functools
import hashlib
from pathlib import Path

WORKFLOW = Path(__file__).resolve().parent
#: The library lies beside this file in a checkout, and around it once installed.
LIBRARY = WORKFLOW / "contrast_subgraphs"
if not LIBRARY.is_dir():
    LIBRARY = WORKFLOW.parents[1]

#: What each part of the library imports (a test holds the imports to it).
IMPORTS = {
    "core": (),
    "data": ("core",),
    "graphs": ("core", "data"),
    "contrast": ("core",),
    "inference": ("core", "contrast"),
    "embeddings": ("core",),
    "evaluation": ("core", "contrast", "embeddings"),
    "report": ("core", "data", "contrast", "inference", "embeddings", "evaluation"),
}


@functools.cache
def code_hash(stage, script):
    """Return 16 hexadecimal digits for a script, its stage's packages and the pinned versions."""
    scripts, pins = WORKFLOW / "scripts", WORKFLOW.parent / "envs/requirements.txt"
    files = {name: scripts / name for name in ("job.py", script)} | {"pins": pins}
    for part in (stage, *IMPORTS[stage]):
        for file in _code(LIBRARY / part):
            files[file.relative_to(LIBRARY).as_posix()] = file
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _code(folder):
    """Code and resources in a folder, without what Python and numba leave there."""
    return [f for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
