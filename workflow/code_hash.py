"""A hash of the code that a stage's results depend on.

Snakemake notices an edited script by its time stamp, and an edited library not at all. Here
the contents count. An edit may rerun more than it must, but never less.
"""

import functools
from pathlib import Path

from contrast_subgraphs.core.import_rules import files_behind, hash_of

WORKFLOW = Path(__file__).resolve().parent


@functools.cache
def code_hash(stage, script):
    """Return 16 hexadecimal digits for a script, its stage's packages and the pinned versions."""
    files = {name: WORKFLOW / "scripts" / name for name in ("job.py", script)}
    files["pins"] = WORKFLOW.parent / "envs/requirements.txt"
    return hash_of(files | files_behind(stage))
