"""The wheel, installed elsewhere: everything that the library reads lies inside it."""

import os
import subprocess
import sys
import zipfile

import pytest

#: What a plain `pip install contrast-subgraphs` does not bring.
EXTRAS = {
    "sdp": ["cvxpy", "mosek", "scs"],
    "workflow": ["jinja2", "jsonschema", "pooch", "snakemake", "yaml"],
}
#: Takes away what Windows does not have.
NOT_POSIX = """
import os, signal, sys
import click, multiprocessing, numba, numpy, pandas, scipy, sklearn, subprocess, tempfile, tqdm

for module in ("fcntl", "grp", "pwd", "resource"):
    sys.modules[module] = None
for module, names in (
    (signal, ["SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT"]),
    (os, ["fork", "getuid", "kill", "killpg", "setsid", "sched_getaffinity", "sysconf"]),
):
    for name in names:
        delattr(module, name)
sys.platform = "win32"
"""
#: Imports as if no extra were installed.
LIGHT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sum(EXTRAS.values(), [])}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    pytest.importorskip("hatchling", reason="the tools of envs/requirements-dev.txt are missing")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--quiet", "--wheel-dir", str(folder), str(root)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Run code, or the command line, with the installed package, far from the checkout."""
    target, elsewhere = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("elsewhere")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*command, "--target", str(target), str(wheel)], check=True)

    def run(*arguments, fails=False):
        env = os.environ | {"PYTHONPATH": str(target)}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=elsewhere, env=env, capture_output=True, text=True
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_the_wheel_holds_the_library_and_the_workflow_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "py.typed",
        "config/schema.yaml",
        "data/aal116.csv",
        "report/templates/page.html",
        "_workflow/Snakefile",
        "_workflow/config.yaml",
        "_workflow/profiles/default/profile.yaml",
        "_workflow/workflow/rules/common.smk",
        "_workflow/workflow/scripts/job.py",
    ):
        assert f"contrast_subgraphs/{name}" in names
    assert all(name.startswith(("contrast_subgraphs/", "contrast_subgraphs-")) for name in names), (
        names
    )
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_every_module_can_be_imported_without_extras_and_without_posix(installed):
    code = f"""{LIGHT}{NOT_POSIX}
import importlib, pkgutil
import contrast_subgraphs

assert "site" in contrast_subgraphs.__file__, contrast_subgraphs.__file__
count = 0
for module in pkgutil.walk_packages(contrast_subgraphs.__path__, "contrast_subgraphs."):
    if "._workflow" not in module.name and not module.name.endswith(".__main__"):
        importlib.import_module(module.name)
        count += 1
print(count)
"""
    assert int(installed("-c", code).split()[-1]) > 50


def test_subgraphs_are_found_and_drawn_without_extras(installed):
    code = f"""{LIGHT}
import numpy as np
from contrast_subgraphs import ContrastSubgraphFeatures, contrast_subgraph, plot_contrast

rng = np.random.default_rng(0)
difference = np.triu(rng.normal(size=(12, 12)), 1)
found = contrast_subgraph(difference + difference.T, percentile=80)
plot_contrast(difference + difference.T, found).savefig("found.png")
print(found.optimal)
graphs = np.triu(rng.random((10, 8, 8)) < 0.5, 1).astype(int)
features = ContrastSubgraphFeatures(percentile=80, labels=(0, 1))
print(features.fit_transform(graphs + graphs.transpose(0, 2, 1), np.arange(10) % 2).shape)
"""
    said = [line for line in installed("-c", code).splitlines() if "compiling" not in line]
    assert said == ["True", "(10, 2)"]


def test_a_missing_extra_is_named_with_the_command_that_brings_it(installed):
    code = f"""{LIGHT}
from contrast_subgraphs.config import checked
checked({{}})
"""
    said = installed("-c", code, fails=True).splitlines()[-1]
    assert said.endswith("this needs yaml: pip install 'contrast-subgraphs[workflow]'")


def test_resources_are_found(installed):
    code = """
import pathlib, yaml
import contrast_subgraphs
from contrast_subgraphs.config import checked
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.report.tables.paper import load_paper

base = pathlib.Path(contrast_subgraphs.__file__).parent / "_workflow/config.yaml"
print(checked(yaml.safe_load(base.read_text()))["source"], len(load_aal()), *load_paper())
"""
    assert installed("-c", code).split()[:2] == ["abide", "116"]


def test_the_installed_workflow_plans_its_jobs(installed):
    code = "import contrast_subgraphs as c; print(c.__path__[0])"
    snakefile = installed("-c", code).strip() + "/_workflow/Snakefile"
    said = installed(
        *("-m", "snakemake", "--snakefile", snakefile, "--dry-run", "--cores", "1"),
        *("--config", "source=simulated"),
    )
    assert "report" in said and "contrast_subgraphs" in said
