"""The conda recipe says what pyproject.toml says."""

import copy
import runpy
import tomllib

import pytest
import yaml


@pytest.fixture(scope="module")
def checking(root):
    return runpy.run_path(str(root / "packaging" / "conda" / "check.py"))


@pytest.fixture
def recipe(checking):
    return yaml.safe_load(checking["RECIPE"].read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def whole(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_names_versions_and_command_are_the_same(checking, recipe, whole):
    requires = whole["build-system"]["requires"]
    assert checking["differences"](recipe, whole["project"], requires) == []


@pytest.mark.parametrize(
    "key, change",
    [
        ("version", lambda project: project.update(version="9")),
        ("run", lambda project: project["dependencies"].append("torch>=1")),
        ("run", lambda project: project.update({"requires-python": ">=3.12"})),
        (
            "command",
            lambda project: project["scripts"].update({"contrast-subgraphs": "a:b"}),
        ),
        ("license", lambda project: project.update(license="MIT")),
    ],
)
def test_what_differs_is_found(checking, recipe, whole, key, change):
    project = copy.deepcopy(whole["project"])
    change(project)
    (found,) = checking["differences"](recipe, project, whole["build-system"]["requires"])
    assert found.startswith(f"{key}: ")


def test_rattler_build_accepts_it(checking):
    pytest.importorskip("rattler_build", reason="envs/requirements-packaging.txt")
    (made,) = checking["rendered"](checking["RECIPE"].read_text(encoding="utf-8"))
    assert made.package.name == "contrast-subgraphs"
