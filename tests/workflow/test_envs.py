"""The files that pin the environment agree with each other and with the package."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml


@pytest.fixture(scope="module")
def lock(root):
    sys.path.insert(0, str(root / "envs"))
    import lock

    return lock


def test_every_pin_has_hashes(root):
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (root / "envs" / name).read_text(encoding="utf-8").replace("\\\n", " ")
        lines = [line for line in text.splitlines() if re.match(r"[a-z]", line)]
        assert len(lines) > 50
        assert all("==" in line and "--hash=sha256:" in line for line in lines)


def test_dev_pins_are_the_main_ones_and_more(root, lock):
    main = lock.pins(root / "envs" / "requirements.txt")
    dev = lock.pins(root / "envs" / "requirements-dev.txt")
    assert {name: dev[name] for name in main} == main


def test_conda_file_has_the_same_pins(root, lock):
    pins = lock.pins(root / "envs" / "requirements.txt")
    text = (root / "envs" / "contrast-subgraphs.yaml").read_text(encoding="utf-8")
    assert text == lock.conda(pins)
    (pip,) = [d["pip"] for d in yaml.safe_load(text)["dependencies"] if isinstance(d, dict)]
    assert pip == [f"{name}=={pins[name]}" for name in lock.direct(root / "envs/requirements.in")]


def test_pins_satisfy_the_package(root, lock):
    from packaging.requirements import Requirement

    pins = lock.pins(root / "envs" / "requirements-dev.txt")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for text in [*project["dependencies"], *extras["workflow"], *extras["combat"], *extras["dev"]]:
        requirement = Requirement(text)
        if requirement.name == project["name"]:
            continue  # one extra names the others
        assert requirement.specifier.contains(pins[requirement.name]), text


def test_container_uses_the_pins(root):
    text = (root / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^ARG PYTHON=python:3\.12", text, flags=re.MULTILINE)
    assert "--require-hashes -r envs/requirements.txt" in text
    known = {"FROM", "LABEL", "ENV", "WORKDIR", "COPY", "RUN", "ENTRYPOINT", "CMD", "ARG", "USER"}
    joined = text.replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    assert {line.split()[0] for line in lines} <= known
    for line in lines:
        if line.startswith("RUN "):
            check = subprocess.run(["bash", "-n", "-c", line[4:]], capture_output=True, text=True)
            assert check.returncode == 0, check.stderr
        if line.startswith("COPY "):
            for source in line.split()[1:-1]:
                assert (root / source).exists(), line
