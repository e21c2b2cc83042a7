"""Dockerfile and Apptainer definition: pinned, alike, and (if asked for) run command by command."""

import os
import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

KNOWN = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "ENTRYPOINT", "CMD", "ARG"}


def instructions(text):
    """Return (name, rest) for each instruction of a Dockerfile."""
    joined = text.replace("\\\n", "")
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(re.sub(r"\s+", " ", line).split(" ", 1)) for line in lines]


def commands(text):
    """Return the commands of the section %post of an Apptainer definition."""
    post = text.split("%post\n")[1].split("\n%")[0].replace("\\\n", "")
    return [re.sub(r"\s+", " ", line.strip()) for line in post.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def docker(root):
    return instructions((root / "Dockerfile").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def apptainer(root):
    return (root / "packaging" / "apptainer.def").read_text(encoding="utf-8")


def of(docker, name):
    return [rest for one, rest in docker if one == name]


def test_the_image_is_pinned_and_runs_the_command(root, docker):
    assert {name for name, _ in docker} <= KNOWN
    assert of(docker, "ARG") == ["PYTHON=python:3.12-slim"]
    assert of(docker, "ENTRYPOINT") == ['["contrast-subgraphs"]']
    assert "--require-hashes -r envs/requirements.txt" in of(docker, "RUN")[0]
    for line in of(docker, "COPY"):
        for source in line.split(" ")[:-1]:
            assert (root / source).exists(), line


def test_every_install_is_by_hash_or_of_what_was_just_built(docker):
    installs = re.findall(r"pip install [^&]*", " && ".join(of(docker, "RUN")))
    assert len(installs) == 3
    for install in installs:
        assert "--require-hashes" in install or "--no-deps --no-index dist/*.whl" in install


def test_apptainer_does_the_same(docker, apptainer):
    assert "From: python:3.12-slim" in apptainer
    assert commands(apptainer)[:2] == ["set -e", "cd /opt/contrast-subgraphs"]
    # An Apptainer user has a home of their own.
    assert commands(apptainer)[2:] == of(docker, "RUN")[:-1]
    copied = [source for line in of(docker, "COPY") for source in line.split(" ")[:-1]]
    listed = apptainer.split("%files\n")[1].split("\n\n")[0].split("\n")
    expected = [f"{source} /opt/contrast-subgraphs/{source}" for source in copied]
    assert [line.strip() for line in listed] == expected


def test_commands_are_a_shells(docker):
    for command in of(docker, "RUN"):
        check = subprocess.run(["sh", "-n", "-c", command], capture_output=True, text=True)
        assert check.returncode == 0, check.stderr


@pytest.mark.skipif(
    "CONTRAST_SUBGRAPHS_CONTAINER" not in os.environ,
    reason="takes minutes: set CONTRAST_SUBGRAPHS_CONTAINER=1",
)
def test_its_commands_run_one_by_one_in_a_clean_environment(root, docker, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    image = tmp_path / "image"
    image.mkdir()
    kept = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    path = f"{tmp_path}/venv/bin{os.pathsep}{os.environ['PATH']}"
    env = kept | {"PATH": path, "HOME": str(tmp_path)}
    for name, rest in docker:
        if name == "COPY":
            *sources, target = rest.split(" ")
            for source in sources:
                copy(root / source, image / target)
        if name == "RUN":
            subprocess.run(["sh", "-e", "-c", rest], cwd=image, env=env, check=True)
    shutil.rmtree(image / "workflow")  # nothing of the sources is needed any more
    shutil.copytree(root / "examples", tmp_path / "data")
    entry = ["contrast-subgraphs", "run", "simulated.yaml", "--cores", "1", "--dry-run"]
    done = subprocess.run(
        entry, cwd=tmp_path / "data", env=env, capture_output=True, text=True, check=True
    )
    assert "report" in done.stdout + done.stderr


def copy(source, target):
    ignore = shutil.ignore_patterns("__pycache__")
    if source.is_dir():
        shutil.copytree(source, target, ignore=ignore)
    elif target.name:
        shutil.copy(source, target if not target.is_dir() else Path(target) / source.name)
