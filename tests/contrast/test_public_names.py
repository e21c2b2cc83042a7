"""What can be imported from the package itself."""

import subprocess
import sys

import contrast_subgraphs
import pytest


def test_every_public_name_is_there():
    assert sorted(contrast_subgraphs.__all__) == sorted(contrast_subgraphs._MODULES)
    for name in contrast_subgraphs.__all__:
        assert getattr(contrast_subgraphs, name).__name__ == name
    assert set(contrast_subgraphs.__all__) <= set(dir(contrast_subgraphs))
    with pytest.raises(AttributeError, match="no attribute 'contrast_graph'"):
        contrast_subgraphs.contrast_graph  # noqa: B018


def test_importing_the_package_loads_nothing_else(root):
    code = "import sys, contrast_subgraphs; print([m for m in ('numpy', 'numba', 'sklearn') " + (
        "if m in sys.modules])"
    )
    path = str(root / "workflow")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
