"""Checks of arguments and the words of their errors, for all rooms."""

import difflib
import math
import secrets
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from .errors import InputError


def in_words(names: Iterable[object], last: str = "and", most: int = 8) -> str:
    """Return a list as words, with `last` before the last one; more than `most` are counted.

    >>> in_words("abc"), in_words(["a"]), in_words("abcdef", most=2)
    ('a, b and c', 'a', 'a, b and 4 more')
    """
    words = [str(name) for name in names]
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return f" {last} ".join([part for part in (", ".join(words[:-1]), *words[-1:]) if part])


def in_room(names: Iterable[object], room: int = 100) -> str:
    """Return as many names as fit into `room` characters, and how many more there are.

    >>> in_room(["Precuneus_L", "Precuneus_R", "Cuneus_L"], 30)
    'Precuneus_L and 2 more'
    """
    words = [str(name) for name in names]
    for most in range(len(words), 0, -1):
        text = in_words(words, most=most)
        if len(text) <= room:
            return text
    return in_words([name[:room] for name in words], most=1)


def plural(count: int, noun: str, several: str = "") -> str:
    """Return a count with its noun, such as ``1 region`` or ``3 regions``.

    >>> plural(3, "region"), plural(2, "penalty", "penalties")
    ('3 regions', '2 penalties')
    """
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {several or noun + 's'}"


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return ``: did you mean ...?`` if one of the known names is close, else nothing."""
    close = difflib.get_close_matches(str(name), [str(one) for one in known], n=1)
    if close:
        return f": did you mean {close[0]}?"
    return ""


def check_option(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """Return the value of an option, or raise InputError with the choices."""
    if not any(value is choice or value == choice for choice in choices):
        raise InputError(
            f"{name} must be {in_words(choices, 'or', 99)}, not {value!r}"
            f"{did_you_mean(value, choices)}"
        )
    return value


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number of at least `least`, or raise InputError."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


#: Seeds that are drawn lie below this.
_SEEDS = 2**32

#: What draws may depend on: a number, or None or a generator, from which a number is drawn.
RandomState = int | np.random.Generator | np.random.RandomState | None


def check_seed(value: Any, name: str = "random_state") -> int:
    """Return a seed, or raise InputError: 1.0 would draw other numbers than 1.

    Parameters
    ----------
    value : int, numpy.random.Generator, numpy.random.RandomState or None
        A generator gives another seed each time it is asked. So does None, which asks the system.
    name : str
        What it is called in errors.

    Examples
    --------
    >>> check_seed(3), check_seed(np.random.default_rng(0)) == check_seed(np.random.default_rng(0))
    (3, True)
    """
    if value is None:
        return secrets.randbelow(_SEEDS)
    if isinstance(value, np.random.Generator):
        return int(value.integers(_SEEDS))
    if isinstance(value, np.random.RandomState):
        return int(value.randint(_SEEDS, dtype=np.int64))
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(
            f"{name} must be a whole number, None, or a Generator or RandomState of NumPy, "
            f"not {value!r}"
        )
    return int(value)


def check_number(value: Any, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number in ``[low, high]`` as a float, or raise InputError."""
    # bool is a number to Python, but `percentile=True` is a mistake.
    number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not low <= value <= high:
        if low > -math.inf:
            ends = f" from {low:g} to {high:g}"
        else:
            ends = f" of at most {high:g}"
        if math.isinf(high):
            ends = ""
            if low > -math.inf:
                ends = f" of at least {low:g}"
        raise InputError(f"{name} must be a number{ends}, not {value!r}")
    return float(value)
