"""What can be imported from the package itself."""

import importlib
import inspect
import subprocess
import sys

import contrast_subgraphs
import pytest


def test_every_public_name_is_there():
    assert set(contrast_subgraphs._ELSEWHERE) <= set(contrast_subgraphs.__all__)
    for name in contrast_subgraphs.__all__:
        assert getattr(contrast_subgraphs, name).__name__ == name
    assert set(contrast_subgraphs.__all__) <= set(dir(contrast_subgraphs))
    with pytest.raises(AttributeError, match="no attribute 'contrast_graph'"):
        contrast_subgraphs.contrast_graph  # noqa: B018


def test_the_api_page_lists_every_public_name_and_no_other(root):
    page = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = [line.removeprefix("::: ") for line in page.splitlines() if line.startswith(":::")]
    assert sorted(name.rpartition(".")[2] for name in listed) == sorted(contrast_subgraphs.__all__)
    for name in listed:
        module, _, last = name.rpartition(".")
        found = getattr(importlib.import_module(module), last)
        assert found is getattr(contrast_subgraphs, last)


@pytest.mark.parametrize("name", contrast_subgraphs.__all__)
def test_every_public_name_is_annotated_and_has_an_example(name):
    """The examples run with those of all other docstrings (`test_doctests`)."""
    found = getattr(contrast_subgraphs, name)
    if not name.endswith("Result"):  # the functions that return them show them
        assert ">>> " in found.__doc__
    functions = [found]
    if inspect.isclass(found):
        functions = [f for n, f in vars(found).items() if inspect.isfunction(f) and n[0] != "_"]
    for function in functions:
        signature = inspect.signature(function)
        given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        assert all(p.annotation is not p.empty for p in given), function
        assert signature.return_annotation is not signature.empty, function


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("", ("numpy", "numba", "sklearn")),
        # Each job of the workflow would wait for it before it works.
        (".config", ("sklearn", "scipy.stats", "numba")),
        (".contrast", ("sklearn", "scipy.stats")),
        (".inference", ("sklearn", "scipy.stats")),
        (".graphs.cohorts", ("sklearn", "scipy.stats", "numba")),
        (".evaluation.evaluate", ("sklearn", "scipy.stats")),
        (".report.tables.table", ("sklearn", "scipy.stats")),
    ],
)
def test_imports_load_nothing_that_is_not_needed_yet(root, module, heavy):
    code = f"import sys, contrast_subgraphs{module}; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    path = str(root / "workflow")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
