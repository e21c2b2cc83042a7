"""An edit of the library changes the hash of the scripts that use it, and of no others."""

import os
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def copy(root, tmp_path, monkeypatch):
    """A copy of the workflow to edit, and the hash function that looks at it."""
    shutil.copytree(
        root / "workflow", tmp_path / "workflow", ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.syspath_prepend(str(tmp_path / "workflow"))

    def hash_of(script, *extra):
        return fresh(monkeypatch).code_hash(script, *extra)

    yield tmp_path / "workflow", hash_of
    monkeypatch.delitem(sys.modules, "code_hash", raising=False)


def fresh(monkeypatch):
    """Import the copy anew, without what it has read so far."""
    monkeypatch.delitem(sys.modules, "code_hash", raising=False)
    import code_hash

    return code_hash


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_comments_docstrings_and_touch_do_not_count(copy):
    workflow, hash_of = copy
    before = hash_of("contrast_subgraphs.py")
    script = workflow / "scripts" / "contrast_subgraphs.py"
    script.write_text("# a comment\n" + script.read_text(encoding="utf-8"), encoding="utf-8")
    module = workflow / "contrast_subgraphs" / "contrast" / "objective.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('"""', '"""Well: ', 1) + "\n\n# the end\n", encoding="utf-8")
    assert hash_of("contrast_subgraphs.py") == before


def test_an_edit_far_down_counts_where_it_is_used(copy):
    workflow, hash_of = copy
    uses, not_uses = hash_of("contrast_subgraphs.py"), hash_of("archive.py")
    module = workflow / "contrast_subgraphs" / "contrast" / "objective.py"
    module.write_text(module.read_text(encoding="utf-8") + "\nA_NEW_NAME = 1\n", encoding="utf-8")
    assert hash_of("contrast_subgraphs.py") == uses
    edited(module, "    return matrix", "    return matrix + 0")
    assert hash_of("contrast_subgraphs.py") != uses
    assert hash_of("archive.py") == not_uses


def test_an_edit_of_the_script_counts(copy):
    workflow, hash_of = copy
    before = hash_of("archive.py")
    edited(workflow / "scripts" / "archive.py", "snakemake.output[0]", "str(snakemake.output[0])")
    assert hash_of("archive.py") != before


def test_a_package_that_passes_names_on_brings_only_what_is_behind_them(copy, monkeypatch):
    workflow, _ = copy
    code_hash = fresh(monkeypatch)
    assert code_hash.WORKFLOW == workflow
    probe = workflow / "scripts" / "probe.py"
    probe.write_text("from contrast_subgraphs.contrast import objective\n", encoding="utf-8")
    names = {path.name for path in code_hash.modules_of(probe)}
    assert "objective.py" in names and "search.py" not in names


@pytest.fixture
def package(copy):
    """Two modules, of which one uses the other, and a script that uses the first."""
    workflow, hash_of = copy
    package = workflow / "contrast_subgraphs"
    (package / "low.py").write_text(
        "import math\nfrom numba import njit\n\nFACTOR = 2\n\n\n@njit(cache=True)\n"
        "def double(x):\n    return FACTOR * x\n\n\ndef other():\n    return math.pi\n",
        encoding="utf-8",
    )
    (package / "high.py").write_text(
        "from numba import njit\nfrom . import low\nfrom .low import double\n\n\n"
        "@njit(cache=True)\ndef quadruple(x):\n    return double(double(x))\n\n\n"
        "def unused():\n    return low.other()\n",
        encoding="utf-8",
    )
    (workflow / "scripts" / "probe.py").write_text(
        "from job import job\n\nwith job(snakemake):\n"
        "    from contrast_subgraphs.high import quadruple\n\n    quadruple(1)\n",
        encoding="utf-8",
    )
    return package, lambda: hash_of("probe.py")


@pytest.mark.parametrize(
    "file, old, new, counts",
    [
        ("low.py", "FACTOR * x", "x * FACTOR", True),
        ("low.py", "FACTOR = 2", "FACTOR = 3", True),
        ("low.py", "math.pi", "math.e", False),
        ("low.py", "def double(x):", "def double(x):  # twice", False),
        ("high.py", "low.other()", "2", False),
        ("high.py", "double(double(x))", "double(x) * 2", True),
        ("high.py", "from . import low\n", "from . import low\n\nprint()\n", True),
    ],
)
def test_of_a_module_only_what_is_used_counts(package, file, old, new, counts):
    folder, hash_now = package
    before = hash_now()
    edited(folder / file, old, new)
    assert (hash_now() != before) == counts


def test_names_reached_through_their_module_count(package):
    folder, hash_now = package
    edited(folder / "high.py", "double(double(x))", "double(double(x)) + low.FACTOR")
    before = hash_now()
    edited(folder / "low.py", "math.pi", "math.e")
    assert hash_now() == before
    edited(folder / "low.py", "FACTOR = 2", "FACTOR = 3")
    assert hash_now() != before


def test_a_file_of_the_library_counts_where_it_is_named(copy):
    workflow, hash_of = copy
    before = hash_of("table_regions.py"), hash_of("table_accuracy.py")
    page = hash_of("report.py", "resources/report")
    atlas = workflow / "contrast_subgraphs" / "resources" / "aal116.csv"
    atlas.write_text(atlas.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert hash_of("table_regions.py") != before[0]
    assert hash_of("table_accuracy.py") == before[1]
    caption = workflow / "contrast_subgraphs/resources/report/captions/degrees.rst"
    caption.write_text("Otherwise.", encoding="utf-8")
    assert hash_of("report.py", "resources/report") != page


def test_compiled_functions_do_not_outlive_what_they_call(package, monkeypatch):
    folder, _ = package

    def computed():
        code = "from contrast_subgraphs.high import quadruple; print(quadruple(1))"
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder.parent,
            env=os.environ | {"PYTHONPATH": str(folder.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout)

    def stale():
        return [path.name for path in fresh(monkeypatch).drop_stale_kernels()]

    assert stale() == [] and computed() == 4
    assert stale() == [] and list((folder / "__pycache__").glob("high.*.nbi"))
    edited(folder / "low.py", "FACTOR = 2", "FACTOR = 3")
    assert stale() == ["high.py", "low.py"] and computed() == 9
    assert stale() == []
