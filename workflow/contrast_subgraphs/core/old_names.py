"""Names that are no longer used: they keep working, and say what they are called now."""

import warnings
from typing import Any


def warn_of_old_name(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that something has another name now.

    Parameters
    ----------
    old, new : str
        What was used, and what is to be used.
    stacklevel : int
        3: the warning names the line that called whoever calls this.
    """
    warnings.warn(f"{old} is deprecated: use {new}", DeprecationWarning, stacklevel=stacklevel)


def old_method(old: str, new: str, attribute: str) -> Any:
    """Return a method without arguments that warns, and gives what an attribute is now."""

    def method(self) -> Any:
        warn_of_old_name(f"{old}()", new)
        return getattr(self, attribute)

    method.__doc__ = f"Deprecated: use `{new}`."
    return method


def old_property(old: str, new: str, attribute: str) -> Any:
    """Return a property that warns, and gives what another attribute is now."""
    return property(old_method(old, new, attribute))
