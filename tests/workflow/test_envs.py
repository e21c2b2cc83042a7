"""The files that pin the environment agree with each other and with the package."""

import re
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
    sources = sorted((root / "envs").glob("*.in"))
    assert len(sources) == 4
    for source in sources:
        text = source.with_suffix(".txt").read_text(encoding="utf-8").replace("\\\n", " ")
        lines = [line for line in text.splitlines() if re.match(r"[a-z]", line)]
        assert len(lines) > 5
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


def test_snakemake_is_asked_for_by_one_version(root, lock):
    """The Snakefile, the package and the pins: what the first refuses, the others do not bring."""
    from packaging.requirements import Requirement
    from packaging.version import Version

    (least,) = re.findall(
        r'min_version\("(.+)"\)', (root / "Snakefile").read_text(encoding="utf-8")
    )
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (asked,) = [
        requirement.specifier
        for requirement in map(Requirement, project["optional-dependencies"]["workflow"])
        if requirement.name == "snakemake"
    ]
    assert str(asked) == f">={least}"
    pin = lock.pins(root / "envs" / "requirements.txt")["snakemake"]
    assert Version(pin).release[:2] == Version(least).release[:2]
