"""The rooms of the library: what each may import, its files, and their hash.

A room is a package of the library, one for each stage, `core` and `design`, which all share, or a
module: `methods`, and `__init__` for the version. `config` and `cli`, which no result depends on
but through the config itself, may import all of them and have no hash.
"""

import functools
import hashlib
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
#: Imports run one way: a room imports itself and these (a test holds the imports to it).
IMPORTS = {
    "__init__": (),
    "core": (),
    "design": ("core",),
    "data": ("core", "design"),
    "graphs": ("core", "design", "data"),
    "contrast": ("core", "design"),
    "inference": ("core", "design", "contrast"),
    "embeddings": ("core", "design"),
    "methods": ("core", "design", "embeddings"),
    "evaluation": ("core", "design", "contrast", "embeddings"),
    "report": (
        *("core", "design", "data", "contrast", "inference", "embeddings", "evaluation"),
        *("methods", "__init__"),
    ),
}


def files_behind(room):
    """Return the paths of all files that a room depends on, code and resources."""
    found = []
    for part in (room, *IMPORTS[room]):
        found += [PACKAGE / f"{part}.py", *(PACKAGE / part).rglob("*")]
    return [file for file in found if file.is_file() and "__pycache__" not in file.parts]


def hash_of(files, base=PACKAGE):
    """Return 16 hexadecimal digits for files: their names, seen from a folder, and contents."""
    digest = hashlib.sha256()
    # Names are part of the hash (a renamed file is another file), and the order is fixed: each
    # system lists folders in an order of its own.
    for name, file in sorted((os.path.relpath(file, base), file) for file in files):
        digest.update(f"{name}\0".encode() + Path(file).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@functools.cache
def code_hash(stage, script, workflow):
    """Return the hash of all code that a rule's results depend on.

    This covers its script, the stage's file of rules, the rooms of its stage and of those below,
    and the pinned versions. An edit may rerun more than it must, but never less.
    """
    scripts = [workflow / "scripts" / name for name in ("job.py", script)]
    rules = [workflow / "rules" / f"{name}.smk" for name in (stage, "common")]
    pins = workflow.parent / "envs" / "requirements.txt"
    return hash_of([*scripts, *rules, pins, *files_behind(stage)], workflow)
