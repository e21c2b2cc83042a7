"""A small random generator for compiled loops (Steele, Lea, Flood 2014: SplitMix64)."""

import numpy as np
from numba import uint64

from ..core.compiled import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@kernel(inline="always")
def next_bits(state):
    """Advance ``state[0]`` (uint64) and return 64 random bits."""
    state[0] += _GOLDEN
    bits = state[0]
    bits = (bits ^ (bits >> uint64(30))) * _FIRST
    bits = (bits ^ (bits >> uint64(27))) * _SECOND
    return bits ^ (bits >> uint64(31))


@kernel(inline="always")
def below(state, n):
    """Return a whole number in [0, n), n < 2**32 (Lemire's product, bias below n / 2**32)."""
    return np.int64(((next_bits(state) >> uint64(32)) * uint64(n)) >> uint64(32))


@kernel(inline="always")
def unit(state):
    """Return a double in [0, 1)."""
    return (next_bits(state) >> uint64(11)) * (1.0 / 9007199254740992.0)
