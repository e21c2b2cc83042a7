"""Compiled functions: never older than what they call, and wherever they can be kept."""

import os
import shutil
import subprocess
import sys

import pytest
from contrast_subgraphs.core import compiled

USER = "from contrast_subgraphs.core.outer import outer; print(outer(1.0))"


@pytest.fixture
def package(tmp_path, root):
    """A copy of the library with two compiled functions, one calling the other."""
    copy = tmp_path / "lib" / "contrast_subgraphs"
    source = root / "workflow" / "contrast_subgraphs"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    head = "from .compiled import kernel\n"
    (copy / "core" / "inner.py").write_text(
        head + "\n\n@kernel\ndef inner(x):\n    return x + 1\n", encoding="utf-8"
    )
    (copy / "core" / "outer.py").write_text(
        head + "from .inner import inner\n\n\n@kernel\ndef outer(x):\n    return inner(x)\n",
        encoding="utf-8",
    )
    return copy


def run(package, code=USER, **environment):
    """Run code in a fresh process that imports the copy and keeps no bytecode; what it prints."""
    settings = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    result = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env=settings | {"PYTHONPATH": str(package.parent)} | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def kept(folder):
    """The folders of kernels in which there is machine code."""
    return {f.parents[1].name for f in folder.rglob("*.nbc")}


@pytest.mark.parametrize("own_folder", [True, False])
def test_an_edit_of_a_called_function_in_another_file_counts(package, tmp_path, own_folder):
    place = tmp_path / "cache" if own_folder else package / "__pycache__"
    settings = {"NUMBA_CACHE_DIR": str(place)} if own_folder else {}
    assert run(package, **settings) == "2.0"
    first = kept(place)
    assert len(first) == 1
    inner = package / "core" / "inner.py"
    status = inner.stat()
    inner.write_text(inner.read_text("utf-8").replace("x + 1", "x + 5"), encoding="utf-8")
    os.utime(inner, ns=(status.st_atime_ns, status.st_mtime_ns))  # neither size nor time tell
    assert run(package, **settings) == "6.0"
    assert len(kept(place) - first) == 1


def test_it_works_where_nothing_can_be_written(package):
    (package / "__pycache__").write_text("in the way")  # root may write into any folder
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": "/dev/null/cache"}
    assert run(package, **nowhere) == "2.0"


def test_the_setting_of_other_packages_is_left_alone(package, tmp_path):
    code = "import numba; before = numba.config.CACHE_DIR; " + USER
    code += "; assert numba.config.CACHE_DIR == before"
    run(package, code)
    run(package, code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))


def test_nothing_is_compiled_before_it_is_called():
    code = (
        "from contrast_subgraphs.contrast.features import extract\n"
        "from contrast_subgraphs.contrast.proof import branching, triangles\n"
        "import numpy as np\n"
        "extract(np.array([[0, 1.0, 2], [1, 0, 3], [2, 3, 0]]), [50])\n"
        "print(branching.visit.dispatcher.signatures)\n"
        "print(triangles._primal_dual.dispatcher.signatures)\n"
    )
    assert run(compiled.PACKAGE, code) == "[]\n[]"


def test_processes_at_work_at_once_compile_once(package, tmp_path):
    """In a fresh clone several jobs start together."""
    code = """
import numba.core.compiler as compiler
count = []
whole = compiler.compile_extra
def noted(*args, **kwargs):
    count.append(1)
    return whole(*args, **kwargs)
compiler.compile_extra = noted
from contrast_subgraphs.core.outer import outer
outer(1.0)
print(len(count))
"""
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", code]
    both = [
        subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    counts = sorted(int(process.communicate(timeout=300)[0]) for process in both)
    assert counts == [0, 0, 2]  # the function and the one that it calls


def test_compiling_is_said_once_and_only_when_it_is_done(package, tmp_path):
    code = "import subprocess, sys; from contrast_subgraphs.core.outer import outer; outer(1.0)"
    run_code = (
        "import subprocess, sys; "
        f"print(subprocess.run([sys.executable, '-c', {code!r}], capture_output=True).stderr)"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(package, run_code, **cache) == r"b'compiling (once)\n'"
    assert run(package, run_code, **cache) == "b''"
