"""What each room of the library may import: written once, for the hashes of code and the test.

A room is a package of the library, one for each stage, and `core`, which all share.
"""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
#: Imports run one way: a room imports itself and these (a test holds the imports to it).
IMPORTS = {
    "core": (),
    "design": ("core",),
    "data": ("core", "design"),
    "graphs": ("core", "design", "data"),
    "contrast": ("core", "design"),
    "inference": ("core", "design", "contrast"),
    "embeddings": ("core",),
    "evaluation": ("core", "design", "contrast", "embeddings"),
    "report": ("core", "design", "data", "contrast", "inference", "embeddings", "evaluation"),
}


def files_behind(room):
    """Return all files that a room depends on, code and resources, by their name in the package.

    Parameters
    ----------
    room : str
        One of `IMPORTS`.

    Returns
    -------
    dict
        Name -> pathlib.Path, without what Python and numba leave there.

    Examples
    --------
    >>> "contrast/solver/search.py" in files_behind("inference")
    True
    """
    folders = [PACKAGE / part for part in (room, *IMPORTS[room])]
    files = [file for folder in folders for file in folder.rglob("*")]
    kept = [file for file in files if file.is_file() and "__pycache__" not in file.parts]
    return {file.relative_to(PACKAGE).as_posix(): file for file in kept}


def hash_of(files):
    """Return 16 hexadecimal digits for files, given as name -> path."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
