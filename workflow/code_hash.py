"""A hash of the code that a rule's results depend on.

Snakemake notices an edited script by its time stamp, and an edited library not at all. Here
the contents count. An edit may rerun more than it must, but never less.
"""

import functools
from pathlib import Path

from contrast_subgraphs.core.rooms import files_behind, hash_of

WORKFLOW = Path(__file__).resolve().parent


@functools.cache
def code_hash(stage, script):
    """Return 16 hexadecimal digits for a rule's code.

    That is its script, the stage's file of rules, the library's packages of its stage and of
    those below, and the pinned versions.
    """
    scripts = [WORKFLOW / "scripts" / name for name in ("job.py", script)]
    written = [WORKFLOW / "rules" / f"{name}.smk" for name in (stage, "common")]
    pins = [WORKFLOW.parent / "envs" / "requirements.txt"]
    return hash_of([*scripts, *written, *pins, *files_behind(stage)], WORKFLOW)
