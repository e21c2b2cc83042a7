"""Random draws that depend only on the config's seed and on the name of what is drawn.

Nothing else (order of jobs, number of cores, other cohorts) may change a draw.
"""

import hashlib

import numpy as np


def entropy(seed, *names):
    """Return 128 bits made of the seed and the names of the thing drawn for ("male", "splits")."""
    # A separator that no name holds: ("a", "bc") and ("ab", "c") must not draw the same numbers.
    text = "\x1f".join(str(part) for part in (seed, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")


def generator(seed, *names):
    """Return a numpy random generator of its own for the thing called `names` (see `entropy`)."""
    return np.random.default_rng(entropy(seed, *names))


def integer(seed, *names):
    """Return a seed in ``[0, 2**32)`` for libraries that take an integer (`random_state`)."""
    return entropy(seed, *names) & 0xFFFFFFFF
