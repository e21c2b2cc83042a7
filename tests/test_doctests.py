"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import contrast_subgraphs
import numpy as np
import pytest

MODULES = [
    module.name
    for module in pkgutil.walk_packages(contrast_subgraphs.__path__, "contrast_subgraphs.")
    if "._workflow" not in module.name and not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testmod(module, extraglobs={"np": np}, optionflags=options)
    assert found.failed == 0
