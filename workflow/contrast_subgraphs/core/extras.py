"""Optional libraries: imported where they are used, and named when they are missing."""

import importlib

from .errors import InputError


def optional(module, extra):
    """Import a module that an extra of the package brings; InputError if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0]
        # The library is there, but something that it imports is not: its own message says what.
        if (error.name or "").split(".")[0] != package:
            raise
        raise InputError(
            f"this needs {package}: pip install 'contrast-subgraphs[{extra}]'"
        ) from error
