"""Optional libraries: imported where they are used, and named when they are missing."""

import importlib

from .errors import InputError


def optional(module, extra):
    """Import a module that an extra of the package brings.

    Parameters
    ----------
    module : str
        For example ``"gensim.models.doc2vec"``.
    extra : str
        The extra in ``pyproject.toml`` that brings it.

    Returns
    -------
    module

    Raises
    ------
    InputError
        If it is not installed. The message gives the command that installs it.

    Examples
    --------
    >>> optional("json", "plot").dumps(1)
    '1'
    >>> optional("no_such_library", "plot")
    Traceback (most recent call last):
    ...
    contrast_subgraphs.core.errors.InputError: this needs no_such_library: pip install \
'contrast-subgraphs[plot]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0]
        if (error.name or "").split(".")[0] != package:
            raise
        raise InputError(
            f"this needs {package}: pip install 'contrast-subgraphs[{extra}]'"
        ) from error
