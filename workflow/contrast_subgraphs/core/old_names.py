"""Names that are no longer used: they keep working, and say what they are called now."""

import warnings


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
